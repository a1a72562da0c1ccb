"""Draws ``docs-site/assets/cartesian.png``: a tool that follows lines, an arc and rounded corners, and how near.

Run from anywhere: ``python tools/cartesian_picture.py``. On the left, the tool of a UR5e along the timed motion; on the
right, its speed beside the one that it is to hold, and its distance from the path beside the tolerance. The path is
worked out here, from the geometry of the moves and the definition of rounded corners, and not asked of the planner.
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any, Callable

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import kinetic
from kinetic.viz.skeleton import arm_links, arm_polyline

PICTURE = Path(__file__).resolve().parents[1] / "docs-site" / "assets" / "cartesian.png"
START = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
HEIGHT_M, ACROSS_M, RADIUS_M, TURN = 0.12, 0.2, 0.1, np.pi / 2
"""Lengths of the lines and radius of the half circle, m, and the turn of the tool along it, rad."""
ENDS_M = np.cumsum([0.0, HEIGHT_M, ACROSS_M, np.pi * RADIUS_M, ACROSS_M, HEIGHT_M])
"""Where the moves begin and end along the path."""
PATH_M = float(ENDS_M[-1])
BLEND_M, SPEED = 0.03, 0.25
"""Radius of the corners, m, and speed that the tool is to hold, m/s."""
TOLERANCE_M = 1e-6
WINDOWS, PER_WINDOW = 200, 40
"""The motion in equal windows of time, of which the largest distance is drawn, and samples in each."""
NEWTON_STEPS = 3
STEP_M = 1e-6
"""Of differences along the path."""
ARMS, FRAMES, AXIS_M = 4, 26, 0.03
"""Arms and frames that are drawn, and the length of the axes, m."""

Curve = Callable[[np.ndarray], np.ndarray]
"""Points and their first and second derivatives at lengths (N,): (3, N, 3)."""


def turned(tool: np.ndarray, offset: list[float], angle: float) -> np.ndarray:
    """A pose of the tool, moved along the axes of the base and turned about the vertical."""
    (c, s), pose = (np.cos(angle), np.sin(angle)), tool.copy()
    pose[:3, 3] += offset
    pose[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ tool[:3, :3]
    return pose


def moves(tool: np.ndarray) -> kinetic.CartesianPath:
    """Down, across, round a half circle, back and up."""
    via = turned(tool, [RADIUS_M, -ACROSS_M - RADIUS_M, -HEIGHT_M], TURN / 2)
    goal = turned(tool, [2 * RADIUS_M, -ACROSS_M, -HEIGHT_M], TURN)
    path = kinetic.CartesianPath().move_by([0.0, 0.0, -HEIGHT_M]).blended(BLEND_M)
    path = path.move_by([0.0, -ACROSS_M, 0.0]).blended(BLEND_M).arc_to(via, goal).blended(BLEND_M)
    return path.move_by([0.0, ACROSS_M, 0.0]).blended(BLEND_M).move_by([0.0, 0.0, HEIGHT_M])


def line(begin: np.ndarray, direction: list[float]) -> Curve:
    """The line from a point."""
    return lambda s: np.array([begin + np.outer(s, direction), np.outer(s**0, direction), np.zeros((len(s), 3))])


def half_circle(begin: np.ndarray) -> Curve:
    """The half circle that leaves a point along -y and comes back along y."""

    def at(s: np.ndarray) -> np.ndarray:
        angles = s / RADIUS_M
        outwards = np.array([-np.cos(angles), -np.sin(angles), np.zeros(len(s))]).T
        along = np.array([np.sin(angles), -np.cos(angles), np.zeros(len(s))]).T
        return np.array([begin + RADIUS_M * (outwards + [1.0, 0.0, 0.0]), along, -outwards / RADIUS_M])

    return at


def corner(leaves: np.ndarray, arrives: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Points of a rounded corner: the Bézier curve of degree 5 with given points and derivatives at both ends."""
    step, bend = 2 * BLEND_M / 5, (2 * BLEND_M) ** 2 / 20
    (p, v, a), (q, w, b) = leaves, arrives
    points = [p, p + step * v, p + 2 * step * v + bend * a, q - 2 * step * w + bend * b, q - step * w, q]
    weights = [comb(5, k) * parts**k * (1.0 - parts) ** (5 - k) for k in range(6)]
    return np.array(weights).T @ points


def points_at(begin: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Points of the path of `moves` at lengths along it."""
    low = begin - [0.0, 0.0, HEIGHT_M]
    near, far = low - [0.0, ACROSS_M, 0.0], low + [2 * RADIUS_M, 0.0, 0.0]
    curves = [
        line(begin, [0.0, 0.0, -1.0]),
        line(low, [0.0, -1.0, 0.0]),
        half_circle(near),
        line(near + [2 * RADIUS_M, 0.0, 0.0], [0.0, 1.0, 0.0]),
        line(far, [0.0, 0.0, 1.0]),
    ]
    found = np.empty((len(lengths), 3))
    for curve, start, end in zip(curves, ENDS_M, ENDS_M[1:]):
        chosen = (lengths >= start) & (lengths <= end)
        found[chosen] = curve(lengths[chosen] - start)[0]
    for before, after, start, end in zip(curves, curves[1:], ENDS_M, ENDS_M[1:]):
        chosen = np.abs(lengths - end) <= BLEND_M
        leaves, arrives = before(np.array([end - BLEND_M - start]))[:, 0], after(np.array([BLEND_M]))[:, 0]
        found[chosen] = corner(leaves, arrives, 0.5 + (lengths[chosen] - end) / (2 * BLEND_M))
    return found


def distances(begin: np.ndarray, tool: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Distances of positions of the tool from the path, m, by Newton's method from about where it is nearest."""
    for _ in range(NEWTON_STEPS):
        inside = np.clip(lengths, STEP_M, PATH_M - STEP_M)
        along = (points_at(begin, inside + STEP_M) - points_at(begin, inside - STEP_M)) / (2 * STEP_M)
        away = tool - points_at(begin, lengths)
        lengths = np.clip(lengths + np.sum(away * along, axis=1) / np.sum(along**2, axis=1), 0.0, PATH_M)
    return np.linalg.norm(tool - points_at(begin, lengths), axis=1)


def tool_poses(robot: kinetic.Robot, motion: kinetic.Trajectory, times: np.ndarray) -> np.ndarray:
    """Poses of the tool at times of a motion."""
    return np.array([robot.fk(motion.sample(t)) for t in times])


def draw_space(axis: Any, robot: kinetic.Robot, motion: kinetic.Trajectory) -> None:
    """The way of the tool with its axes at even intervals of time, and the arm at some instants."""
    links = arm_links(robot)
    for t in np.linspace(0.0, motion.duration, ARMS):
        axis.plot(*arm_polyline(robot, links, motion.sample(t)).T, "-o", color="tab:gray", linewidth=0.8, markersize=2)
    way, drawn = (tool_poses(robot, motion, np.linspace(0.0, motion.duration, count)) for count in (1000, FRAMES))
    axis.plot(*way[:, :3, 3].T, color="black", linewidth=1.2)
    for pose in drawn:
        for direction, colour in zip(pose[:3, :3].T, ("tab:red", "tab:green", "tab:blue")):
            axis.plot(*np.array([pose[:3, 3], pose[:3, 3] + AXIS_M * direction]).T, color=colour, linewidth=1.0)
    axis.set(xlabel="x, m", ylabel="y, m", zlabel="z, m", xlim=(-0.05, 0.8), ylim=(-0.02, 0.38), zlim=(0.0, 0.55))
    axis.set(xticks=[0.0, 0.2, 0.4, 0.6, 0.8], yticks=[0.0, 0.2], zticks=[0.0, 0.2, 0.4])
    axis.set_title(f"The tool at {FRAMES} even instants, the arm at {ARMS}")
    axis.zaxis.labelpad = -2.0
    axis.set_box_aspect((0.85, 0.4, 0.55), zoom=1.08)
    axis.view_init(elev=28.0, azim=-36.0)


def draw_speed(axis: Any, result: kinetic.CartesianResult, times: np.ndarray, tool: np.ndarray) -> None:
    """The speed of the tool beside that which it is to hold, and the joints that keep it from that."""
    axis.plot(times, np.linalg.norm(np.gradient(tool, times, axis=0), axis=1), color="tab:blue", linewidth=1.2)
    axis.axhline(SPEED, color="tab:red", linestyle="--", linewidth=0.9, label=f"constant_speed, {SPEED:g} m/s")
    lengths = [result.arc_length_at(t) for t in times]
    for loss in result.speed_losses:
        begin, end = np.interp([loss["from"], loss["to"]], lengths, times)
        axis.axvspan(begin, end, color="tab:gray", alpha=0.2, linewidth=0.0)
        if loss["joint"] is not None and not loss["at_stop"]:
            name = loss["joint"].replace("_joint", "")
            axis.text((begin + end) / 2, 0.1, name, ha="center", va="center", rotation=90.0, fontsize=7.0)
    axis.set(ylabel="speed, m/s", ylim=(0.0, 0.36), title="Speed of the tool, and joints at their limits")
    axis.legend(fontsize="small", loc="upper right")


def draw_distance(axis: Any, result: kinetic.CartesianResult, times: np.ndarray, away: np.ndarray) -> None:
    """The distance of the tool from the path beside its bound and its tolerance."""
    bound = result.deviation
    windows = (times.reshape(WINDOWS, PER_WINDOW), 1e6 * away.reshape(WINDOWS, PER_WINDOW))
    axis.semilogy(
        windows[0].mean(axis=1), windows[1].max(axis=1), linewidth=1.2, label=f"measured, ≤ {1e6 * away.max():.2g} µm"
    )
    axis.axhline(
        1e6 * bound, color="tab:green", linestyle=":", linewidth=1.2, label=f"certificate, ≤ {1e6 * bound:.2g} µm"
    )
    axis.axhline(
        1e6 * TOLERANCE_M, color="tab:red", linestyle="--", linewidth=0.9, label=f"tolerance, {1e6 * TOLERANCE_M:g} µm"
    )
    title = f"Distance from the path, largest of every {1e3 * times[-1] / WINDOWS:.0f} ms"
    axis.set(xlabel="time, s", ylabel="distance, µm", title=title, ylim=(1e-7, 1e3))
    axis.legend(fontsize="x-small", loc="upper center", ncols=3, columnspacing=1.0, handlelength=1.5)


def main() -> None:
    """Draws the picture."""
    robot = kinetic.Robot("ur5e")
    begin = robot.fk(START)
    config = kinetic.CartesianConfig(position_tolerance=TOLERANCE_M, constant_speed=SPEED)
    result = kinetic.Planner(robot).plan_cartesian(START, moves(begin), config)
    times = np.linspace(0.0, result.trajectory.duration, WINDOWS * PER_WINDOW)
    tool = tool_poses(robot, result.trajectory, times)[:, :3, 3]
    away = distances(begin[:3, 3], tool, np.array([result.arc_length_at(t) for t in times]))
    figure = plt.figure(figsize=(9.0, 3.7), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(0.85, 1.0))
    draw_space(figure.add_subplot(grid[:, 0], projection="3d"), robot, result.trajectory)
    upper = figure.add_subplot(grid[0, 1])
    draw_speed(upper, result, times, tool)
    draw_distance(figure.add_subplot(grid[1, 1], sharex=upper), result, times, away)
    figure.savefig(PICTURE, dpi=110)
    print(PICTURE)


if __name__ == "__main__":
    main()
