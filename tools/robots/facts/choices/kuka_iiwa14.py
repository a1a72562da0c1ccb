"""What we decide about the KUKA LBR iiwa 14 R820."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="KUKA",
    product="LBR iiwa 14 R820",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("iiwa_link_0", "iiwa_link_ee"), vendor="arm")},
    default_group="arm",
    tools=(Tool("tool", "arm", "iiwa_link_ee", "iiwa_link_ee"),),
    poses={
        "arm": {
            "home": [0.0, 0.0, 0.0, -pi / 2, 0.0, pi / 2, 0.0],
            "ready": [0.0, pi / 6, 0.0, -pi / 2, 0.0, pi / 3, 0.0],
        }
    },
    srdf_prefix=("lbr_", "iiwa_"),
    quality="joints, limits and inertials from a community description",
    remarks=(
        "The source is a community description, not the maker's own.",
        "Names begin with `iiwa_`, the value given to the source's `robot_name` argument; its SRDF writes `lbr_`"
        " for the same links and joints.",
        "The root link `iiwa_floating_link` only carries `iiwa_link_0`.",
    ),
)
