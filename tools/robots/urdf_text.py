"""The text of ``robot.urdf``: kinematics, limits and inertials.

Python 3.9.
"""

from __future__ import annotations

from collections.abc import Sequence

from decisions import Choices
from derive import citation, estimated_tensors, stand_in_tensor
from tree import Json, Tree

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def words(values: Sequence[float]) -> str:
    """Numbers for a URDF attribute, each with every digit it needs to be read back exactly."""
    return " ".join(repr(float(value)) for value in values)


def urdf_link(tree: Tree, link: Json) -> list[str]:
    """A ``<link>`` with its inertial, if it has one."""
    name, inertial = link["name"], link["inertial"]
    if inertial is None:
        return [f'  <link name="{name}"/>']
    is_estimated = name in estimated_tensors(tree)
    moments = stand_in_tensor(tree, name, inertial["mass"]) if is_estimated else inertial["inertia"]
    tensor = " ".join(f'{key}="{value!r}"' for key, value in zip(TENSOR, moments))
    return [
        f'  <link name="{name}">',
        "    <inertial>" + (" <!-- the tensor is an estimate, see NOTES.md -->" if is_estimated else ""),
        f'      <origin xyz="{words(inertial["xyz"])}" rpy="{words(inertial["rpy"])}"/>',
        f'      <mass value="{inertial["mass"]!r}"/>',
        f"      <inertia {tensor}/>",
        "    </inertial>",
        "  </link>",
    ]


def urdf_limit(joint: Json) -> str:
    """The ``<limit>`` of a moving joint; a continuous one has no ends, and what is unknown is 0."""
    values = {key: joint[key] for key in ("lower", "upper") if key in joint}
    values.update({key: joint.get(key, 0.0) for key in ("effort", "velocity")})
    return "    <limit " + " ".join(f'{key}="{value!r}"' for key, value in values.items()) + "/>"


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
        *urdf_link(tree, links[tree.root]),
    ]
    for joint in tree.joints:
        lines += urdf_joint(joint) + urdf_link(tree, links[joint["child"]])
    return "\n".join([*lines, "</robot>", ""])
