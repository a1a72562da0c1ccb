"""What we decide about the Universal Robots UR30."""

from decisions import Choices, Group, Tool
from facts.families.universal_robots import READY, REMARKS

CHOICES = Choices(
    maker="Universal Robots",
    product="UR30",
    licence="BSD-3-Clause (description); the meshes have terms of their own and only polytopes around them are here",
    groups={"arm": Group(chain=("base_link", "tool0"), vendor="ur_manipulator")},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "ready": READY,
        },
    },
    quality="joints, limits and inertials from the vendor's description; shapes are polytopes, looser than hulls",
    remarks=(
        *REMARKS,
        "Meshes of this arm may not be carried over, so its shapes are looser than those of its sisters.",
    ),
)
