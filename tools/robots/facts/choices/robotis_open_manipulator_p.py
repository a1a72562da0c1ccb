"""What we decide about the ROBOTIS OpenMANIPULATOR-P."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="ROBOTIS",
    product="OpenMANIPULATOR-P",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("link1", "end_link"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "end_link", "end_link"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 12, 0.0, 0.0, 5 * pi / 12, 0.0],
        },
    },
    quality="ranges, speeds and efforts look like placeholders, tensors are unit matrices in the source",
    remarks=(
        "Ranges of ±90°, speeds of 6.5 rad/s and efforts of 1000 Nm for every joint look like placeholders of the"
        " source.",
    ),
)
