"""What we decide about the Yaskawa Motoman GP7."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Yaskawa",
    product="Motoman GP7",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 6, 0.0, 0.0, -pi / 3, 0.0],
        },
    },
    quality="no inertials are published",
    remarks=("The package is a community one (ROS-Industrial).",),
)
