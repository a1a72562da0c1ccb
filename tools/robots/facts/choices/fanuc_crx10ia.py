"""What we decide about the FANUC CRX-10iA."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="FANUC",
    product="CRX-10iA",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "fanuc_flange"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "fanuc_flange", "fanuc_flange"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "ready": [0.0, pi / 12, 0.0, 0.0, -5 * pi / 12, 0.0],
        },
    },
    quality="joints, limits and inertials from the vendor's description",
    remarks=(
        "The wrist is offset: the axes of J4 and J6 are 150 mm apart, so there is no closed-form inverse of the"
        " usual kind.",
        "The tip `fanuc_flange` has z out of the flange. Joints 2 and 3 are independent here; the controller may"
        " couple them.",
    ),
)
