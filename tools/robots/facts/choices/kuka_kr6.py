"""What we decide about the KUKA KR 6 R700 sixx."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="KUKA",
    product="KR 6 R700 sixx",
    licence="Apache-2.0",
    groups={"arm": Group(chain=("base_link", "tool0"))},
    default_group="arm",
    tools=(Tool("tool", "arm", "tool0", "tool0"),),
    poses={
        "arm": {
            "home": [0.0, -pi / 2, pi / 2, 0.0, 0.0, 0.0],
            "ready": [0.0, -pi / 6, pi / 3, 0.0, pi / 3, 0.0],
        },
    },
    quality="no inertials and no effort limits are published",
    remarks=(
        "The source is a community description, not the maker's own. The newer KR AGILUS-2 arms have other lengths.",
    ),
)
