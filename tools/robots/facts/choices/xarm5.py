"""What we decide about the UFACTORY xArm 5."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="UFACTORY",
    product="xArm 5",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("link_base", "link_eef"), vendor="xarm5")},
    default_group="arm",
    tools=(Tool("tool", "arm", "link_eef", "link_eef"),),
    poses={
        "arm": {
            "ready": [0.0, pi / 12, -5 * pi / 12, pi / 3, 0.0],
        },
    },
    quality="the tensors of three links are estimates",
    remarks=(
        "package.xml states no licence; the LICENSE file of the repository is BSD-3-Clause.",
        "Axes 2, 3 and 4 are parallel, so the tool cannot be rolled freely: five joints reach five of six degrees"
        " of freedom.",
    ),
)
