"""The text of ``kinetic.toml``: groups, poses, pairs, limits that a URDF cannot hold, and where it all comes from.

Python 3.9.
"""

from __future__ import annotations

import json
import re

from decisions import Choices
from derive import (
    accelerations,
    citation,
    estimated_tensors,
    group_poses,
    inertials_source,
    skip_pairs,
    tool_frame,
)
from tree import Tree


def toml_value(value: object) -> str:
    """A string, number or (nested) list as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return repr(value)


def toml_key(name: str) -> str:
    """A key, in quotes if it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_table(values: dict[str, float]) -> str:
    """An inline table of numbers."""
    return "{ " + ", ".join(f"{toml_key(key)} = {value!r}" for key, value in values.items()) + " }"


def toml_head(name: str, tree: Tree, choices: Choices) -> list[str]:
    """The ``[robot]`` table, and ``[names]`` where the robot has others than that of its folder."""
    values: dict[str, object] = {
        "name": name,
        "urdf": "robot.urdf",
        "hulls": "hulls.json",
        "spheres": "spheres.json",
        "default_group": choices.default_group,
        "maker": choices.maker,
        "licence": choices.licence,
        "source": citation(tree),
        "quality": choices.quality,
        "inertials": inertials_source(tree, choices),
    }
    estimates = list(estimated_tensors(tree))
    if estimates:
        values["estimated_tensors"] = estimates
    note = f"# {choices.maker} {choices.product}. Made by tools/robots/generate.py; see NOTES.md."
    lines = [note, "", "[robot]", *(f"{key} = {toml_value(value)}" for key, value in values.items())]
    if choices.names:
        lines += ["", "[names]", *(f"{key} = {toml_value(group)}" for key, group in choices.names.items())]
    return lines


def toml_groups(tree: Tree, choices: Choices) -> list[str]:
    """Planning groups, end effectors, IK and named poses."""
    lines: list[str] = []
    for name, group in choices.groups.items():
        key, value = ("chain", group.chain) if group.chain else ("joints", group.joints)
        lines += ["", f"[planning_group.{name}]", f"{key} = {toml_value(value)}"]
    for tool in choices.tools:
        xyz, rpy = tool_frame(tree, tool)
        lines += [
            "",
            f"[end_effector.{tool.name}]",
            f"parent_link = {toml_value(tool.parent_link)}",
            f"parent_group = {toml_value(tool.parent_group)}",
            f"grasp_xyz = {toml_value(xyz)}",
            f"grasp_rpy = {toml_value(rpy)}",
        ]
    lines += ["", "[ik]", 'solver = "auto"', "damping = 0.05"]
    for name in choices.groups:
        poses = group_poses(tree, choices, name)
        if poses:
            lines += ["", f"[named_poses.{name}]"]
            lines += [f"{toml_key(pose)} = {toml_value(values)}" for pose, values in poses.items()]
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
