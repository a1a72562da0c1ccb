"""What we decide about the Kinova Jaco² with 6 joints, curved wrist and three fingers."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Kinova",
    product="Jaco² with 6 joints, curved wrist and three fingers",
    licence="BSD-3-Clause",
    groups={
        "arm": Group(chain=("j2n6s300_link_base", "j2n6s300_end_effector"), vendor="arm"),
        "gripper": Group(
            joints=("j2n6s300_joint_finger_1", "j2n6s300_joint_finger_2", "j2n6s300_joint_finger_3"), vendor="gripper"
        ),
    },
    default_group="arm",
    tools=(Tool("tool", "arm", "j2n6s300_end_effector", "j2n6s300_end_effector"),),
    poses={
        "arm": {
            "home": [0.0, pi, pi, 0.0, 0.0, 0.0],
            "ready": [0.0, 29 * pi / 36, 4 * pi / 3, pi / 6, -19 * pi / 36, 0.0],
        },
    },
    quality="joints, limits and inertials from the vendor's description",
    remarks=(
        "The curved wrist has twists of 60° and is not spherical. Joints 1, 4, 5 and 6 are continuous.",
        "The finger tips are joints of their own, which no group moves.",
    ),
)
