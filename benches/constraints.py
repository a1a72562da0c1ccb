"""Plans that keep the tool upright, on MotionBenchMaker's scenes.

    python benches/constraints.py --data DIR           # prints the table
    python benches/constraints.py --data DIR --write   # writes docs-site/constraints.md

Of each problem the start and the goal are projected onto the constraint, up to 50 times from nearby: the z axis of
the tip within 5 degrees of the vertical that is nearer at the start. Problems of which one end is in collision then, or
cannot be made upright, are left out, and counted. The goal is the pose of the tool there. Plans are timed with a budget
of a second each. What is returned is sampled at 1 kHz with the forward kinematics of the robot; the largest tilt is in
the table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Constraint, Planner, PlanningError, Pose, Robot, Scene, Shape
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import replace_section  # noqa: E402

PAGE = ROOT / "docs-site" / "constraints.md"
ROBOTS = {"panda": ("franka_panda", "arm"), "ur5": ("ur5e", "arm"), "fetch": ("fetch", "arm_with_torso")}
"""Built-in robots and groups by their name in the problems; the ur5e stands among the obstacles of the ur5."""
TOLERANCE = np.deg2rad(5.0)
TIMEOUT = 1.0
ATTEMPTS = 50
SPREAD = 0.5
"""Largest standard deviation of what is added to configurations before they are projected, rad or m."""


def problems(data: str, robot: str, per_family: int) -> list[dict[str, Any]]:
    """Problems of every family, evenly taken."""
    found = []
    for file in sorted((Path(data) / "problems" / robot).iterdir()):
        if ".json" in file.name:
            rows = mbm_judge.read_json(file)["problems"]
            found += rows[:: max(1, len(rows) // per_family)][:per_family]
    return found


def scene_of(robot: Robot, problem: dict[str, Any]) -> Scene:
    """The obstacles of a problem around a robot."""
    scene, obstacles = Scene(robot), problem["obstacles"]
    shapes = {
        "boxes": lambda row: Shape.cuboid(*row["half_extents"]),
        "cylinders": lambda row: Shape.cylinder(row["radius"], 0.5 * row["length"]),
        "spheres": lambda row: Shape.sphere(row["radius"]),
    }
    for kind, shape in shapes.items():
        for index, row in enumerate(obstacles.get(kind, [])):
            pose = Pose.from_xyzw(row["position"], row.get("quat_xyzw", [0.0, 0.0, 0.0, 1.0]))
            scene.add(f"{kind}{index}", shape(row), pose)
    return scene


def upright(planner: Planner, q: np.ndarray, rng: np.random.Generator) -> np.ndarray | None:
    """A free configuration on the constraint, projected from `q` or from near it; None where none is found."""
    for attempt in range(ATTEMPTS):
        try:
            found = planner.project(q + rng.normal(scale=SPREAD * attempt / ATTEMPTS, size=q.size))
        except PlanningError:
            continue
        if not planner.is_in_collision(found):
            return found
    return None


def tilt(robot: Robot, motion: Any, axis: np.ndarray) -> float:
    """The largest angle of the tip at samples of 1 ms, rad."""
    times = np.arange(0.0, motion.duration, 1e-3)
    tips = robot.batch_fk(np.array([motion.sample(t) for t in times])) @ np.linalg.inv(robot.tcp)
    return float(np.arccos(np.clip(tips[:, :3, 2] @ axis, -1.0, 1.0)).max())


def line(data: str, name: str, per_family: int) -> str:
    """One row of the table."""
    took: list[float] = []
    tried, usable, worst = 0, 0, 0.0
    robot, rng = Robot(*ROBOTS[name]), np.random.default_rng(0)
    for problem in problems(data, name, per_family):
        tried += 1
        scene = scene_of(robot, problem)
        up = np.array(
            [0.0, 0.0, np.sign((robot.fk(np.array(problem["start"])) @ np.linalg.inv(robot.tcp))[2, 2]) or 1.0]
        )
        cup = Constraint.orientation(robot.tip, up, TOLERANCE)
        planner = Planner(robot, scene, collision_margin=0.0, timeout=TIMEOUT, constraints=[cup])
        made = [upright(planner, np.array(q), rng) for q in (problem["start"], problem["goals"][0])]
        if made[0] is None or made[1] is None:
            continue
        usable += 1
        began = time.perf_counter()
        try:
            motion = planner.plan(made[0], robot.fk(made[1]))
        except PlanningError:
            continue
        took.append(1e3 * (time.perf_counter() - began))
        worst = max(worst, tilt(robot, motion, up))
    share = f"{100.0 * len(took) / max(usable, 1):.1f} %"
    times = [f"{statistics.median(took):.1f}", f"{np.percentile(took, 95):.1f}"] if took else ["-", "-"]
    return (
        "| " + " | ".join([ROBOTS[name][0], str(tried), str(usable), share, *times, f"{np.rad2deg(worst):.3f}"]) + " |"
    )


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--per-family", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    names = "| robot | problems | with upright ends | solved | median, ms | p95, ms | largest tilt, ° |"
    head = f"{names}\n|{'---|' * 7}"
    table = "\n".join([head, *(line(arguments.data, name, arguments.per_family) for name in ROBOTS)])
    print(table)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "constraints", table))


if __name__ == "__main__":
    main()
