"""Convex regions on MotionBenchMaker: how long they take to grow, and queries through them beside `rrt_connect`.

    python benches/regions.py --data DIR           # prints the table
    python benches/regions.py --data DIR --write   # writes it into the benchmark page, with machine and date

Scenes: the first of each family. Regions grow once per scene, around starts and goals of the family's problems that are
valid there for the built-in robot. Queries go between these seeds, and between other starts and goals, around which no
region grew. `rrt_connect` shortens its paths as usual; what regions find is shortened as well. Lengths are those of
`gcs` over those of `rrt_connect`, medians over what both solve.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Planner, PlanningError, Robot
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from constraints import ROBOTS as BUILT_IN  # noqa: E402
from constraints import scene_of  # noqa: E402
from figures import PAGE, replace_section  # noqa: E402

BUDGET = 1.0
"""Seconds per query."""
SEEDS = 8
REGIONS = 32
QUERIES = 20
"""Per scene."""
FRACTION = 0.05
"""Of a region that may collide."""
HEADER = (
    "| scene, queries between | grown in, s | regions | overlaps | solved | solved by `rrt_connect` "
    "| `gcs`, ms | 95 %, ms | `rrt_connect`, ms | length |\n|---|---|---|---|---|---|---|---|---|---|"
)


def asked(planner: Planner, queries: list[tuple[Any, Any]]) -> list[tuple[float, float] | None]:
    """Milliseconds and path length of each query; None where no path was found."""
    figures: list[tuple[float, float] | None] = []
    for start, goal in queries:
        began = time.perf_counter()
        try:
            planner.plan(start, goal, time_parameterize=False)
            milliseconds = 1e3 * (time.perf_counter() - began)
            figures.append((milliseconds, planner.last_stats["path_length"]))
        except PlanningError:
            figures.append(None)
    return figures


def pairs_of(ends: list[Any], rng: np.random.Generator) -> list[tuple[Any, Any]]:
    """Queries between different ones of some configurations."""
    pairs = [rng.choice(len(ends), 2, replace=False) for _ in range(QUERIES)]
    return [(ends[a], ends[b]) for a, b in pairs]


def rows(file: Path, model: Robot, group: str) -> tuple[list[str], list[list[Any]]]:
    """Two lines of the table, and what both planners found between seeds and between other ends."""
    problems = mbm_judge.read_json(file)["problems"]
    ends = [end for problem in problems for end in (problem["start"], *problem["goals"])]
    options = {"collision_margin": 0.0, "timeout": BUDGET, "group": group}
    planner = Planner(model, scene_of(model, problems[0]), **options)
    # Starts of a family are often one and the same.
    free = [np.array(end) for end in sorted({tuple(end) for end in ends}) if not planner.is_in_collision(end)]
    order = np.random.default_rng(0).permutation(len(free))
    seeds, others = [free[place] for place in order[:SEEDS]], [free[place] for place in order[SEEDS:]]
    began = time.perf_counter()
    regions = planner.convex_decomposition(seeds, REGIONS, collision_fraction=FRACTION)
    grown = f"{time.perf_counter() - began:.1f}"
    rng, through = np.random.default_rng(1), planner.with_regions(regions)
    lines, found = [], []
    for between, ends_of in (("seeds", seeds), ("others", others)):
        queries = pairs_of(ends_of, rng)
        figures = [asked(through, queries), asked(planner, queries)]
        name = f"{file.name.split('.')[0]}, {between}"
        lines.append(line([name, grown, str(len(regions)), str(len(regions.overlaps))], figures))
        found.append(figures)
    return lines, found


def line(cells: list[str], figures: list[list[Any]]) -> str:
    """Figures of some queries as a row: those through regions, and those of the reference."""
    times = [sorted(figure[0] for figure in of if figure is not None) for of in figures]
    lengths = [own[1] / other[1] for own, other in zip(*figures) if own and other]
    shares = [f"{len(solved)} of {len(of)}" for solved, of in zip(times, figures)]
    medians = [f"{statistics.median(values):.1f}" if values else "" for values in times]
    late = f"{times[0][int(0.95 * (len(times[0]) - 1))]:.1f}" if times[0] else ""
    length = f"{statistics.median(lengths):.3f}" if lengths else ""
    return "| " + " | ".join([*cells, *shares, medians[0], late, medians[1], length]) + " |"


def main() -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robot", default="panda", choices=sorted(BUILT_IN), help="whose problems")
    parser.add_argument("--write", action="store_true", help="write into the benchmark page")
    arguments = parser.parse_args()
    name, group = BUILT_IN[arguments.robot]
    model, lines = Robot(name), [HEADER]
    whole: list[list[list[Any]]] = [[[], []], [[], []]]
    for file in sorted((Path(arguments.data) / "problems" / arguments.robot).glob("*.json*")):
        texts, found = rows(file, model, group)
        for kind, figures in zip(whole, found):
            for of, more in zip(kind, figures):
                of += more
        lines += texts
        print("\n".join(texts), flush=True)
    for between, figures in zip(("seeds", "others"), whole):
        lines.append(line([f"all, {between}", "", "", ""], figures))
        print(lines[-1])
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "regions", "\n".join(lines)))


if __name__ == "__main__":
    main()
