"""What we decide about the Trossen Robotics WidowX-250 with 5 joints."""

from math import pi

from decisions import Choices
from facts.families.interbotix import LICENCE, MAKER, QUALITY, REMARKS, groups, tools

CHOICES = Choices(
    maker=MAKER,
    product="WidowX-250 with 5 joints",
    licence=LICENCE,
    groups=groups("wx250"),
    default_group="arm",
    tools=tools("wx250"),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, 0.0, 0.0, pi / 2, 0.0],
        },
    },
    quality=QUALITY,
    remarks=REMARKS,
)
