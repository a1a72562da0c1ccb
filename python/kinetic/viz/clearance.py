"""How far a robot stays from the world and from itself over a motion, each beside the margin that it has to keep."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .. import Scene, Trajectory
from .style import INK, SELF

__all__ = ["draw_clearance"]

# Key of the certificate's closest approaches, attribute with the margin, name in the legend, colour.
PARTNERS = (("world", "margin", "to the world", INK), ("self", "self_margin", "to itself", SELF))


def draw_clearance(axis: Axes, scene: Scene, trajectory: Trajectory, times: np.ndarray, positions: np.ndarray) -> None:
    """Distances to the world and between links, both margins, and the least distances of the certificate."""
    curves = {"world": np.array([scene.min_distance(q) for q in positions]), "self": self_distances(scene, positions)}
    axis.set_ylabel("clearance (mm)")
    highest = 0.0
    lines = []
    for key, margin, label, line_colour in PARTNERS:
        curve = 1e3 * curves[key]
        if not np.isfinite(curve).all():
            continue
        lines += axis.plot(times, curve, color=line_colour, linewidth=2.0, label=label)
        highest = max(highest, float(curve.max()))
        if trajectory.certificate is not None:
            lines += mark(axis, trajectory.certificate, key, getattr(trajectory.certificate, margin), line_colour)
    if not np.isfinite(curves["world"]).all():
        say_why(axis, scene, is_empty=not lines)
    if lines:
        axis.set_ylim(0.0, max(1.25 * highest, 1.0))
        axis.legend(
            handles=lines, loc="lower left", bbox_to_anchor=(-0.01, 0.98), ncols=4, frameon=False, fontsize=9.5,
            borderaxespad=0.2, columnspacing=1.2, handlelength=1.6,
        )  # fmt: skip


def self_distances(scene: Scene, positions: np.ndarray) -> np.ndarray:
    """Least distance between links, and what they carry, at each configuration, m: in the scene without objects."""
    alone = scene.snapshot()
    alone.clear()
    return np.array([min((row["distance"] for row in alone.link_distances(q)), default=np.inf) for q in positions])


def mark(axis: Axes, certificate: Any, key: str, margin: float, line_colour: str) -> list[Any]:
    """The margin as a dashed line in the colour of its curve, and the closest approach as a dot."""
    (line,) = axis.plot(
        [0.0, 1.0], 2 * [1e3 * margin], color=line_colour, linewidth=1.4, linestyle="--",
        clip_on=False, label=f"margin {1e3 * margin:.3g} mm", transform=axis.get_yaxis_transform(),
    )  # fmt: skip
    least = certificate.closest_approaches[key]
    if least["pair"] is not None:
        axis.plot([least["time"]], [1e3 * least["distance"]], "o", color=line_colour, markersize=7, zorder=5)
    return [line]


def say_why(axis: Axes, scene: Scene, is_empty: bool) -> None:
    """Says why there is no curve of the world; a panel without any curve needs no numbers."""
    why = "no obstacles" if not scene.objects else "not checked: the robot has no collision shapes"
    axis.text(0.5, 0.5, why, ha="center", va="center", transform=axis.transAxes, color=INK)
    if is_empty:
        axis.set_yticks([])
