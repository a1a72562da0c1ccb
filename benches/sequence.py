"""Compares `Planner.plan_sequence` with a plan to a pose and then a line from wherever that ended, on the same cases.

A case: from a random configuration without collision to the pose of the tool at another one, and from there on a line
of 5 to 20 cm in a random direction, among ten balls. Some branch goes on where the line can be followed from any of
the first 32 configurations that `Robot.ik_all` lists for the pose; a motion to it need not exist. ``--write`` puts the
table into ``docs-site/cartesian.md``.
"""

from __future__ import annotations

import argparse
import collections
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
# Of redundant arms `Robot.ik_all` lists samples: so many are looked at.
MOST_BRANCHES = 32
ROBOTS = ("ur5e", "xarm6", "abb_irb1200", "franka_panda", "kuka_iiwa14", "fetch", "tiago")


def free(robot: kinetic.Robot, planner: kinetic.Planner, rng: np.random.Generator) -> Array:
    """A random configuration without collision."""
    while True:
        q = robot.random_configuration(rng_seed=int(rng.integers(2**31)))
        if not planner.is_in_collision(q):
            return q


def case(robot: kinetic.Robot, planner: kinetic.Planner, seed: int) -> tuple[Array, Array, kinetic.CartesianPath]:
    """A start, the pose to go to, and the line from there."""
    rng = np.random.default_rng(seed)
    start, goal = free(robot, planner, rng), free(robot, planner, rng)
    direction = rng.normal(size=3)
    return start, np.array(robot.fk(goal)), kinetic.CartesianPath.retreat(direction, rng.uniform(0.05, 0.2))


def follows(planner: kinetic.Planner, q: Array, line: kinetic.CartesianPath) -> bool:
    """Whether all of the line can be followed from a configuration."""
    try:
        return planner.plan_cartesian(q, line).fraction == 1.0
    except kinetic.PlanningError:
        return False


def naive(planner: kinetic.Planner, start: Array, pose: Array, line: kinetic.CartesianPath) -> bool:
    """A plan to the pose, then the line."""
    try:
        reach = planner.plan(start, kinetic.Goal.pose(pose))
    except kinetic.PlanningError:
        return False
    return follows(planner, reach.sample(reach.duration), line)


def compare(name: str, count: int) -> str:
    """A row of the table for one robot."""
    robot = kinetic.Robot(name)
    planner = kinetic.Planner(robot, obstacles(robot, 0))
    both, alone, possible = 0, 0, 0
    seconds: list[float] = []
    reasons: collections.Counter[str] = collections.Counter()
    for seed in range(count):
        start, pose, line = case(robot, planner, seed)
        begin = time.perf_counter()
        try:
            planned = planner.plan_sequence(start, [kinetic.Goal.pose(pose), line])
            solved = planned.trajectory.certificate is not None
        except kinetic.PlanningError as error:
            solved = False
            reasons[f"{error.code}, item {error.fields.get('item')}: {error.fields.get('reason_code')}"] += 1
        seconds.append(time.perf_counter() - begin)
        both += solved
        alone += naive(planner, start, pose, line)
        possible += solved or any(follows(planner, q, line) for q in robot.ik_all(pose)[:MOST_BRANCHES])
    median, longest = 1e3 * statistics.median(seconds), 1e3 * max(seconds)
    print(f"{name}: median {median:.1f} ms, longest {longest:.0f} ms, {dict(reasons)}", flush=True)
    part = [f"{100.0 * number / count:.1f} %" for number in (alone, both, possible)]
    return "| " + " | ".join([name, *part]) + " |"


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--cases", type=int, default=100, help="cases per robot")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/cartesian.md")
    arguments = parser.parse_args()
    lines = [
        f"{arguments.cases} generated cases per robot by `benches/sequence.py`: part of them that is solved.",
        "",
        "| robot | `plan`, then `plan_cartesian` | `plan_sequence` | some branch goes on |",
        "|---|---|---|---|",
    ]
    lines += [compare(name, arguments.cases) for name in arguments.robots]
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "sequence", "\n".join(lines)))


if __name__ == "__main__":
    main()
