"""``kinetic bench planners``: which planner suits problems of one's own."""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import InputError, PlanningError, Problem, planner_types
from .output import CliError, add_json_flag, print_json, table
from .progress import ProgressBar

HEADER = ("planner", "solved", "median, ms", "95 %, ms", "duration", "length", "checks", "not solved")
LEGEND = (
    "times: calls of plan that found a motion; duration and length: medians, over the least of all planners;\n"
    "checks: configurations, median"
)
EXAMPLES = """\
examples:
  kinetic plan ur5e --start home --goal ready --save problem.toml
  kinetic bench planners problem.toml --planners rrt_connect aorrtc trajopt --seeds 10
"""


class Run(NamedTuple):
    """A call, and what came of it: `failure` is the code of the error, None where there is a motion."""

    planner: str
    problem: int
    seed: int
    seconds: float
    failure: str | None
    duration: float | None = None
    length: float | None = None
    checks: int | None = None


def add_parser(kinds: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = kinds.add_parser(
        "planners",
        help="planners on saved problems",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("problems", nargs="+", metavar="problem", help="problem file (TOML), as plan --save writes it")
    parser.add_argument("--planners", nargs="+", metavar="NAME", help="names of planners (default: all)")
    parser.add_argument("--seeds", type=int, default=5, help="seeds per problem, 1, 2, … (default 5)")
    parser.add_argument(
        "--timeout", type=float, default=1.0, help="seconds per call; anytime planners use them up (default 1)"
    )
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solves every problem with every planner and seed, and prints a line per planner."""
    if args.seeds < 1:
        raise CliError(f"--seeds: at least 1, not {args.seeds}")
    known = planner_types()
    planners: list[str] = args.planners or [name for name in known if name != "auto"]
    for name in planners:
        if name not in known:
            raise CliError(f'--planners: no planner "{name}"; there are {", ".join(known)}')
    problems = [Problem.load(path) for path in args.problems]
    # Refused here, it is the fault of the command; refused below, that of a planner for the problem.
    problems[0].planner("rrt_connect", args.seeds, args.timeout)
    calls = len(planners) * len(problems) * args.seeds
    runs: list[Run] = []
    with ProgressBar("planners", enabled=not args.json) as bar:
        for name in planners:
            for index, problem in enumerate(problems):
                for seed in range(1, args.seeds + 1):
                    bar.update(len(runs), calls, name)
                    runs.append(solve(problem, index, name, seed, args.timeout))
    if args.json:
        print_json({"runs": [run._asdict() for run in runs], "planners": summaries(runs)})
    else:
        title = f"problems: {len(problems)}, seeds of each: {args.seeds}, {args.timeout:g} s per call"
        print(f"{title}\n\n{table(HEADER, [line(summary) for summary in summaries(runs)])}\n\n{LEGEND}")
    return 0


def solve(
    problem: Problem,
    index: int,
    name: str,
    seed: int,
    timeout: float,
    device: str | None = None,
    timed: bool = False,
) -> Run:
    """One call, `timed` with the default time law. A planner that does not take the problem fails with its refusal."""
    start = time.perf_counter()
    try:
        planner = problem.planner(name, seed, timeout)
        if device is not None:
            planner = planner.with_device(device)
        start = time.perf_counter()
        motion = planner.plan(problem.start, problem.goal, timed or problem.time_law or False)
    except (InputError, PlanningError) as error:
        return Run(name, index, seed, time.perf_counter() - start, error.code)
    seconds, stats = time.perf_counter() - start, planner.last_stats
    duration = motion.duration if motion.is_timed else None
    return Run(name, index, seed, seconds, None, duration, stats["path_length"], stats["checks"])


def summaries(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Figures per planner, in the order of the runs."""
    problems = dict.fromkeys(run.problem for run in runs)
    of_problem = {problem: [run for run in runs if run.problem == problem] for problem in problems}
    least = {
        key: {problem: min(values_of(of_problem[problem], key), default=0.0) for problem in problems}
        for key in ("duration", "length")
    }
    names = dict.fromkeys(run.planner for run in runs)
    return [summary(name, [run for run in runs if run.planner == name], least) for name in names]


def values_of(runs: Sequence[Run], key: str) -> list[float]:
    """What runs that found a motion have of a quantity."""
    return [value for run in runs if (value := getattr(run, key)) is not None]


def summary(name: str, runs: Sequence[Run], least: dict[str, dict[int, float]]) -> dict[str, Any]:
    """The figures of one planner."""
    solved = [run for run in runs if run.failure is None]
    seconds = [run.seconds for run in solved]

    def ratio(key: str) -> float | None:
        ratios = [
            getattr(run, key) / least[key][run.problem]
            for run in solved
            if least[key][run.problem] > 0.0 and getattr(run, key)
        ]
        return statistics.median(ratios) if ratios else None

    return {
        "planner": name,
        "calls": len(runs),
        "solved": len(solved),
        "median": statistics.median(seconds) if seconds else None,
        "percentile_95": float(np.percentile(seconds, 95)) if seconds else None,
        "duration_ratio": ratio("duration"),
        "length_ratio": ratio("length"),
        "checks": statistics.median(values_of(solved, "checks")) if solved else None,
        "failures": failures_of(runs),
    }


def failures_of(runs: Sequence[Run]) -> dict[str, int]:
    """Codes of the errors of calls that found nothing, and how often each came."""
    return dict(sorted(Counter(run.failure for run in runs if run.failure is not None).items()))


def failures_text(failures: dict[str, int]) -> str:
    """The same for people."""
    return ", ".join(f"{code} {count}" for code, count in failures.items()) or "–"


def line(summary: dict[str, Any]) -> list[str]:
    """A line of the table."""

    def shown(key: str, form: Callable[[float], str]) -> str:
        return "–" if summary[key] is None else form(summary[key])

    return [
        summary["planner"],
        f"{summary['solved']} of {summary['calls']}",
        shown("median", lambda value: f"{value * 1e3:.1f}"),
        shown("percentile_95", lambda value: f"{value * 1e3:.1f}"),
        shown("duration_ratio", lambda value: f"{value:.2f}"),
        shown("length_ratio", lambda value: f"{value:.2f}"),
        shown("checks", lambda value: f"{value:.0f}"),
        failures_text(summary["failures"]),
    ]
