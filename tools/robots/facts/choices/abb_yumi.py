"""What we decide about the ABB YuMi (IRB 14000)."""

from math import radians

from decisions import Choices, Group, Tool

ORDER = (1, 2, 7, 3, 4, 5, 6)
"""Joints from base to tip: the maker calls the third one 7."""
MIRRORED = (-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0)


def joints(side: str) -> tuple[str, ...]:
    """Joint names of an arm, ``side`` being l or r."""
    return tuple(f"yumi_joint_{number}_{side}" for number in ORDER)


HOME = [radians(angle) for angle in (0.0, -130.0, 135.0, 30.0, 0.0, 40.0, 0.0)]
"""The maker's calibration pose: arms folded beside the body."""
READY = [radians(angle) for angle in (-60.0, -90.0, 90.0, 10.0, 0.0, 40.0, 0.0)]


def mirrored(values: list[float]) -> list[float]:
    """A pose of the left arm for the right one."""
    return [sign * value + 0.0 for sign, value in zip(MIRRORED, values)]


CHOICES = Choices(
    maker="ABB",
    product="YuMi (IRB 14000)",
    licence="BSD",
    names={"abb_yumi_left": "left_arm", "abb_yumi_right": "right_arm"},
    references=("abb_yumi_left", "abb_yumi_right"),
    groups={
        "left_arm": Group(chain=("yumi_base_link", "yumi_link_7_l"), vendor="left_arm"),
        "right_arm": Group(chain=("yumi_base_link", "yumi_link_7_r"), vendor="right_arm"),
        "both_arms": Group(joints=joints("l") + joints("r")),
        "left_gripper": Group(joints=("gripper_l_joint",), vendor="left_gripper"),
        "right_gripper": Group(joints=("gripper_r_joint",), vendor="right_gripper"),
    },
    default_group="left_arm",
    tools=(
        Tool("left_gripper", "left_arm", "yumi_link_7_l", "gripper_l_base"),
        Tool("right_gripper", "right_arm", "yumi_link_7_r", "gripper_r_base"),
    ),
    poses={
        "left_arm": {"home": HOME, "ready": READY},
        "right_arm": {"home": mirrored(HOME), "ready": mirrored(READY)},
        "both_arms": {"home": HOME + mirrored(HOME), "ready": READY + mirrored(READY)},
        "left_gripper": {"open": [0.025], "closed": [0.0]},
        "right_gripper": {"open": [0.025], "closed": [0.0]},
    },
    placeholder_inertials="The inertials are placeholders of the source: every arm link has 2 kg and 0.1 kg m² about"
    " x. They must not be used for dynamics.",
    quality="whole robot with grippers; inertials and efforts are placeholders, accelerations a default",
    remarks=(
        "The whole robot: body, both arms and both grippers. The joint that the maker calls 7 is the third of an arm:"
        " configurations list 1, 2, 7, 3, 4, 5, 6.",
        "Poses of the arms are in `yumi_base_link`, the root; the source mounts it 0.1 m above a world frame that is"
        " left out here.",
        "The second finger of a gripper follows the first (mimic).",
        "Efforts of 300 Nm are placeholders of the source.",
        "The third common normal is 41.88 mm in this source and 40.5 mm in the DH table of another.",
    ),
)
