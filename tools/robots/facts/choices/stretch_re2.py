"""What we decide about the Hello Robot Stretch RE2."""

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Hello Robot",
    product="Stretch RE2 with dexterous wrist",
    licence="Clear BSD",
    groups={
        "arm": Group(chain=("base_link", "link_grasp_center"), vendor="stretch_arm"),
        "head": Group(joints=("joint_head_pan", "joint_head_tilt"), vendor="stretch_head"),
        "gripper": Group(joints=("joint_gripper_finger_right", "joint_gripper_finger_left"), vendor="stretch_gripper"),
    },
    default_group="arm",
    tools=(Tool("gripper", "arm", "link_grasp_center", "link_grasp_center"),),
    poses={
        "arm": {"home": [0.6, 0.02, 0.0, 0.0, 0.0], "ready": [0.8, 0.06, 0.0, -0.3, 0.0]},
        "head": {"home": [0.0, 0.0]},
        "gripper": {"home": [0.3, 0.3]},
    },
    invalid_vendor_poses={"stow": "the boxes around `link_arm_l4` and `link_wrist_yaw_bottom` touch in it"},
    quality="whole robot; the telescope moves as one; accelerations are a default",
    remarks=(
        "The whole robot: base, wheels, mast, lift, telescope, wrist with three joints, gripper, head, sensor frames.",
        "The telescope is four sliding joints in the source, which one drive moves together. Here `joint_arm_l3` leads"
        " and the other three follow with factor 1 (mimic), so its value is a quarter of the extension: 0 to 0.13 m"
        " for 0 to 0.52 m.",
        "The arm reaches sideways: the telescope extends along -y of `base_link`.",
        "The collision shapes of the source are boxes, which overlap beside most joints. Pairs whose visual meshes stay"
        " apart over the whole range of the joints between them are not checked; the maker's SRDF has most of them.",
        "The two fingers are separate joints in the source, as here.",
        "Speeds of 1 and efforts of 100 are the same for all joints of the source: placeholders.",
    ),
)
