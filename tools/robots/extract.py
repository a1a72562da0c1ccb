"""Read the facts of robots from a reference folder and write one compact JSON file per robot.

The reference folder holds, per robot, machine-readable facts of a public robot description: joints, limits and
inertials (``facts.json``), convex collision pieces of every link (``hulls.json``), poses of the tip computed by
an independent program (``fk_golden.json``), where it all came from (``SOURCE.txt``), and for robots that are more
than one chain the description itself (``source.urdf``), of which only numbers are read.

    python tools/robots/extract.py --data DIR [--out tools/robots/facts] [ROBOT ...]

Written once per change of the reference data. ``generate.py`` needs only the files that this script writes.
Python 3.9 and NumPy.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from decisions import load, names
from polytope import around
from reframe import moved_inertial, moved_piece, offsets, rpy_of
from whole import finest, published_accelerations, telescopes

FACTS = Path(__file__).resolve().parent / "facts"
ADDITIONS = FACTS / "additions"
"""Facts that the reference folder lacks, read by a person from the same source."""

JACOBIANS_KEPT = 3
"""The reference folder gives Jacobians for the first three golden configurations only."""

Json = dict[str, Any]


def numbers(text: str) -> list[float]:
    """The numbers of a blank-separated URDF attribute; a negative zero becomes zero."""
    return [float(word) + 0.0 for word in text.split()]


def read_json(path: Path) -> Json:
    """The object in a JSON file."""
    with path.open(encoding="utf-8") as file:
        content: Json = json.load(file)
    return content


def origin(fields: dict[str, str], notes: str) -> tuple[str, str]:
    """Repository and commit of a description, or project page and release of a package."""
    release = re.search(r"PyPI wheel (\d+(?:\.\d+)*)", notes)
    if release is None:
        # Where a description was put together from two repositories, the first holds most of it.
        commits = re.findall(r"[0-9a-f]{40}", fields["commit"])
        return fields["repository"].split(" ")[0], (commits or [fields["commit"]])[0]
    package = fields["repository"].rpartition(" ")[2].replace("_", "-")
    return f"https://pypi.org/project/{package}", release.group(1)


def read_source(path: Path, facts: Json) -> Json:
    """Repository, commit, path and licence evidence of a description, from ``SOURCE.txt`` and ``facts.json``."""
    fields: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, separator, value = line.partition(": ")
        if separator and not line.startswith(" "):
            fields[key.strip()] = value.strip()
    evidence = [str(line).split(": Redistribution", 1)[0] for line in facts["source"]["license_evidence"]]
    repository, commit = origin(fields, " ".join(facts["manual_notes"]))
    source: Json = {
        "repository": repository,
        "commit": commit,
        "path": fields["path"].split(";")[0],
        "licence": facts["source"]["license"],
        "licence_evidence": sorted({line.split(" / All rights", 1)[0] for line in evidence}),
    }
    for key, name in (("srdf", "srdf"), ("joint_limits.yaml", "joint_limits")):
        if fields.get(key, "None") != "None":
            source[name] = fields[key].replace("+", "/", 1)
    return source


def joint_row(joint: Json) -> Json:
    """One joint of ``facts.json`` in the short form of our files; keys without a value are left out."""
    row: Json = {
        "name": joint["name"],
        "type": joint["type"],
        "parent": joint["parent"],
        "child": joint["child"],
        "xyz": [float(x) + 0.0 for x in joint["origin_xyz"]],
        "rpy": [float(x) + 0.0 for x in joint["origin_rpy"]],
    }
    if joint["type"] == "fixed":
        return row
    row["axis"] = [float(x) + 0.0 for x in joint["axis"]]
    renamed = (
        ("lower", "lower"),
        ("upper", "upper"),
        ("velocity_limit", "velocity"),
        ("effort_limit", "effort"),
        ("published_acceleration_limit", "acceleration"),
        ("mimic", "mimic"),
    )
    row.update({new: joint[old] for old, new in renamed if joint.get(old) is not None})
    return row


def urdf_joint(element: ET.Element) -> Json:
    """A ``<joint>`` of a URDF text in the form of ``facts.json``."""
    origin = element.find("origin")
    axis = element.find("axis")
    limit = element.find("limit")
    parent, child = element.find("parent"), element.find("child")
    assert parent is not None and child is not None, element.get("name")
    joint: Json = {
        "name": element.get("name"),
        "type": element.get("type"),
        "parent": parent.get("link"),
        "child": child.get("link"),
        "origin_xyz": numbers(origin.get("xyz", "0 0 0") if origin is not None else "0 0 0"),
        "origin_rpy": numbers(origin.get("rpy", "0 0 0") if origin is not None else "0 0 0"),
        "axis": numbers(axis.get("xyz", "1 0 0") if axis is not None else "1 0 0"),
    }
    if limit is not None:
        names = [("velocity", "velocity_limit"), ("effort", "effort_limit")]
        if joint["type"] in ("revolute", "prismatic"):
            names += [("lower", "lower"), ("upper", "upper")]
        joint.update({new: float(limit.get(old, "0")) for old, new in names})
    mimic = element.find("mimic")
    if mimic is not None:
        joint["mimic"] = {
            "joint": mimic.get("joint"),
            "multiplier": float(mimic.get("multiplier", "1")),
            "offset": float(mimic.get("offset", "0")),
        }
    return joint


def urdf_inertial(element: ET.Element) -> Json | None:
    """The ``<inertial>`` of a URDF ``<link>`` in the form of ``facts.json``."""
    inertial = element.find("inertial")
    if inertial is None:
        return None
    mass, inertia, origin = inertial.find("mass"), inertial.find("inertia"), inertial.find("origin")
    assert mass is not None and inertia is not None, element.get("name")
    return {
        "mass": float(mass.get("value", "0")),
        "com_xyz": numbers(origin.get("xyz", "0 0 0") if origin is not None else "0 0 0"),
        "com_rpy": numbers(origin.get("rpy", "0 0 0") if origin is not None else "0 0 0"),
        "inertia": {key: float(inertia.get(key, "0")) + 0.0 for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")},
    }


def tree_from_urdf(path: Path, tables: list[Json]) -> Json:
    """All links and joints of a whole robot, with the accelerations and followers that ``facts.json`` adds."""
    robot = ET.parse(path).getroot()
    published, followers = published_accelerations(tables), telescopes(tables[0])
    joints = [urdf_joint(element) for element in robot.findall("joint")]
    for joint in joints:
        joint["published_acceleration_limit"] = published.get(joint["name"])
        joint.setdefault("mimic", followers.get(joint["name"]))
    inertials = {str(link.get("name")): urdf_inertial(link) for link in robot.findall("link")}
    return {"joints": joints, "inertials": inertials}


def tree_from_facts(facts: Json) -> Json:
    """All links and joints of an arm: the chain, what is attached to it, and what is above its base."""
    attached = [row["joint"] for row in facts["attached_links"]]
    inertials = {name: link["inertial"] for name, link in facts["links"].items()}
    if "joints_rounded_source" in facts:
        # What stands above the base of the rounded description is placed in the frame of that base.
        return {"joints": facts["joints"] + attached, "inertials": inertials}
    return {"joints": facts["joints_above_base"] + facts["joints"] + attached, "inertials": inertials}


def drop_world(joints: list[Json]) -> list[Json]:
    """The joints without the one below a root link ``world``: a robot does not contain the world."""
    return [joint for joint in joints if joint["parent"] != "world"]


def link_names(joints: list[Json]) -> list[str]:
    """Link names from the root downwards, a parent before its children."""
    children = {joint["child"] for joint in joints}
    order = [name for name in dict.fromkeys(joint["parent"] for joint in joints) if name not in children]
    assert len(order) == 1, f"not one root: {order}"
    for name in order:
        order.extend(joint["child"] for joint in joints if joint["parent"] == name)
    return order


def inertial_row(inertial: Json | None) -> Json | None:
    """Mass (kg), centre (m), its frame (rpy) and the tensor about the centre: ixx ixy ixz iyy iyz izz (kg m²).

    A mass of 0 is the same as none."""
    if inertial is None or inertial["mass"] == 0.0:
        return None
    tensor = [inertial["inertia"][key] + 0.0 for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
    return {
        "mass": inertial["mass"],
        "xyz": [float(x) + 0.0 for x in inertial["com_xyz"]],
        "rpy": [float(x) + 0.0 for x in inertial["com_rpy"]],
        "inertia": tensor,
    }


def hull_row(link: str, piece: Json) -> Json:
    """One collision piece: a rounded convex hull, or a primitive with *half* sizes.

    Primitives stand in the reference as in a URDF: strings, and full lengths of boxes and cylinders.
    """
    kind = piece["type"]
    if kind == "convex":
        return {"link": link, "type": kind, "radius": piece["radius"], "vertices": piece["vertices"]}
    row: Json = {"link": link, "type": kind, "origin_xyz": piece["origin_xyz"], "origin_rpy": piece["origin_rpy"]}
    if kind == "box":
        row["half_extents"] = [length / 2.0 for length in numbers(piece["size"])]
    elif kind == "cylinder":
        row.update(radius=float(piece["radius"]), half_height=float(piece["length"]) / 2.0)
    elif kind == "sphere":
        row["radius"] = float(piece["radius"])
    else:
        raise ValueError(f"link {link!r} has an unknown collision piece {kind!r}")
    return row


def is_loose(pieces: list[Json]) -> bool:
    """True when the reference folder holds no hull of a link, but a box in its place (8 corners, not rounded)."""
    return len(pieces) == 1 and pieces[0].get("radius") == 0.0 and len(pieces[0].get("vertices", [])) == 8


def polytope(link: str, fit: Json, what: str) -> Json:
    """A polytope around what the simple shapes of ``collision_fit.json`` contain."""
    return {"link": link, "type": "convex", "around": what, "radius": 0.0, "vertices": around(fit)}


def collision_pieces(folder: Path, names: list[str]) -> list[Json]:
    """The shapes of all links: the collision geometry, or a polytope where there is none or no hull of it is given."""
    pieces = read_json(folder / "hulls.json")["links"]
    fits = read_json(folder / "collision_fit.json")["links"]
    rows = []
    for link in names:
        given, fit = pieces.get(link, []), fits.get(link, {})
        has_mesh = str(fit.get("geometry", "")).startswith("['mesh:")
        if not given and has_mesh and fit["source"].startswith("visual"):
            rows.append(polytope(link, fit, "visual mesh"))
        elif is_loose(given) and has_mesh:
            rows.append(polytope(link, fit, "simple shapes"))
        else:
            rows += [hull_row(link, piece) for piece in given]
    return rows


def golden(table: Json, moving: list[str]) -> Json:
    """Tip poses in the base frame (4 × 4, row by row) and, for the first rows, Jacobians (linear rows first).

    ``moving`` names the joints of the chain, which a reference made from other names has in the same order.
    """
    configs: list[Json] = []
    for index, row in enumerate(table["configs"]):
        config: Json = {"q": row["q"], "T": row["T_base_tip"]}
        if index < JACOBIANS_KEPT and "jacobian_base_frame_at_tip" in row:
            config["J"] = row["jacobian_base_frame_at_tip"]
        configs.append(config)
    return {
        "tool": table["tool"],
        "base": table["base_link"],
        "tip": table["tip_link"],
        "joint_order": table["joint_order"] if "published DH" not in table.get("note", "") else moving,
        "configs": configs,
    }


def additions(name: str) -> Json:
    """What the reference folder lacks; empty for most robots."""
    path = ADDITIONS / f"{name}.json"
    return read_json(path) if path.is_file() else {}


def replaced(pieces: list[Json], better: list[Json]) -> list[Json]:
    """The pieces, those of links that have better ones exchanged."""
    links = dict.fromkeys(piece["link"] for piece in pieces)
    known = {piece["link"] for piece in better}
    return [piece for link in links for piece in (better if link in known else pieces) if piece["link"] == link]


def reframed(facts: Json, content: Json, more: Json) -> None:
    """Moves shapes and inertials into the frames of the exact chain; the last link keeps its own, fixed to the tip."""
    moves = offsets(facts, more["base_rpy"], more["signs"])
    last = facts["joints_rounded_source"][-1]["child"]
    tip = moves.pop(last)
    for link in content["links"]:
        if link["name"] in moves:
            link["inertial"] = moved_inertial(link["inertial"], moves[link["name"]])
    content["hulls"] = [
        moved_piece(piece, moves[piece["link"]]) if piece["link"] in moves else piece for piece in content["hulls"]
    ]
    for joint in content["joints"]:
        if joint["child"] == last:
            joint.update(xyz=tip[:3, 3].round(6).tolist(), rpy=rpy_of(tip[:3, :3]))


def extract(name: str, folders: list[Path]) -> Json:
    """Everything we carry over of one robot; of several folders, one per arm, the first has the whole tree."""
    tables = [read_json(folder / "facts.json") for folder in folders]
    facts, folder = tables[0], folders[0]
    urdf = folder / "source.urdf"
    tree = tree_from_urdf(urdf, tables) if urdf.exists() else tree_from_facts(facts)
    more = additions(name)
    inertials = {**tree["inertials"], **more.get("inertials", {})}
    joints = drop_world(tree["joints"] + more.get("joints", []))
    joints = [joint for joint in joints if joint["child"] not in more.get("leave_out", [])]
    links = link_names(joints)
    srdf = facts.get("srdf") or {}
    goldens = [
        golden(read_json(arm / "fk_golden.json"), table["active_joint_order"]) for arm, table in zip(folders, tables)
    ]
    content: Json = {
        "name": name,
        "source": {**read_source(folder / "SOURCE.txt", facts), **more.get("source", {})},
        "notes": facts["notes"] + facts["manual_notes"],
        "class": facts["kinematics"]["class"],
        "chain_mass": facts["inertia_quality"]["total_chain_mass"],
        "root": links[0],
        "base": facts["base_link"],
        "tip": facts["tip_link"],
        "tool": {"link": facts["tool_frame"]["link"]},
        "groups": srdf.get("groups", []),
        "poses": srdf.get("named_poses", []) + more.get("poses", []),
        "links": [{"name": link, "inertial": inertial_row(inertials.get(link))} for link in links],
        "joints": [joint_row(joint) for joint in sorted(joints, key=lambda joint: links.index(joint["child"]))],
        "disabled_pairs": srdf.get("disable_collisions", []) + more.get("disabled_pairs", []),
        "hulls": replaced(finest([collision_pieces(arm, links) for arm in folders]), more.get("hulls", [])),
        "golden": goldens[0],
        **({"more_goldens": goldens[1:]} if goldens[1:] else {}),
    }
    if "joints_rounded_source" in facts:
        reframed(facts, content, more)
    return content


def one_per_line(rows: list[Any]) -> str:
    """A JSON list with one element per line."""
    lines = ",\n  ".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    return f"[\n  {lines}\n ]" if rows else "[]"


def golden_text(table: Json) -> str:
    """A table of golden poses, one row per line."""
    head = json.dumps({key: value for key, value in table.items() if key != "configs"}, separators=(",", ":"))[:-1]
    return f'{head},"configs":{one_per_line(table["configs"])}}}'


def layout(facts: Json) -> str:
    """The JSON text of a robot: one joint, link, pair, collision piece or golden row per line."""
    parts = []
    for key, value in facts.items():
        if key == "golden":
            text = golden_text(value)
        elif key == "more_goldens":
            text = f"[{', '.join(golden_text(table) for table in value)}]"
        elif isinstance(value, list):
            text = one_per_line(value)
        else:
            text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        parts.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the JSON file of each robot asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="reference folder with one folder per robot")
    parser.add_argument("--out", type=Path, default=FACTS, help="where to write")
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    options = parser.parse_args(arguments)
    for name in options.robots:
        folders = [options.data / folder for folder in load(name).references or (name,)]
        for folder in folders:
            if not (folder / "facts.json").is_file():
                print(f"{folder} has no facts.json", file=sys.stderr)
                return 2
        path: Path = options.out / f"{name}.json"
        path.write_text(layout(extract(name, folders)), encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
