"""Write ``robot_configs/<name>/`` for every built-in robot from the facts beside this script and our choices.

    python tools/robots/generate.py [--out robot_configs] [ROBOT ...]

Each folder gets ``robot.urdf`` (kinematics, limits and inertials), ``hulls.json`` (collision shapes in link frames),
``kinetic.toml`` (groups, poses, pairs, limits) and ``NOTES.md``. The result depends on nothing but
``tools/robots/*.json`` and ``choices.py``: the same input gives the same bytes. Python 3.9 and NumPy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from choices import ROBOTS, SECONDS_TO_FULL_SPEED, Choices
from facts import Json, Tree, pair

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SKIP_ALWAYS = "always"


def words(values: Sequence[float]) -> str:
    """Numbers for a URDF attribute, each with every digit it needs to be read back exactly."""
    return " ".join(repr(float(value)) for value in values)


def toml_value(value: object) -> str:
    """A string, number or (nested) list as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return repr(value)


def toml_table(values: dict[str, float]) -> str:
    """An inline table of numbers. Joint names need no quotes: they are letters, digits, ``_`` and ``-``."""
    return "{ " + ", ".join(f"{key} = {value!r}" for key, value in values.items()) + " }"


# robot.urdf


def box_tensor(tree: Tree, link: Json) -> list[float]:
    """The inertia tensor of a uniform box with the size of the link's shape (convex pieces) and the link's mass."""
    points = np.concatenate([piece["vertices"] for piece in tree.hulls[link["name"]]])
    squares = np.ptp(points, axis=0) ** 2
    xx, yy, zz = (link["inertial"]["mass"] / 12.0 * (squares.sum() - squares)).tolist()
    return [xx, 0.0, 0.0, yy, 0.0, zz]


def urdf_link(tree: Tree, choices: Choices, link: Json) -> list[str]:
    """A ``<link>`` with its inertial, if it has one."""
    inertial = link["inertial"]
    if inertial is None:
        return [f'  <link name="{link["name"]}"/>']
    is_estimated = link["name"] in choices.estimated_tensors
    moments = box_tensor(tree, link) if is_estimated else inertial["inertia"]
    tensor = " ".join(f'{key}="{value!r}"' for key, value in zip(TENSOR, moments))
    return [
        f'  <link name="{link["name"]}">',
        "    <inertial>" + (" <!-- the tensor is an estimate, see NOTES.md -->" if is_estimated else ""),
        f'      <origin xyz="{words(inertial["xyz"])}" rpy="{words(inertial["rpy"])}"/>',
        f'      <mass value="{inertial["mass"]!r}"/>',
        f"      <inertia {tensor}/>",
        "    </inertial>",
        "  </link>",
    ]


def urdf_limit(joint: Json) -> str:
    """The ``<limit>`` of a moving joint; a continuous one has no ends."""
    attributes = [f'{key}="{joint[key]!r}"' for key in ("lower", "upper", "effort", "velocity") if key in joint]
    return f"    <limit {' '.join(attributes)}/>"


def urdf_joint(joint: Json) -> list[str]:
    """A ``<joint>``."""
    lines = [
        f'  <joint name="{joint["name"]}" type="{joint["type"]}">',
        f'    <parent link="{joint["parent"]}"/>',
        f'    <child link="{joint["child"]}"/>',
        f'    <origin xyz="{words(joint["xyz"])}" rpy="{words(joint["rpy"])}"/>',
    ]
    if joint["type"] != "fixed":
        lines += [f'    <axis xyz="{words(joint["axis"])}"/>', urdf_limit(joint)]
    if "mimic" in joint:
        mimic = joint["mimic"]
        lines.append(
            f'    <mimic joint="{mimic["joint"]}" multiplier="{mimic["multiplier"]!r}" offset="{mimic["offset"]!r}"/>'
        )
    return [*lines, "  </joint>"]


def urdf_text(name: str, tree: Tree, choices: Choices) -> str:
    """The description: every joint followed by the link it carries."""
    links = {link["name"]: link for link in tree.facts["links"]}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<!-- {choices.maker} {choices.product}. Made by tools/robots/generate.py; change the facts, not this file.",
        f"     Numbers: {citation(tree)} -->",
        f'<robot name="{name}">',
        *urdf_link(tree, choices, links[tree.root]),
    ]
    for joint in tree.joints:
        lines += urdf_joint(joint) + urdf_link(tree, choices, links[joint["child"]])
    return "\n".join([*lines, "</robot>", ""])


# hulls.json


def hulls_text(tree: Tree) -> str:
    """Collision pieces by link, one per line; metres, in the frame of the link."""
    blocks = []
    for link, pieces in tree.hulls.items():
        rows = [{key: value for key, value in piece.items() if key != "link"} for piece in pieces]
        lines = ",\n   ".join(json.dumps(row, separators=(",", ":")) for row in rows)
        blocks.append(f'  "{link}": [\n   {lines}\n  ]')
    return '{\n "links": {\n' + ",\n".join(blocks) + "\n }\n}\n"


# kinetic.toml


def citation(tree: Tree) -> str:
    """Where the numbers come from: repository@commit path."""
    source = tree.facts["source"]
    return f"{source['repository']}@{source['commit']} {source['path']}"


def group_joints(tree: Tree, choices: Choices, name: str) -> list[str]:
    """The joints of a group that can be commanded, from base to tip."""
    group = choices.groups[name]
    if group.chain is None:
        return list(group.joints or ())
    chain = tree.chain(*group.chain)
    return [joint["name"] for joint in chain if joint["type"] != "fixed" and "mimic" not in joint]


def renamed(choices: Choices, name: str) -> str:
    """A name of the SRDF as the description has it."""
    old, new = choices.srdf_prefix
    return new + name[len(old) :] if old and name.startswith(old) else name


def group_poses(tree: Tree, choices: Choices, name: str) -> dict[str, list[float]]:
    """Our poses of a group and then the vendor's, without those that we replace or that are invalid."""
    joints = group_joints(tree, choices, name)
    poses = {pose: list(values) for pose, values in choices.poses.get(name, {}).items()}
    for pose in tree.facts["poses"]:
        if pose["group"] != choices.groups[name].vendor or pose["name"] in choices.invalid_vendor_poses:
            continue
        values = {renamed(choices, joint): value for joint, value in pose["joints"].items()}
        poses.setdefault(pose["name"], [values[joint] for joint in joints])
    first = [pose for pose in ("home", "ready") if pose in poses]
    return {pose: poses[pose] for pose in [*first, *(pose for pose in poses if pose not in first)]}


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
    moving = [joint for joint in tree.joints if joint["type"] != "fixed" and "mimic" not in joint]
    return {joint["name"]: joint["velocity"] / SECONDS_TO_FULL_SPEED for joint in moving}, "default"


def rotation(rpy: Sequence[float]) -> np.ndarray:
    """Fixed-axis roll, pitch, yaw as a matrix, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return np.array(rows)


def tool_frame(tree: Tree, choices: Choices) -> tuple[list[float], list[float]]:
    """Position and fixed-axis angles of the tool frame in the frame of its parent link."""
    xyz, turn = np.zeros(3), np.eye(3)
    for joint in tree.chain(choices.tool.parent_link, choices.tool.link):
        xyz, turn = xyz + turn @ joint["xyz"], turn @ rotation(joint["rpy"])
    roll, yaw = np.arctan2(turn[2, 1], turn[2, 2]), np.arctan2(turn[1, 0], turn[0, 0])
    pitch = np.arctan2(-turn[2, 0], np.hypot(turn[2, 1], turn[2, 2]))
    return [float(x) for x in xyz], [float(angle) + 0.0 for angle in (roll, pitch, yaw)]


def toml_head(name: str, tree: Tree, choices: Choices) -> list[str]:
    """The ``[robot]`` table."""
    values = {
        "name": name,
        "urdf": "robot.urdf",
        "hulls": "hulls.json",
        "spheres": "spheres.json",
        "default_group": choices.default_group,
        "maker": choices.maker,
        "licence": choices.licence,
        "source": citation(tree),
        "quality": choices.quality,
    }
    note = f"# {choices.maker} {choices.product}. Made by tools/robots/generate.py; see NOTES.md."
    return [note, "", "[robot]", *(f"{key} = {toml_value(value)}" for key, value in values.items())]


def toml_groups(tree: Tree, choices: Choices) -> list[str]:
    """Planning groups, the end effector, IK and named poses."""
    lines: list[str] = []
    for name, group in choices.groups.items():
        key, value = ("chain", group.chain) if group.chain else ("joints", group.joints)
        lines += ["", f"[planning_group.{name}]", f"{key} = {toml_value(value)}"]
    xyz, rpy = tool_frame(tree, choices)
    lines += [
        "",
        f"[end_effector.{choices.tool.name}]",
        f"parent_link = {toml_value(choices.tool.parent_link)}",
        f"parent_group = {toml_value(choices.tool.parent_group)}",
        f"tcp_xyz = {toml_value(xyz)}",
        f"tcp_rpy = {toml_value(rpy)}",
        "",
        "[ik]",
        'solver = "auto"',
        "damping = 0.05",
    ]
    for name in choices.groups:
        poses = group_poses(tree, choices, name)
        if poses:
            lines += ["", f"[named_poses.{name}]"]
            lines += [f"{pose} = {toml_value(values)}" for pose, values in poses.items()]
    return lines


def toml_collision(tree: Tree, choices: Choices) -> list[str]:
    """Pairs that are not checked, and margins."""
    lines = ["", "[collision]", 'self_collision_pairs = "auto"', "padding = 0.0"]
    rows = skip_pairs(tree, choices)
    if not rows:
        return [*lines, "skip_pairs = []"]
    return [*lines, "skip_pairs = [", *(f"  {toml_value(row)}," for row in rows), "]"]


def toml_limits(tree: Tree, choices: Choices) -> list[str]:
    """Limits that a URDF cannot hold."""
    table, source = accelerations(tree, choices)
    lines = ["", "[limits]", f"acceleration_source = {toml_value(source)}", f"acceleration = {toml_table(table)}"]
    return [*lines, f"jerk = {toml_table(choices.jerk)}"] if choices.jerk else lines


def toml_text(name: str, tree: Tree, choices: Choices) -> str:
    """The configuration of a robot."""
    parts = [
        toml_head(name, tree, choices),
        toml_groups(tree, choices),
        toml_collision(tree, choices),
        toml_limits(tree, choices),
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


# NOTES.md


def estimated(tree: Tree, choices: Choices) -> list[str]:
    """What is a default or a simplification."""
    _, source = accelerations(tree, choices)
    lines = ["Home and ready poses, where the vendor has none of that name, are ours."]
    if source == "default":
        lines.append(
            "Accelerations are not published for this robot: each joint gets its speed limit divided by"
            f" {SECONDS_TO_FULL_SPEED} s."
        )
    massless = [link["name"] for link in tree.facts["links"] if link["inertial"] is None and link["name"] in tree.hulls]
    if massless:
        lines.append(f"No inertial is published for {', '.join(massless)}.")
    lines += [
        f"The inertia tensor of `{link}` is impossible in the source; here it is that of a uniform box."
        for link in choices.estimated_tensors
    ]
    lines.append(
        "Collision shapes are rounded convex hulls around the source's collision meshes (or its primitives): they"
        " contain every vertex of the mesh and fill what is hollow."
    )
    return lines


def notes_text(name: str, tree: Tree, choices: Choices) -> str:
    """A short page on where the data come from and how far to trust them."""
    source = tree.facts["source"]
    moving = sum(joint["type"] != "fixed" for joint in tree.joints)
    mass = sum(link["inertial"]["mass"] for link in tree.facts["links"] if link["inertial"])
    lines = [
        f"# {name}: {choices.maker} {choices.product}",
        "",
        "Made by `tools/robots/generate.py`; change `tools/robots/`, not this folder.",
        "",
        "## Source",
        "",
        f"- Repository: <{source['repository']}>, commit `{source['commit']}`, `{source['path']}`",
        f"- Licence there: {choices.licence}",
    ]
    extra = (("srdf", "Groups, poses and disabled pairs"), ("joint_limits", "Accelerations looked for in"))
    lines += [f"- {what}: `{source[key]}`" for key, what in extra if key in source]
    lines += [
        "- Carried over: numbers and names only. The URDF text is ours; no mesh is included.",
        "",
        "## Exact",
        "",
        f"- {len(tree.links)} links and {moving} moving joints with the source's names, origins, axes, ranges, speeds"
        " and efforts.",
        f"- Forward kinematics `{tree.facts['base']}` → `{tree.facts['tip']}` equals the source's to 1e-9 m"
        " (20 golden configurations).",
        f"- Inertials as in the source, {mass:.4g} kg in total"
        + (" (but see below)." if choices.estimated_tensors else "."),
        "",
        "## Default, estimated, simplified",
        "",
        *(f"- {line}" for line in estimated(tree, choices)),
        "",
        "## Good to know",
        "",
        *(f"- {line}" for line in choices.remarks),
    ]
    lines += [f"- Vendor pose `{pose}` is left out: {why}." for pose, why in choices.invalid_vendor_poses.items()]
    return "\n".join([*lines, ""])


def generate(name: str, out: Path) -> None:
    """Write the folder of one robot below ``out``."""
    tree, choices = Tree.load(name), ROBOTS[name]
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "robot.urdf": urdf_text(name, tree, choices),
        "hulls.json": hulls_text(tree),
        "kinetic.toml": toml_text(name, tree, choices),
        "NOTES.md": notes_text(name, tree, choices),
    }
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode("utf-8"))


def main(arguments: list[str] | None = None) -> int:
    """Write the folders asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = Path(__file__).resolve().parents[2] / "robot_configs"
    parser.add_argument("--out", type=Path, default=default, help="folder that holds one folder per robot")
    parser.add_argument("robots", nargs="*", default=list(ROBOTS), metavar="ROBOT")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.robots) - set(ROBOTS))
    if unknown:
        print(f"unknown robots {unknown}; known are {list(ROBOTS)}", file=sys.stderr)
        return 2
    for name in options.robots:
        generate(name, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
