"""What we decide about the Flexiv Rizon 4."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="Flexiv",
    product="Rizon 4",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "flange"), vendor="rizon4_arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "flange", "flange"),),
    poses={
        "arm": {
            "ready": [0.0, -pi / 9, 0.0, pi / 2, 0.0, pi / 9, 0.0],
        },
    },
    quality="joints, limits and inertials from the vendor's description",
    remarks=(
        "Shoulder, elbow and wrist are offset (65, 20 and 110 mm): there is no closed-form inverse of the usual kind.",
    ),
)
