"""What we decide about the Universal Robots UR5e."""

from math import pi

from decisions import Choices, Group, Tool
from facts.families.universal_robots import LICENCE, QUALITY, READY, REMARKS

CHOICES = Choices(
    maker="Universal Robots",
    product="UR5e",
    licence=LICENCE,
    groups={"arm": Group(chain=("base_link", "tool0"), vendor="ur_manipulator")},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={"arm": {"home": [0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0], "ready": READY}},
    invalid_vendor_poses={
        "home": "our home is the straight-up pose that the vendor calls `up` (with -π/2 in place of -1.5707)"
    },
    quality=QUALITY,
    remarks=REMARKS,
)
