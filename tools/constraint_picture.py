"""Draws ``docs-site/assets/constraints.png``: a hand that stays upright on its way past a post, and one that need not.

Run from anywhere: ``python tools/constraint_picture.py``. Both motions of a Panda have the same start and goal; one is
planned with the axis of the hand within 5° of the vertical. On the left, the hand and its axis at even intervals of
time; on the right, the angle of the axis from the vertical at fine samples of the timed motions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import kinetic

PICTURE = Path(__file__).resolve().parents[1] / "docs-site" / "assets" / "constraints.png"
HAND = "panda_hand"
START, GOAL = ([turn, 0.2, 0.0, -2.0, 0.0, 2.2, 0.8] for turn in (-0.8, 0.8))
TOLERANCE_DEG = 5.0
SIZES, CENTRE = np.array([0.05, 0.05, 0.4]), np.array([0.5, 0.0, 0.4])
"""Of the post, m."""
SAMPLES = 4000
AXES = 26
"""Drawn axes of the hand."""
AXIS_M = 0.09
KEPT, FREE = "tab:blue", "tab:orange"


def planned() -> tuple[kinetic.Robot, kinetic.Trajectory, kinetic.Trajectory]:
    """The robot, and its motions with and without the constraint."""
    robot = kinetic.Robot("franka_panda")
    scene = kinetic.Scene(robot)
    scene.add("post", kinetic.Shape.cuboid(*SIZES), kinetic.Pose.from_xyz(*CENTRE))
    upright = kinetic.Constraint.orientation(HAND, [0, 0, -1], np.deg2rad(TOLERANCE_DEG))
    keeping = kinetic.Planner(robot, scene, constraints=[upright])
    start, goal = keeping.project(np.array(START)), keeping.project(np.array(GOAL))
    planner = kinetic.Planner(robot, scene)
    return robot, planner.plan_constrained(start, goal, [upright]), planner.plan(start, goal)


def hand_poses(robot: kinetic.Robot, motion: kinetic.Trajectory, times: np.ndarray) -> np.ndarray:
    """Poses of the hand at times of a motion."""
    return np.array([robot.fk(motion.sample(t), link=HAND) for t in times])


def tilts(poses: np.ndarray) -> np.ndarray:
    """Angles of the z axes from straight down, degrees; precise for small ones too."""
    axes = poses[:, :3, 2]
    return np.rad2deg(np.arctan2(np.linalg.norm(axes[:, :2], axis=1), -axes[:, 2]))


def draw_post(axis: Any) -> None:
    """The edges of the post and its faces."""
    low, high = CENTRE - SIZES / 2, CENTRE + SIZES / 2
    x, y = np.array([low, high, high, low, low])[:, 0], np.array([low, low, high, high, low])[:, 1]
    heights = np.array([low[2], high[2]])
    x, z = np.meshgrid(x, heights)
    axis.plot_surface(x, np.tile(y, (2, 1)), z, color="tab:gray", alpha=0.5, edgecolor="black", linewidth=0.4)


def draw_hand(axis: Any, robot: kinetic.Robot, motion: kinetic.Trajectory, colour: str) -> None:
    """The way of the hand, above the ground; its axis at even intervals of time, upwards as a cup would stand."""
    way, drawn = (hand_poses(robot, motion, np.linspace(0.0, motion.duration, count)) for count in (400, AXES))
    axis.plot(*way[:, :3, 3].T, color=colour, linewidth=1.5)
    axis.plot(*way[:, :2, 3].T, np.zeros(len(way)), color="tab:gray", linewidth=0.8, alpha=0.7)
    for pose in drawn:
        axis.plot(*np.array([pose[:3, 3], pose[:3, 3] - AXIS_M * pose[:3, 2]]).T, color=colour, linewidth=1.2)


def draw_space(axis: Any, robot: kinetic.Robot, motions: list[tuple[kinetic.Trajectory, str, str]]) -> None:
    """The post, and both motions among equal scales."""
    draw_post(axis)
    for motion, colour, _ in motions:
        draw_hand(axis, robot, motion, colour)
    axis.set(xlabel="x, m", ylabel="y, m", zlabel="z, m", xlim=(0.1, 0.6), ylim=(-0.55, 0.5), zlim=(0.0, 0.95))
    axis.set(xticks=[0.2, 0.4, 0.6], yticks=[-0.4, 0.0, 0.4], zticks=[0.0, 0.4, 0.8])
    axis.set_title(f"The hand and its axis at {AXES} even instants")
    axis.set_box_aspect((0.5, 1.05, 0.95), zoom=1.12)
    axis.view_init(elev=20.0, azim=25.0)


def main() -> None:
    """Draws the picture."""
    robot, kept, free = planned()
    motions = [(kept, KEPT, "with the constraint"), (free, FREE, "without")]
    figure = plt.figure(figsize=(10.0, 4.2), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    draw_space(figure.add_subplot(grid[:, 0], projection="3d"), robot, motions)
    whole = figure.add_subplot(grid[0, 1])
    near = figure.add_subplot(grid[1, 1], sharex=whole)
    for motion, colour, name in motions:
        times = np.linspace(0.0, motion.duration, SAMPLES)
        found = tilts(hand_poses(robot, motion, times))
        whole.plot(times, found, color=colour, linewidth=1.2, label=f"{name}, at most {found.max():.1f}°")
        if motion is kept:
            near.plot(
                times, found, color=colour, linewidth=1.2, label=f"at most {found.max():.2f}° in {SAMPLES} samples"
            )
    (proven,) = kept.certificate.constraints
    bound = TOLERANCE_DEG + np.rad2deg(proven["max_violation"])
    labels = (f"tolerance, {TOLERANCE_DEG:g}°", f"tolerance, {TOLERANCE_DEG:g}°; certificate: at most {bound:.2f}°")
    for axis, label in zip((whole, near), labels):
        axis.axhline(TOLERANCE_DEG, color="tab:red", linestyle="--", linewidth=0.9, label=label)
        axis.set(ylabel="tilt, °")
    whole.set(title="Angle of the axis from the vertical", ylim=(-4.0, 80.0))
    whole.legend(fontsize="small", loc="upper right")
    near.set(xlabel="time, s", title="The same with the constraint", ylim=(-0.3, 6.0))
    near.legend(fontsize="small", loc="lower center")
    figure.savefig(PICTURE, dpi=110)
    print(PICTURE)


if __name__ == "__main__":
    main()
