"""What follows from the facts and the choices about a robot together: joints of groups, poses, pairs, tensors, tools.

Python 3.9 and NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, pi

import numpy as np
from decisions import SECONDS_TO_FULL_SPEED, UNKNOWN_SPEED, UNKNOWN_TURNING_SPEED, Choices, Tool
from tree import Json, Tree, pair

SKIP_ALWAYS = "always"
TENSOR_TOLERANCE = 1e-9
"""Principal moments may miss the triangle inequality by rounding of the published digits, relative to the largest."""
UNMODELLED = 0.1
"""How far a link's parts may reach beyond its shape, m, before its radius of gyration is called impossible."""
LIMIT_TOLERANCE = 1e-9
"""rad or m; poses and limits are printed with this many digits at least."""
WATER = 1000.0
"""kg/m³; the density of a body whose shape nobody knows."""


def citation(tree: Tree) -> str:
    """Where the numbers come from: repository@commit path."""
    source = tree.facts["source"]
    return f"{source['repository']}@{source['commit']} {source['path']}"


# groups and poses


def is_commanded(joint: Json) -> bool:
    """True for a joint that moves by itself."""
    return joint["type"] != "fixed" and "mimic" not in joint


def group_joints(tree: Tree, choices: Choices, name: str) -> list[str]:
    """The joints of a group that can be commanded, from base to tip."""
    group = choices.groups[name]
    if group.chain is None:
        return list(group.joints or ())
    return [joint["name"] for joint in tree.chain(*group.chain) if is_commanded(joint)]


def renamed(choices: Choices, name: str) -> str:
    """A name of the SRDF as the description has it."""
    old, new = choices.srdf_prefix
    return new + name[len(old) :] if old and name.startswith(old) else name


def fault_of(tree: Tree, choices: Choices, group: str, pose: Json) -> str:
    """Why a vendor pose is left out of a group; empty when it is not."""
    if pose["name"] in choices.invalid_vendor_poses:
        return choices.invalid_vendor_poses[pose["name"]]
    values = vendor_values(choices, pose)
    for name in group_joints(tree, choices, group):
        joint = tree.joint[name]
        if name not in values:
            return f"it does not say where `{name}` is"
        if not -LIMIT_TOLERANCE + joint.get("lower", -inf) <= values[name] <= joint.get("upper", inf) + LIMIT_TOLERANCE:
            return f"`{name}` at {values[name]:g} is outside its limits"
    return ""


def vendor_values(choices: Choices, pose: Json) -> dict[str, float]:
    """The values of an SRDF pose by the names of the description."""
    return {renamed(choices, joint): value for joint, value in pose["joints"].items()}


def vendor_poses(tree: Tree, choices: Choices, group: str) -> list[Json]:
    """The poses that the SRDF has for a group."""
    vendor = choices.groups[group].vendor
    return [pose for pose in tree.facts["poses"] if vendor is not None and pose["group"] == vendor]


def group_poses(tree: Tree, choices: Choices, name: str) -> dict[str, list[float]]:
    """Our poses of a group and then the vendor's, without those that we replace or that are invalid."""
    joints = group_joints(tree, choices, name)
    poses = {pose: list(values) for pose, values in choices.poses.get(name, {}).items()}
    for pose in vendor_poses(tree, choices, name):
        if not fault_of(tree, choices, name, pose):
            values = vendor_values(choices, pose)
            poses.setdefault(pose["name"], [values[joint] for joint in joints])
    first = [pose for pose in ("home", "ready") if pose in poses]
    return {pose: poses[pose] for pose in [*first, *(pose for pose in poses if pose not in first)]}


# pairs and limits


def skip_pairs(tree: Tree, choices: Choices) -> list[tuple[str, str, str]]:
    """Pairs that need no check: the SRDF's, with its reason, and those whose shapes always overlap.

    Rigid and adjacent pairs are left out, because a loader finds them by itself, and so are pairs of a link that
    has no shape.
    """
    rows = [(renamed(choices, a), renamed(choices, b), str(reason)) for a, b, reason in tree.facts["disabled_pairs"]]
    rows += [(a, b, SKIP_ALWAYS) for a, b in choices.always_in_contact]
    reasons = {pair(a, b): reason for a, b, reason in rows if a in tree.hulls and b in tree.hulls}
    return [(a, b, reason) for (a, b), reason in sorted(reasons.items()) if not tree.is_rigid_or_adjacent(a, b)]


def accelerations(tree: Tree, choices: Choices) -> tuple[dict[str, float], str]:
    """Acceleration limits by joint and whether they are published or our default."""
    published = {joint["name"]: joint["acceleration"] for joint in tree.joints if "acceleration" in joint}
    published.update(choices.acceleration)
    if published:
        return published, "published"
    moving = [joint for joint in tree.joints if is_commanded(joint)]
    return {joint["name"]: speed(joint) / SECONDS_TO_FULL_SPEED for joint in moving}, "default"


def speed(joint: Json) -> float:
    """The speed limit of a joint, or what stands in for one that nobody states."""
    stated: float = joint.get("velocity", 0.0)
    return stated or UNKNOWN_SPEED.get(joint["type"], UNKNOWN_TURNING_SPEED)


# tool frame


def rotation(rpy: Sequence[float]) -> np.ndarray:
    """Fixed-axis roll, pitch, yaw as a matrix, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return np.array(rows)


def tool_frame(tree: Tree, tool: Tool) -> tuple[list[float], list[float]]:
    """Position and fixed-axis angles of a tool frame in the frame of its parent link."""
    xyz, turn = np.zeros(3), np.eye(3)
    for joint in tree.chain(tool.parent_link, tool.link):
        xyz, turn = xyz + turn @ joint["xyz"], turn @ rotation(joint["rpy"])
    roll, yaw = np.arctan2(turn[2, 1], turn[2, 2]), np.arctan2(turn[1, 0], turn[0, 0])
    pitch = np.arctan2(-turn[2, 0], np.hypot(turn[2, 1], turn[2, 2]))
    return [float(x) + 0.0 for x in xyz], [float(angle) + 0.0 for angle in (roll, pitch, yaw)]


# inertials


def is_possible(inertia: Sequence[float]) -> bool:
    """Whether a body can have the tensor ixx ixy ixz iyy iyz izz: positive moments within the triangle inequality."""
    xx, xy, xz, yy, yz, zz = inertia
    small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return bool(small > 0.0 and large <= small + middle + TENSOR_TOLERANCE * large)


def is_too_large(tree: Tree, link: str, inertial: Json) -> bool:
    """Whether the mass would have to lie farther out than the link's shape and ``UNMODELLED`` beyond it reach."""
    if link not in tree.hulls or inertial["mass"] <= 0.0:
        return False
    xx, xy, xz, yy, yz, zz = inertial["inertia"]
    largest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[2]
    return bool(np.sqrt(largest / inertial["mass"]) > np.linalg.norm(extents(tree, link)) + UNMODELLED)


def estimated_tensors(tree: Tree) -> dict[str, str]:
    """Links whose published tensor is impossible, each with the body that theirs is taken from instead."""

    def is_wrong(link: Json) -> bool:
        body = link["inertial"]
        return body is not None and (not is_possible(body["inertia"]) or is_too_large(tree, link["name"], body))

    wrong = [link["name"] for link in tree.facts["links"] if is_wrong(link)]
    return {link: "a uniform box around its shape" if link in tree.hulls else "a ball of water" for link in wrong}


def corners(piece: Json) -> np.ndarray:
    """Points whose bounding box holds a collision piece, in the frame of its link."""
    if piece["type"] == "convex":
        return np.array(piece["vertices"])
    half = piece.get("half_extents") or [piece["radius"], piece["radius"], piece.get("half_height", piece["radius"])]
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    return np.array(piece["origin_xyz"]) + signs * half @ rotation(piece["origin_rpy"]).T


def extents(tree: Tree, link: str) -> np.ndarray:
    """Edges of the box around a link's shape, m."""
    box: np.ndarray = np.ptp(np.concatenate([corners(piece) for piece in tree.hulls[link]]), axis=0)
    return box


def stand_in_tensor(tree: Tree, link: str, mass: float) -> list[float]:
    """The tensor of a uniform box of the size of the link's shape, or of a ball of water when it has none, kg m²."""
    if link not in tree.hulls:
        moment = 0.4 * mass * (mass / WATER * 3.0 / (4.0 * pi)) ** (2.0 / 3.0)
        return [moment, 0.0, 0.0, moment, 0.0, moment]
    squares = extents(tree, link) ** 2
    xx, yy, zz = (mass / 12.0 * (squares.sum() - squares)).tolist()
    return [xx, 0.0, 0.0, yy, 0.0, zz]


def inertials_source(tree: Tree, choices: Choices) -> str:
    """What the inertials are: ``published``, ``placeholder`` (published, but not of this robot) or ``none``."""
    base = tree.rigid_root(tree.root)
    if any(link["inertial"] and tree.rigid_root(link["name"]) != base for link in tree.facts["links"]):
        return "placeholder" if choices.placeholder_inertials else "published"
    return "none"
