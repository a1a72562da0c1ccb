"""What we decide about the Rethink Robotics Baxter."""

from decisions import Choices, Group, Tool

JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
MIRRORED = (-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0)
"""The right arm is the left one's mirror image: joints about axes in the mirror plane turn the other way."""

HOME = [0.0, -0.55, 0.0, 0.75, 0.0, 1.26, 0.0]
"""The vendor's neutral pose."""
READY = [0.0, -1.0, -1.2, 1.9, 0.7, 1.0, -0.5]
"""Elbow out, hand in front of the body."""


def mirrored(values: list[float]) -> list[float]:
    """A pose of the left arm for the right one."""
    return [sign * value + 0.0 for sign, value in zip(MIRRORED, values)]


CHOICES = Choices(
    maker="Rethink Robotics",
    product="Baxter",
    licence="BSD-3-Clause",
    names={"baxter_left": "left_arm", "baxter_right": "right_arm"},
    references=("baxter_left", "baxter_right"),
    groups={
        "left_arm": Group(chain=("torso", "left_gripper"), vendor="left_arm"),
        "right_arm": Group(chain=("torso", "right_gripper"), vendor="right_arm"),
        "both_arms": Group(joints=tuple(f"{side}_{joint}" for side in ("left", "right") for joint in JOINTS)),
        "head": Group(joints=("head_pan",)),
    },
    default_group="left_arm",
    tools=(
        Tool("left_gripper", "left_arm", "left_gripper", "left_gripper"),
        Tool("right_gripper", "right_arm", "right_gripper", "right_gripper"),
    ),
    poses={
        "left_arm": {"home": HOME, "ready": READY},
        "right_arm": {"home": mirrored(HOME), "ready": mirrored(READY)},
        "both_arms": {"home": HOME + mirrored(HOME), "ready": READY + mirrored(READY)},
        "head": {"home": [0.0]},
    },
    quality="whole robot on its pedestal; speed and effort of the head are placeholders of the source",
    remarks=(
        "The whole robot: pedestal, torso, head with screen, both arms, hands without grippers, sensor frames.",
        "Poses of the arms are in `torso`; the root link is `base`, at the same place.",
        "Arms are covered by the cylinders and spheres of the source; torso, pedestal and head by hulls of its meshes.",
        "The source limits `head_pan` to 10000 rad/s and 50000 Nm: placeholders.",
        "Accelerations of 2 rad/s² are those of the vendor's MoveIt configuration; it has none for the head.",
    ),
)
