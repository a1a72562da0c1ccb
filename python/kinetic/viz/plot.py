"""One picture of one motion: joints, speeds, clearance over time, and the arm among its obstacles."""

from __future__ import annotations

from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import Robot, Scene, Trajectory
from .clearance import draw_clearance
from .space import draw_space
from .style import FAINT, FORBIDDEN, INK, STYLE, colour

__all__ = ["picture_endings", "plot_motion", "share_time_axis"]

# Moments at which curves are read.
SAMPLES = 400
# Where the legends stand: above the curves and above the arm, outside of both.
LEGENDS = 0.845


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
        grid = figure.add_gridspec(3, 1, left=0.065, right=0.448, bottom=0.075, top=0.83, hspace=0.3)
        times = np.linspace(0.0, trajectory.duration, SAMPLES)
        positions = np.array([trajectory.sample(t) for t in times])
        velocities = np.array([trajectory.sample_velocity(t) for t in times])
        left = [figure.add_subplot(grid[row]) for row in range(3)]
        draw_positions(left[0], robot, times, positions)
        draw_velocities(left[1], robot, times, velocities)
        draw_clearance(left[2], scene, trajectory, times, positions)
        share_time_axis(left, trajectory.duration)
        space = figure.add_axes((0.48, 0.035, 0.51, 0.81), projection="3d", computed_zorder=False)
        draw_space(space, robot, scene, positions)
        add_title(figure, robot, trajectory)
        add_legend(figure, left[0], "lower left", 0.06)
        add_legend(figure, space, "lower right", 0.99)
        if path is not None:
            figure.savefig(path)
    return figure


def picture_endings() -> list[str]:
    """Endings of the files that can be written, without the dot, such as "png"."""
    return sorted(Figure().canvas.get_supported_filetypes())


def add_title(figure: Figure, robot: Robot, trajectory: Trajectory) -> None:
    """Robot, duration and clearances above everything."""
    parts = [robot.name, f"{trajectory.duration:.2f} s"]
    approaches = None if trajectory.certificate is None else trajectory.certificate.closest_approaches
    for name, partner in (("world", "the world"), ("self", "itself")):
        if approaches is not None and approaches[name]["pair"] is not None:
            parts.append(f"{approaches[name]['distance'] * 1e3:.1f} mm from {partner}")
    figure.suptitle("   ·   ".join(parts), x=0.065, y=0.965, ha="left", fontsize=17, fontweight="bold", color=INK)


def add_legend(figure: Figure, axis: Any, corner: Literal["lower left", "lower right"], x: float) -> None:
    """What the curves or surfaces of a panel are, once, above the panel: in two rows, in three small ones for many."""
    handles, labels = axis.get_legend_handles_labels()
    rows, size = (2, 9.5) if len(labels) <= 8 else (3, 8.0)
    figure.legend(
        handles,
        labels,
        loc=corner,
        bbox_to_anchor=(x, LEGENDS),
        ncols=-(-len(labels) // rows),
        columnspacing=1.4,
        labelspacing=0.35,
        frameon=False,
        fontsize=size,
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
    axis.locator_params(axis="y", nbins=6)


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
