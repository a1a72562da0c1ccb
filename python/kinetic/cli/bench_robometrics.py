"""``kinetic bench robometrics``: problems in the format in which cuRobo publishes its figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import Planner, Problem
from .bench_planners import Run, failures_of, failures_text, solve
from .output import CliError, add_json_flag, print_json, table
from .progress import ProgressBar

HEADER = ("set", "solved", "mean, ms", "median, ms", "98 %, ms", "motion, s", "not solved")
LEGEND = "times: calls of plan that found a motion, with time law and proof; motion: mean duration"


def add_parser(kinds: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = kinds.add_parser("robometrics", help="problems of a robometrics file")
    parser.add_argument("file", help="problems (YAML)")
    parser.add_argument("--robot", default="franka_panda", help="robot of the problems (default franka_panda)")
    parser.add_argument("--planner", default="auto", help="who plans (default auto)")
    parser.add_argument("--device", help='where trajopt optimises many trajectories at once: "auto", "cpu", "gpu", …')
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default 1)")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds per problem (default 5)")
    parser.add_argument("--margin", type=float, default=0.0, help="distance to keep from the world, m (default 0)")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solves every problem, from a pose of the tool, and prints a line per set."""
    planner_type = "trajopt" if args.device is not None and args.planner == "auto" else args.planner
    if args.device is not None and planner_type != "trajopt":
        raise CliError(f'--device: it is for the planner trajopt, not "{planner_type}"')
    planner = Planner(args.robot, planner_type=planner_type, collision_margin=args.margin)
    sets = Problem.from_robometrics(args.file, planner)
    total = sum(map(len, sets.values()))
    if total == 0:
        raise CliError(f'no problems in "{args.file}"')
    first = next(problem for problems in sets.values() for problem in problems)
    # Refused here, it is the fault of the command; refused below, that of a problem.
    asked = first.planner(rng_seed=args.seed, timeout=args.timeout)
    if args.device is not None:
        asked.with_device(args.device)
    runs: dict[str, list[Run]] = {name: [] for name in sets}
    done = 0
    with ProgressBar("robometrics", enabled=not args.json) as bar:
        for name, problems in sets.items():
            for index, problem in enumerate(problems):
                bar.update(done, total, name)
                runs[name].append(timed(problem, index, args))
                done += 1
    report = [summary(name, runs[name]) for name in runs]
    report.append(summary("all", [run for name in runs for run in runs[name]]))
    if args.json:
        rows = [{"set": name, **run._asdict()} for name in runs for run in runs[name]]
        print_json({"runs": rows, "sets": report})
    else:
        title = f"robometrics, {args.robot}, planner {args.planner}, device {args.device or '–'}, seed {args.seed}"
        print(f"{title}\n\n{table(HEADER, [line(entry) for entry in report])}\n\n{LEGEND}")
    return 0


def timed(problem: Problem, index: int, args: argparse.Namespace) -> Run:
    """A call with the default time law."""
    return solve(problem, index, problem.planner_type, args.seed, args.timeout, args.device, timed=True)


def summary(name: str, runs: Sequence[Run]) -> dict[str, Any]:
    """The figures of a set."""
    solved = [run for run in runs if run.failure is None]
    milliseconds = [1e3 * run.seconds for run in solved]
    return {
        "set": name,
        "problems": len(runs),
        "solved": len(solved),
        "mean_ms": float(np.mean(milliseconds)) if solved else None,
        "median_ms": float(np.median(milliseconds)) if solved else None,
        "percentile_98_ms": float(np.percentile(milliseconds, 98)) if solved else None,
        "motion_s": float(np.mean([run.duration for run in solved])) if solved else None,
        "failures": failures_of(runs),
    }


def line(entry: dict[str, Any]) -> list[str]:
    """A line of the table."""
    figures = ("mean_ms", "median_ms", "percentile_98_ms", "motion_s")
    digits = dict.fromkeys(figures, 1) | {"motion_s": 2}
    return [
        entry["set"],
        f"{entry['solved']} of {entry['problems']}",
        *("–" if entry[key] is None else f"{entry[key]:.{digits[key]}f}" for key in figures),
        failures_text(entry["failures"]),
    ]
