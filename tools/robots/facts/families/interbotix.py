"""What the X-series arms of Trossen Robotics (Interbotix) have in common."""

from __future__ import annotations

from decisions import Group, Tool

MAKER = "Trossen Robotics"
LICENCE = "BSD-3-Clause"
QUALITY = "joints, limits, inertials and accelerations from the vendor's description"

REMARKS = (
    "Names of links begin with the vendor's name of the arm, as in the source; names of joints do not.",
    "The right finger follows the left one (mimic). `gripper` turns the propeller on the servo, and no group moves it.",
    "`ee_arm_link`, `fingers_link` and `ee_gripper_link` carry the same 1 g in the source: markers, not bodies.",
)


def groups(arm: str) -> dict[str, Group]:
    """The arm, from its base to between the fingers, and the fingers."""
    return {
        "arm": Group(chain=(f"{arm}/base_link", f"{arm}/ee_gripper_link"), vendor="interbotix_arm"),
        "gripper": Group(joints=("left_finger",), vendor="interbotix_gripper"),
    }


def tools(arm: str) -> tuple[Tool, ...]:
    """The frame between the fingers, which is also the end of the arm."""
    return (Tool("gripper", "arm", f"{arm}/ee_gripper_link", f"{arm}/ee_gripper_link"),)
