"""All planners of the registry on the same problems: who solves how many, in what time, how well, with how many checks.

    python benches/planners.py --data DIR             # prints the table
    python benches/planners.py --data DIR --write     # and writes it into docs-site/benchmarks.md

The problems are those of MotionBenchMaker around built-in robots, where both ends are free. Each planner has one second
for each problem; anytime planners use it up. `chomp`, `stomp` and `trajopt` stand there a second time with the straight
line as their only initial trajectory. What is found is shortened where the planner allows it, and proven. `cbirrt` is
left out: without constraints it searches as `rrt_connect` does. Times are those of the whole call. Lengths are
relative to the paths of `rrt_connect`, the median over the problems that both solve. Checks are configurations that
the validity evaluated in the whole call, nodes are what the search keeps in memory.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinetic import Planner, PlanningError, Robot, Scene, planner_types
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from constraints import ROBOTS as BUILT_IN  # noqa: E402
from constraints import scene_of  # noqa: E402
from figures import PAGE, replace_section  # noqa: E402

BUDGET = 1.0
"""Seconds per problem."""
LEFT_OUT = ("auto", "cbirrt", "gcs")
REFERENCE = "rrt_connect"
IMPROVING = ("chomp", "stomp", "trajopt")
ONE_SEED: dict[str, Any] = {"num_seeds": 1}
HEADER = (
    "| robot | planner | solved | median, ms | 95 %, ms | length | checks | nodes |\n|---|---|---|---|---|---|---|---|"
)


class Found(NamedTuple):
    """A path that was found."""

    milliseconds: float
    length: float
    checks: int
    nodes: int


def variants() -> list[tuple[str, str, dict[str, Any]]]:
    """Name in the table, planner and options of each row."""
    names = [name for name in planner_types() if name not in LEFT_OUT]
    rows: list[tuple[str, str, dict[str, Any]]] = [(f"`{name}`", name, {}) for name in names]
    return rows + [(f"`{name}`, `num_seeds=1`", name, ONE_SEED) for name in IMPROVING if name in names]


@functools.cache
def model_of(robot: str) -> Robot:
    """The robot of the problems, which grasp objects: its grippers are locked open."""
    name, group = BUILT_IN[robot]
    model = Robot(name)
    opened: dict[str, float] = {}
    for other in map(model.with_group, model.groups):
        pose = other.named_pose("open")
        if pose is not None:
            opened.update(zip(other.joint_names, map(float, pose)))
    return model.with_locked_joints(opened).with_group(group)


def are_usable(judge: Planner, start: Any, goal: Any) -> bool:
    """Whether both ends are free and inside the limits: a search says first what is wrong with them."""
    try:
        judge.plan(start, goal, time_parameterize=False)
    except PlanningError as refused:
        return refused.code in {"PlanningTimeout", "PlanningFailed"}
    return True


def problems(data: str, robot: str, every: int) -> list[tuple[Any, Any, Any]]:
    """Scene, start and goal of every so many problems whose ends are free."""
    model = model_of(robot)
    found: list[tuple[Any, Any, Any]] = []
    for file in sorted((Path(data) / "problems" / robot).glob("*.json*")):
        for problem in mbm_judge.read_json(file)["problems"][::every]:
            scene, start, goal = scene_of(model, problem), problem["start"], problem["goals"][0]
            judge = Planner(model, scene, collision_margin=0.0, max_iterations=1)
            if are_usable(judge, start, goal):
                found.append((scene, start, goal))
    return found


def asked_of(robot: str, scene: Scene, planner: str, **options: Any) -> Planner:
    """A planner for a problem, without margins."""
    return Planner(model_of(robot), scene, planner_type=planner, collision_margin=0.0, **options)


def quiet(planner: Planner, start: Any, goal: Any) -> dict[str, Any] | None:
    """The figures of a plan; None where there is none."""
    try:
        planner.plan(start, goal, time_parameterize=False)
    except PlanningError:
        return None
    return dict(planner.last_stats)


def solve(robot: str, cases: list[tuple[Any, Any, Any]], planner: str, options: dict[str, Any]) -> list[Found | None]:
    """What a planner finds for each problem."""
    results: list[Found | None] = []
    for scene, start, goal in cases:
        asked = asked_of(robot, scene, planner, timeout=BUDGET, **options)
        began = time.perf_counter()
        stats = quiet(asked, start, goal)
        milliseconds = 1e3 * (time.perf_counter() - began)
        figures = None
        if stats is not None:
            figures = Found(milliseconds, stats["path_length"], stats["checks"], stats["tree_size"])
        results.append(figures)
    return results


def line(robot: str, name: str, results: list[Found | None], reference: list[Found | None]) -> str:
    """A row of the table."""
    solved = [found for found in results if found is not None]
    share = f"{len(solved)} of {len(results)} ({100.0 * len(solved) / len(results):.1f} %)"
    if not solved:
        return f"| {robot} | {name} | {share} | – | – | – | – | – |"
    times = [found.milliseconds for found in solved]
    ratios = [
        found.length / other.length
        for found, other in zip(results, reference)
        if found is not None and other is not None and other.length > 0.0
    ]
    figures = (
        f"{statistics.median(times):.2f}",
        f"{np.percentile(times, 95):.1f}",
        f"{statistics.median(ratios):.2f}" if ratios else "–",
        f"{statistics.median(found.checks for found in solved):.0f}",
        f"{statistics.median(found.nodes for found in solved):.0f}",
    )
    return f"| {robot} | {name} | {share} | " + " | ".join(figures) + " |"


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda"], help="only these")
    parser.add_argument("--every", type=int, default=12, help="every so many problems of a family (default 12)")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    lines = [HEADER]
    for robot in arguments.robots:
        cases = problems(arguments.data, robot, arguments.every)
        reference = solve(robot, cases, REFERENCE, {})
        for name, planner, options in variants():
            results = reference if planner == REFERENCE else solve(robot, cases, planner, options)
            lines.append(line(robot, name, results, reference))
            print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "planners", "\n".join(lines)))


if __name__ == "__main__":
    main()
