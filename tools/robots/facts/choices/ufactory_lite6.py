"""What we decide about the UFACTORY Lite 6."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="UFACTORY",
    product="Lite 6",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("link_base", "link_eef"), vendor="lite6")},
    default_group="arm",
    tools=(Tool("tool", "arm", "link_eef", "link_eef"),),
    poses={
        "arm": {
            "ready": [0.0, pi / 4, pi / 2, 0.0, pi / 4, 0.0],
        },
    },
    quality="the tensor of the base is an estimate",
    remarks=(
        "package.xml states no licence; the LICENSE file of the repository is BSD-3-Clause.",
        "The wrist is spherical.",
    ),
)
