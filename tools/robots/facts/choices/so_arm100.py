"""What we decide about the The Robot Studio SO-ARM100 follower arm."""

from math import pi

from decisions import Choices, Group, Tool

CHOICES = Choices(
    maker="The Robot Studio",
    product="SO-ARM100 follower arm",
    licence="Apache-2.0",
    groups={
        "arm": Group(chain=("base", "gripper")),
        "gripper": Group(joints=("gripper",)),
    },
    default_group="arm",
    tools=(Tool("tool", "arm", "gripper", "gripper"),),
    poses={
        "arm": {
            "home": [0.0, pi / 2, -pi / 2, 0.0, 0.0],
            "ready": [0.0, 7 * pi / 12, -5 * pi / 12, pi / 4, 0.0],
        },
        "gripper": {
            "open": [2.0],
            "closed": [-0.2],
        },
    },
    quality="angles are rounded in the source; speeds and efforts are placeholders",
    remarks=(
        "`lerobot_so100` and `so_arm100` are the same robot under two names.",
        "Angles are rounded in the source (1.57079, -1.8, -1). The speed of 1 rad/s and the effort of 35 Nm of"
        " every joint are placeholders.",
        "`gripper` and `jaw` have no collision geometry in the source: theirs are boxes around the visual meshes.",
    ),
)
