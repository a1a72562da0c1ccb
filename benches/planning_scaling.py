"""How long plans take among 1 to 10,000 obstacles and with 6 to 14 joints, and how short anytime paths get.

    python benches/planning_scaling.py               # prints the tables
    python benches/planning_scaling.py --write       # writes them into docs-site/benchmarks.md

Obstacles are boxes of 2 to 10 cm around the robot, fewer and fewer of them near it, the first 10 the same in every row.
Queries lead between random configurations that are free among all of them, so that every row plans the same queries.
Times are those of whole calls of ``Planner.plan`` without a time law: compiling the scene, search, simplification and
proof; the median over queries of the least of a few repeats.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from oracles import random_pose  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
COUNTS = [1, 10, 100, 1_000, 10_000]
ROBOTS = [("ur5e", None), ("franka_panda", None), ("fetch", "arm_with_torso"), ("baxter_left", "both_arms")]
MARGIN = 0.005
REPEATS = 3
TIMEOUT = 5.0
ANYTIME_BUDGETS = [0, 300, 1_000, 3_000, 10_000]
Query = tuple[np.ndarray, np.ndarray]


def boxes(count: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Sizes and poses between 0.5 and 3 m from the root, a third of them within reach."""
    found = []
    while len(found) < count:
        pose = random_pose(rng)
        radius = 0.5 + 2.5 * rng.random() ** 0.5 if found else 0.6
        pose[:3, 3] *= radius / np.linalg.norm(pose[:3, 3])
        found.append((rng.uniform(0.02, 0.1, 3), pose))
    return found


def scene_of(robot: kinetic.Robot, obstacles: list) -> kinetic.Scene:
    """The robot among boxes."""
    scene = kinetic.Scene(robot)
    for index, (size, pose) in enumerate(obstacles):
        scene.add(f"box{index}", kinetic.Shape.box(*size), pose)
    return scene


def queries(robot: kinetic.Robot, scene: kinetic.Scene, count: int) -> list[Query]:
    """Pairs of free configurations that a planner can connect among all obstacles."""
    planner, free, found = kinetic.Planner(robot, scene, timeout=TIMEOUT, collision_margin=MARGIN), [], []
    seed = 0
    while len(found) < count:
        q = robot.random_configuration(rng_seed=seed)
        seed += 1
        if seed > 5_000:
            raise SystemExit(f"{robot.name}: too few free configurations")
        if not planner.is_in_collision(q):
            free.append(q)
        if len(free) == 2:
            start, goal = free
            free = []
            try:
                planner.plan(start, goal, time_parameterize=False)
            except kinetic.PlanningError:
                continue
            found.append((start, goal))
    return found


def milliseconds(planner: kinetic.Planner, query: Query) -> float:
    """The least of a few repeats."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        planner.plan(*query, time_parameterize=False)
        times.append(1e3 * (time.perf_counter() - began))
    return min(times)


def scaling(count: int, most: int) -> list[str]:
    """One row per robot, one column per number of obstacles."""
    counts = [number for number in COUNTS if number <= most]
    head = " | ".join(f"{number:,} boxes, ms" for number in counts)
    rows = [f"| robot | joints | {head} |", "|---" * (2 + len(counts)) + "|"]
    for name, group in ROBOTS:
        robot = kinetic.Robot(name, group=group) if group else kinetic.Robot(name)
        obstacles = boxes(most, np.random.default_rng(0))
        asked = queries(robot, scene_of(robot, obstacles), count)
        cells = []
        for number in counts:
            scene = scene_of(robot, obstacles[:number])
            planner = kinetic.Planner(robot, scene, timeout=TIMEOUT, collision_margin=MARGIN)
            cells.append(f"{statistics.median(milliseconds(planner, query) for query in asked):.2f}")
        rows.append(f"| {name} | {robot.dof} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def anytime(count: int) -> list[str]:
    """Mean lengths after budgets of iterations, and what they took."""
    robot = kinetic.Robot("franka_panda")
    obstacles = boxes(100, np.random.default_rng(0))
    scene = scene_of(robot, obstacles)
    asked = queries(robot, scene, count)
    rows = ["| planner | iterations | length, rad | median, ms |", "|---|---|---|---|"]
    for budget in ANYTIME_BUDGETS:
        kind = {"planner_type": "aorrtc", "max_iterations": budget} if budget else {"planner_type": "rrt_connect"}
        planner = kinetic.Planner(robot, scene, timeout=60.0, collision_margin=MARGIN, **kind)
        times, lengths = [], []
        for query in asked:
            times.append(milliseconds(planner, query))
            lengths.append(planner.last_stats["path_length"])
        used = f"{budget:,}" if budget else "until the first path"
        shown = f"{statistics.mean(lengths):.3f} | {statistics.median(times):.2f}"
        rows.append(f"| {kind['planner_type']} | {used} | {shown} |")
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="queries per robot")
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="most boxes")
    parser.add_argument("--write", action="store_true", help="write the tables into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    lines = [*scaling(arguments.count, arguments.most), "", "Panda among 100 boxes:", "", *anytime(arguments.count)]
    if arguments.write:
        content = "\n".join([f"{arguments.count} queries per robot; kinetic {kinetic.__version__}.", "", *lines])
        PAGE.write_text(replace_section(PAGE.read_text(), "planning_scaling", content))


if __name__ == "__main__":
    main()
