"""What the two follower arms of ALOHA have in common."""

from math import pi

from decisions import Choices, Group, Tool


def arm(side: str) -> Choices:
    """The choices about the arm on one side, ``left`` or ``right``: they differ in the prefix of their links."""
    base, tip = f"follower_{side}/base_link", f"follower_{side}/ee_gripper_link"
    return Choices(
        maker="Trossen Robotics",
        product=f"ALOHA follower arm, {side} (ViperX-300 6DOF)",
        licence="BSD-3-Clause",
        groups={"arm": Group(chain=(base, tip)), "gripper": Group(joints=("left_finger",))},
        default_group="arm",
        tools=(Tool("gripper", "arm", tip, tip),),
        poses={
            "arm": {
                "home": [0.0, -pi / 4, pi / 3, 0.0, pi / 6, 0.0],
                "ready": [0.0, 0.0, 0.0, 0.0, pi / 4, 0.0],
            },
            "gripper": {"home": [0.057], "open": [0.057]},
        },
        quality="joints, limits and inertials from the maker's description; accelerations are a default",
        remarks=(
            "One of the two follower arms of ALOHA; the other is a robot of its own, because each stands on its own"
            " base and the place of the bases is the user's.",
            "The right finger follows the left (mimic). `gripper` is the motor's shaft, a continuous joint that the"
            " source does not couple with the fingers.",
        ),
    )
