"""What we decide about the Trossen Robotics ViperX-300 with 6 joints."""

from math import pi

from decisions import Choices
from facts.families.interbotix import LICENCE, MAKER, QUALITY, REMARKS, groups, tools

CHOICES = Choices(
    maker=MAKER,
    product="ViperX-300 with 6 joints",
    licence=LICENCE,
    groups=groups("vx300s"),
    default_group="arm",
    tools=tools("vx300s"),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, 0.0, 0.0, 0.0, pi / 2, 0.0],
        },
    },
    quality=QUALITY,
    remarks=REMARKS,
)
