"""What we decide about the Alexander Koch (open hardware) Koch v1.1 follower arm."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Alexander Koch (open hardware)",
    product="Koch v1.1 follower arm",
    licence="Apache-2.0",
    groups={
        "arm": Group(chain=("base_link", "end_effector")),
        "gripper": Group(joints=("gripper",)),
    },
    default_group="arm",
    tools=(Tool("tool", "arm", "end_effector", "end_effector"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, 0.0, 0.0, -pi / 2, 0.0],
        },
        "gripper": {
            "open": [0.032],
            "closed": [-1.6],
        },
    },
    quality="made from a MuJoCo model; speeds and efforts are servo values nobody has checked",
    remarks=(
        "The numbers come from two MuJoCo models: low_cost_robot_arm of MuJoCo Menagerie (limits) and"
        " follower.xml of gym-lowcostrobot (licence Apache-2.0).",
        "Speed and effort limits are those of Dynamixel XL430 and XL330 servos from memory, not from the source.",
        "Joint names are those of LeRobot; the MuJoCo model turns its base by -90° about z, which is not here.",
    ),
)
