"""What we decide about the Elite Robots EC66."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Elite Robots",
    product="EC66",
    licence="none stated; numbers only",
    groups={"arm": Group(chain=("base_link", "flan"), vendor="manipulator")},
    default_group="arm",
    tools=(Tool("tool", "arm", "flan", "flan"),),
    poses={
        "arm": {
            "home": [0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0],
            "ready": [0.0, -pi / 2, pi / 2, -pi / 2, pi / 2, 0.0],
        },
    },
    quality="the tensor of the flange is an estimate",
    remarks=("The flange frame has an offset of -0.477 mm along z in the source.",),
)
