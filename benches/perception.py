"""How long sensors take on their way into a scene: clouds, maps, and distance fields beside other libraries.

    python benches/perception.py            # prints the tables
    python benches/perception.py --write    # and writes them into docs-site/benchmarks.md

Fields: 128³ cells with a floor and boxes, of which one moves between updates. SciPy and `edt` (its own environment
under ``target/planning_peers``) measure between centres of cells and without a sign, so that a signed field takes two
of their calls. Maps: the pictures of `benches/octree.py`, inserted into a map of a scene whose occupied cells are its
object. Clouds: the same pictures with 2 mm of noise along the rays, without and with something that moves.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

SIZE = 128
RESOLUTION = 0.02
ROUNDS = 9
WARM_UP, PICTURES = 60, 40
"""Pictures that are shown before the ones that are measured, so that cells are there that noise reaches at times."""
NOISE = 0.002
"""Standard deviation of measured distances, m."""

NEAR = 0.2
"""Maximum of the truncated fields, m."""


def grid(seed: int, moved: int = 0) -> np.ndarray:
    """Occupied cells: a floor and boxes, the first of which has moved along x."""
    rng = np.random.default_rng(seed)
    occupied = np.zeros((SIZE, SIZE, SIZE), dtype=bool)
    occupied[:, :, :4] = True
    for box in range(20):
        low = rng.integers(0, 100, 3)
        high = low + rng.integers(4, 24, 3)
        shift = moved if box == 0 else 0
        occupied[low[0] + shift : high[0] + shift, low[1] : high[1], low[2] : high[2]] = True
    return occupied


def median_ms(call: Callable[[int], object]) -> float:
    """Median of the milliseconds that a call takes; it gets the number of the round."""
    taken = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        call(number)
        taken.append(1e3 * (time.perf_counter() - began))
    return statistics.median(taken)


def worker(file: str) -> None:
    """Prints the milliseconds that `edt` takes for the unsigned field of a stored grid on one and on two threads."""
    import edt  # type: ignore[import-not-found]

    free = np.ascontiguousarray(~np.load(file))
    print(*(median_ms(lambda _, n=threads: edt.edt(free, black_border=False, parallel=n)) for threads in (1, 2)))


def edt_times(occupied: np.ndarray) -> list[float]:
    """What `worker` says."""
    from planning_peers import environment

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grid.npy"
        np.save(file, occupied)
        command = [environment("edt"), str(Path(__file__)), "--worker", str(file)]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(text) for text in told.stdout.split()]


def fields() -> str:
    """The table of distance fields."""
    from scipy.ndimage import distance_transform_edt

    from kinetic import EuclideanDistanceField

    cells = [np.argwhere(grid(1, moved)) for moved in range(ROUNDS + 1)]
    box = ([0, 0, 0], [SIZE * RESOLUTION] * 3, RESOLUTION)
    empty = np.zeros((0, 3))
    whole, near = EuclideanDistanceField(*box), EuclideanDistanceField(*box, max_distance=NEAR)

    def anew(field: EuclideanDistanceField) -> float:
        taken = []
        for _ in range(ROUNDS):
            field.update(empty)
            began = time.perf_counter()
            field.update(cells[0])
            taken.append(1e3 * (time.perf_counter() - began))
        return statistics.median(taken)

    occupied = grid(1)
    one, two = edt_times(occupied)
    points = np.random.default_rng(0).uniform(0.0, SIZE * RESOLUTION, (100_000, 3))
    rows = [
        ("kinetic, signed", anew(whole), median_ms(lambda n: whole.update(cells[n + 1]))),
        (f"kinetic, signed, up to {NEAR} m", anew(near), median_ms(lambda n: near.update(cells[n + 1]))),
        ("`edt`, unsigned, one thread", one, None),
        ("`edt`, unsigned, two threads", two, None),
        ("SciPy, unsigned", median_ms(lambda _: distance_transform_edt(~occupied)), None),
    ]
    lines = ["| field of 128³ cells | whole, ms | after a box has moved, ms |", "|---|---|---|"]
    lines += [f"| {name} | {first:.1f} | {'' if again is None else f'{again:.1f}'} |" for name, first, again in rows]
    query = median_ms(lambda _: whole.distance(points)) * 1e6 / len(points)
    slope = median_ms(lambda _: whole.gradient(points)) * 1e6 / len(points)
    return "\n".join(
        [*lines, "", f"A distance takes {query:.0f} ns, a gradient {slope:.0f} ns, in calls for 100,000 points."]
    )


def maps() -> str:
    """The table of maps in scenes."""
    from octree import ORIGIN, frame

    from kinetic import Octree, Scene

    lines = [
        "| picture | occupied cells | insertion alone, ms | `Scene.update_octree`, first, ms | cells change, ms "
        "| nothing changes, ms |",
        "|---|---|---|---|---|---|",
    ]
    for name, scale in (("room", 1.0), ("near", 0.65)):
        pictures = [frame(scale), frame(scale * 1.01)]
        scene, alone, first = Scene("ur5e"), Octree(RESOLUTION), []
        inserted = median_ms(lambda _, map=alone, points=pictures[0]: map.insert_cloud(points, ORIGIN))
        for _ in range(ROUNDS):
            scene.remove("map")
            began = time.perf_counter()
            scene.update_octree("map", pictures[0], ORIGIN, RESOLUTION)
            first.append(1e3 * (time.perf_counter() - began))
        same = median_ms(lambda _, scene=scene, points=pictures[0]: scene.update_octree("map", points, ORIGIN))
        # A cell needs several contradictions before it changes sides.
        changing = median_ms(lambda n, scene=scene, pair=pictures: scene.update_octree("map", pair[n % 2], ORIGIN))
        cells = len(scene.octree("map").occupied_cells())
        lines.append(
            f"| {name} | {cells} | {inserted:.1f} | {statistics.median(first):.1f} | {changing:.1f} | {same:.1f} |"
        )
    return "\n".join(lines)


def noisy_pictures(scale: float, moves: bool) -> list[np.ndarray]:
    """Pictures of the same with noise, or with a plate that crosses the view, a fifth nearer than what is behind it."""
    from octree import ORIGIN, frame

    rng = np.random.default_rng(7)
    rays = frame(scale).reshape(480, 640, 3) - ORIGIN
    far = np.linalg.norm(rays, axis=2, keepdims=True)
    pictures = []
    for number in range(WARM_UP + PICTURES):
        part = 1.0 + rng.normal(0.0, NOISE, far.shape) / far
        if moves:
            left = 12 * (number % PICTURES)
            part[200:280, left : left + 80] *= 0.8
        pictures.append(np.float32(ORIGIN + rays * part))
    return pictures


def clouds() -> str:
    """The table of clouds that are replaced."""
    from kinetic import Scene

    ways: list[tuple[str, dict[str, object]]] = [
        ("100,000 points at most", {}),
        ("cells of 2 cm", {"voxel_size": 0.02}),
        ("cells of 2 cm with hysteresis", {"voxel_size": 0.02, "hysteresis": True}),
    ]
    lines = ["| picture | in view | filters | points | ms a picture | other versions |", "|---|---|---|---|---|---|"]
    for name, scale in (("room", 1.0), ("near", 0.65)):
        for moves in (False, True):
            pictures = noisy_pictures(scale, moves)
            for label, options in ways:
                scene, taken, versions, report = Scene("ur5e"), [], [], {"kept": 0}
                for picture in pictures:
                    began = time.perf_counter()
                    report = scene.add_pointcloud("seen", picture, **options)
                    taken.append(1e3 * (time.perf_counter() - began))
                    versions.append(scene.version)
                changed = sum(versions[number] != versions[number - 1] for number in range(WARM_UP, len(versions)))
                ms = statistics.median(taken[WARM_UP:])
                view = "a plate that moves" if moves else "nothing moves"
                lines.append(f"| {name} | {view} | {label} | {report['kept']:,} | {ms:.1f} | {changed} of {PICTURES} |")
    return "\n".join(lines)


def main() -> None:
    """Prints the tables, or writes them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(arguments.worker)
        return
    from figures import PAGE, replace_section

    for section, table in (("scene-clouds", clouds()), ("distance-fields", fields()), ("scene-maps", maps())):
        print(table, "\n")
        if arguments.write:
            PAGE.write_text(replace_section(PAGE.read_text(), section, table))


if __name__ == "__main__":
    main()
