"""Measures Cartesian plans along paths with tolerances: dense lists of poses, with and without ten obstacles.

A path is a meander of many poses under the tool of a random free configuration; the tool may turn about its axis and
lean by 0.2 rad. Timed is one call from Python, with time law and proofs; paths of one seed are the same with and
without the tolerance. ``--write`` puts the table into ``docs-site/cartesian.md``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from cartesian import obstacles  # noqa: E402
from figures import replace_section  # noqa: E402

Array = npt.NDArray[np.float64]

PAGE = ROOT / "docs-site" / "cartesian.md"
ROBOTS = ("ur5e", "xarm6", "franka_panda", "kuka_iiwa14", "fetch")
TOLERANCE = kinetic.PathTolerance("z", cone=0.2)
RADIUS_RATIO = 0.45
LENGTH_M, WIDTH_M, WAVES = 0.15, 0.05, 3.0


def meander(robot: kinetic.Robot, start: Array, count: int) -> kinetic.CartesianPath:
    """A list of poses from where the tool is, along its own x and y axes."""
    part = np.linspace(0.0, 1.0, count + 1)[1:]
    offsets = np.repeat(np.eye(4)[None], count, axis=0)
    offsets[:, 0, 3] = LENGTH_M * part
    offsets[:, 1, 3] = WIDTH_M * np.sin(2.0 * np.pi * WAVES * part)
    poses = np.asarray(robot.fk(start)) @ offsets
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    return kinetic.CartesianPath.through(poses, RADIUS_RATIO * float(steps.min()))


def free_start(robot: kinetic.Robot, planner: kinetic.Planner, seed: int) -> Array:
    """A random configuration without collision."""
    rng = np.random.default_rng(seed)
    start = robot.random_configuration(rng_seed=seed)
    while planner.is_in_collision(start):
        start = robot.random_configuration(rng_seed=int(rng.integers(2**31)))
    return start


def row(name: str, world: str, label: str, results: list[tuple[float, float]]) -> str:
    """A row of the table."""
    whole = [seconds for fraction, seconds in results if fraction == 1.0]
    cells = [name, world, label, f"{100.0 * len(whole) / len(results):.1f} %"]
    cells.append(f"{statistics.fmean(fraction for fraction, _ in results):.3f}")
    cells.append(f"{1e3 * statistics.median(whole):.1f}" if whole else "–")
    cells.append(f"{1e3 * statistics.median(seconds for _, seconds in results):.1f}")
    return "| " + " | ".join(cells) + " |"


def compare(name: str, cases: int, count: int) -> list[str]:
    """Rows of the table for one robot."""
    robot, rows = kinetic.Robot(name), []
    for world, scene in (("empty", kinetic.Scene(robot)), ("ten balls", obstacles(robot, 0))):
        planner = kinetic.Planner(robot, scene)
        for label, tolerance in (("strict", None), ("tolerance", TOLERANCE)):
            config, results = kinetic.CartesianConfig(path_tolerance=tolerance), []
            for seed in range(cases):
                start = free_start(robot, planner, seed)
                path = meander(robot, start, count)
                begin = time.perf_counter()
                try:
                    fraction = planner.plan_cartesian(start, path, config).fraction
                except kinetic.PlanningError:
                    fraction = 0.0
                results.append((fraction, time.perf_counter() - begin))
            rows.append(row(name, world, label, results))
    return rows


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="*", default=ROBOTS)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = [
        f"{arguments.cases} generated paths of {arguments.poses} poses per robot and world, by "
        "`benches/cartesian_tolerance.py`, strict and with a free turn about",
        "the tool's axis that may lean by 0.2 rad. Times are those of calls from Python, with time law and proofs.",
        "",
        "| robot | world | poses | whole paths | mean fraction | median of whole paths, ms | median of all, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        lines += compare(name, arguments.cases, arguments.poses)
        print("\n".join(lines[-4:]), flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cartesian tolerance", "\n".join(lines)))


if __name__ == "__main__":
    main()
