"""What we decide about the Mecademic Meca500 R3."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Mecademic",
    product="Meca500 R3",
    licence="MIT",
    groups={"arm": Group(chain=("meca_base_link", "meca_axis_6_link"), vendor="meca500_arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "meca_axis_6_link", "meca_axis_6_link"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 4, -pi / 12, 0.0, pi / 3, 0.0],
        },
    },
    quality="no inertials are published",
    remarks=(
        "Axis 1 stands 12.5 mm beside the base frame, as in the source. Joint 6 is limited to ±180° there; the"
        " hardware turns further.",
        "The SRDF is that of a third party (Vanderbilt meca500_ros2); its joint names differ, so its pose is not used.",
    ),
)
