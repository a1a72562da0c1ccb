"""What clouds go through on their way into a scene, beside Open3D: one point per cell, outliers, clusters.

    python benches/open3d_peers.py            # prints the table
    python benches/open3d_peers.py --write    # and writes it into docs-site/benchmarks.md

Points on the surfaces of boxes on a table with 2 mm of noise, a hundredth of them stray. kinetic's times are those of
`Scene.filter_pointcloud` and `euclidean_clusters`; Open3D's of its calls on a cloud that it holds already, with as many
threads as it wants. What both keep and find is compared: neighbours within a radius and clusters are the same by
definition (DBSCAN with clusters of one); a point per cell is one of the points with kinetic and their mean with Open3D,
whose grid begins elsewhere; and of nearest neighbours Open3D counts a point itself as the first. It has an environment
of its own under ``target/planning_peers``, and wants Debian's `libusb-1.0-0` and `libgl1`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

Json = dict[str, Any]
Stage = Callable[[np.ndarray], Callable[[], int]]
"""Prepares a call for a cloud; the call answers how many points or clusters it found."""

DISTRIBUTION = "open3d"
SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 5
CELL = 0.01
RADIUS, FEWEST = 0.03, 3
NEIGHBOURS, RATIO = 16, 2.0
STEP, LEAST = 0.02, 50
"""Tolerance of clusters, m, and their least number of points."""
VOXEL, BY_RADIUS, STATISTICAL, CLUSTERS = "point per cell", "outliers by radius", "outliers, statistical", "clusters"
HEADER = (
    "| points | stage | kinetic, ms | Open3D, ms | ratio | kinetic keeps or finds | Open3D |\n"
    "|---|---|---|---|---|---|---|"
)


def cloud(count: int) -> np.ndarray:
    """Points on boxes and on the table that they stand on, with noise; some stray."""
    rng = np.random.default_rng(count)
    table = np.column_stack([rng.uniform(-1.0, 1.0, (count // 2, 2)), np.zeros(count // 2)])
    faces = []
    for box in range(10):
        half = rng.uniform(0.05, 0.15, 3)
        side = rng.integers(0, 3, count // 20)
        points = rng.uniform(-1.0, 1.0, (count // 20, 3))
        points[np.arange(len(points)), side] = rng.choice([-1.0, 1.0], len(points))
        centre = np.array([0.35 * (box % 5) - 0.7, 0.8 * (box // 5) - 0.4, half[2] + 0.06])
        faces.append(points * half + centre)
    points = np.vstack([table, *faces]) + rng.normal(scale=0.002, size=(count // 20 * 10 + count // 2, 3))
    stray = rng.integers(0, len(points), count // 100)
    points[stray] = rng.uniform([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0], (len(stray), 3))
    return points


def measured(stages: dict[str, Stage]) -> dict[str, Json]:
    """Median of the milliseconds of each stage for each size, and what it found."""
    answers: dict[str, Json] = {}
    for count in SIZES:
        points = cloud(count)
        for name, prepare in stages.items():
            call, taken, found = prepare(points), [], 0
            for _ in range(ROUNDS):
                began = time.perf_counter()
                found = call()
                taken.append(1e3 * (time.perf_counter() - began))
            answers[f"{count} {name}"] = {"ms": statistics.median(taken), "found": found}
    return answers


def own() -> dict[str, Json]:
    """kinetic's stages."""
    from kinetic import OutlierFilter, Scene, euclidean_clusters

    scene = Scene("ur5e")

    def filtered(**options: Any) -> Stage:
        def prepare(points: np.ndarray) -> Callable[[], int]:
            return lambda: int(scene.filter_pointcloud(points, max_points=None, **options)[1]["kept"])

        return prepare

    return measured(
        {
            VOXEL: filtered(voxel_size=CELL),
            BY_RADIUS: filtered(outliers=OutlierFilter.radius(RADIUS, FEWEST)),
            STATISTICAL: filtered(outliers=OutlierFilter.statistical(NEIGHBOURS, RATIO)),
            CLUSTERS: lambda points: lambda: len(euclidean_clusters(points, STEP, LEAST)),
        }
    )


def others() -> dict[str, Json]:
    """Those of Open3D."""
    import open3d  # type: ignore[import-not-found]

    def of(call: Callable[[Any], int]) -> Stage:
        def prepare(points: np.ndarray) -> Callable[[], int]:
            held = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
            return lambda: call(held)

        return prepare

    def clusters(held: Any) -> int:
        labels = np.asarray(held.cluster_dbscan(eps=STEP, min_points=1))
        return int((np.bincount(labels[labels >= 0]) >= LEAST).sum())

    return measured(
        {
            VOXEL: of(lambda held: len(held.voxel_down_sample(CELL).points)),
            BY_RADIUS: of(lambda held: len(held.remove_radius_outlier(FEWEST, RADIUS)[1])),
            STATISTICAL: of(lambda held: len(held.remove_statistical_outlier(NEIGHBOURS + 1, RATIO)[1])),
            CLUSTERS: of(clusters),
        }
    )


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    parser.add_argument("--worker", help="a file of nothing: answers for Open3D")
    arguments = parser.parse_args()
    if arguments.worker:
        print(json.dumps(others()), flush=True)
        return
    from figures import PAGE, replace_section
    from planning_peers import lines_of

    ours, theirs = own(), lines_of(DISTRIBUTION, ROOT / "benches" / "open3d_peers.py", {})[-1]
    lines = [HEADER]
    for key, mine in ours.items():
        (count, name), other = key.split(" ", 1), theirs[key]
        cells = (
            f"{int(count):,}",
            name,
            f"{mine['ms']:.1f}",
            f"{other['ms']:.1f}",
            f"{other['ms'] / mine['ms']:.1f} ×",
        )
        lines.append("| " + " | ".join(cells) + f" | {mine['found']:,} | {other['found']:,} |")
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "open3d", "\n".join(lines)))


if __name__ == "__main__":
    main()
