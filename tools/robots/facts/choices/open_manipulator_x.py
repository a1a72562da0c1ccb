"""What we decide about the ROBOTIS OpenMANIPULATOR-X."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="ROBOTIS",
    product="OpenMANIPULATOR-X",
    licence="Apache-2.0",
    groups={
        "arm": Group(chain=("link1", "end_effector_link"), vendor="arm"),
        "gripper": Group(joints=("gripper_left_joint",), vendor="gripper"),
    },
    default_group="arm",
    tools=(Tool("tool", "arm", "end_effector_link", "end_effector_link"),),
    poses={
        "arm": {
            "ready": [0.0, 0.0, 0.0, pi / 2],
        },
    },
    quality=(
        "effort limits of 1000 Nm are placeholders; joints, inertials and accelerations from the vendor's description"
    ),
    remarks=(
        "The effort limits of 1000 Nm are placeholders of the source.",
        "The right finger follows the left one (mimic).",
    ),
)
