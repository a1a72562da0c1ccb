"""How planning grows with the number of obstacles and of joints, and where its time goes.

    python benches/planning_scaling.py                      # prints the table
    python benches/planning_scaling.py --write              # writes it into docs-site/benchmarks.md
    python benches/planning_scaling.py --data DIR --write   # also the profile, on MotionBenchMaker

Ten plates stand around a robot, and the same ten cut into 100, 1,000 and 10,000 boxes: one question with more and
more obstacles to answer it; the column of one obstacle has the first plate alone. Starts and goals are free among the
ten plates, uniform inside the limits, the same in all columns. A call is one of `Planner.plan` without a time law:
search, simplification and proof of every motion, with the default margin of 2 cm, and in the first of them set-up of
the checker. Each is the least of three; problems that are solved in all columns count. Chains are robots of balls
made by ``generated_problems.py``, 1 m long whatever their number of joints.

The profile comes from ``cargo bench -p kinetic --bench mbm``, which this script starts: means over the solved problems,
each part the least of five calls. The search is run again with the answers to its questions read from a list; what that
takes are its samples, nearest neighbours and trees.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from generated_problems import HEIGHT, LENGTH, chain  # noqa: E402
from oracles import random_pose  # noqa: E402
from planning_peers import write_urdf  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
FOLDER = ROOT / "target" / "planning_scaling"
COUNTS = {1: None, 10: (1, 1), 100: (5, 2), 1_000: (10, 10), 10_000: (40, 25)}
"""Obstacles, and into how many parts each plate is cut along its length and width; None for one plate."""
BUILT_IN = {
    "ur5e": ("arm", (0.0, 0.0, 0.16), 0.95),
    "franka_panda": ("arm", (0.0, 0.0, 0.33), 0.85),
    "fetch": ("arm_with_torso", (0.1, 0.0, 0.75), 1.0),
    "baxter_left": ("both_arms", (0.1, 0.0, 0.3), 1.2),
}
"""Robot, group, middle of what it reaches and how far it reaches, m."""
CHAINS = (6, 8, 10, 12, 14)
REPEATS = 3
TIMEOUT = 5.0
"""Of a call, s."""
MARGIN = 0.02
"""That of planners by default, m."""
Json = dict[str, Any]


def robots() -> list[tuple[kinetic.Robot, np.ndarray, float]]:
    """Robots with middle and reach."""
    found = [(kinetic.Robot(name, group), np.array(at), reach) for name, (group, at, reach) in BUILT_IN.items()]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for dof in CHAINS:
        file = FOLDER / f"chain{dof}.urdf"
        write_urdf(chain(dof), file)
        found.append((kinetic.Robot.from_urdf(file), np.array([0.0, 0.0, HEIGHT]), LENGTH))
    return found


def plates(rng: np.random.Generator, middle: np.ndarray, reach: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Poses and full lengths of ten plates."""
    found = []
    for _ in range(10):
        pose, direction = random_pose(rng), rng.normal(size=3)
        pose[:3, 3] = middle + rng.uniform(0.55, 1.0) * reach * direction / np.linalg.norm(direction)
        found.append((pose, np.array([0.4 * reach, 0.3 * reach, 0.02])))
    return found


def scene_of(robot: kinetic.Robot, world: list, count: int) -> kinetic.Scene:
    """The plates, cut into so many boxes in all."""
    scene, cuts = kinetic.Scene(robot), COUNTS[count]
    for index, (pose, size) in enumerate(world if cuts else world[:1]):
        along, across = cuts or (1, 1)
        part = size / (along, across, 1)
        for i in range(along):
            for j in range(across):
                placed = pose.copy()
                middle = ((np.array([i, j, 0]) + 0.5) / (along, across, 1) - 0.5) * size
                placed[:3, 3] += pose[:3, :3] @ middle
                scene.add(f"plate{index}_{i}_{j}", kinetic.Shape.box(*part), placed)
    return scene


def free(scene: kinetic.Scene, limits: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    """Configurations that keep the margin: so many, or fewer where a thousand tries find fewer."""
    tries = rng.uniform(limits[:, 0], limits[:, 1], (1000, len(limits)))
    return tries[scene.are_free(tries, collision_margin=MARGIN)][:count]


def least(planner: kinetic.Planner, start: np.ndarray, goal: np.ndarray) -> float | None:
    """Milliseconds of a call; None where it finds no path."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        try:
            planner.plan(start, goal, False)
        except kinetic.PlanningError:
            return None
        best = min(best, 1e3 * (time.perf_counter() - began))
    return best


def limits_of(robot: kinetic.Robot) -> np.ndarray:
    """Lowest and highest values to begin and end at; one turn of what turns without end."""
    limits = np.array(robot.joint_limits)
    limits[~np.isfinite(limits).all(axis=1)] = [-np.pi, np.pi]
    return limits


def measure(robot: kinetic.Robot, middle: np.ndarray, reach: float, worlds: int, each: int) -> str:
    """The row of a robot."""
    limits = limits_of(robot)
    times: dict[int, list[float]] = {count: [] for count in COUNTS}
    asked, seed = 0, 0
    while asked < worlds * each:
        rng, seed = np.random.default_rng(seed), seed + 1
        world = plates(rng, middle, reach)
        ends = free(scene_of(robot, world, 10), limits, rng, 2 * each)
        if len(ends) < 2 * each:
            # A plate stands in what a lift carries, or nearly everything is blocked.
            continue
        planners = {count: kinetic.Planner(robot, scene_of(robot, world, count), timeout=TIMEOUT) for count in COUNTS}
        for start, goal in zip(ends[::2], ends[1::2]):
            asked += 1
            if least(planners[10], start, goal) is None:
                continue
            found = {count: least(planner, start, goal) for count, planner in planners.items()}
            if None not in found.values():
                for count, ms in found.items():
                    times[count].append(ms)
    cells = [robot.name, str(len(limits)), f"{len(times[10])}/{asked}"]
    cells += [f"{np.median(values):.2f} / {np.mean(values):.2f}" if values else "–" for values in times.values()]
    return "| " + " | ".join(cells) + " |"


PROFILE = [
    "set-up of the checker",
    "search: samples, neighbours, trees",
    "search: questions about edges",
    "search: proofs",
    "simplification: questions about edges",
    "simplification: proofs",
    "simplification: the rest",
    "last proof",
    "whole call",
]
COUNTED = {
    "iterations": "iterations",
    "nodes": "nodes",
    "questions": "questions about edges",
    "refused": "of them refused",
    "proofs": "proofs",
}


def profile(data: Path, names: list[str]) -> list[str]:
    """Where the time goes, one column per robot."""
    command = ["cargo", "bench", "-q", "-p", "kinetic", "--bench", "mbm", "--", str(data), *names, "--json"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: list[Json] = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    lines = [f"| mean | {' | '.join(one['robot'] for one in found)} |", "|---" * (len(found) + 1) + "|"]
    for name in PROFILE:
        lines.append(f"| {name}, µs | " + " | ".join(f"{one['us'][name]:.1f}" for one in found) + " |")
    for key, name in COUNTED.items():
        lines.append(f"| {name} | " + " | ".join(f"{one['counts'][key]:.0f}" for one in found) + " |")
    return lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of MotionBenchMaker problems and models, for the profile")
    parser.add_argument("--robots", nargs="*", default=["panda", "ur5", "fetch", "baxter"], help="of the profile")
    parser.add_argument("--only-profile", action="store_true", help="leave the growth as it is")
    parser.add_argument("--worlds", type=int, default=5, help="worlds per robot")
    parser.add_argument("--problems", type=int, default=4, help="problems per world")
    parser.add_argument("--write", action="store_true", help="write into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    sections = {}
    if not arguments.only_profile:
        names = " | ".join(f"{count:,}" for count in COUNTS)
        table = [f"| robot | joints | solved | {names} |", "|---" * (3 + len(COUNTS)) + "|"]
        for robot, middle, reach in robots():
            table.append(measure(robot, middle, reach, arguments.worlds, arguments.problems))
            print(table[-1], flush=True)
        table += ["", "Milliseconds of a whole call by number of obstacles, median / mean."]
        sections["planning_scaling"] = table
    if arguments.data:
        sections["planning_profile"] = profile(arguments.data.resolve(), arguments.robots)
        print("\n".join(sections["planning_profile"]))
    if arguments.write:
        page = PAGE.read_text()
        for name, lines in sections.items():
            page = replace_section(page, name, "\n".join(lines))
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
