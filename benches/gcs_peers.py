"""Paths through the same convex regions by kinetic and by Drake's `GcsTrajectoryOptimization`, in one run.

    python benches/gcs_peers.py --data DIR           # prints the table
    python benches/gcs_peers.py --data DIR --write   # writes it into the benchmark page, with machine and date

Regions are grown by kinetic, in the first scene of three families of MotionBenchMaker, around eight starts and goals;
Drake gets their faces, without redundant ones. Queries go between these starts and goals where the straight line is
blocked. kinetic searches a chain of regions, solves one programme and proves the path, keeping away from what is in the
way; with `convex_relaxation` it solves the convex relaxation of the whole graph as well. Drake solves the same
relaxation, rounds it ten times, and takes regions for free. Nothing is shortened afterwards. Lengths are Euclidean in
joint space, times those of the processor; ratios are medians over the queries, with their least and largest.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
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
from planning_peers import FOLDER, environment  # noqa: E402

FAMILIES = ("bookshelf_thin", "table_pick", "table_under_pick")
SEEDS = 8
REGIONS = 16
FRACTION = 0.05
"""Of a region that may collide."""
QUERIES = 4
"""Per scene."""
TIMEOUT = 120.0
"""Seconds for a relaxation."""
SAMPLES = 500
"""Configurations of a path that are looked at for collisions."""
HEADER = (
    "| scene | regions | overlaps | queries | `gcs`, ms | with relaxation, ms | Drake, ms | length, over Drake "
    "| with relaxation, over Drake | bound, over Drake | bound over length | paths of Drake that collide |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def length_of(path: np.ndarray) -> float:
    """Length of a polyline."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def collides(planner: Planner, path: np.ndarray) -> bool:
    """Whether a sample of a polyline does."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    places = np.linspace(0.0, along[-1], SAMPLES)
    samples = np.transpose([np.interp(places, along, joint) for joint in path.T])
    return any(planner.is_in_collision(q) for q in samples)


def timed(planner: Planner, start: Any, goal: Any) -> dict[str, Any] | None:
    """Processor time, length and bound of a plan; None where there is none."""
    began = time.process_time()
    try:
        motion = planner.plan(start, goal, time_parameterize=False)
    except PlanningError:
        return None
    seconds = time.process_time() - began
    length, bound = length_of(np.array(motion.positions())), planner.last_stats["lower_bound"]
    return {"seconds": seconds, "length": length, "bound": bound, "iterations": planner.last_stats["iterations"]}


def asked(planners: list[Planner], seeds: list[Any]) -> list[dict[str, Any]]:
    """Queries whose straight line is blocked, with what kinetic finds without and with the relaxation."""
    rng, found = np.random.default_rng(1), []
    for _ in range(20 * QUERIES):
        start, goal = (seeds[place] for place in rng.choice(len(seeds), 2, replace=False))
        quick = timed(planners[0], start, goal)
        relaxed = timed(planners[1], start, goal) if quick and quick["iterations"] > 0 else None
        if quick and relaxed:
            found.append({"start": list(start), "goal": list(goal), "quick": quick, "relaxed": relaxed})
        if len(found) == QUERIES:
            break
    return found


def by_drake(regions: Any, queries: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """What Drake finds, in its own environment."""
    python = environment("drake")
    job, answer = FOLDER / f"{name}.job.json", FOLDER / f"{name}.answer.json"
    faces = [{"normals": region.normals.tolist(), "offsets": region.offsets.tolist()} for region in regions.regions]
    job.write_text(json.dumps({"regions": faces, "queries": queries}))
    worker = ROOT / "benches" / "gcs_peers_worker.py"
    subprocess.run([python, str(worker), str(job), str(answer)], check=True, stderr=subprocess.DEVNULL)
    return list(json.loads(answer.read_text()))


def row(file: Path, model: Robot, group: str) -> str:
    """A line of the table."""
    problems = mbm_judge.read_json(file)["problems"]
    ends = [end for problem in problems for end in (problem["start"], *problem["goals"])]
    options: dict[str, Any] = {"collision_margin": 0.0, "group": group, "smooth": False, "shortcut_iterations": 0}
    scene = scene_of(model, problems[0])
    planner = Planner(model, scene, **options)
    free = [np.array(end) for end in sorted({tuple(end) for end in ends}) if not planner.is_in_collision(end)]
    seeds = [free[place] for place in np.random.default_rng(0).permutation(len(free))[:SEEDS]]
    regions = planner.convex_decomposition(seeds, REGIONS, collision_fraction=FRACTION)
    relaxing = Planner(model, scene, planner_type="gcs", convex_relaxation=True, timeout=TIMEOUT, **options)
    own = asked([planner.with_regions(regions), relaxing.with_regions(regions)], seeds)
    name = file.name.split(".")[0]
    both = [(of, drake) for of, drake in zip(own, by_drake(regions, own, name)) if drake["path"]]
    return line([name, str(len(regions)), str(len(regions.overlaps)), f"{len(both)} of {len(own)}"], both, planner)


def line(cells: list[str], both: list[tuple[dict[str, Any], dict[str, Any]]], planner: Planner) -> str:
    """The figures of some queries as a line."""
    paths = [np.array(drake["path"]) for _, drake in both]
    drakes = [{**drake, "length": length_of(path)} for (_, drake), path in zip(both, paths)]
    quick, relaxed = [of["quick"] for of, _ in both], [of["relaxed"] for of, _ in both]
    times = [f"{1e3 * statistics.median(of['seconds'] for of in found):.0f}" for found in (quick, relaxed, drakes)]
    ratios = [[a["length"] / b["length"] for a, b in zip(found, drakes)] for found in (quick, relaxed)]
    bounds = [a["bound"] / b["bound"] for a, b in zip(relaxed, drakes)]
    gaps = [a["bound"] / a["length"] for a in relaxed]
    lengths = [f"{statistics.median(of):.3f} ({min(of):.3f} to {max(of):.3f})" for of in (*ratios, bounds, gaps)]
    return "| " + " | ".join([*cells, *times, *lengths, str(sum(collides(planner, path) for path in paths))]) + " |"


def main() -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robot", default="panda", choices=sorted(BUILT_IN), help="whose problems")
    parser.add_argument("--write", action="store_true", help="write into the benchmark page")
    arguments = parser.parse_args()
    name, group = BUILT_IN[arguments.robot]
    model, lines = Robot(name), [HEADER]
    folder = Path(arguments.data) / "problems" / arguments.robot
    for family in FAMILIES:
        lines.append(row(next(folder.glob(f"{family}.json*")), model, group))
        print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "gcs_peers", "\n".join(lines)))


if __name__ == "__main__":
    main()
