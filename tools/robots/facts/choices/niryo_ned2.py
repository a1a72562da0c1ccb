"""What we decide about the Niryo Ned2."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Niryo",
    product="Ned2",
    licence="GPL-3.0; numbers only",
    groups={"arm": Group(chain=("base_link", "tool_link"), vendor="arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool_link", "tool_link"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, -pi / 6, 0.0, 0.0, -pi / 3, 0.0],
        },
    },
    quality="joints, limits, inertials and accelerations from the vendor's description; shapes are loose",
    remarks=(
        "The repository is under GPL-3.0: nothing but numbers is carried over, and the shapes are loose polytopes.",
        "Axes 5 and 6 miss each other by 9 mm: the wrist is nearly, but not exactly, spherical.",
    ),
)
