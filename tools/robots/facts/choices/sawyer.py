"""What we decide about the Rethink Robotics Sawyer."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Rethink Robotics",
    product="Sawyer",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base", "right_hand"), vendor="right_arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "right_hand", "right_hand"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, -pi / 4, 0.0, 5 * pi / 12, 0.0, pi / 3, 0.0],
        },
    },
    quality=(
        "joints, limits and inertials from the vendor's description; collision shapes are its"
        " primitives; accelerations of MoveIt"
    ),
    remarks=(
        "With pedestal, controller box and head; the head joint belongs to no group. The head's shape is the source's"
        " sphere of 0.18 m, which the arm meets in a third of random configurations.",
        "A floor at z = 0 of `base` is the top of the pedestal.",
    ),
)
