"""What we decide about the Kinova Gen3, 7 joints, without vision module."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Kinova",
    product="Gen3, 7 joints, without vision module",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("base_link", "end_effector_link"), vendor="arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "end_effector_link", "tool_frame"),),
    poses={"arm": {"ready": [0.0, pi / 6, pi, -pi / 2, 0.0, -pi / 3, pi / 2]}},
    quality="joints, limits, inertials and accelerations from the vendor's description",
    remarks=(
        "Joints 1, 3, 5 and 7 are continuous.",
        "Shoulder axes 1 and 3 miss each other by 11.8 mm and the wrist axes by 0.35 mm: nearly, but not exactly,"
        " spherical shoulder and wrist.",
        "Quarter turns are written as 1.5708 in the source, so axes are up to 4 µrad off.",
        "The MoveIt configuration limits all joints to 0.8727 rad/s; the limits here are those of the description.",
    ),
)
