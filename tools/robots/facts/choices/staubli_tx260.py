"""What we decide about the Stäubli TX2-60."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Stäubli",
    product="TX2-60",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 3, pi / 3, 0.0, pi / 3, 0.0],
        },
    },
    quality="no inertials are published",
    remarks=("The package is a community one (ROS-Industrial).",),
)
