"""What we decide about the ABB IRB 1200-5/0.9."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="ABB",
    product="IRB 1200-5/0.9",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "tool0"), vendor="manipulator")},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, pi / 6, 0.0],
            "ready": [0.0, pi / 6, -pi / 12, 0.0, 5 * pi / 12, 0.0],
        }
    },
    quality="effort limits of 1000 Nm are placeholders",
    remarks=(
        "The effort limits of 1000 Nm are placeholders of the source.",
        "The package is a community one (ROS-Industrial); package.xml and LICENSE state Apache-2.0.",
    ),
)
