"""What we decide about the Franka Robotics Franka Emika Panda with hand."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Franka Robotics",
    product="Franka Emika Panda with hand",
    licence="Apache-2.0",
    groups={
        "arm": Group(chain=("panda_link0", "panda_link8"), vendor="panda_arm"),
        "hand": Group(joints=("panda_finger_joint1",), vendor="hand"),
    },
    default_group="arm",
    tools=(Tool("hand", "arm", "panda_link8", "panda_hand_tcp"),),
    poses={"arm": {"home": [0.0, 0.0, 0.0, -pi / 2, 0.0, pi / 2, pi / 4]}},
    acceleration={f"panda_joint{i + 1}": a for i, a in enumerate((15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0))},
    jerk={f"panda_joint{i + 1}": j for i, j in enumerate((7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0))},
    quality="accelerations and jerks are those of the Franka Control Interface; inertials are of unknown origin",
    remarks=(
        "Accelerations and jerks are the limits of the Franka Control Interface (also in the crate franka_rust"
        " 0.1.15, `franka_emika.rs`). The MoveIt configuration has exactly a quarter of these accelerations"
        " (3.75, 1.875, 2.5, …) and a jerk of 300 rad/s³.",
        "The inertials stand in the simulation branch of the description; where they come from is not stated.",
        "The golden poses end at `panda_link8`; the tool frame `panda_hand_tcp` lies 0.1034 m further, turned by"
        " -π/4 about z.",
        "`panda_link5`, a bent link, has four convex pieces, cut from the visual mesh; the vendor's collision mesh is"
        " its hull, which link 7 and the hand touch in a tenth of random configurations where the links themselves"
        " stay apart.",
        "The second finger follows the first (mimic).",
    ),
)
