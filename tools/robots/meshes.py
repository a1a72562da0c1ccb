"""Compare how often random configurations touch themselves: the shipped hulls, and the meshes of the vendor.

    python -m pip install example-robot-data pin coal kinetic
    python tools/robots/meshes.py [--samples 1000] [ROBOT ...]

The meshes are the visual ones of `example-robot-data`, which several vendors' collision meshes are hulls of. Two
surfaces touch when their triangles cross. The pairs are those that the robot's configuration checks, between links that
the description has meshes for. Prints a table per robot: pairs that hulls touch in more configurations than meshes do,
worst first. Links of those are to be cut into pieces (`cut.py`). Seeded like `measure.py`.
"""

from __future__ import annotations

import argparse
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import cmeel
import coal
import numpy as np
from derive import rotation
from tree import Pair
from verify import SEED, Model, sample

import kinetic

SHARE = Path(cmeel.__file__).parent.parent / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
"""Where the wheel puts its robots."""
DESCRIPTIONS = {
    "baxter": "baxter_description/urdf/baxter.urdf",
    "franka_panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "so_arm100": "so_arm_description/urdf/so100.urdf",
    "tiago": "tiago_description/robots/tiago_no_hand.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
}
"""Descriptions of the same product, by built-in robot."""
SHOWN = 5
"""Pairs of a robot that are printed."""

Part = tuple[coal.BVHModelOBBRSS, np.ndarray, np.ndarray]
"""Triangles, and their position and rotation in the link."""


def numbers(text: str | None, default: str) -> list[float]:
    """The numbers of an attribute."""
    return [float(word) for word in (text or default).split()]


def part(visual: ET.Element, share: Path) -> Part | None:
    """The triangles of a visual, unless it has another shape."""
    mesh = visual.find("geometry/mesh")
    if mesh is None:
        return None
    name = mesh.attrib["filename"].removeprefix("package://example-robot-data/robots/")
    vertices, faces = kinetic.load_mesh(share / name)
    vertices = vertices * numbers(mesh.get("scale"), "1 1 1")
    surface = coal.BVHModelOBBRSS()
    surface.beginModel(len(faces), len(vertices))
    surface.addVertices(vertices)
    surface.addTriangles(faces)
    surface.endModel()
    origin = visual.find("origin")
    place = {} if origin is None else origin.attrib
    return surface, np.array(numbers(place.get("xyz"), "0 0 0")), rotation(numbers(place.get("rpy"), "0 0 0"))


def surfaces(robot: str, share: Path) -> dict[str, list[Part]]:
    """The meshes of each link."""
    root = ET.parse(share / DESCRIPTIONS[robot]).getroot()
    parts = {link.attrib["name"]: [part(visual, share) for visual in link.iter("visual")] for link in root.iter("link")}
    return {link: [one for one in found if one is not None] for link, found in parts.items() if any(found)}


def crosses(model: Model, meshes: dict[str, list[Part]], ab: Pair) -> bool:
    """Whether triangles of two links cross where the model stands."""
    placed = []
    for link in ab:
        pose = model.frame(link)
        turn, origin = pose.rotation, pose.translation
        placed.append([(mesh, coal.Transform3s(turn @ own, origin + turn @ at)) for mesh, at, own in meshes[link]])
    request = coal.CollisionRequest()
    return any(
        coal.collide(one[0], one[1], two[0], two[1], request, coal.CollisionResult())
        for one in placed[0]
        for two in placed[1]
    )


def compare(robot: str, samples: int, share: Path) -> tuple[int, int, Counter[Pair]]:
    """Configurations that hulls and meshes touch in, and per pair those that hulls alone do."""
    model, meshes = Model(robot), surfaces(robot, share)
    pairs = [ab for ab in model.checked if ab[0] in meshes and ab[1] in meshes]
    rng = np.random.default_rng(SEED)
    joints = model.joints(model.default_group)
    hulls, crossed, more = 0, 0, Counter[Pair]()
    for _ in range(samples):
        model.place(sample(model, joints, rng))
        touched = [ab for ab, gap in model.distances(pairs, beyond=0.0).items() if gap <= 0.0]
        alone = [ab for ab in touched if not crosses(model, meshes, ab)]
        hulls += bool(touched)
        crossed += len(alone) < len(touched)
        more.update(alone)
    return hulls, crossed, more


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--share", type=Path, default=SHARE, help="folder robots of example-robot-data")
    parser.add_argument("robots", nargs="*", default=sorted(DESCRIPTIONS), metavar="ROBOT")
    options = parser.parse_args()
    print("| robot | hulls touch | meshes touch | pairs that hulls alone touch |\n|---|---|---|---|")
    for robot in options.robots:
        hulls, crossed, more = compare(robot, options.samples, options.share)
        worst = ", ".join(f"{'–'.join(ab)} {count}" for ab, count in more.most_common(SHOWN))
        print(f"| {robot} | {hulls} | {crossed} | {worst} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
