"""What we decide about the Kinova Gen3 lite with gripper."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Kinova",
    product="Gen3 lite with gripper",
    licence="BSD-3-Clause",
    groups={
        "arm": Group(chain=("base_link", "end_effector_link"), vendor="arm"),
        "gripper": Group(joints=("right_finger_bottom_joint",), vendor="gripper"),
    },
    default_group="arm",
    tools=(Tool("gripper", "arm", "end_effector_link", "tool_frame"),),
    poses={
        "arm": {
            "ready": [0.0, -pi / 4, pi / 3, -pi / 2, -5 * pi / 12, 0.0],
        },
    },
    quality="joints, limits, inertials and accelerations from the vendor's description",
    remarks=(
        "The wrist is not spherical: the axes of joints 4 and 6 are 57 mm apart.",
        "The link after joint 6 is massless in the source; the gripper's links carry the masses.",
        "The four finger joints follow `right_finger_bottom_joint` (mimic).",
    ),
)
