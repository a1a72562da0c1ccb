"""The demo that ``kinetic demo`` and the README show: a UR5e reaches around a pillar into a shelf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import Goal, Planner, Robot, Scene, Shape, Trajectory

__all__ = ["GOAL", "START", "DemoResult", "build_scene", "run"]

# Joint values in rad, base to wrist. The tool starts low over the right side of the table, pointing down, and ends
# inside the shelf, pointing forward; the pillar stands between.
START = (-1.29, -1.05, 1.75, -2.27, -1.57, -1.29)
GOAL = (0.27, -0.83, 1.29, -3.60, -1.84, 0.0)

# Boxes as (name, full lengths, centre) in m, in the robot's root frame, whose origin is the foot of the arm.
BOARD = 0.02
BOXES: tuple[tuple[str, tuple[float, float, float], tuple[float, float, float]], ...] = (
    ("table", (1.30, 1.34, 0.04), (0.30, -0.03, -0.02)),
    ("shelf_bottom", (0.30, 0.60, BOARD), (0.75, 0.30, 0.20)),
    ("shelf_top", (0.30, 0.60, BOARD), (0.75, 0.30, 0.60)),
    ("shelf_left", (0.30, BOARD, 0.62), (0.75, 0.61, 0.31)),
    ("shelf_right", (0.30, BOARD, 0.62), (0.75, -0.01, 0.31)),
    ("shelf_back", (BOARD, 0.64, 0.62), (0.91, 0.30, 0.31)),
)
PILLAR_RADIUS, PILLAR_HEIGHT, PILLAR_CENTRE = 0.05, 0.90, (0.45, -0.22)


@dataclass(frozen=True)
class DemoResult:
    """What the demo planned, and for what."""

    robot: Robot
    scene: Scene
    trajectory: Trajectory
    stats: dict[str, Any]


def build_scene(robot: Robot) -> Scene:
    """The table with shelf and pillar around ``robot``."""
    scene = Scene(robot)
    for name, size, centre in BOXES:
        scene.add(name, Shape.box(*size), translation(*centre))
    pillar = Shape.cylinder(PILLAR_RADIUS, PILLAR_HEIGHT / 2)
    scene.add("pillar", pillar, translation(*PILLAR_CENTRE, PILLAR_HEIGHT / 2))
    return scene


def translation(x: float, y: float, z: float) -> np.ndarray:
    """The 4×4 pose at (x, y, z) with the axes of the root frame."""
    pose = np.eye(4)
    pose[:3, 3] = (x, y, z)
    return pose


def run(seed: int = 1) -> DemoResult:
    """Plans the motion; the same seed gives the same trajectory."""
    robot = Robot("ur5e")
    scene = build_scene(robot)
    planner = Planner(robot, scene, rng_seed=seed)
    trajectory = planner.plan(START, Goal.joints(GOAL))
    return DemoResult(robot, scene, trajectory, dict(planner.last_stats))
