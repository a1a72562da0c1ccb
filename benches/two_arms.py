"""Plans motions of two arms between random free configurations, in both modes and as one group.

    python benches/two_arms.py --write           # measures and writes the table into docs-site/benchmarks.md
    python benches/two_arms.py --queries 5       # a short run that prints

Starts and goals are seeded and free at the margins of planning; the scene is empty, so that the arms are in the way of
each other and of the robot alone. Solved counts the queries of a row; times are medians and 95th percentiles of
the wall clock of one call with time law and certificate, durations those of the motions.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import replace_section  # noqa: E402

from kinetic import DualArmPlanner, Planner, PlanningError, Robot, Trajectory  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
ROBOTS = ("baxter_left", "abb_yumi_left", "pr2")
GROUPS = ["left_arm", "right_arm"]
TIMEOUT = 5.0

Solver = Callable[[np.ndarray, np.ndarray], Trajectory]


def solvers(name: str) -> dict[str, Solver]:
    """What is compared, by the name of its row."""
    planner = Planner(name, group=GROUPS, timeout=TIMEOUT)
    rows: dict[str, Solver] = {"one group": lambda start, goal: planner.plan(start, goal)}
    for mode in ("synchronized", "independent"):
        arms = DualArmPlanner(name, *GROUPS, mode, timeout=TIMEOUT)
        half = arms.left_dof
        rows[mode] = (
            lambda start, goal, arms=arms, half=half: arms.plan(  # type: ignore[misc]
                start[:half], start[half:], goal[:half], goal[half:]
            )["trajectory"]
        )
    return rows


def rows_of(name: str, queries: int) -> list[str]:
    """The rows of one robot."""
    robot, planner = Robot(name, group=GROUPS), Planner(name, group=GROUPS)
    drawn = (robot.random_configuration(rng_seed=seed) for seed in itertools.count())
    free = list(itertools.islice((q for q in drawn if not planner.is_in_collision(q)), 2 * queries))
    table = []
    for row, solve in solvers(name).items():
        times, durations = [], []
        for start, goal in zip(free[::2], free[1::2], strict=True):
            begin = time.perf_counter()
            try:
                durations.append(solve(start, goal).duration)
            except PlanningError:
                continue
            times.append(1e3 * (time.perf_counter() - begin))
        ordered = sorted(times) or [float("nan")]
        late = ordered[int(0.95 * (len(ordered) - 1))]
        length = statistics.median(durations) if durations else float("nan")
        cells = f"{len(times)} of {queries} | {statistics.median(ordered):.1f} / {late:.1f} | {length:.2f}"
        table.append(f"| {name} | {row} | {cells} |")
        print(table[-1], flush=True)
    return table


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=50, help="queries per robot")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    table = [
        "| robot | planned as | solved | time of a call, ms | duration, s |",
        "|---|---|---|---|---|",
    ]
    for name in ROBOTS:
        table += rows_of(name, arguments.queries)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text("utf-8"), "two_arms", "\n".join(table)), "utf-8")


if __name__ == "__main__":
    main()
