"""The demo of sensors: a UR5e plans anew in every picture of a depth camera, around a crate that moves through its way.

The camera is simulated, and sees the arm, too. Positions are simulated: in each picture the arm advances along the
newest plan. What is measured is how long a picture takes into the scene and the scene into a proven plan.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from . import FrameTree, PerceptionPipeline, Planner, PlanningError, Pose, Robot, Scene, Shape
from .simulated_camera import Corners, SimulatedCamera, robot_balls

__all__ = ["SensorDemo", "run"]

RATE_HZ = 30.0
"""Pictures per second."""
SPEED = 0.8
"""Joint speed of the arm along its plan, rad/s."""
ENDS = ((-0.9, -1.2, 1.6, -1.9, -1.57, 0.0), (0.9, -1.2, 1.6, -1.9, -1.57, 0.0))
"""The configurations between which the arm goes, rad."""
TABLE: Corners = ([-0.3, -0.9, -0.10], [1.0, 0.9, -0.05])
CRATE = np.array([0.14, 0.14, 0.45])
"""Size of the crate that moves, m."""
SWING = 0.35
"""How far the crate moves to either side, m."""
PERIOD = 6.0
"""How long the crate takes there and back, s."""
REACH = 0.02
"""How near an end counts as reached, rad."""


@dataclass
class SensorDemo:
    """What happened, picture by picture."""

    robot: Robot
    scene: Scene
    times: list[float] = field(default_factory=list)
    """When the pictures were taken, s."""
    to_scene: list[float] = field(default_factory=list)
    """From a picture to the scene, ms."""
    to_plan: list[float] = field(default_factory=list)
    """From the scene to a proven plan, or to the answer that there is none, ms."""
    is_planned: list[bool] = field(default_factory=list)
    """Whether there was a plan."""
    distances: list[float] = field(default_factory=list)
    """Distance of the arm from everything that is really there, m."""
    positions: list[np.ndarray] = field(default_factory=list)
    """Where the arm was, rad."""
    crates: list[Corners] = field(default_factory=list)
    """Where the crate was."""
    picture: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))
    """The last picture, m."""
    reached: int = 0
    """How often an end was reached."""


def crate_at(t: float) -> Corners:
    """Lowest and highest corner of the crate at a time, m."""
    middle = np.array([0.62, SWING * np.sin(2.0 * np.pi * t / PERIOD), -0.05 + CRATE[2] / 2.0])
    return (list(middle - CRATE / 2.0), list(middle + CRATE / 2.0))


def run(seconds: float = 6.0, seed: int = 1) -> SensorDemo:
    """Runs so many seconds of simulated time."""
    robot = Robot("ur5e")
    camera = SimulatedCamera(Pose.look_at([1.7, 0.0, 1.1], [0.4, 0.0, 0.1], [0.0, 0.0, 1.0]))
    scene, pipeline = seen_by(camera, robot)
    demo, q, goal = SensorDemo(robot, scene), np.array(ENDS[0]), 1
    for number in range(int(seconds * RATE_HZ)):
        t = number / RATE_HZ
        crate = crate_at(t)
        demo.picture = camera.depth([TABLE, crate], robot_balls(robot, q))
        pipeline.update_robot(q, timestamp=t)
        pipeline.push_depth("front", demo.picture, timestamp=t)
        began = time.perf_counter()
        pipeline.process()
        sensed = time.perf_counter()
        path = planned(robot, scene, q, goal, seed)
        demo.to_scene.append(1e3 * (sensed - began))
        demo.to_plan.append(1e3 * (time.perf_counter() - sensed))
        demo.times.append(t)
        demo.is_planned.append(path is not None)
        demo.positions.append(q)
        demo.crates.append(crate)
        demo.distances.append(true_distance(robot, crate, q))
        if path is not None:
            q = advanced(path, SPEED / RATE_HZ)
        if np.abs(q - ENDS[goal]).max() < REACH:
            demo.reached, goal = demo.reached + 1, 1 - goal
    return demo


def seen_by(camera: SimulatedCamera, robot: Robot) -> tuple[Scene, PerceptionPipeline]:
    """A scene that a camera beside the robot feeds."""
    scene, frames = Scene(robot), FrameTree(history=2.0)
    frames.set_static(robot.link_names[0], "camera", camera.pose)
    pipeline = PerceptionPipeline(scene, frames)
    pipeline.add_sensor(
        "front",
        frame="camera",
        object="seen",
        camera=camera.intrinsics,
        sphere_radius=0.012,
        voxel_size=0.015,
        max_depth=3.0,
        robot_padding=0.06,
        margin=0.01,
    )
    return scene, pipeline


def planned(robot: Robot, scene: Scene, q: np.ndarray, goal: int, seed: int) -> np.ndarray | None:
    """A path to an end in what is seen now; None where there is none."""
    try:
        return np.asarray(
            Planner(robot, scene, rng_seed=seed, timeout=0.5, fix_start=0.1).plan(q, ENDS[goal]).positions()
        )
    except PlanningError:
        return None


def advanced(path: np.ndarray, length: float) -> np.ndarray:
    """The configuration so far along a path, rad."""
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    travelled = np.concatenate([[0.0], np.cumsum(steps)])
    return np.array([np.interp(length, travelled, joint) for joint in path.T])


def true_distance(robot: Robot, crate: Corners, q: np.ndarray) -> float:
    """Distance of the arm from table and crate, m."""
    scene = Scene(robot)
    for name, (low, high) in (("table", TABLE), ("crate", crate)):
        size, middle = np.subtract(high, low), np.add(low, high) / 2.0
        scene.add(name, Shape.box(*size), Pose.from_xyz(*middle))
    return scene.min_distance(q)
