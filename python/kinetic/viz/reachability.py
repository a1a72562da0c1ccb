"""One layer of a reachability map."""

from __future__ import annotations

import os

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from .. import InputError, ReachabilityMap
from .style import STYLE

__all__ = ["plot_slice"]

AXES = "xyz"


def plot_slice(
    reach: ReachabilityMap, *, axis: str = "y", at: float = 0.0, path: str | os.PathLike[str] | None = None
) -> Figure:
    """Draws the cubes that a plane cuts, coloured by the share of directions from which the tool reaches them.

    Args:
        reach: The map.
        axis: The axis that the plane is normal to: "x", "y" or "z" of the group's base.
        at: Where on this axis the plane lies, m.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.

    Raises:
        InputError: Another axis.
    """
    values, (left, right, low, high) = layer(reach, axis, at)
    across, up = (name for name in AXES if name != axis)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.0, 5.6), dpi=110, facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        extent = (left, right, low, high)
        image = axes.imshow(values, origin="lower", extent=extent, vmin=0.0, vmax=1.0, cmap="viridis")
        figure.colorbar(image, ax=axes, label="share of directions")
        axes.set_xlabel(f"{across} (m)")
        axes.set_ylabel(f"{up} (m)")
        axes.set_title(f"{axis} = {at:g} m")
        if path is not None:
            figure.savefig(path)
    return figure


def layer(reach: ReachabilityMap, axis: str, at: float) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """The cubes around a plane as an image, NaN where the tool was not, and its borders in m."""
    if axis not in AXES or len(axis) != 1:
        raise InputError(f'axis = "{axis}"; wanted "x", "y" or "z"')
    edge = reach.resolution
    cells = np.floor(reach.centers / edge).astype(int)
    normal = AXES.index(axis)
    rest = [number for number in range(3) if number != normal]
    first, last = cells[:, rest].min(axis=0), cells[:, rest].max(axis=0)
    values = np.full(tuple(last - first + 1)[::-1], np.nan)
    here = cells[:, normal] == np.floor(at / edge)
    column, row = (cells[here][:, rest] - first).T
    values[row, column] = reach.dexterity[here]
    borders = np.stack([first, last + 1], axis=1) * edge
    return values, (borders[0, 0], borders[0, 1], borders[1, 0], borders[1, 1])
