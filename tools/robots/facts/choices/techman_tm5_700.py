"""What we decide about the Techman Robot TM5-700."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Techman Robot",
    product="TM5-700",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("link_0", "flange_link"), vendor="tmr_arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "flange_link", "flange_link"),),
    poses={
        "arm": {
            "ready": [0.0, 0.0, pi / 2, 0.0, pi / 2, 0.0],
        },
    },
    quality="joints, limits and inertials from the vendor's nominal description",
    remarks=(
        "The nominal model; models calibrated per unit differ. PyPI robotkinematicscatalogue 1.1.2 differs by 0.5 mm.",
    ),
)
