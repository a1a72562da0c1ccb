"""Roadmaps on MotionBenchMaker: plans with a roadmap of their own, and many queries that share one.

    python benches/roadmaps.py --data DIR           # prints the tables, with machine and date

The first table is about single problems: each planner has a second for each, and what it finds is shortened and proven.
The second is about scenes: in the first two scenes of each family, queries go between starts and goals of the family's
problems that are valid there for the built-in robot. All queries of a scene are asked three times: with a new roadmap
each; with one roadmap that was built before; and with that one again. Checks are configurations that the validity
evaluated in the whole call. Shortening is off in this table, so that they are those of the search and of the proof.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Planner, PlanningError, Robot, _kinetic
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from constraints import ROBOTS as BUILT_IN  # noqa: E402
from constraints import scene_of  # noqa: E402
from figures import machine  # noqa: E402

PLANNERS = ("rrt_connect", "est", "kpiece", "prm")
BUDGET = 1.0
"""Seconds per problem."""
VERTICES = 2000
SCENES = 2
"""Of each family."""
QUERIES = 20
"""Per scene."""


def single(data: str, robot: str, planner: str) -> str:
    """A line of the first table."""
    rows = json.loads(_kinetic.bench_mbm(data, robot, "given", "vamp", 0, planner, BUDGET))["rows"]
    valid = [row for row in rows if row["valid"]]
    solved = [row for row in valid if row["solved"]]
    times = sorted(row["total_us"] / 1e3 for row in solved)
    share = 100.0 * len(solved) / len(valid)
    figures = (statistics.median(times), times[int(0.95 * (len(times) - 1))])
    cells = [
        robot,
        planner,
        str(len(valid)),
        f"{len(solved)} ({share:.1f} %)",
        *(f"{figure:.2f}" for figure in figures),
    ]
    return "| " + " | ".join(cells) + " |"


def asked(planner: Planner, queries: list[tuple[Any, Any]]) -> list[tuple[float, int] | None]:
    """Milliseconds and checks of each query; None where no path was found."""
    figures: list[tuple[float, int] | None] = []
    for start, goal in queries:
        began = time.perf_counter()
        try:
            planner.plan(start, goal, time_parameterize=False)
            checks = planner.last_stats["checks"]
            figures.append((1e3 * (time.perf_counter() - began), checks))
        except PlanningError:
            figures.append(None)
    return figures


def scenes(data: str, robot: str) -> list[str]:
    """The lines of the second table."""
    runs: dict[str, list[tuple[float, int] | None]] = {
        "a new roadmap each": [],
        "one roadmap": [],
        "the same again": [],
    }
    built, (name, group) = [], BUILT_IN[robot]
    model = Robot(name)
    for file in sorted((Path(data) / "problems" / robot).glob("*.json*")):
        problems = mbm_judge.read_json(file)["problems"]
        ends = [end for problem in problems for end in (problem["start"], *problem["goals"])]
        for number, problem in enumerate(problems[:SCENES]):
            scene = scene_of(model, problem)
            options = {"collision_margin": 0.0, "timeout": BUDGET, "smooth": False, "shortcut_iterations": 0}
            planner = Planner(model, scene, planner_type="prm", group=group, **options)
            free = [end for end in ends if not planner.is_in_collision(end)]
            rng = np.random.default_rng(number)
            pairs = [rng.choice(len(free), 2, replace=False) for _ in range(QUERIES)]
            queries = [(free[a], free[b]) for a, b in pairs]
            runs["a new roadmap each"] += asked(planner, queries)
            began = time.perf_counter()
            planner = planner.with_roadmap(planner.build_roadmap(VERTICES))
            built.append(time.perf_counter() - began)
            runs["one roadmap"] += asked(planner, queries)
            runs["the same again"] += asked(planner, queries)
    lines = []
    for name, figures in runs.items():
        solved = [figure for figure in figures if figure is not None]
        medians = [statistics.median(values) for values in zip(*solved)]
        share = f"{len(solved)} of {len(figures)}"
        lines.append(f"| {robot} | {name} | {share} | {medians[0]:.2f} | {medians[1]:.0f} |")
    lines[1] = lines[1].replace("one roadmap", f"one roadmap, built in {statistics.median(built):.2f} s")
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda"], help="only these")
    parser.add_argument("--planners", nargs="*", default=PLANNERS, help="of the first table")
    arguments = parser.parse_args()
    print(f"{machine()}, {datetime.date.today().isoformat()}.\n")
    table = ["| robot | planner | problems | solved within 1 s | median, ms | 95 %, ms |", "|---|---|---|---|---|---|"]
    for robot in arguments.robots:
        for planner in arguments.planners:
            table.append(single(arguments.data, robot, planner))
            print(table[-1], flush=True)
    table += ["", "| robot | queries with | solved within 1 s | median, ms | median checks |", "|---|---|---|---|---|"]
    for robot in arguments.robots:
        table += scenes(arguments.data, robot)
        print("\n".join(table[-3:]), flush=True)


if __name__ == "__main__":
    main()
