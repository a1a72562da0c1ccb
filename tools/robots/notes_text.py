"""The text of ``NOTES.md``: a short page on where the data come from and how far to trust them.

Python 3.9.
"""

from __future__ import annotations

from decisions import SECONDS_TO_FULL_SPEED, Choices
from derive import accelerations, estimated_tensors, fault_of, inertials_source, is_commanded, vendor_poses
from tree import Tree

AROUND = {
    "visual mesh": "No collision geometry is published for {}: the shape is a polytope around the visual mesh.",
    "simple shapes": "The meshes of {} may not be carried over: each shape is the intersection of a box, a capsule and"
    " the hull of a sphere cover around the mesh, which is some 20 % larger than the mesh's hull.",
}
"""What the facts say a polytope was made around, and what we say about it."""


COMMIT_LENGTH = 40
"""Hexadecimal digits of a commit; a release number is shorter."""


def listed(words: list[str]) -> str:
    """Names with commas, as code."""
    return ", ".join(f"`{word}`" for word in words)


def unknown_limits(tree: Tree) -> list[str]:
    """Speeds and efforts that the source does not state, or states as 0."""
    lines = []
    for key, what in (("velocity", "speed"), ("effort", "effort")):
        joints = [joint["name"] for joint in tree.joints if is_commanded(joint) and not joint.get(key)]
        if joints:
            lines.append(f"The {what} limit of {listed(joints)} is 0 or missing in the source, which means unknown.")
    return lines


def inertials_note(tree: Tree, choices: Choices) -> list[str]:
    """What is missing or wrong in the source's inertials."""
    if inertials_source(tree, choices) == "none":
        return ["No inertials are published for this robot, so it has none here."]
    lines = [choices.placeholder_inertials] if choices.placeholder_inertials else []
    massless = [link["name"] for link in tree.facts["links"] if link["inertial"] is None and link["name"] in tree.hulls]
    if massless:
        lines.append(f"No inertial is published for {listed(massless)}.")
    return lines + [
        f"The inertia tensor of `{link}` is impossible in the source; here it is that of {body}."
        for link, body in estimated_tensors(tree).items()
    ]


def estimated(tree: Tree, choices: Choices) -> list[str]:
    """What is a default or a simplification."""
    _, source = accelerations(tree, choices)
    lines = ["Home and ready poses, where the vendor has none of that name, are ours.", *unknown_limits(tree)]
    if source == "default":
        lines.append(
            "Accelerations are not published for this robot: each joint gets its speed limit divided by"
            f" {SECONDS_TO_FULL_SPEED} s."
        )
    return [*lines, *inertials_note(tree, choices), *shapes_note(tree)]


def shapes_note(tree: Tree) -> list[str]:
    """What the collision shapes are."""
    made = {what: [link for link, rows in tree.hulls.items() if rows[0].get("around") == what] for what in AROUND}
    lines = [
        "Collision shapes are rounded convex hulls around the source's collision meshes (or its primitives): they"
        " contain every vertex of the mesh and fill what is hollow."
    ]
    return lines + [text.format(listed(made[what])) for what, text in AROUND.items() if made[what]]


def left_out(tree: Tree, choices: Choices) -> list[str]:
    """Vendor poses that the robot does not have, with the reasons."""
    faults = {
        pose["name"]: fault_of(tree, choices, group, pose)
        for group in choices.groups
        for pose in vendor_poses(tree, choices, group)
    }
    return [f"Vendor pose `{pose}` is left out: {why}." for pose, why in faults.items() if why]


def named(choices: Choices) -> str:
    """The names to ask for, with their groups."""
    return ", ".join(f"`{name}` (group `{group}`)" for name, group in choices.names.items())


def notes_text(name: str, tree: Tree, choices: Choices) -> str:
    """A short page on where the data come from and how far to trust them."""
    source = tree.facts["source"]
    moving = sum(joint["type"] != "fixed" for joint in tree.joints)
    mass = sum(link["inertial"]["mass"] for link in tree.facts["links"] if link["inertial"])
    version = "commit" if len(source["commit"]) == COMMIT_LENGTH else "release"
    exceptions = " (but see below)" if choices.placeholder_inertials or estimated_tensors(tree) else ""
    lines = [
        f"# {name}: {choices.maker} {choices.product}",
        "",
        "Made by `tools/robots/generate.py`; change `tools/robots/`, not this folder.",
        "",
        "## Source",
        "",
        f"- Repository: <{source['repository']}>, {version} `{source['commit']}`, `{source['path']}`",
        f"- Licence there: {choices.licence}",
    ]
    extra = (("srdf", "Groups, poses and disabled pairs"), ("joint_limits", "Accelerations looked for in"))
    lines += [f"- {what}: `{source[key]}`" for key, what in extra if key in source]
    lines += [f"- Named here: {named(choices)}."] if choices.names else []
    lines += [
        "- Carried over: numbers and names only. The URDF text is ours; no mesh is included.",
        "",
        "## Exact",
        "",
        f"- {len(tree.links)} links and {moving} moving joints with the source's names, origins, axes, ranges, speeds"
        " and efforts.",
        *(
            f"- Forward kinematics `{golden['base']}` → `{golden['tip']}` equals the source's to 1e-9 m"
            " (20 golden configurations)."
            for golden in tree.goldens()
        ),
        *([f"- Inertials as in the source, {mass:.4g} kg in total{exceptions}."] if mass else []),
        "",
        "## Default, estimated, simplified",
        "",
        *(f"- {line}" for line in estimated(tree, choices)),
        "",
        "## Good to know",
        "",
        *(f"- {line}" for line in (*choices.remarks, *left_out(tree, choices))),
    ]
    return "\n".join([*lines, ""])
