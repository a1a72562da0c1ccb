"""What we decide about the PAL Robotics TIAGo."""

from decisions import Choices, Group, Tool

HOME = [0.2, -1.34, -0.2, 1.94, -1.57, 1.37, 0.0]
"""Arm folded in front of the torso."""
READY = [1.5, 0.0, -1.5, 1.6, -1.0, 0.8, 0.0]
"""Hand in front of the body."""
LOW, HIGH = 0.15, 0.25
"""Torso, m."""

CHOICES = Choices(
    maker="PAL Robotics",
    product="TIAGo without hand",
    licence="Apache-2.0",
    groups={
        "arm_with_torso": Group(chain=("base_link", "arm_tool_link")),
        "arm": Group(chain=("torso_lift_link", "arm_tool_link"), vendor="arm"),
        "torso": Group(joints=("torso_lift_joint",)),
        "head": Group(joints=("head_1_joint", "head_2_joint")),
    },
    default_group="arm_with_torso",
    tools=(Tool("tool", "arm_with_torso", "arm_tool_link", "arm_tool_link"),),
    poses={
        "arm_with_torso": {"home": [LOW, *HOME], "ready": [HIGH, *READY]},
        "arm": {"home": HOME, "ready": READY},
        "torso": {"home": [LOW], "raised": [0.3]},
        "head": {"home": [0.0, 0.0]},
    },
    quality="whole robot without hand",
    remarks=(
        "The whole robot: base, wheels, torso, head, arm, force sensor at the wrist, sensor frames; no hand. Casters"
        " are fixed in the source.",
        "`arm_7_link` has no shape of its own in the source; the flange and the force sensor behind it have.",
        "The two wheels are continuous.",
    ),
)
