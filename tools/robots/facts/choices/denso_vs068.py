"""What we decide about the DENSO VS-068."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="DENSO",
    product="VS-068",
    licence="none stated; numbers only",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 3, pi / 3, 0.0, pi / 3, 0.0],
        },
    },
    quality=(
        "kinematics from published link lengths; masses and shapes from a personal, unlicensed and rounded description"
    ),
    remarks=(
        "No official description was found. Kinematics are the published lengths (d1 395, a1 30, a2 340, a3 20,"
        " d4 340, d6 80 mm; PyPI robotkinematicscatalogue 1.1.2); inertials and polytopes are numbers from a"
        " personal repository that states no licence, moved into these frames.",
        "`end_effector` is the flange with the body of a custom gripper of that repository; its fingers and"
        " camera are left out.",
        "The shape of `base_link` reaches 154 mm below its frame in that repository: a stand, it seems.",
        "Joint 3 reaches 153° here and 135° in the catalogue.",
    ),
)
