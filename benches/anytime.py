"""How paths of anytime planners become shorter over time, on the same problems.

    python benches/anytime.py --data DIR             # prints the table
    python benches/anytime.py --data DIR --write     # and writes it and the picture into docs-site

The problems are those of `planners.py`. Each planner has the whole budget for each problem and reports every path that
is shorter than those before, shortened as usual where it shortens. Lengths are relative to the shortest path that any
of the planners has found of a problem in the end.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import PlanningError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planners import asked_of, problems  # noqa: E402

PICTURE = ROOT / "docs-site" / "assets" / "anytime.png"
PLANNERS = ("aorrtc", "rrt_star", "bi_rrt_star", "prm_star")
BUDGET = 2.0
"""Seconds per problem."""
TIMES = (0.01, 0.1, 0.5, 2.0)
"""Seconds of the columns."""
HEADER = (
    "| robot | planner | "
    + " | ".join(f"length at {at:g} s | solved" for at in TIMES)
    + " |\n|---|---|"
    + "---|---|" * len(TIMES)
)

History = list[tuple[float, float]]
"""Seconds and length of every path that was shorter than those before."""


def history(robot: str, case: tuple[Any, Any, Any], planner: str) -> History:
    """What a planner reports of a problem."""
    scene, start, goal = case
    asked, found, began = asked_of(robot, scene, planner, timeout=BUDGET), [], time.perf_counter()

    def improved(path: Any) -> None:
        steps = np.diff(np.array(path.positions()), axis=0)
        found.append((time.perf_counter() - began, float(np.linalg.norm(steps, axis=1).sum())))

    with contextlib.suppress(PlanningError):
        asked.plan(start, goal, time_parameterize=False, on_improvement=improved)
    return found


def length_at(found: History, at: float) -> float:
    """Length of the best path at a time; infinite before the first one."""
    return min((length for seconds, length in found if seconds <= at), default=math.inf)


def relative(histories: dict[str, list[History]], planner: str, at: float) -> tuple[float, int]:
    """Median length of what a planner has found until a time, relative to the shortest paths; and of how many."""
    ratios = []
    for index, found in enumerate(histories[planner]):
        shortest = min(length_at(of[index], math.inf) for of in histories.values())
        if math.isfinite(length_at(found, at)):
            ratios.append(length_at(found, at) / shortest)
    return (statistics.median(ratios) if ratios else math.nan), len(ratios)


def line(robot: str, histories: dict[str, list[History]], planner: str) -> str:
    """A row of the table."""
    cells = [robot, f"`{planner}`"]
    for at in TIMES:
        ratio, solved = relative(histories, planner, at)
        cells += [f"{ratio:.3f}" if solved else "–", f"{solved} of {len(histories[planner])}"]
    return "| " + " | ".join(cells) + " |"


def draw(histories: dict[str, list[History]]) -> None:
    """Both curves of each planner."""
    import matplotlib.pyplot as plt

    times = np.geomspace(1e-3, BUDGET, 120)
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for planner, of in histories.items():
        points = [relative(histories, planner, float(at)) for at in times]
        above.plot(times, [ratio for ratio, _ in points], label=planner)
        below.plot(times, [100.0 * solved / len(of) for _, solved in points], label=planner)
    above.set(xscale="log", ylabel="length / shortest found")
    below.set(xscale="log", xlabel="time, s", ylabel="problems with a path, %")
    above.legend()
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


def main() -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robot", default="panda", help="whose problems (default panda)")
    parser.add_argument("--every", type=int, default=12, help="every so many problems of a family (default 12)")
    parser.add_argument("--write", action="store_true", help="write into the benchmark page")
    arguments = parser.parse_args()
    cases = problems(arguments.data, arguments.robot, arguments.every)
    histories = {of: [history(arguments.robot, case, of) for case in cases] for of in PLANNERS}
    lines = [HEADER, *(line(arguments.robot, histories, planner) for planner in PLANNERS)]
    print("\n".join(lines))
    if arguments.write:
        draw(histories)
        PAGE.write_text(replace_section(PAGE.read_text(), "anytime", "\n".join(lines)))


if __name__ == "__main__":
    main()
