"""What we decide about the Elephant Robotics myCobot 280 M5."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Elephant Robotics",
    product="myCobot 280 M5",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("g_base", "joint6_flange"), vendor="arm_group")},
    default_group="arm",
    tools=(Tool("tool", "arm", "joint6_flange", "joint6_flange"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, -pi / 4, -pi / 2, pi / 4, 0.0, 0.0],
        },
    },
    quality="no inertials and no speeds are published; lengths differ from the vendor's table by up to 1.9 mm",
    remarks=(
        "The vendor's Denavit-Hartenberg table (d1 131.22, a2 110.4, a3 96, d4 63.4, d5 75.05, d6 45.6 mm)"
        " differs from this description by up to 1.9 mm.",
        "The mesh of `g_base` is missing in the source, so that link has no shape.",
        "Quarter turns are written as 1.5708 in the source; efforts of 1000 Nm are placeholders.",
    ),
)
