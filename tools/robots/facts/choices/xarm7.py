"""What we decide about the UFACTORY xArm 7."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="UFACTORY",
    product="xArm 7",
    licence="BSD-3-Clause",
    groups={"arm": Group(chain=("link_base", "link_eef"), vendor="xarm7")},
    default_group="arm",
    tools=(Tool("tool", "arm", "link_eef", "link_eef"),),
    poses={"arm": {"ready": [0.0, 0.0, 0.0, pi / 2, 0.0, pi / 2, 0.0]}},
    quality="inertials are suspect: the masses sum to 3.65 kg",
    remarks=(
        "The masses sum to 3.65 kg, against 10.45 kg for the smaller xArm 6 of the same source: the tensors are"
        " possible, but do not trust the dynamics of this model.",
        "Quarter turns are written as 1.5708 in the source, so axes are up to 4 µrad off.",
        "package.xml states no licence; the LICENSE file of the repository is BSD-3-Clause.",
    ),
)
