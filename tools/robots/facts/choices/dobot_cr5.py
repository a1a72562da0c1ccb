"""What we decide about the Dobot CR5."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Dobot",
    product="CR5",
    licence="MIT",
    groups={"arm": Group(chain=("base_link", "Link6"), vendor="cr5_arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "Link6", "Link6"),),
    poses={
        "arm": {
            "ready": [0.0, 0.0, -pi / 2, 0.0, pi / 2, 0.0],
        },
    },
    quality="speeds and efforts are not published",
    remarks=(
        "Position limits are about ±180° here; the catalogue in PyPI robotkinematicscatalogue 1.1.2 has up to ±360°.",
        "The root link `dummy_link` only carries `base_link`.",
    ),
)
