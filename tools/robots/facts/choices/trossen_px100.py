"""What we decide about the Trossen Robotics PincherX-100."""

from math import pi

from decisions import Choices
from facts.families.interbotix import LICENCE, MAKER, QUALITY, REMARKS, groups, tools

CHOICES = Choices(
    maker=MAKER,
    product="PincherX-100",
    licence=LICENCE,
    groups=groups("px100"),
    default_group="arm",
    tools=tools("px100"),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, 0.0, 0.0, pi / 2],
        },
    },
    quality=QUALITY,
    remarks=REMARKS,
)
