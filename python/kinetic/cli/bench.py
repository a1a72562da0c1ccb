"""``kinetic bench``: planners on problems of one's own, and the problems of robometrics and MotionBenchMaker.

The problems are those of Chamzas et al., "MotionBenchMaker: A Tool to Generate and Benchmark Motion Planning
Datasets", IEEE Robotics and Automation Letters 7(2), 2022.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from .._kinetic import bench_mbm
from . import bench_planners, bench_robometrics, mbm_judge
from .output import CliError, add_json_flag, print_json, table
from .progress import ProgressBar

HEADER = ("family", "problems", "valid", "solved", "plan", "simplify", "verify", "total", "raw", "final")
TIMES = ("plan_us", "simplify_us", "verify_us", "total_us")
LENGTHS = ("length_raw", "length")
LEGEND = "times in µs over solved problems: mean / median / p95; lengths: mean, in joint space"


def add_parser(commands: Any) -> None:
    """Adds the command."""
    bench: argparse.ArgumentParser = commands.add_parser("bench", help="run a benchmark")
    kinds = bench.add_subparsers(title="benchmarks", dest="benchmark", required=True, metavar="BENCHMARK")
    bench_planners.add_parser(kinds)
    bench_robometrics.add_parser(kinds)
    parser: argparse.ArgumentParser = kinds.add_parser("mbm", help="MotionBenchMaker problems")
    parser.add_argument("--data", required=True, help="folder that holds problems/ and models/")
    parser.add_argument("--robot", default="panda", help="robot whose problems to solve (default panda)")
    parser.add_argument("--model", choices=("given", "builtin"), default="given", help="robot model (default given)")
    parser.add_argument(
        "--cylinders", choices=("vamp", "exact"), default="vamp", help="what cylinders are planned as (default vamp)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default 1)")
    parser.add_argument("--planner", default="auto", help="who plans (default auto)")
    parser.add_argument(
        "--budget-ms",
        type=float,
        default=10_000.0,
        help="time for one problem; anytime planners use it up (default 10000)",
    )
    parser.add_argument("--paths", help="write the paths here (.json.gz)")
    parser.add_argument(
        "--judge", action="store_true", help="have the paths judged by an independent checker (given model only)"
    )
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solves every problem and prints one line per family."""
    if args.paths is not None and not Path(args.paths).parent.is_dir():
        raise CliError(f'--paths: no folder "{Path(args.paths).parent}"')  # said before the minutes of work, not after
    if args.judge and args.model != "given":
        raise CliError('--judge: it knows the given models only, not "builtin"')
    with ProgressBar(f"mbm {args.robot}", enabled=not args.json) as bar:
        budget = args.budget_ms / 1000.0
        answer = bench_mbm(
            args.data, args.robot, args.model, args.cylinders, args.seed, args.planner, budget, bar.update
        )
    result: dict[str, Any] = json.loads(answer)
    if args.paths is not None:
        write_paths(Path(args.paths), args.robot, result["paths"])
    report = {"machine": result["machine"], "rows": result["rows"]}
    if args.judge:
        report["verdict"] = mbm_judge.judge(args.data, args.robot, args.cylinders, result["paths"])
    if args.json:
        print_json(report)
    else:
        print(text(args, result))
        if args.judge:
            print(f"\n{mbm_judge.text(report['verdict'])}")
    return 0


def text(args: argparse.Namespace, result: dict[str, Any]) -> str:
    """The table for people."""
    title = (
        f"MotionBenchMaker, {args.robot}, {args.model} model, {args.cylinders} cylinders, seed {args.seed}, "
        f"planner {args.planner}, {args.budget_ms:g} ms"
    )
    rows: list[dict[str, Any]] = result["rows"]
    families = list(dict.fromkeys(row["family"] for row in rows))
    lines = [summary(family, [row for row in rows if row["family"] == family]) for family in families]
    lines.append(summary("all", rows))
    return f"{title}\n{result['machine']}\n\n{table(HEADER, lines)}\n\n{LEGEND}"


def summary(name: str, rows: list[dict[str, Any]]) -> list[str]:
    """One line of the table."""
    solved = [row for row in rows if row["solved"]]
    counts = (len(rows), sum(row["valid"] for row in rows), len(solved))
    times = [spread([row[key] for row in solved]) for key in TIMES]
    lengths = [mean([row[key] for row in solved]) for key in LENGTHS]
    return [name, *map(str, counts), *times, *lengths]


def spread(values: list[float]) -> str:
    """Mean, median and 95th percentile."""
    if not values:
        return "–"
    figures = (np.mean(values), np.median(values), np.percentile(values, 95))
    return " / ".join(f"{figure:.0f}" for figure in figures)


def mean(values: list[float]) -> str:
    """The mean with two digits."""
    return f"{np.mean(values):.2f}" if values else "–"


def write_paths(path: Path, robot: str, paths: list[dict[str, Any]]) -> None:
    """Writes the paths as the judge reads them; the same paths give the same bytes (no time stamp in the archive)."""
    document = json.dumps({"robot": robot, "paths": paths}).encode()
    path.write_bytes(gzip.compress(document, mtime=0))
