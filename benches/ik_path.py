"""Compares `Robot.ik_path` with the loop over single calls that it replaces, on the same poses in one run.

A straight way between two random configurations is cut into poses. Timed are one call of `ik_path` with each method,
and a loop over the poses with `Robot.ik` seeded with the last answer (one branch, no look ahead), and with
`Manipulator.solve`, all branches, nearest first, of which the first is taken (what a user of branches writes). Every
row is the median of several runs; rows that do not reach their pose by forward kinematics from the robot's file are
counted. ``--write`` puts the table into ``docs-site/ik-paths.md``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from oracles import chain_of, relative_pose, urdf  # noqa: E402

Array = npt.NDArray[np.float64]

PAGE = ROOT / "docs-site" / "ik-paths.md"
ROBOTS = ("ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14", "fetch")
REACHED = 1e-4


def way(robot: kinetic.Robot, count: int) -> Array:
    """Joint values from one random configuration to another."""
    return np.linspace(*(robot.random_configuration(rng_seed=seed) for seed in (1, 2)), count)


def loop_of_ik(robot: kinetic.Robot, targets: Array, q: Array) -> Array:
    """One call per pose, seeded with the last answer."""
    rows = []
    for target in targets:
        q = robot.ik(target, seed=q)
        rows.append(q)
    return np.array(rows)


def loop_of_branches(arm: kinetic.Manipulator, targets: Array, q: Array) -> Array:
    """All branches of every pose, of which the nearest is taken."""
    rows = []
    for target in targets:
        q = arm.solve(target, q_seed=q)[0].q
        rows.append(q)
    return np.array(rows)


def timed(call: Callable[[], Array], runs: int) -> tuple[float, Array]:
    """Median of seconds, and the answer."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        answer = call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), answer


def misses(robot: kinetic.Robot, rows: Array, targets: Array) -> int:
    """Number of rows that do not reach their pose."""
    root, (base, tip) = urdf(robot.name), chain_of(robot.name, robot.group)
    reached = (relative_pose(root, base, tip, dict(zip(robot.joint_names, q))) for q in rows)
    return sum(not np.abs(pose - target).max() < REACHED for pose, target in zip(reached, targets))


def compare(name: str, count: int, runs: int) -> list[str]:
    """Rows of the table for one robot."""
    robot = kinetic.Robot(name)
    joints = way(robot, count)
    targets = robot.batch_fk(joints)
    calls: dict[str, Callable[[], Array]] = {
        "`ik_path` from a start": lambda: robot.ik_path(targets, joints[0]).q,
        "`ik_path` from any start": lambda: robot.ik_path(targets).q,
        "`ik_path`, local": lambda: robot.ik_path(targets, joints[0], method="local").q,
        "loop of `ik`": lambda: loop_of_ik(robot, targets, joints[0]),
    }
    try:
        arm = kinetic.Manipulator(robot)
        calls["loop of `Manipulator.solve`"] = lambda: loop_of_branches(arm, targets, joints[0])
    except kinetic.InputError:
        pass
    results = {label: timed(call, runs) for label, call in calls.items()}
    loop = results["loop of `ik`"][0]
    rows = []
    for label, (seconds, answer) in results.items():
        largest = np.nanmax(np.abs(np.diff(answer, axis=0)))
        cells = [name, label, f"{1e3 * seconds:.2f}", f"{seconds / loop:.2f}", f"{largest:.3f}"]
        rows.append("| " + " | ".join([*cells, str(misses(robot, answer, targets))]) + " |")
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--poses", type=int, default=1000, help="poses of a path")
    parser.add_argument("--runs", type=int, default=9, help="runs, of which the median counts")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/ik-paths.md")
    arguments = parser.parse_args()
    lines = [
        f"Paths of {arguments.poses} poses.",
        "",
        "| robot | call | ms | relative to the loop of `ik` | largest step, rad | poses missed |",
        "|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        lines += compare(name, arguments.poses, arguments.runs)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "ik_path", "\n".join(lines)))


if __name__ == "__main__":
    main()
