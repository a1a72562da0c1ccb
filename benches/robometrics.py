"""Poses as goals: the demo set of robometrics, and the Panda's problems of MotionBenchMaker.

    python benches/robometrics.py --demo FILE --data DIR             # prints the table
    python benches/robometrics.py --demo FILE --data DIR --write     # and writes it into docs-site/benchmarks.md

FILE is in the format of robometrics, in which cuRobo publishes its figures; DIR holds the problems of MotionBenchMaker,
those whose ends are free, and their goals are the poses of the tool at the goal configurations. Every motion is timed
by the default law and proven. `trajopt` has an optimiser of many trajectories at once on the processor. Times are those
of the calls of `plan`.
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from kinetic import Goal, Planner, Problem, Robot
from kinetic.cli.bench_planners import Run, solve
from kinetic.cli.bench_robometrics import line, summary

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planners import model_of, problems  # noqa: E402

VARIANTS: dict[str, tuple[str, str | None]] = {
    "`auto`": ("auto", None),
    '`trajopt`, `with_device("cpu")`': ("trajopt", "cpu"),
}
HEADER = (
    "| problems | planner | solved | mean, ms | median, ms | 98 %, ms | motion, s | not solved |\n"
    "|---|---|---|---|---|---|---|---|"
)


@functools.cache
def demo(file: str) -> list[Problem]:
    """The problems of a file."""
    sets = Problem.from_robometrics(file, Planner(Robot("franka_panda"), collision_margin=0.0))
    return [problem for name in sets for problem in sets[name]]


@functools.cache
def motion_bench_maker(data: str, every: int) -> list[Problem]:
    """Problems of MotionBenchMaker with a pose of the tool as the goal."""
    found, robot = [], model_of("panda")
    for scene, start, goal in problems(data, "panda", every):
        planner = Planner(robot, scene, collision_margin=0.0)
        found.append(planner.problem(start, Goal.pose(robot.fk(goal))))
    return found


def row(name: str, cases: list[Problem], variant: str, seeds: int, timeout: float) -> str:
    """A row of the table: all problems with as many seeds."""
    planner, device = VARIANTS[variant]
    runs: list[Run] = [
        solve(problem, index, planner, seed, timeout, device, timed=True)
        for seed in range(1, seeds + 1)
        for index, problem in enumerate(cases)
    ]
    first, *figures = line(summary(name, runs))
    return f"| {first} | {variant} | {' | '.join(figures)} |"


def main() -> None:
    """Prints the table, and writes it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", required=True, help="file of robometrics")
    parser.add_argument("--data", required=True, help="folder with the problems of MotionBenchMaker")
    parser.add_argument("--every", type=int, default=1, help="take every so many problems (default 1)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of each problem (default 3)")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds of a call (default 5)")
    parser.add_argument("--write", action="store_true", help="write the table into the page of benchmarks")
    arguments = parser.parse_args()
    sets = {
        "robometrics, demo set": demo(arguments.demo),
        "MotionBenchMaker, Panda": motion_bench_maker(arguments.data, arguments.every),
    }
    rows = [
        row(name, cases, variant, arguments.seeds, arguments.timeout)
        for name, cases in sets.items()
        for variant in VARIANTS
    ]
    text = "\n".join([HEADER, *rows])
    print(text)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "robometrics", text))


if __name__ == "__main__":
    main()
