"""What we decide about the Willow Garage PR2."""

from decisions import Choices, Group, Tool

JOINTS = ("shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow_flex", "forearm_roll", "wrist_flex", "wrist_roll")
MIRRORED = (-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0)

HOME = [0.4, 1.0, 0.0, -2.05, 0.0, -0.1, 0.0]
"""Left arm: elbow down and bent, hand beside the body in front."""
READY = [0.6, 0.3, 1.2, -1.6, 0.0, -0.6, 0.0]
"""Left arm: elbow out, hand in front of the body."""
LOW, HIGH = 0.05, 0.15
"""Torso, m."""


def mirrored(values: list[float]) -> list[float]:
    """A pose of the left arm for the right one."""
    return [sign * value + 0.0 for sign, value in zip(MIRRORED, values)]


def joints(side: str) -> tuple[str, ...]:
    """Joint names of an arm, ``side`` being l or r."""
    return tuple(f"{side}_{joint}_joint" for joint in JOINTS)


def poses(home: list[float], ready: list[float]) -> dict[str, list[float]]:
    """A table of the two poses that every arm has."""
    return {"home": home, "ready": ready}


CHOICES = Choices(
    maker="Willow Garage",
    product="PR2",
    licence="BSD-3-Clause",
    references=("pr2", "pr2_left"),
    groups={
        "right_arm_with_torso": Group(chain=("base_link", "r_wrist_roll_link")),
        "left_arm_with_torso": Group(chain=("base_link", "l_wrist_roll_link")),
        "both_arms_with_torso": Group(joints=("torso_lift_joint", *joints("l"), *joints("r")), vendor="arms_and_torso"),
        "right_arm": Group(chain=("torso_lift_link", "r_wrist_roll_link"), vendor="right_arm"),
        "left_arm": Group(chain=("torso_lift_link", "l_wrist_roll_link"), vendor="left_arm"),
        "both_arms": Group(joints=joints("l") + joints("r"), vendor="arms"),
        "torso": Group(joints=("torso_lift_joint",)),
        "head": Group(joints=("head_pan_joint", "head_tilt_joint")),
        "right_gripper": Group(joints=("r_gripper_l_finger_joint",), vendor="r_end_effector"),
        "left_gripper": Group(joints=("l_gripper_l_finger_joint",), vendor="l_end_effector"),
    },
    default_group="right_arm_with_torso",
    tools=(
        Tool("right_gripper", "right_arm_with_torso", "r_wrist_roll_link", "r_gripper_tool_frame"),
        Tool("left_gripper", "left_arm_with_torso", "l_wrist_roll_link", "l_gripper_tool_frame"),
    ),
    poses={
        "right_arm_with_torso": poses([LOW, *mirrored(HOME)], [HIGH, *mirrored(READY)]),
        "left_arm_with_torso": poses([LOW, *HOME], [HIGH, *READY]),
        "both_arms_with_torso": poses([LOW, *HOME, *mirrored(HOME)], [HIGH, *READY, *mirrored(READY)]),
        "right_arm": poses(mirrored(HOME), mirrored(READY)),
        "left_arm": poses(HOME, READY),
        "both_arms": poses(HOME + mirrored(HOME), READY + mirrored(READY)),
        "torso": {"home": [LOW], "raised": [0.3]},
        "head": {"home": [0.0, 0.0]},
        "right_gripper": {"open": [0.548], "closed": [0.0]},
        "left_gripper": {"open": [0.548], "closed": [0.0]},
    },
    quality="whole robot; tensors of the roll links are placeholders of the source; accelerations are a default",
    remarks=(
        "The whole robot: base, casters and wheels, torso, head, laser, both arms and grippers, sensor frames. Arm"
        " groups end at `r_wrist_roll_link` and `l_wrist_roll_link`; the tool frames of the grippers lie 0.18 m"
        " further.",
        "The range of a joint is that of its mechanical stops; the source's softer ranges for its controllers are not"
        " used.",
        "Forearm and wrist rolls, casters, wheels and motor screws are continuous.",
        "Three finger joints of a gripper follow the left finger (mimic). `r_gripper_joint` and `l_gripper_joint` are"
        " the opening in metres of the source's simulation; here as there they carry a frame only.",
        "The SRDF beside the source disables next to nothing. Pairs whose hulls overlap beside their joints are"
        " disabled as in the PR2's own MoveIt configuration (moveit/moveit_pr2), where the tuck poses come from.",
        "The torso's effort of 10000 N is a placeholder.",
    ),
)
