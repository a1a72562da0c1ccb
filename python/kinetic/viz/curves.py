"""Positions, velocities and accelerations of one trajectory, without robot and scene."""

from __future__ import annotations

import os

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import Trajectory
from .plot import SAMPLES, STYLE, colour, share_time_axis

__all__ = ["plot_curves"]

UNITS = ("position (rad, m)", "velocity (1/s)", "acceleration (1/s²)")


def plot_curves(trajectory: Trajectory, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws a trajectory over time, or a path over its waypoints.

    Args:
        trajectory: What to draw.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    with matplotlib.rc_context(STYLE):
        rows = len(UNITS) if trajectory.is_timed else 1
        figure = Figure(figsize=(9.0, 1.5 + 2.2 * rows), dpi=110, facecolor="white", layout="constrained")
        axes = [figure.add_subplot(rows, 1, row + 1) for row in range(rows)]
        if trajectory.is_timed:
            draw_timed(axes, trajectory)
        else:
            draw_path(axes[0], trajectory)
        figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=10)
        if path is not None:
            figure.savefig(path)
    return figure


def names(trajectory: Trajectory) -> list[str]:
    """Names of the joints, or their numbers."""
    return trajectory.joint_names or [f"joint {joint}" for joint in range(trajectory.dof)]


def draw_timed(axes: list[Axes], trajectory: Trajectory) -> None:
    """One panel per derivative."""
    times = np.linspace(0.0, trajectory.duration, SAMPLES)
    readers = (trajectory.sample, trajectory.sample_velocity, trajectory.sample_acceleration)
    for axis, read, unit in zip(axes, readers, UNITS):
        values = np.array([read(t) for t in times])
        for joint, name in enumerate(names(trajectory)):
            label = name if axis is axes[0] else None
            axis.plot(times, values[:, joint], color=colour(joint), linewidth=1.8, label=label)
        axis.set_ylabel(unit)
    share_time_axis(axes, trajectory.duration)


def draw_path(axis: Axes, trajectory: Trajectory) -> None:
    """Positions over the number of the waypoint."""
    values = np.array(trajectory.positions())
    for joint, name in enumerate(names(trajectory)):
        axis.plot(values[:, joint], "-o", color=colour(joint), linewidth=1.8, markersize=4, label=name)
    axis.set_ylabel(UNITS[0])
    axis.set_xlabel("waypoint")
