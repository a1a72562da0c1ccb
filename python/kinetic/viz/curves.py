"""Positions and their derivatives of one trajectory over time, and how much of its limits it uses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import Trajectory
from .plot import share_time_axis
from .style import INK, STYLE, colour

__all__ = ["plot_curves"]

PANELS = ("position", "velocity", "acceleration", "jerk")
UNITS = ("position (rad, m)", "velocity (1/s)", "acceleration (1/s²)", "jerk (1/s³)")
SAMPLES = 1000
"""Moments of the whole motion; every piece is read at both of its ends besides."""
STEP = 1e-6
"""Accelerations that differ by less than this part of the largest one do not step."""
HEADROOM = 1.15
"""A panel reaches this far beyond its curves."""


def plot_curves(
    trajectory: Trajectory,
    path: str | os.PathLike[str] | None = None,
    limits: Mapping[str, Sequence[float]] | None = None,
) -> Figure:
    """Draws a trajectory over time, or a path over its waypoints.

    Args:
        trajectory: What to draw.
        path: File to write; the ending says the format.
        limits: One list per joint under "velocity", "acceleration", "jerk": what lies outside is shaded, and a last
            panel says how much of its most used limit each joint uses.

    Returns:
        The figure, for further use.
    """
    limits = limits or {}
    with matplotlib.rc_context(STYLE):
        rows = len(PANELS) + bool(limits) if trajectory.is_timed else 1
        figure = Figure(figsize=(9.0, 1.5 + 2.2 * rows), dpi=110, facecolor="white", layout="constrained")
        axes = [figure.add_subplot(rows, 1, row + 1) for row in range(rows)]
        if trajectory.is_timed:
            draw_timed(axes, trajectory, limits)
        else:
            draw_path(axes[0], trajectory)
        figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=10)
        if path is not None:
            figure.savefig(path)
    return figure


def names(trajectory: Trajectory) -> list[str]:
    """Names of the joints, or their numbers."""
    return trajectory.joint_names or [f"joint {joint}" for joint in range(trajectory.dof)]


def curves(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,), and position, velocity, acceleration and jerk at them, shape (4, n, dof).

    Every piece of the polynomial is read from its beginning to its end, so that a step between two pieces is two values
    at one time.
    """
    knots, coefficients = trajectory.pieces()
    spans = np.diff(knots) if len(knots) > 1 else np.zeros(1)
    count = max(2, SAMPLES // len(spans))
    local = spans[:, None] * np.linspace(0.0, 1.0, count)
    powers = np.arange(coefficients.shape[2])
    values = []
    for order in range(len(PANELS)):
        factors = np.ones(len(powers))
        for step in range(order):
            factors *= powers - step
        exponents = np.maximum(powers - order, 0)
        terms = factors * local[..., None] ** exponents
        values.append(np.einsum("pjk,ptk->ptj", coefficients, terms).reshape(-1, trajectory.dof))
    return (knots[: len(spans), None] + local).ravel(), np.array(values)


def draw_timed(axes: list[Axes], trajectory: Trajectory, limits: Mapping[str, Sequence[float]]) -> None:
    """One panel per derivative, and one for the use of limits."""
    times, values = curves(trajectory)
    steps = acceleration_steps(trajectory)
    for axis, name, unit, panel in zip(axes, PANELS, UNITS, values):
        for joint, label in enumerate(names(trajectory)):
            line_label = label if axis is axes[0] else None
            axis.plot(times, panel[:, joint], color=colour(joint), linewidth=1.8, label=line_label)
        axis.set_ylabel(unit)
        if name == "jerk":
            mark_steps(axis, steps)
        if name in limits:
            shade(axis, np.abs(panel), np.asarray(limits[name], dtype=float))
    if limits:
        draw_use(axes[-1], times, values, limits)
        if "jerk" in limits:
            mark_steps(axes[-1], steps)
    share_time_axis(axes, trajectory.duration)


def acceleration_steps(trajectory: Trajectory) -> list[np.ndarray]:
    """Per joint the times at which its acceleration steps, so that its jerk is infinite.

    Between pieces, and at a start or an end at which the joints rest: before and after they stand still.
    """
    knots, coefficients = trajectory.pieces()
    if len(knots) < 2:
        return [np.zeros(0)] * trajectory.dof
    powers = np.diff(knots)[:, None] ** np.arange(coefficients.shape[2])
    begin = 2.0 * coefficients[:, :, 2]
    orders = np.arange(coefficients.shape[2])
    end = np.einsum("pjk,pk->pj", (orders * (orders - 1) * coefficients)[:, :, 2:], powers[:, :-2])
    speeds = np.vstack([trajectory.sample_velocity(0.0), trajectory.sample_velocity(trajectory.duration)])
    at_rest = [float(np.abs(row).max(initial=0.0)) <= STEP for row in speeds]
    zero = np.zeros((1, trajectory.dof))
    before = np.vstack([zero if at_rest[0] else begin[:1], end])
    after = np.vstack([begin, zero if at_rest[1] else end[-1:]])
    largest = np.maximum(np.abs(before), np.abs(after)).max(initial=0.0)
    steps = np.abs(after - before) > STEP * largest
    return [knots[steps[:, joint]] for joint in range(trajectory.dof)]


def mark_steps(axis: Axes, steps: list[np.ndarray]) -> None:
    """Lines over the whole height where jerk is infinite, and a word that says so."""
    for joint, times in enumerate(steps):
        across = axis.get_xaxis_transform()
        axis.vlines(times, 0.0, 1.0, colors=colour(joint), linewidth=0.8, linestyles=":", alpha=0.7, transform=across)
    if any(len(times) for times in steps):
        axis.set_title("infinite where acceleration steps (dotted)", loc="right", fontsize=9, color=INK)


def shade(axis: Axes, sizes: np.ndarray, limits: np.ndarray) -> None:
    """Shades what is outside of each joint's limit; where all limits are exceeded the shades add up."""
    top = HEADROOM * max(sizes.max(initial=0.0), limits.min())
    axis.set_ylim(-top, top)
    for joint, limit in enumerate(limits):
        for low, high in ((limit, top), (-top, -limit)):
            if low < high:
                axis.axhspan(low, high, color=colour(joint), alpha=0.12, linewidth=0.0, zorder=0)


def draw_use(axis: Axes, times: np.ndarray, values: np.ndarray, limits: Mapping[str, Sequence[float]]) -> None:
    """The largest part of its limits that each joint uses, over time."""
    shares = [np.abs(values[PANELS.index(name)]) / np.asarray(given, dtype=float) for name, given in limits.items()]
    use = np.max(shares, axis=0)
    for joint in range(use.shape[1]):
        axis.plot(times, use[:, joint], color=colour(joint), linewidth=1.8)
    axis.axhline(1.0, color=INK, linewidth=1.0, linestyle="--")
    axis.set_ylim(0.0, HEADROOM * max(1.0, use.max(initial=0.0)))
    axis.set_ylabel("part of limit used")


def draw_path(axis: Axes, trajectory: Trajectory) -> None:
    """Positions over the number of the waypoint."""
    values = np.array(trajectory.positions())
    for joint, name in enumerate(names(trajectory)):
        axis.plot(values[:, joint], "-o", color=colour(joint), linewidth=1.8, markersize=4, label=name)
    axis.set_ylabel(UNITS[0])
    axis.set_xlabel("waypoint")
