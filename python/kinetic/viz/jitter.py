"""How late the commands of an execution were begun."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from .style import ARM, INK, STYLE, TOOL

__all__ = ["plot_jitter"]

MICROSECONDS = 1e6


def plot_jitter(result: Mapping[str, Any], path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws the histogram of a result.

    Args:
        result: What an executor returned.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    jitter = result["jitter"]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 4.0), dpi=110, facecolor="white", layout="constrained")
        axis = figure.add_subplot()
        # Bins double in width; up to the last that counts, and the first four at least.
        last = max(4, int(np.flatnonzero(jitter["counts"]).max(initial=0)) + 1)
        edges = np.minimum(jitter["edges"][: last + 1], 2.0 * jitter["edges"][last - 1]) * MICROSECONDS
        places = np.arange(last)
        axis.bar(places, np.maximum(jitter["counts"][:last], 0), width=0.9, color=ARM)
        axis.set_xticks(places, [f"{high:g}" for high in edges[1:]], rotation=45, color=INK)
        axis.set_yscale("symlog", linthresh=1.0)
        axis.set_xlabel("commands begun at most so many µs late")
        axis.set_ylabel("commands")
        mean, largest = jitter["mean"] * MICROSECONDS, jitter["max"] * MICROSECONDS
        axis.set_title(
            f"{jitter['count']} commands: {mean:.0f} µs late on average, at most {largest:.0f} µs", color=TOOL
        )
        if path is not None:
            figure.savefig(path)
    return figure
