"""Compares kinetic's sphere covers of meshes with given ones, at equal counts and by the same measure in one run.

``fit_peers.py --data DIR`` reads ``DIR/<robot>/collision_fit.json`` (spheres per link) and the meshes of the same links
from the PyPI package ``example-robot-data``. A link takes part when its mesh has the box that the file states, so that
both covers are of the same thing. The measure is the largest distance from the exposed surface of the union of spheres
(500 points per sphere, those inside another sphere left out) to the nearest of 200 000 points on the mesh. Containment
is checked on the same 200 000 points. ``--write`` puts the table into ``docs-site/shapes.md``.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
import xml.etree.ElementTree as ElementTree
from datetime import date
from importlib import metadata
from pathlib import Path

import numpy as np
import numpy.typing as npt
import trimesh
from scipy.spatial import cKDTree

import kinetic

Array = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs-site" / "shapes.md"
BEGIN = "<!-- begin of the table; written by benches/fit_peers.py -->"
END = "<!-- end of the table -->"
# Robots of the data with their description in the package.
DESCRIPTIONS = {
    "baxter_left": "baxter_description/urdf/baxter.urdf",
    "franka_panda": "panda_description/urdf/panda.urdf",
    "lerobot_so100": "so_arm_description/urdf/so100.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "tiago": "tiago_description/robots/tiago_no_hand.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
}
# The boxes of the data are rounded to 0.01 mm; another revision of a mesh differs by more than this, m.
SAME_BOX = 0.001
SURFACE_POINTS = 200_000
SPHERE_POINTS = 500


def vector(text: str | None, default: str) -> Array:
    """Numbers separated by blanks."""
    return np.array([float(part) for part in (text or default).split()])


def placed(element: ElementTree.Element | None) -> Array:
    """The transform of an ``origin`` element."""
    if element is None:
        return np.eye(4)
    roll, pitch, yaw = vector(element.get("rpy"), "0 0 0")
    pose = np.asarray(trimesh.transformations.euler_matrix(roll, pitch, yaw, "sxyz"), dtype=float)
    pose[:3, 3] = vector(element.get("xyz"), "0 0 0")
    return pose


def link_mesh(link: ElementTree.Element, folder: Path) -> trimesh.Trimesh | None:
    """The collision meshes of a link as one; ``None`` when it has none, or other shapes beside them."""
    parts = []
    for collision in link.iter("collision"):
        mesh = collision.find("geometry/mesh")
        if mesh is None:
            return None
        path = folder / mesh.get("filename", "").removeprefix("package://example-robot-data/robots/")
        part = trimesh.load(path, force="mesh")
        part.apply_transform(np.diag([*vector(mesh.get("scale"), "1 1 1"), 1.0]))
        part.apply_transform(placed(collision.find("origin")))
        parts.append(part)
    return trimesh.util.concatenate(parts) if parts else None


def exposed(spheres: Array) -> Array:
    """Points of the spheres that are in no other one."""
    index = np.arange(SPHERE_POINTS)
    z = 1.0 - (2.0 * index + 1.0) / SPHERE_POINTS
    angle = np.pi * (3.0 - np.sqrt(5.0)) * index
    unit = np.stack([np.sqrt(1.0 - z * z) * np.cos(angle), np.sqrt(1.0 - z * z) * np.sin(angle), z], axis=1)
    points = []
    for own, (*center, radius) in enumerate(spheres):
        surface = np.asarray(center) + radius * unit
        others = np.delete(spheres, own, axis=0)
        depth = np.linalg.norm(surface[:, None] - others[None, :, :3], axis=2) - others[None, :, 3]
        points.append(surface[~(depth < -1e-9).any(axis=1)])
    return np.concatenate(points)


def overshoot(spheres: Array, surface: cKDTree) -> float:
    """Largest distance from the exposed surface to the mesh, m."""
    return float(surface.query(exposed(spheres))[0].max())


def misses(spheres: Array, points: Array) -> int:
    """Number of points outside all spheres."""
    distance = np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[None, :, 3]
    return int((distance.min(axis=1) > 1e-9).sum())


def compare(robot: str, data: Path, package: Path) -> list[dict[str, float]]:
    """One row per link whose mesh is that of the data."""
    given = json.loads((data / robot / "collision_fit.json").read_text())["links"]
    rows = []
    for link in ElementTree.parse(package / DESCRIPTIONS[robot]).getroot().iter("link"):
        fit = given.get(link.get("name", ""))
        mesh = link_mesh(link, package) if fit and "spheres" in fit else None
        if fit is None or mesh is None:
            continue
        box = np.array([fit["aabb"]["min"], fit["aabb"]["max"]])
        if np.abs(box - mesh.bounds).max() > SAME_BOX:
            continue
        theirs = np.array(fit["spheres"])
        start = time.perf_counter()
        ours, report = kinetic.fit.spheres((mesh.vertices, mesh.faces), count=len(theirs))
        seconds = time.perf_counter() - start
        points = trimesh.sample.sample_surface(mesh, SURFACE_POINTS, seed=0)[0]
        surface = cKDTree(points)
        row = {"count": len(theirs), "theirs": overshoot(theirs, surface), "ours": overshoot(ours, surface)}
        row |= {"bound": report["excess"], "misses": misses(ours, points), "seconds": seconds}
        print(f"{robot} {link.get('name')}: {row}", flush=True)
        rows.append(row)
    return rows


def table(results: dict[str, list[dict[str, float]]]) -> str:
    """The table of the page, in Markdown."""
    today = (
        f"{date.today():%Y-%m-%d}, {platform.machine()}, example-robot-data {metadata.version('example-robot-data')}"
    )
    lines = [f"Measured {today}; mm, medians over the links.", ""]
    lines.append("| robot | links | spheres | given | kinetic | stated bound | points missed | seconds per link |")
    lines.append("|---|---|---|---|---|---|---|---|")
    everything = [row for rows in results.values() for row in rows]
    for name, rows in [*results.items(), ("all", everything)]:
        median = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        count, missed = sum(row["count"] for row in rows), sum(row["misses"] for row in rows)
        excess = [f"{1e3 * median[key]:.1f}" for key in ("theirs", "ours", "bound")]
        seconds = f"{median['seconds']:.2f}"
        lines.append(f"| {' | '.join([name, str(len(rows)), str(count), *excess, str(missed), seconds])} |")
    return "\n".join(lines)


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with <robot>/collision_fit.json")
    parser.add_argument("--robots", nargs="*", default=sorted(DESCRIPTIONS), help="only these")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/shapes.md")
    arguments = parser.parse_args()
    package = Path(str(metadata.distribution("example-robot-data").locate_file("")))
    package = package / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    results = {robot: compare(robot, arguments.data, package) for robot in arguments.robots}
    text = table({robot: rows for robot, rows in results.items() if rows})
    print(text)
    if arguments.write:
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
