"""What we decide about the Fetch Robotics (Zebra) Fetch mobile manipulator."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Fetch Robotics (Zebra)",
    product="Fetch mobile manipulator",
    licence="BSD-3-Clause (repository), CC-BY-NC-SA-4.0 (package.xml); numbers and simple shapes only",
    groups={
        "arm_with_torso": Group(chain=("base_link", "gripper_link"), vendor="arm_with_torso"),
        "arm": Group(chain=("torso_lift_link", "gripper_link"), vendor="arm"),
        "torso": Group(joints=("torso_lift_joint",)),
        "head": Group(joints=("head_pan_joint", "head_tilt_joint")),
        "gripper": Group(joints=("r_gripper_finger_joint", "l_gripper_finger_joint"), vendor="gripper"),
    },
    default_group="arm_with_torso",
    tools=(Tool("gripper", "arm_with_torso", "gripper_link", "gripper_link"),),
    poses={
        "arm_with_torso": {
            "home": [0.05, 0.0, -pi / 3, 0.0, 2 * pi / 3, 0.0, pi / 3, 0.0],
            "ready": [0.1, 0.0, -pi / 6, 0.0, pi / 3, 0.0, pi / 3, 0.0],
        },
        "arm": {
            "home": [0.0, -pi / 3, 0.0, 2 * pi / 3, 0.0, pi / 3, 0.0],
            "ready": [0.0, -pi / 6, 0.0, pi / 3, 0.0, pi / 3, 0.0],
        },
        "torso": {"home": [0.05], "raised": [0.3]},
        "head": {"home": [0.0, 0.0]},
        "gripper": {"open": [0.05, 0.05], "closed": [0.0, 0.0]},
    },
    quality="whole robot; finger tensors are estimates",
    remarks=(
        "The whole robot: base, wheels, torso, head, arm, gripper, bellows and sensor frames. The two fingers are"
        " separate joints in the source, as here.",
        "upperarm_roll, forearm_roll and wrist_roll are continuous, and so are the wheels.",
        "`torso_lift_link` is four convex pieces, cut from the source's collision mesh: column, foot, shoulder and head"
        " mount. One hull around all would fill the room that the folded arm takes (the usual tucked pose, for"
        " example).",
        "The wheels stand on a floor about 6 mm below the origin of `base_link`.",
        "The package states BSD in one place and CC-BY-NC-SA-4.0 in another; nothing of its texts or meshes is here.",
        "Accelerations of the torso and the arm are the vendor's MoveIt configuration; it has none for head,"
        " wheels, bellows and fingers, which are therefore not in the table.",
    ),
)
