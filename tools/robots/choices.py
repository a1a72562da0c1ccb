"""What we decide about each built-in robot: names of groups, poses, limits that no file states, and remarks.

Everything else in ``robot_configs/`` follows from the facts in ``tools/robots/<name>.json``. Angles are radians.
Python 3.9, standard library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

SECONDS_TO_FULL_SPEED = 0.5
"""Where nobody publishes an acceleration, a joint reaches its full speed in this time: a cautious, common value."""


@dataclass(frozen=True)
class Group:
    """A planning group: the moving joints from ``chain[0]`` to ``chain[1]``, or the named joints."""

    chain: tuple[str, str] | None = None
    joints: tuple[str, ...] | None = None
    vendor: str | None = None
    """Name of the same group in the vendor's SRDF; its named poses become poses of this group."""


@dataclass(frozen=True)
class Tool:
    """Where things are held: the frame of ``link``, seen from ``parent_link``, at the end of ``parent_group``."""

    name: str
    parent_group: str
    parent_link: str
    link: str


@dataclass(frozen=True)
class Choices:
    """Our decisions about one robot."""

    maker: str
    product: str
    licence: str
    groups: dict[str, Group]
    default_group: str
    tool: Tool
    poses: dict[str, dict[str, list[float]]]
    """Our poses by group and name; one of these replaces a vendor's pose of the same name."""
    invalid_vendor_poses: dict[str, str] = field(default_factory=dict)
    """Vendor poses that are not carried over, each with the reason."""
    srdf_prefix: tuple[str, str] = ("", "")
    """Prefix of names in the SRDF, and what it is in the description that the other facts come from."""
    acceleration: dict[str, float] = field(default_factory=dict)
    """Published accelerations that replace those of the facts, rad/s²."""
    jerk: dict[str, float] = field(default_factory=dict)
    """Published jerk limits, rad/s³."""
    always_in_contact: tuple[tuple[str, str], ...] = ()
    """Pairs whose shapes overlap in every configuration (``verify.py`` measures this), beyond adjacent ones."""
    estimated_tensors: tuple[str, ...] = ()
    """Links whose published inertia tensor is impossible; theirs becomes that of a uniform box around the shape."""
    quality: str = ""
    """One sentence on the data, for ``kinetic.toml``."""
    remarks: tuple[str, ...] = ()
    """Further sentences, for the notes page."""


UR_REMARKS = (
    "The elbow is limited to ±π in the description as an aid to planners; the hardware allows ±2π.",
    "`base_link_inertia` is turned by π about z below `base_link`; `tool0` is the flange with z outwards.",
    "True links come within about 17 mm (ur5e: base and upper arm) of each other in every configuration, so a margin"
    " of 20 mm against oneself can never be met.",
    "Accelerations are the 5 rad/s² of the vendor's MoveIt configuration.",
)

UR_READY = [0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0]
"""Upper arm upright, elbow bent, tool down in front."""

UR_LICENCE = "BSD-3-Clause"

UR_QUALITY = (
    "joints, limits, inertials and hulls from the vendor's description; link lengths agree with a second source"
)

ROBOTS: dict[str, Choices] = {
    "ur5e": Choices(
        maker="Universal Robots",
        product="UR5e",
        licence=UR_LICENCE,
        groups={"arm": Group(chain=("base_link", "tool0"), vendor="ur_manipulator")},
        default_group="arm",
        tool=Tool("tool", "arm", "tool0", "tool0"),
        poses={"arm": {"home": [0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0], "ready": UR_READY}},
        invalid_vendor_poses={
            "home": "our home is the straight-up pose that the vendor calls `up` (with -π/2 in place of -1.5707)"
        },
        quality=UR_QUALITY,
        remarks=UR_REMARKS,
    ),
    "ur10e": Choices(
        maker="Universal Robots",
        product="UR10e",
        licence=UR_LICENCE,
        groups={"arm": Group(chain=("base_link", "tool0"), vendor="ur_manipulator")},
        default_group="arm",
        tool=Tool("tool", "arm", "tool0", "tool0"),
        poses={"arm": {"ready": UR_READY}},
        quality=UR_QUALITY,
        remarks=UR_REMARKS,
    ),
    "franka_panda": Choices(
        maker="Franka Robotics",
        product="Franka Emika Panda with hand",
        licence="Apache-2.0",
        groups={
            "arm": Group(chain=("panda_link0", "panda_link8"), vendor="panda_arm"),
            "hand": Group(joints=("panda_finger_joint1",), vendor="hand"),
        },
        default_group="arm",
        tool=Tool("hand", "arm", "panda_link8", "panda_hand_tcp"),
        poses={"arm": {"home": [0.0, 0.0, 0.0, -pi / 2, 0.0, pi / 2, pi / 4]}},
        invalid_vendor_poses={
            "extended": "joint 4 at 0 is outside its limits",
            "transport": "the hulls of panda_link5 and panda_link7 overlap by 7 mm",
        },
        acceleration={f"panda_joint{i + 1}": a for i, a in enumerate((15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0))},
        jerk={
            f"panda_joint{i + 1}": j for i, j in enumerate((7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0))
        },
        quality="accelerations and jerks are those of the Franka Control Interface; inertials are of unknown origin",
        remarks=(
            "Accelerations and jerks are the limits of the Franka Control Interface (also in the crate franka_rust"
            " 0.1.15, `franka_emika.rs`). The MoveIt configuration has exactly a quarter of these accelerations"
            " (3.75, 1.875, 2.5, …) and a jerk of 300 rad/s³.",
            "The inertials stand in the simulation branch of the description; where they come from is not stated.",
            "The golden poses end at `panda_link8`; the tool frame `panda_hand_tcp` lies 0.1034 m further, turned by"
            " -π/4 about z.",
            "`panda_link5` is one convex hull around a bent link. It touches the hull of `panda_link7` in about a"
            " tenth of random configurations; the SRDF of this source does not disable that pair.",
            "The second finger follows the first (mimic).",
        ),
    ),
    "kuka_iiwa14": Choices(
        maker="KUKA",
        product="LBR iiwa 14 R820",
        licence="Apache-2.0",
        groups={"arm": Group(chain=("iiwa_link_0", "iiwa_link_ee"), vendor="arm")},
        default_group="arm",
        tool=Tool("tool", "arm", "iiwa_link_ee", "iiwa_link_ee"),
        poses={
            "arm": {
                "home": [0.0, 0.0, 0.0, -pi / 2, 0.0, pi / 2, 0.0],
                "ready": [0.0, pi / 6, 0.0, -pi / 2, 0.0, pi / 3, 0.0],
            }
        },
        srdf_prefix=("lbr_", "iiwa_"),
        quality="joints, limits and inertials from a community description; accelerations are a default",
        remarks=(
            "The source is a community description, not the maker's own.",
            "Names begin with `iiwa_`, the value given to the source's `robot_name` argument; its SRDF writes `lbr_`"
            " for the same links and joints.",
            "The root link `iiwa_floating_link` only carries `iiwa_link_0`.",
        ),
    ),
    "xarm7": Choices(
        maker="UFACTORY",
        product="xArm 7",
        licence="BSD-3-Clause",
        groups={"arm": Group(chain=("link_base", "link_eef"), vendor="xarm7")},
        default_group="arm",
        tool=Tool("tool", "arm", "link_eef", "link_eef"),
        poses={"arm": {"ready": [0.0, 0.0, 0.0, pi / 2, 0.0, pi / 2, 0.0]}},
        quality="inertials are suspect: the masses sum to 3.65 kg; accelerations are a default",
        remarks=(
            "The masses sum to 3.65 kg, against 10.45 kg for the smaller xArm 6 of the same source: the tensors are"
            " possible, but do not trust the dynamics of this model.",
            "Quarter turns are written as 1.5708 in the source, so axes are up to 4 µrad off.",
            "package.xml states no licence; the LICENSE file of the repository is BSD-3-Clause.",
        ),
    ),
    "kinova_gen3": Choices(
        maker="Kinova",
        product="Gen3, 7 joints, without vision module",
        licence="BSD-3-Clause",
        groups={"arm": Group(chain=("base_link", "end_effector_link"), vendor="arm")},
        default_group="arm",
        tool=Tool("tool", "arm", "end_effector_link", "tool_frame"),
        poses={"arm": {"ready": [0.0, pi / 6, pi, -pi / 2, 0.0, -pi / 3, pi / 2]}},
        quality="joints, limits, inertials and accelerations from the vendor's description",
        remarks=(
            "Joints 1, 3, 5 and 7 are continuous.",
            "Shoulder axes 1 and 3 miss each other by 11.8 mm and the wrist axes by 0.35 mm: nearly, but not exactly,"
            " spherical shoulder and wrist.",
            "Quarter turns are written as 1.5708 in the source, so axes are up to 4 µrad off.",
            "The MoveIt configuration limits all joints to 0.8727 rad/s; the limits here are those of the description.",
        ),
    ),
    "abb_irb1200": Choices(
        maker="ABB",
        product="IRB 1200-5/0.9",
        licence="Apache-2.0",
        groups={"arm": Group(chain=("base_link", "tool0"), vendor="manipulator")},
        default_group="arm",
        tool=Tool("tool", "arm", "tool0", "tool0"),
        poses={
            "arm": {
                "home": [0.0, 0.0, 0.0, 0.0, pi / 6, 0.0],
                "ready": [0.0, pi / 6, -pi / 12, 0.0, 5 * pi / 12, 0.0],
            }
        },
        quality="effort limits of 1000 Nm are placeholders; accelerations are a default",
        remarks=(
            "The effort limits of 1000 Nm are placeholders of the source.",
            "The package is a community one (ROS-Industrial); package.xml and LICENSE state Apache-2.0.",
        ),
    ),
    "fetch": Choices(
        maker="Fetch Robotics (Zebra)",
        product="Fetch mobile manipulator",
        licence="BSD-3-Clause (repository), CC-BY-NC-SA-4.0 (package.xml); numbers and simple shapes only",
        groups={
            "arm_with_torso": Group(chain=("base_link", "gripper_link"), vendor="arm_with_torso"),
            "arm": Group(chain=("torso_lift_link", "gripper_link"), vendor="arm"),
            "gripper": Group(joints=("r_gripper_finger_joint", "l_gripper_finger_joint"), vendor="gripper"),
        },
        default_group="arm_with_torso",
        tool=Tool("gripper", "arm_with_torso", "gripper_link", "gripper_link"),
        poses={
            "arm_with_torso": {
                "home": [0.05, 0.0, -pi / 3, 0.0, 2 * pi / 3, 0.0, pi / 3, 0.0],
                "ready": [0.1, 0.0, -pi / 6, 0.0, pi / 3, 0.0, pi / 3, 0.0],
            },
            "arm": {
                "home": [0.0, -pi / 3, 0.0, 2 * pi / 3, 0.0, pi / 3, 0.0],
                "ready": [0.0, -pi / 6, 0.0, pi / 3, 0.0, pi / 3, 0.0],
            },
            "gripper": {"open": [0.05, 0.05], "closed": [0.0, 0.0]},
        },
        estimated_tensors=("r_gripper_finger_link", "l_gripper_finger_link"),
        quality="whole robot; the torso's one hull is loose around the shoulder; finger tensors are estimates",
        remarks=(
            "The whole robot: base, wheels, torso, head, arm, gripper, bellows and sensor frames. The two fingers are"
            " separate joints in the source, as here.",
            "upperarm_roll, forearm_roll and wrist_roll are continuous, and so are the wheels.",
            "The hull of `torso_lift_link` is one convex shape around a hollow body. With the shoulder turned far to"
            " a side, `shoulder_lift_link` lies inside that hull, also in poses where the true robot is free (the"
            " usual tucked pose, for example).",
            "The wheels stand on a floor about 6 mm below the origin of `base_link`.",
            "The package states BSD in one place and CC-BY-NC-SA-4.0 in another; nothing of its texts or meshes is"
            " here.",
            "Accelerations of the torso and the arm are the vendor's MoveIt configuration; it has none for head,"
            " wheels, bellows and fingers, which are therefore not in the table.",
        ),
    ),
}
