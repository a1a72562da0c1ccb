"""What we decide about the Yaskawa Motoman HC10."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Yaskawa",
    product="Motoman HC10",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, pi / 2, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 6, pi / 2, 0.0, -pi / 3, 0.0],
        },
    },
    quality="no inertials are published",
    remarks=(
        "The package is a community one (ROS-Industrial).",
        "The wrist is offset: the axes of joints 4 and 6 are 162 mm apart. The newer HC10DTP turns by ±210°; here"
        " it is ±180°.",
    ),
)
