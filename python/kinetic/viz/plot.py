"""One picture of one motion: joints, speeds, clearance over time, and the arm among its obstacles."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from .. import Robot, Scene, Trajectory
from .skeleton import arm_links, arm_polyline
from .solids import polygons

__all__ = ["picture_endings", "plot_motion"]

# Moments at which curves are read, and at which the arm is drawn.
SAMPLES = 400
ARMS = 7

# Okabe & Ito, "Color Universal Design", 2008: distinguishable with every common colour vision.
JOINT_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D31", "#6A51A3")
OBJECT_COLOURS = ("#D8C6A5", "#7FA3C4", "#A884C0", "#A3C07F", "#CF9583", "#9A9A9A")
FORBIDDEN = "#D62728"
INK = "#222222"
FAINT = "#D9D9D9"
TOOL = "#D55E00"
ARM = "#1F4E79"

STYLE: Any = {"font.size": 11, "axes.titlesize": 12, "axes.labelsize": 11}


def plot_motion(robot: Robot, scene: Scene, trajectory: Trajectory, path: str | None = None) -> Figure:
    """Draws a timed trajectory.

    Args:
        robot: The robot that moves.
        scene: What stands around it.
        trajectory: A timed trajectory of the robot's group.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(15.0, 8.6), dpi=110, facecolor="white")
        grid = figure.add_gridspec(3, 1, left=0.065, right=0.468, bottom=0.075, top=0.84, hspace=0.24)
        times = np.linspace(0.0, trajectory.duration, SAMPLES)
        positions = np.array([trajectory.sample(t) for t in times])
        velocities = np.array([trajectory.sample_velocity(t) for t in times])
        left = [figure.add_subplot(grid[row]) for row in range(3)]
        draw_positions(left[0], robot, times, positions)
        draw_velocities(left[1], robot, times, velocities)
        draw_clearance(left[2], scene, trajectory, times, positions)
        share_time_axis(left, trajectory.duration)
        space = figure.add_axes((0.508, 0.02, 0.487, 0.90), projection="3d", computed_zorder=False)
        draw_space(space, robot, scene, positions)
        add_title(figure, left[0], robot, trajectory)
        if path is not None:
            figure.savefig(path)
    return figure


def picture_endings() -> list[str]:
    """Endings of the files that can be written, without the dot, such as "png"."""
    return sorted(Figure().canvas.get_supported_filetypes())


def add_title(figure: Figure, top: Axes, robot: Robot, trajectory: Trajectory) -> None:
    """Robot, duration and clearance above everything; the joint names once, above the curves that they name."""
    parts = [robot.name, f"{trajectory.duration:.2f} s"]
    approaches = None if trajectory.certificate is None else trajectory.certificate.closest_approaches
    for name, partner in (("world", "the world"), ("self", "itself")):
        if approaches is not None and approaches[name]["pair"] is not None:
            parts.append(f"{approaches[name]['distance'] * 1e3:.1f} mm from {partner}")
    figure.suptitle("   ·   ".join(parts), x=0.065, y=0.965, ha="left", fontsize=17, fontweight="bold", color=INK)
    handles, labels = top.get_legend_handles_labels()
    columns = min(len(labels), 4)
    figure.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0.06, 0.85), ncols=columns, frameon=False, fontsize=10
    )


def share_time_axis(axes: list[Axes], duration: float) -> None:
    """Gives all curves the same time axis and labels it once."""
    for axis in axes:
        axis.set_xlim(0.0, max(duration, 1e-3))
        axis.grid(color=FAINT, linewidth=0.6)
        axis.set_axisbelow(True)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    for axis in axes[:-1]:
        axis.tick_params(labelbottom=False)
    axes[-1].set_xlabel("time (s)")


def draw_positions(axis: Axes, robot: Robot, times: np.ndarray, positions: np.ndarray) -> None:
    """Joint positions."""
    for joint, name in enumerate(robot.joint_names):
        axis.plot(times, positions[:, joint], color=colour(joint), linewidth=2.0, label=name)
    axis.set_ylabel("position (rad, m)")


def draw_velocities(axis: Axes, robot: Robot, times: np.ndarray, velocities: np.ndarray) -> None:
    """Joint velocities as a part of their limits; what lies outside the limits is shaded."""
    ratio = 100.0 * velocities / np.asarray(robot.velocity_limits)
    for joint in range(robot.dof):
        axis.plot(times, ratio[:, joint], color=colour(joint), linewidth=2.0)
    for sign in (-1.0, 1.0):
        axis.axhspan(sign * 100.0, sign * 1000.0, color=FORBIDDEN, alpha=0.12, linewidth=0.0)
        axis.axhline(sign * 100.0, color=FORBIDDEN, linewidth=1.0)
    axis.set_ylim(-125.0, 125.0)
    axis.set_yticks([-100, -50, 0, 50, 100])
    axis.text(0.995, 112.0, "limit", color=FORBIDDEN, ha="right", va="center", transform=axis.get_yaxis_transform())
    axis.set_ylabel("velocity (% of limit)")


def draw_clearance(axis: Axes, scene: Scene, trajectory: Trajectory, times: np.ndarray, positions: np.ndarray) -> None:
    """Distance to the nearest obstacle; the margin that the motion must keep is shaded."""
    clearance = 1e3 * np.array([scene.min_distance(q) for q in positions])
    axis.set_ylabel("clearance (mm)")
    if not np.isfinite(clearance).all():
        why = "no obstacles" if not scene.objects else "not checked: the robot has no collision shapes"
        axis.set_yticks([])
        axis.text(0.5, 0.5, why, ha="center", va="center", transform=axis.transAxes, color=INK)
        return
    axis.plot(times, clearance, color=INK, linewidth=2.0)
    axis.set_ylim(0.0, 1.25 * clearance.max())
    if trajectory.certificate is not None:
        mark_certificate(axis, trajectory.certificate)


def mark_certificate(axis: Axes, certificate: Any) -> None:
    """The margin, and where the verifier found the least clearance to the world."""
    margin = 1e3 * certificate.margin
    axis.axhspan(0.0, margin, color=FORBIDDEN, alpha=0.12, linewidth=0.0)
    axis.axhline(margin, color=FORBIDDEN, linewidth=1.0)
    label = f"margin {margin:.0f} mm"
    axis.text(0.995, margin / 2, label, color=FORBIDDEN, ha="right", va="center", transform=axis.get_yaxis_transform())
    world = certificate.closest_approaches["world"]
    if world["pair"] is not None:
        least = 1e3 * world["distance"]
        axis.plot([world["time"]], [least], "o", color=INK, markersize=7, zorder=5)
        link, other = world["pair"]
        axis.set_title(f"least clearance {least:.1f} mm: {link} – {other}", loc="left", fontsize=11, color=INK)


def draw_space(axis: Any, robot: Robot, scene: Scene, positions: np.ndarray) -> None:
    """Obstacles, arm and tool path in the robot's root frame."""
    links = arm_links(robot)
    lines = np.array([arm_polyline(robot, links, q) for q in positions])
    corners = draw_obstacles(axis, scene)
    draw_arms(axis, lines[np.linspace(0, len(lines) - 1, ARMS).astype(int)])
    tool = lines[:, -1]
    axis.plot(*tool.T, color=TOOL, linewidth=3.0, zorder=8, label="tool path")
    ends = {"color": TOOL, "marker": "o", "markersize": 9, "linestyle": "none", "zorder": 9}
    axis.plot(*tool[:1].T, **ends, markerfacecolor="white", markeredgewidth=2.0, label="start")
    axis.plot(*tool[-1:].T, **ends, label="goal")
    set_view(axis, np.vstack([*corners, lines.reshape(-1, 3)]))
    axis.legend(loc="upper right", bbox_to_anchor=(1.0, 1.07), ncols=2, frameon=False, fontsize=10)


def draw_obstacles(axis: Any, scene: Scene) -> list[np.ndarray]:
    """Draws every object and returns all corners; objects whose names share the first word share a colour.

    Large things come first: drawn later, a small thing in front of a large one stays visible.
    """
    families: dict[str, list[list[np.ndarray]]] = {}
    for name in scene.objects:
        shape, pose = scene.get(name)
        faces = polygons(shape.kind, shape.dimensions, np.asarray(pose))
        families.setdefault(name.split("_")[0], []).append(faces)
    by_size = sorted(
        families.values(), key=lambda solids: extent([face for faces in solids for face in faces]), reverse=True
    )
    for number, solids in enumerate(by_size):
        for faces in solids:
            draw_solid(axis, faces, OBJECT_COLOURS[number % len(OBJECT_COLOURS)])
    return [face for solids in by_size for faces in solids for face in faces]


def draw_solid(axis: Any, faces: list[np.ndarray], face_colour: str) -> None:
    """Translucent faces; with edges when there are few."""
    faces = with_equal_lengths(faces)
    axis.add_collection3d(Poly3DCollection(faces, facecolor=face_colour, edgecolor="none", alpha=0.45, zorder=1))
    if len(faces) <= 6:
        edges = Poly3DCollection(faces, facecolor="none", edgecolor=INK, linewidth=0.4, alpha=0.5, zorder=1)
        axis.add_collection3d(edges)


def with_equal_lengths(faces: list[np.ndarray]) -> list[np.ndarray]:
    """The same polygons with the last corner repeated: matplotlib 3.11 takes what it pads others with, which is memory
    that nothing was written to, for coordinates."""
    most = max(len(face) for face in faces)
    return [np.vstack([face, np.repeat(face[-1:], most - len(face), axis=0)]) for face in faces]


def extent(faces: list[np.ndarray]) -> float:
    """Sum of the sides of the box around all faces, m."""
    corners = np.vstack(faces)
    return float((corners.max(axis=0) - corners.min(axis=0)).sum())


def draw_arms(axis: Any, lines: np.ndarray) -> None:
    """The arm at several times, the later the darker."""
    strengths = np.linspace(0.15, 1.0, len(lines))
    for line, strength in zip(lines[:-1], strengths):
        axis.plot(*line.T, "-o", color=ARM, alpha=strength, linewidth=3.0, markersize=4, zorder=5)
    axis.plot(*lines[-1].T, "-o", color=ARM, linewidth=5.0, markersize=6, zorder=6, label="arm, later is darker")


def set_view(axis: Any, points: np.ndarray) -> None:
    """Equal scales around all points, seen from behind the robot's right shoulder."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    # A motion in a plane still gets a little depth, which a 3D axis needs.
    centre, span = (lower + upper) / 2, np.maximum(upper - lower, 0.1)
    (x0, y0, z0), (x1, y1, z1) = centre - span / 2, centre + span / 2
    axis.set(xlim=(x0, x1), ylim=(y0, y1), zlim=(z0, z1))
    axis.set_box_aspect(span, zoom=1.07)
    axis.view_init(elev=27.0, azim=-126.0)
    axis.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    axis.locator_params(nbins=5)
    for pane in (axis.xaxis, axis.yaxis, axis.zaxis):
        pane.pane.set_facecolor("white")
        pane._axinfo["grid"]["color"] = FAINT


def colour(joint: int) -> str:
    """The colour of a joint in every panel."""
    return JOINT_COLOURS[joint % len(JOINT_COLOURS)]
