"""What we decide about the FANUC LR Mate 200iD."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="FANUC",
    product="LR Mate 200iD",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "fanuc_flange"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "fanuc_flange", "fanuc_flange"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 4, pi / 12, 0.0, -pi / 3, 0.0],
        },
    },
    quality="joints, limits and inertials from the vendor's description",
    remarks=(
        "J1 reaches ±180° here and ±170° in the ROS-Industrial model.",
        "The axis of J3 points the other way than that of J2; the controller may measure J3 from the horizontal,"
        " which is not modelled.",
        "The effort limits of 500 Nm of J1 and J2 look like placeholders.",
    ),
)
