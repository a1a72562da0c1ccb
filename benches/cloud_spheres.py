"""What one sphere costs among points: a robot that is a sphere on three rails.

    python benches/cloud_spheres.py            # prints the table
    python benches/cloud_spheres.py --write    # and writes it into docs-site/benchmarks.md

The sphere has a radius of 5 cm, the points balls of 1 cm, on the surfaces of 24 boxes with noise. Sixteen places of a
batch stand along a way of 16 cm, as the samples of a motion do, or anywhere in a box around the points. Times are those
of `Scene.are_free` per place; the first row has no points.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from kinetic import Robot, Scene

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402

COUNTS = (10_000, 100_000, 1_000_000)
BATCHES = 10_000
BATCH = 16
ROUNDS = 9
REACH = 1.3
SPHERE = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
HEADER = "| points | ms to add | along a motion, ns | free | anywhere, ns | free |\n|---|---|---|---|---|---|"


def sphere() -> Robot:
    """A sphere on rails along x, y and z."""
    links = "".join(f'<link name="{name}">{SPHERE if name == "z" else ""}</link>' for name in ("root", "x", "y", "z"))
    joints = "".join(
        f'<joint name="along_{child}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        for parent, child, axis in (("root", "x", "1 0 0"), ("x", "y", "0 1 0"), ("y", "z", "0 0 1"))
    )
    return Robot.from_urdf(f'<robot name="sphere">{links}{joints}</robot>')


def points(rng: np.random.Generator, count: int) -> np.ndarray:
    """Points on the surfaces of boxes, with noise."""
    parts = []
    for _ in range(24):
        center, half = rng.uniform(-1.0, 1.0, 3), rng.uniform(0.05, 0.3, 3)
        place, side = rng.uniform(-1.0, 1.0, (count // 24 + 1, 3)), rng.integers(0, 6, count // 24 + 1)
        place[np.arange(len(place)), side // 2] = np.where(side % 2 == 0, -1.0, 1.0)
        parts.append(center + place * half + rng.normal(0.0, 0.002, place.shape))
    return np.vstack(parts)[:count].astype(np.float32)


def along_motions(rng: np.random.Generator) -> np.ndarray:
    """Places of batches, each along a way of its own."""
    way = rng.normal(size=(BATCHES, 1, 3))
    way *= 0.16 / np.linalg.norm(way, axis=2, keepdims=True)
    start = rng.uniform(-REACH, REACH, (BATCHES, 1, 3))
    places: np.ndarray = start + way * np.linspace(0.0, 1.0, BATCH)[:, None]
    return places.reshape(-1, 3)


def nanoseconds(scene: Scene, places: np.ndarray) -> float:
    """The least time per place of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        scene.are_free(places)
        taken.append(time.perf_counter() - began)
    return 1e9 * min(taken) / len(places)


def line(label: str, added: str, scene: Scene, sets: list[np.ndarray]) -> str:
    """A row of the table."""
    cells = [f"{nanoseconds(scene, places):.0f} | {100.0 * scene.are_free(places).mean():.0f} %" for places in sets]
    return f"| {label} | {added} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    rng, robot = np.random.default_rng(1), sphere()
    sets = [along_motions(rng), rng.uniform(-REACH, REACH, (BATCHES * BATCH, 3))]
    lines = [HEADER, line("none", "–", Scene(robot), sets)]
    for count in COUNTS:
        cloud, taken = points(rng, count), []
        for _ in range(ROUNDS):
            scene, began = Scene(robot), time.perf_counter()
            scene.add_pointcloud("cloud", cloud, sphere_radius=0.01, max_points=None)
            taken.append(time.perf_counter() - began)
        lines.append(line(f"{count:,}", f"{1e3 * min(taken):.1f}", scene, sets))
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cloud_spheres", "\n".join(lines)))


if __name__ == "__main__":
    main()
