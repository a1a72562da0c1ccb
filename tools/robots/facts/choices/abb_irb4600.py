"""What we decide about the ABB IRB 4600-60/2.05."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="ABB",
    product="IRB 4600-60/2.05",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, pi / 6, 0.0],
            "ready": [0.0, pi / 6, -pi / 12, 0.0, 5 * pi / 12, 0.0],
        },
    },
    always_in_contact=(("link_4", "link_6"),),
    quality="no inertials and no effort limits are published",
    remarks=(
        "The package is a community one (ROS-Industrial); package.xml and LICENSE state Apache-2.0.",
        "No SRDF is published, so every pair that can touch is checked.",
    ),
)
