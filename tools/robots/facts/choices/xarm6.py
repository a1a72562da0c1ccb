"""What we decide about the UFACTORY xArm 6."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="UFACTORY",
    product="xArm 6",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("link_base", "link_eef"), vendor="xarm6")},
    default_group="arm",
    tools=(Tool("tool", "arm", "link_eef", "link_eef"),),
    poses={
        "arm": {
            "ready": [0.0, pi / 12, -5 * pi / 12, 0.0, pi / 3, 0.0],
        },
    },
    quality="the tensors of two links are estimates",
    remarks=(
        "package.xml states no licence; the LICENSE file of the repository is BSD-3-Clause.",
        "Axes 5 and 6 are 76 mm apart: the wrist is not spherical.",
    ),
)
