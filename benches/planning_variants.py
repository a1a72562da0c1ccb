"""MotionBenchMaker by other models and planners, with the word of judges that are not kinetic.

    python benches/planning_variants.py --data DIR           # prints the tables
    python benches/planning_variants.py --data DIR --write   # writes docs-site/benchmarks.md

The given spheres against cylinders as the planner VAMP takes them and against flat-ended ones, judged in NumPy; the
hulls of the built-in robots against flat-ended cylinders, judged by Coal and Pinocchio. The anytime planner is given 1,
10 and 100 ms for each problem; its lengths are means over the problems that it solves within the least of these.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from kinetic import _kinetic
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

import hulls_judge  # noqa: E402
from figures import ROBOTS, replace_section  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
BUDGETS = (0.001, 0.01, 0.1)
"""Seconds of the anytime planner."""
REPEATS = 3
Json = dict[str, Any]


def problems_of(data: str, robot: str) -> dict[tuple[str, int], Json]:
    """All problems of a robot by family and number."""
    files = (Path(data) / "problems" / robot).iterdir()
    families = [mbm_judge.read_json(file) for file in sorted(files) if ".json" in file.name]
    return {(family["family"], problem["index"]): problem for family in families for problem in family["problems"]}


def verdict(data: str, robot: str, model: str, cylinders: str, paths: list[Json]) -> str:
    """Paths that touch, and how deep."""
    if model == "builtin":
        touching, deepest = hulls_judge.judge(robot, problems_of(data, robot), cylinders, paths)
    else:
        said = mbm_judge.judge(data, robot, cylinders, paths)
        touching, deepest = len(said["touching"]), said["deepest"]
        if said["ends_missed"] or said["limits_left"]:
            raise SystemExit(f"{robot}: the judge found ends missed or limits left: {said}")
    return f"{touching}, {1e3 * deepest:.4f} mm"


def variant(data: str, robot: str, model: str, cylinders: str) -> str:
    """One line of the table."""
    reports = [json.loads(_kinetic.bench_mbm(data, robot, model, cylinders, 1, "auto", 10.0)) for _ in range(REPEATS)]
    report = reports[0]
    quickest = [min(row["total_us"] for row in rows) for rows in zip(*(report["rows"] for report in reports))]
    valid = [row for row in report["rows"] if row["valid"]]
    solved = [row for row in valid if row["solved"]]
    median = statistics.median(us for us, row in zip(quickest, report["rows"]) if row["solved"]) / 1e3
    lengths = f"{statistics.mean(row['length'] for row in solved):.2f}"
    judged = verdict(data, robot, model, cylinders, report["paths"])
    cells = [robot, model, cylinders, *(str(len(rows)) for rows in (report["rows"], valid, solved))]
    cells += [f"{median:.2f}", lengths, judged]
    return "| " + " | ".join(cells) + " |"


def anytime(data: str, robot: str) -> list[str]:
    """Lines of the planner that goes on, beside the default one."""
    runs = [("auto", 10.0), *(("aorrtc", budget) for budget in BUDGETS)]
    reports = [json.loads(_kinetic.bench_mbm(data, robot, "given", "vamp", 1, *run))["rows"] for run in runs]
    common = [index for index, row in enumerate(reports[1]) if row["solved"]]
    lines = []
    for (planner, budget), rows in zip(runs, reports):
        valid, solved = (sum(row[key] for row in rows) for key in ("valid", "solved"))
        both = [rows[index]["length"] for index in common if rows[index]["solved"]]
        limit = "first path" if planner == "auto" else f"{1e3 * budget:g} ms"
        length = f"{statistics.mean(both):.3f}" if both else "–"
        name = "rrt_connect" if planner == "auto" else planner
        lines.append(f"| {robot} | {name} | {limit} | {solved}/{valid} | {length} | {len(both)} |")
    return lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--no-anytime", action="store_true", help="leave the table of the anytime planner as it is")
    parser.add_argument("--write", action="store_true", help="write the tables into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    shorter = ["| robot | planner | budget | solved | length | of problems |", "|---|---|---|---|---|---|"]
    for robot in [] if arguments.no_anytime else arguments.robots:
        shorter += anytime(arguments.data, robot)
    if not arguments.no_anytime:
        print("\n".join(shorter), flush=True)
    table = [
        "| robot | model | cylinders | problems | valid | solved | median, ms | length | touching |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for robot in arguments.robots:
        kinds = [("given", "vamp"), ("given", "exact")]
        kinds += [("builtin", "exact")] if robot in hulls_judge.ROBOTS else []
        for model, cylinders in kinds:
            table.append(variant(arguments.data, robot, model, cylinders))
            print(table[-1], flush=True)
    table += ["", f"Medians over solved problems, each by the quickest of {REPEATS} calls."]
    if arguments.write:
        page = replace_section(PAGE.read_text(), "planning_variants", "\n".join(table))
        if not arguments.no_anytime:
            page = replace_section(page, "planning_anytime", "\n".join(shorter))
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
