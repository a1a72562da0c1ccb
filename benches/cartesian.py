"""Compares `Planner.plan_cartesian` with stepping as MoveIt's computeCartesianPath does, on the same lines in one run.

A line begins at a random configuration without collision, goes 5 to 30 cm in a random direction and turns by up to
0.5 rad. Stepping goes from pose to pose, 5 mm or 0.05 rad apart: `Robot.ik` seeded with the last answer, a bound on the
step of a joint, and a collision check of the configuration. It has neither time nor proofs. ``--write`` puts the table
into ``docs-site/cartesian.md``.
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

from figures import replace_section  # noqa: E402

Array = npt.NDArray[np.float64]

PAGE = ROOT / "docs-site" / "cartesian.md"
ROBOTS = ("ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14")
CONFIG = kinetic.CartesianConfig()
METRES_PER_RADIAN = 0.1


def obstacles(robot: kinetic.Robot, seed: int) -> kinetic.Scene:
    """Ten balls of 6 cm around the robot, none of them where hardly any configuration is free."""
    scene, rng = kinetic.Scene(robot), np.random.default_rng(seed)
    some = [robot.random_configuration(rng_seed=index) for index in range(50)]
    count = 0
    while count < 10:
        direction = rng.normal(size=3)
        place = np.eye(4)
        place[:3, 3] = rng.uniform(0.35, 0.9) * direction / np.linalg.norm(direction)
        alone = kinetic.Scene(robot)
        alone.add("ball", kinetic.Shape.sphere(0.06), place)
        planner = kinetic.Planner(robot, alone)
        if sum(planner.is_in_collision(q) for q in some) <= len(some) // 2:
            scene.add(f"ball {count}", kinetic.Shape.sphere(0.06), place)
            count += 1
    return scene


def line(robot: kinetic.Robot, planner: kinetic.Planner, seed: int) -> tuple[Array, Array]:
    """A start without collision, and the pose at the end of the line."""
    rng = np.random.default_rng(seed)
    start = robot.random_configuration(rng_seed=seed)
    while planner.is_in_collision(start):
        start = robot.random_configuration(rng_seed=int(rng.integers(2**31)))
    goal = np.array(robot.fk(start))
    direction, axis = rng.normal(size=(2, 3))
    goal[:3, 3] += rng.uniform(0.05, 0.3) * direction / np.linalg.norm(direction)
    twist = kinetic.Pose.from_xyz_rpy([0.0] * 3, rng.uniform(0.0, 0.5) * axis / np.linalg.norm(axis))
    return start, goal @ np.asarray(twist)


def followed(planner: kinetic.Planner, start: Array, goal: Array) -> float:
    """Part of the line that a Cartesian plan gets through; none where its time is used up."""
    try:
        return planner.plan_cartesian(start, goal, CONFIG).fraction
    except kinetic.PlanningError:
        return 0.0


def stepped(robot: kinetic.Robot, planner: kinetic.Planner, start: Array, goal: Array) -> tuple[float, list[Array]]:
    """Part of the line that stepping gets through, and its configurations."""
    begin, end = kinetic.Pose(robot.fk(start)), kinetic.Pose(goal)
    turn = np.arccos(np.clip((np.trace(begin.matrix[:3, :3].T @ goal[:3, :3]) - 1.0) / 2.0, -1.0, 1.0))
    length = max(float(np.linalg.norm(end.xyz - begin.xyz)), METRES_PER_RADIAN * float(turn))
    count = max(int(np.ceil(length / CONFIG.max_step)), 1)
    rows = [start]
    for step in range(1, count + 1):
        try:
            found = robot.ik(begin.slerp(end, step / count), seed=rows[-1])
        except kinetic.IKError:
            return (step - 1) / count, rows
        if np.abs(found - rows[-1]).max() > CONFIG.jump_threshold or planner.is_in_collision(found):
            return (step - 1) / count, rows
        rows.append(found)
    return 1.0, rows


def row(name: str, world: str, label: str, results: list[tuple[float, float]]) -> str:
    """A row of the table."""
    fractions, seconds = zip(*results)
    whole = 100.0 * sum(fraction == 1.0 for fraction in fractions) / len(fractions)
    cells = [name, world, label, f"{whole:.1f} %", f"{statistics.fmean(fractions):.3f}"]
    return "| " + " | ".join([*cells, f"{1e3 * statistics.median(seconds):.2f}"]) + " |"


def compare(name: str, count: int) -> list[str]:
    """Rows of the table for one robot."""
    robot, rows = kinetic.Robot(name), []
    for world, scene in (("empty", kinetic.Scene(robot)), ("ten balls", obstacles(robot, 0))):
        planner = kinetic.Planner(robot, scene)
        results: dict[str, list[tuple[float, float]]] = {"`plan_cartesian`": [], "stepping": []}
        for seed in range(count):
            start, goal = line(robot, planner, seed)
            begin = time.perf_counter()
            fraction = followed(planner, start, goal)
            middle = time.perf_counter()
            other, _ = stepped(robot, planner, start, goal)
            results["`plan_cartesian`"].append((fraction, middle - begin))
            results["stepping"].append((other, time.perf_counter() - middle))
        for label, of_method in results.items():
            rows.append(row(name, world, label, of_method))
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--lines", type=int, default=500, help="lines per robot and world")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/cartesian.md")
    arguments = parser.parse_args()
    lines = [
        f"{arguments.lines} generated lines per robot and world, by `benches/cartesian.py`. Stepping goes from pose to",
        "pose as MoveIt's `computeCartesianPath` does, without time and proofs; both are called from Python.",
        "",
        "| robot | world | method | whole lines | mean fraction | median, ms |",
        "|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        lines += compare(name, arguments.lines)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cartesian", "\n".join(lines)))


if __name__ == "__main__":
    main()
