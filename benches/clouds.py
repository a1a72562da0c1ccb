"""Plans among points: the obstacles of MotionBenchMaker's problems as clouds of points on their surfaces.

    python benches/clouds.py --data DIR             # prints the table
    python benches/clouds.py --data DIR --write     # and writes it into docs-site/benchmarks.md

Points stand on the surfaces of boxes, cylinders and spheres, no farther apart than a spacing, with balls that close the
surface. The goals of the problems are grasps, nearer to an object than the balls reach: a motion among the shapes is
followed to the last configuration that is free among the points, which is the goal here. What `rrt_connect` finds is
timed, and certified among the true shapes, where it must not touch anything. Planning among the shapes to the same goal
stands beside it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Planner, PlanningError, Robot, Scene

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planners import model_of, problems  # noqa: E402

SPACINGS = (0.03, 0.01, 0.003)
"""Distances of neighbouring points, m."""
CLOSING = 0.5 * np.sqrt(2.0) * 1.01
"""Radius of the balls that close a surface, over the spacing."""
SAMPLES = 200
"""Configurations of a motion that are looked at for a goal."""
HEADER = (
    "| spacing | points | ms to add | solved | ms to plan | 95 % | ms among the shapes | 95 % | touching a shape |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def steps(length: float, spacing: float) -> np.ndarray:
    """Values from one end of a centred interval to the other, no farther apart than the spacing."""
    return np.linspace(-0.5 * length, 0.5 * length, max(2, int(np.ceil(length / spacing)) + 1))


def grid(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of two lists."""
    first, second = np.meshgrid(a, b)
    return first.ravel(), second.ravel()


def box_surface(half: np.ndarray, spacing: float) -> np.ndarray:
    """Points on the six faces of a box."""
    faces = []
    for axis in range(3):
        u, v = [other for other in range(3) if other != axis]
        for side in (-1.0, 1.0):
            first, second = grid(steps(2.0 * half[u], spacing), steps(2.0 * half[v], spacing))
            face = np.zeros((len(first), 3))
            face[:, u], face[:, v], face[:, axis] = first, second, side * half[axis]
            faces.append(face)
    return np.vstack(faces)


def ring(radius: float, z: float, spacing: float) -> np.ndarray:
    """Points on a circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, max(3, int(np.ceil(2.0 * np.pi * radius / spacing))), endpoint=False)
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(len(angles), z)])


def cylinder_surface(radius: float, half_height: float, spacing: float) -> np.ndarray:
    """Points on the side and both ends of a cylinder."""
    side = [ring(radius, z, spacing) for z in steps(2.0 * half_height, spacing)]
    radii = np.linspace(0.0, radius, int(np.ceil(radius / spacing)) + 1)
    ends = [ring(r, z, spacing) for r in radii for z in (-half_height, half_height)]
    return np.vstack(side + ends)


def sphere_surface(radius: float, spacing: float) -> np.ndarray:
    """Points on a sphere, in rings."""
    angles = np.linspace(0.0, np.pi, int(np.ceil(np.pi * radius / spacing)) + 1)
    return np.vstack([ring(radius * np.sin(angle), radius * np.cos(angle), spacing) for angle in angles])


def surface(scene: Scene, name: str, spacing: float) -> np.ndarray:
    """Points on the surface of an object, in the root frame."""
    shape, pose = scene.get(name)
    size = shape.dimensions
    local = {
        "cuboid": lambda: box_surface(np.asarray(size["half_extents"]), spacing),
        "cylinder": lambda: cylinder_surface(size["radius"], size["half_height"], spacing),
        "sphere": lambda: sphere_surface(size["radius"], spacing),
    }[shape.kind]()
    points: np.ndarray = local @ pose[:3, :3].T + pose[:3, 3]
    return points


def surfaces(scene: Scene, spacing: float) -> np.ndarray:
    """Points on the surfaces of all objects."""
    return np.vstack([surface(scene, name, spacing) for name in scene.objects]).astype(np.float32)


def planner(robot: Robot, scene: Scene) -> Planner:
    """A planner without margins."""
    return Planner(robot, scene, collision_margin=0.0, timeout=1.0)


def planned(robot: Robot, scene: Scene, start: Any, goal: Any) -> tuple[Any, float]:
    """A timed motion, or the refusal, and the milliseconds that it took."""
    asked = planner(robot, scene)
    began = time.perf_counter()
    try:
        motion: Any = asked.plan(start, goal)
    except PlanningError as refused:
        motion = refused
    return motion, 1e3 * (time.perf_counter() - began)


def reachable_goal(robot: Robot, scene: Scene, cloud: Scene, ends: tuple[Any, Any]) -> Any:
    """The last configuration of a motion among the shapes that is free among the points; None without one."""
    motion, _ = planned(robot, scene, *ends)
    if isinstance(motion, PlanningError) or cloud.check_collision(ends[0]):
        return None
    along = [motion.sample(time) for time in np.linspace(0.0, motion.duration, SAMPLES)]
    free = [q for q in along if not cloud.check_collision(q)]
    return free[-1] if len(free) > 1 else None


def touches(robot: Robot, scene: Scene, motion: Any) -> bool:
    """Whether a motion is refused among the true shapes."""
    try:
        planner(robot, scene).certify(motion)
    except PlanningError:
        return True
    return False


def line(robot: Robot, cases: list[tuple[Any, Any, Any]], spacing: float) -> str:
    """A row of the table."""
    counts, adding, among_points, among_shapes = [], [], [], []
    usable, solved, touching = 0, 0, 0
    for scene, start, grasp in cases:
        points = surfaces(scene, spacing)
        cloud = Scene(robot)
        began = time.perf_counter()
        cloud.add_pointcloud("cloud", points, sphere_radius=CLOSING * spacing, max_points=None)
        adding.append(1e3 * (time.perf_counter() - began))
        counts.append(len(points))
        goal = reachable_goal(robot, scene, cloud, (start, grasp))
        if goal is None:
            continue
        usable += 1
        motion, milliseconds = planned(robot, cloud, start, goal)
        if isinstance(motion, PlanningError):
            continue
        solved += 1
        among_points.append(milliseconds)
        among_shapes.append(planned(robot, scene, start, goal)[1])
        touching += touches(robot, scene, motion)
    share = f"{solved} of {usable}"
    times = [figure for rows in (among_points, among_shapes) for figure in (statistics.median(rows), percentile(rows))]
    figures = " | ".join(f"{value:.2f}" for value in times)
    count, added = f"{statistics.median(counts):,.0f}", f"{statistics.median(adding):.1f}"
    return f"| {1e3 * spacing:g} mm | {count} | {added} | {share} | {figures} | {touching} |"


def percentile(values: list[float]) -> float:
    """The value that 95 % stay below."""
    return float(np.percentile(values, 95))


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robot", default="panda", help="panda, ur5 or fetch")
    parser.add_argument("--every", type=int, default=12, help="every so many problems of a family (default 12)")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    cases = problems(arguments.data, arguments.robot, arguments.every)
    lines, robot = [HEADER], model_of(arguments.robot)
    for spacing in SPACINGS:
        lines.append(line(robot, cases, spacing))
        print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "clouds", "\n".join(lines)))


if __name__ == "__main__":
    main()
