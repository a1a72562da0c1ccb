"""How long a depth frame takes until an occupancy map knows it, beside OctoMap's own program.

    python benches/octree.py            # prints the table
    python benches/octree.py --write    # and writes it into docs-site/benchmarks.md

A camera of 640 × 480 pixels sees a room with a table; the map has cells of 2 cm. `near` is the same picture at 0.65 of
the distances. OctoMap is `graph2tree` of the package `cmeel-octomap`, with the same sensor model and discretized rays,
and the time is what the program says of its insertion. Both get the same points.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Octree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402

RESOLUTION = 0.02
ROUNDS = 9
ORIGIN = np.array([0.013, 0.007, 1.309])
"""Where the camera is: no coordinate is on the border of a cell."""


def frame(scale: float) -> np.ndarray:
    """The points of the picture, m, rounded as a text file has them."""
    forward = np.array([1.0, 0.7, -0.25]) / np.linalg.norm([1.0, 0.7, -0.25])
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    u, v = np.meshgrid((np.arange(640) - 319.5) / 600.0, (np.arange(480) - 239.5) / 600.0)
    rays = forward + u[..., None] * right + v[..., None] * down
    with np.errstate(divide="ignore"):
        planes = (np.array([2.5, 2.2, 0.0]) - ORIGIN) / rays
    depth = np.where(planes > 0.0, planes, 8.0).min(axis=-1)
    table = (0.7 - ORIGIN[2]) / rays[..., 2]
    there = ORIGIN + rays * table[..., None]
    on_table = (table > 0.0) & (np.abs(there[..., 0] - 1.4) < 0.4) & (np.abs(there[..., 1] - 1.1) < 0.5)
    depth = np.where(on_table, np.minimum(depth, table), depth)
    points = ORIGIN + scale * rays * depth[..., None]
    return np.float64(np.float32(np.round(points.reshape(-1, 3), 6)))


def ours(points: np.ndarray) -> tuple[float, float, dict[str, Any]]:
    """Milliseconds of the first insertion into a map and of the next one, and what was inserted."""
    first, again = [], []
    for _ in range(ROUNDS):
        octree = Octree(RESOLUTION)
        for times in (first, again):
            began = time.perf_counter()
            report = octree.insert_cloud(points, ORIGIN)
            times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(first), statistics.median(again), dict(report)


def theirs(points: np.ndarray) -> tuple[float, int]:
    """Milliseconds that OctoMap says its insertion takes, and the leaves of its map."""
    with tempfile.TemporaryDirectory() as folder:
        log, graph, tree = (Path(folder) / name for name in ("scan.log", "scan.graph", "map.bt"))
        lines = ["NODE " + " ".join(f"{value:.6f}" for value in ORIGIN) + " 0 0 0"]
        lines += [" ".join(f"{value:.6f}" for value in point) for point in points]
        log.write_text("\n".join(lines) + "\n")
        tools = Path(sys.executable).parent
        subprocess.run([tools / "log2graph", log, graph], check=True, capture_output=True)
        command: list[Any] = [tools / "graph2tree", "-i", graph, "-o", tree, "-res", RESOLUTION, "-g", "-discretize"]
        command += ["-sensor", 0.4, 0.7, "-clamping", 0.1192, 0.971]
        told = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
        found = re.search(r"time to insert scans:\s*([0-9.eE+-]+)\s*sec", told.stdout + told.stderr)
        if found is None:
            raise SystemExit(told.stdout + told.stderr)
        return 1e3 * float(found.group(1)), len(Octree.read(f"{tree}.ot"))


def table() -> str:
    """The rows."""
    lines = [
        "| picture | cells with points | cells hit or cleared | kinetic, first, ms | again, ms | OctoMap, ms | ratio "
        "| leaves, kinetic and OctoMap | MiB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, scale in (("room", 1.0), ("near", 0.65)):
        points = frame(scale)
        first, again, report = ours(points)
        octomap, leaves = theirs(points)
        alone = Octree(RESOLUTION)
        alone.insert_cloud(points, ORIGIN)
        cells = report["cells_hit"] + report["cells_missed"]
        lines.append(
            f"| {name} | {report['rays']} | {cells} | {first:.1f} | {again:.1f} | {octomap:.0f} "
            f"| {octomap / first:.0f} × | {len(alone)}, {leaves} | {alone.memory_bytes / 2**20:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = table()
    print(text)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "octomap", text))


if __name__ == "__main__":
    main()
