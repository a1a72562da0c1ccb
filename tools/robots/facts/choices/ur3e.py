"""What we decide about the Universal Robots UR3e."""

from decisions import Choices, Group, Tool
from facts.families.universal_robots import LICENCE, QUALITY, READY, REMARKS

CHOICES = Choices(
    maker="Universal Robots",
    product="UR3e",
    licence=LICENCE,
    groups={"arm": Group(chain=("base_link", "tool0"), vendor="ur_manipulator")},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "ready": READY,
        },
    },
    quality=QUALITY,
    remarks=(*REMARKS, "wrist_3_joint is continuous."),
)
