"""What we decide about the Trossen Robotics ReactorX-150."""

from math import pi

from decisions import Choices
from facts.families.interbotix import LICENCE, MAKER, QUALITY, REMARKS, groups, tools

CHOICES = Choices(
    maker=MAKER,
    product="ReactorX-150",
    licence=LICENCE,
    groups=groups("rx150"),
    default_group="arm",
    tools=tools("rx150"),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, 0.0, 0.0, pi / 2, 0.0],
        },
    },
    quality=QUALITY,
    remarks=REMARKS,
)
