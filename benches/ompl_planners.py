"""Planners of kinetic beside their counterparts in OMPL on the same problems, at equal numbers of checks.

    python benches/ompl_planners.py --data DIR             # prints the table
    python benches/ompl_planners.py --data DIR --write     # and writes it into docs-site/benchmarks.md

The problems are those of `planners.py`. OMPL asks kinetic whether states are valid, samples edges as finely as the
quick check of kinetic does, and has the default settings of its planners. A check is a configuration whose validity was
evaluated; those of kinetic include the proof of the path, which OMPL does not make. Nothing is shortened. Planners
that end with their first path are compared by the problems that they solve within a number of checks; anytime planners
by the length of their best path after so many. Budgets of kinetic are iterations: of the powers of two the largest
that stays within the checks. OMPL gets an environment of its own under ``target/planning_peers``, and each of its
planners a process of its own: a dash is one that ended it. Its PRM calls back from a second thread, which functions of
Python do not stand, and its wheel has neither EST nor BiTRRT.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

Json = dict[str, Any]

FIRST_PATH = {"rrt_connect": "RRTConnect", "kpiece": "KPIECE1"}
ANYTIME = {"aorrtc": "AORRTC", "rrt_star": "InformedRRTstar", "bi_rrt_star": "InformedRRTstar"}
LEVELS = (1_000, 10_000, 50_000)
"""Numbers of checks."""
SAMPLES_PER_RAD = 16.0
SECONDS = 2.0
MOST_ITERATIONS = 2**14
"""Ends for what does not count checks."""


# --- OMPL, in its own environment ---


def worker(job: Json) -> list[list[float | None]]:
    """For each problem the length of the best path of a planner of OMPL after each number of checks."""
    from ompl import base as ob
    from ompl import geometric as og
    from ompl import util
    from planners import problems

    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(1)
    cases = problems(job["data"], job["robot"], job["every"])
    return [ompl_lengths((ob, og, job["planner"]), job["robot"], *case) for case in cases]


def ompl_lengths(ompl: tuple[Any, Any, str], robot: str, scene: Any, start: Any, goal: Any) -> list[float | None]:
    """Length of the best path after each number of checks; None without one."""
    from planners import model_of

    (ob, og, name), dof = ompl, len(goal)
    space, bounds = ob.RealVectorStateSpace(dof), ob.RealVectorBounds(dof)
    for joint, (low, high) in enumerate(model_of(robot).joint_limits):
        bounds.setLow(joint, float(low))
        bounds.setHigh(joint, float(high))
    space.setBounds(bounds)
    setup, asked = og.SimpleSetup(space), [0]

    def is_valid(state: Any) -> bool:
        asked[0] += 1
        return not scene.check_collision([state[i] for i in range(dof)])

    setup.setStateValidityChecker(is_valid)
    information = setup.getSpaceInformation()
    information.setStateValidityCheckingResolution(1.0 / SAMPLES_PER_RAD / space.getMaximumExtent())
    ends = [space.allocState() for _ in range(2)]
    for end, values in zip(ends, (start, goal)):
        for joint in range(dof):
            end[joint] = float(values[joint])
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(getattr(og, name)(information))
    found: list[float | None] = []
    for level in LEVELS:
        setup.solve(ob.PlannerTerminationCondition(until(asked, level)))
        is_solved = setup.haveExactSolutionPath()
        found.append(setup.getSolutionPath().length() if is_solved else None)
    return found


def until(asked: list[int], level: int) -> Callable[[], bool]:
    """Whether so many checks were made."""
    return lambda: asked[0] >= level


# --- kinetic ---


def first_paths(robot: str, cases: list[Any], planner: str) -> list[list[float | None]]:
    """For each problem the length of the first path, where it was found within each number of checks."""
    from planners import asked_of, quiet

    lengths: list[list[float | None]] = []
    for scene, start, goal in cases:
        stats = quiet(
            asked_of(robot, scene, planner, timeout=SECONDS, smooth=False, shortcut_iterations=0), start, goal
        )
        within = [stats is not None and stats["checks"] <= level for level in LEVELS]
        lengths.append([stats["path_length"] if is_within and stats else None for is_within in within])
    return lengths


def best_paths(robot: str, cases: list[Any], planner: str) -> list[list[float | None]]:
    """For each problem the length of the best path within each number of checks."""
    from planners import asked_of, quiet

    lengths: list[list[float | None]] = []
    for scene, start, goal in cases:
        best: list[float | None] = [None] * len(LEVELS)
        iterations, checks = 16, 0
        while checks <= LEVELS[-1] and iterations <= MOST_ITERATIONS:
            options = {"timeout": SECONDS, "max_iterations": iterations, "smooth": False, "shortcut_iterations": 0}
            stats = quiet(asked_of(robot, scene, planner, **options), start, goal)
            if stats is not None:
                checks = stats["checks"]
                best = [stats["path_length"] if checks <= level else old for level, old in zip(LEVELS, best)]
            iterations *= 2
        lengths.append(best)
    return lengths


def line(robot: str, ours: str, theirs: str, own: list[Any], peer: list[Any] | None) -> str:
    """A row: how many are solved at each level, and the median ratio of lengths on what both solve."""
    cells = [robot, f"`{ours}`", theirs]
    for level in range(len(LEVELS)):
        mine = [lengths[level] for lengths in own]
        if peer is None:
            cells += [f"{sum(length is not None for length in mine)}, –", "–"]
            continue
        other = [lengths[level] for lengths in peer]
        ratios = [a / b for a, b in zip(mine, other) if a is not None and b]
        counts = [sum(length is not None for length in lengths) for lengths in (mine, other)]
        cells += [f"{counts[0]}, {counts[1]}", f"{statistics.median(ratios):.2f}" if ratios else "–"]
    return "| " + " | ".join(cells) + " |"


def header(count: int) -> str:
    """The head of the table for so many problems."""
    columns = ["robot", "planner", "OMPL"]
    for level in LEVELS:
        columns += [f"solved of {count} at {level:,} checks, OMPL", "length / OMPL"]
    return "| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|"


def of_ompl(job: Json) -> list[list[float | None]] | None:
    """What the worker answers; None where it was ended."""
    from planning_peers import FOLDER, environment

    python = environment("ompl")
    file = FOLDER / "ompl_planners.json"
    file.write_text(json.dumps(job))
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "benches")])}
    command = [python, str(Path(__file__)), "--worker", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables)
    if done.returncode != 0:
        return None
    answers: list[list[float | None]] = json.loads(done.stdout.splitlines()[-1])
    return answers


def main() -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda"], help="only these")
    parser.add_argument("--every", type=int, default=10, help="every so many problems of a family (default 10)")
    parser.add_argument("--write", action="store_true", help="write into the benchmark page")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        print(json.dumps(worker(json.loads(Path(arguments.worker).read_text()))))
        return
    from figures import PAGE, replace_section
    from planners import problems

    tables = []
    for robot in arguments.robots:
        cases = problems(arguments.data, robot, arguments.every)
        lines = [header(len(cases))]
        print(lines[0])
        for ours, theirs in {**FIRST_PATH, **ANYTIME}.items():
            job = {"data": arguments.data, "robot": robot, "every": arguments.every, "planner": theirs}
            own = (first_paths if ours in FIRST_PATH else best_paths)(robot, cases, ours)
            lines.append(line(robot, ours, theirs, own, of_ompl(job)))
            print(lines[-1], flush=True)
        tables.append("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "ompl_planners", "\n\n".join(tables)))


if __name__ == "__main__":
    main()
