"""Pictures of the demo of sensors: what the camera sees, where the arm and the crate are, latencies and distances."""

from __future__ import annotations

import os
from typing import Any

import matplotlib
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..demo_sensors import TABLE, SensorDemo
from ..simulated_camera import Corners
from .skeleton import arm_links, arm_polyline
from .style import ARM, INK, STYLE, TOOL

__all__ = ["animate_sensors", "plot_sensors"]

FRAMES_PER_SECOND = 10


def plot_sensors(demo: SensorDemo, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws the last picture, the scene from above, latencies and distances.

    Args:
        demo: What `kinetic.demo_sensors.run` returned.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10.0, 7.0), dpi=110, facecolor="white", layout="constrained")
        (seen, above), (latency, distance) = figure.subplots(2, 2)
        show_depth(seen, demo.picture)
        show_above(above, demo, len(demo.times) - 1)
        latency.plot(demo.times, demo.to_scene, color=ARM, label="picture to scene")
        latency.plot(demo.times, demo.to_plan, color=TOOL, label="scene to proven plan")
        latency.set(xlabel="s", ylabel="ms", yscale="log", title="how long it takes")
        latency.legend(frameon=False)
        distance.plot(demo.times, demo.distances, color=ARM)
        distance.axhline(0.0, color=INK, linewidth=0.8)
        distance.set(xlabel="s", ylabel="m", title="distance from what is there")
        if path is not None:
            figure.savefig(path)
    return figure


def animate_sensors(demo: SensorDemo, path: str | os.PathLike[str]) -> None:
    """Writes an animation (GIF) of the scene from above.

    Args:
        demo: What `kinetic.demo_sensors.run` returned.
        path: File to write.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.5, 4.5), dpi=80, facecolor="white", layout="constrained")
        axis = figure.add_subplot()
        rate = (len(demo.times) - 1) / demo.times[-1] if demo.times[-1] > 0.0 else FRAMES_PER_SECOND
        numbers = range(0, len(demo.times), max(1, round(rate / FRAMES_PER_SECOND)))

        def show(number: int) -> list[Any]:
            axis.clear()
            show_above(axis, demo, number)
            return []

        FuncAnimation(figure, show, frames=numbers).save(os.fspath(path), writer=PillowWriter(fps=FRAMES_PER_SECOND))


def show_depth(axis: Any, picture: np.ndarray) -> None:
    """The picture; nearer is brighter."""
    axis.imshow(np.where(picture > 0.0, picture, np.nan), cmap="viridis_r")
    axis.set(xticks=[], yticks=[], title="what the camera sees")


def show_above(axis: Any, demo: SensorDemo, number: int) -> None:
    """Table, crate, arm and its way, from above."""
    links = arm_links(demo.robot)
    axis.add_patch(rectangle(TABLE, "0.9"))
    axis.add_patch(rectangle(demo.crates[number], "0.5"))
    tool = np.array([demo.robot.fk(q)[:3, 3] for q in demo.positions[: number + 1]])
    axis.plot(tool[:, 0], tool[:, 1], color=TOOL, linewidth=1.0)
    arm = arm_polyline(demo.robot, links, demo.positions[number])
    axis.plot(arm[:, 0], arm[:, 1], color=ARM, linewidth=3.0, marker="o", markersize=4.0)
    state = "" if demo.is_planned[number] else ", waits"
    axis.set(
        xlim=(-0.4, 1.1), ylim=(-0.95, 0.95), aspect="equal", title=f"from above, {demo.times[number]:.1f} s{state}"
    )


def rectangle(corners: Corners, colour: str) -> Rectangle:
    """A box from above."""
    low, high = np.array(corners)
    return Rectangle((low[0], low[1]), *(high - low)[:2], facecolor=colour, edgecolor=INK, linewidth=0.8)
