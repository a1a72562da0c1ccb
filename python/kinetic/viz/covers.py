"""The covering spheres of a robot over the shapes that they cover, seen from three sides."""

from __future__ import annotations

import os
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.figure import Figure

from .. import Robot
from .solids import polygons
from .style import ARM, INK, STYLE, colour

__all__ = ["outline", "plot_covers"]

# Views by the axes that point right and up, with their names.
VIEWS = (("front", 1, 2), ("side", 0, 2), ("top", 0, 1))
# Directions in which the rounding of a shape is drawn.
DIRECTIONS = 24


def plot_covers(robot: Robot, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws collision shapes (filled) and covering spheres (circles) at the pose "home", or with all joints mid-range.

    Args:
        robot: The robot.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    q = robot.named_pose("home")
    poses = robot.fk_all(robot.mid_configuration() if q is None else q)
    links = [link for link in robot.link_names if len(robot.collision_spheres(link))]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(15.0, 6.0), dpi=110, facecolor="white", layout="constrained")
        for column, (name, right, up) in enumerate(VIEWS):
            axis = figure.add_subplot(1, len(VIEWS), column + 1)
            for number, link in enumerate(links):
                draw_link(axis, robot, link, np.asarray(poses[link]), (right, up), colour(number))
            axis.set(title=name, xlabel=f"{'xyz'[right]} (m)", ylabel=f"{'xyz'[up]} (m)")
            axis.set_aspect("equal")
            axis.autoscale_view()
        spheres = sum(len(robot.collision_spheres(link)) for link in links)
        title = f"{robot.name}   ·   {len(links)} links, {spheres} spheres over their collision shapes"
        figure.suptitle(title, ha="left", x=0.01, fontsize=15, fontweight="bold", color=INK)
        if path is not None:
            figure.savefig(path)
    return figure


def draw_link(axis: Axes, robot: Robot, link: str, pose: np.ndarray, view: tuple[int, int], face: str) -> None:
    """Shapes and spheres of one link in one view."""
    columns = list(view)
    outlines = [
        outline(corners(shape, pose @ np.asarray(placed))[:, columns], rounding(shape))
        for shape, placed in robot.collision_shapes(link)
    ]
    axis.add_collection(PolyCollection(outlines, facecolor=face, edgecolor="none", alpha=0.75, zorder=2))
    spheres = np.asarray(robot.collision_spheres(link))
    centres = (spheres[:, :3] @ pose[:3, :3].T + pose[:3, 3])[:, columns]
    size = 2.0 * spheres[:, 3]
    circles: Any = EllipseCollection(
        size, size, np.zeros(len(size)), units="xy", offsets=centres, offset_transform=axis.transData
    )
    circles.set(facecolor="none", edgecolor=ARM, linewidth=0.6, alpha=0.7, zorder=3)
    axis.add_collection(circles)
    reach = spheres[:, 3:]
    axis.update_datalim(np.vstack([centres - reach, centres + reach]))


def corners(shape: Any, pose: np.ndarray) -> np.ndarray:
    """Points whose convex hull, enlarged by :func:`rounding`, is the shape; shape (n, 3)."""
    sizes = shape.dimensions
    if shape.kind == "convex":
        points = np.asarray(sizes["vertices"], dtype=float)
    elif shape.kind in ("sphere", "capsule"):
        half = sizes.get("half_height", 0.0)
        points = np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])
    else:
        points = np.vstack(polygons(shape.kind, sizes, np.eye(4)))
    placed: np.ndarray = points @ pose[:3, :3].T + pose[:3, 3]
    return placed


def rounding(shape: Any) -> float:
    """Radius by which the hull of :func:`corners` is enlarged, m."""
    return float(shape.dimensions["radius"]) if shape.kind in ("convex", "sphere", "capsule") else 0.0


def outline(points: np.ndarray, radius: float = 0.0) -> np.ndarray:
    """Corners (m, 2), counter-clockwise, of the convex hull of points (n, 2) enlarged by a radius.

    Andrew's monotone chain (Information Processing Letters 9(5), 1979).
    """
    if radius > 0.0:
        angles = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
        circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        points = (points[:, None, :] + circle).reshape(-1, 2)
    ordered = np.unique(points, axis=0)
    return np.array([*half_hull(ordered)[:-1], *half_hull(ordered[::-1])[:-1]])


def half_hull(points: np.ndarray) -> list[np.ndarray]:
    """One side of the hull of points in lexicographic order, both ends included."""
    chain: list[np.ndarray] = []
    for point in points:
        while len(chain) > 1 and turn(chain[-2], chain[-1], point) <= 0.0:
            chain.pop()
        chain.append(point)
    return chain


def turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Twice the area of the triangle, positive counter-clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
