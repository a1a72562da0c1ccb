"""The arm among its obstacles, in the robot's root frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from .. import Robot, Scene
from .arms import RobotSurfaces
from .skeleton import arm_links, arm_polyline
from .solids import polygons
from .style import ARM, FAINT, INK, OBJECT_COLOURS, TOOL
from .surfaces import Surfaces, quadrilaterals, tiles

__all__ = ["draw_space", "new_surfaces", "set_view", "show_objects"]

# The view, degrees: from behind the robot's right shoulder.
ELEVATION, AZIMUTH = 27.0, -126.0
# Configurations that are drawn, and how opaque each of those between start and goal is.
ARMS = 6
BETWEEN = 0.2
OBSTACLE = 0.4
# How much of its colour the start keeps; the rest is white.
START_STRENGTH = 0.6


def new_surfaces() -> Surfaces:
    """An empty drawing for the view of :func:`set_view`."""
    return Surfaces(ELEVATION, AZIMUTH)


def draw_space(axis: Any, robot: Robot, scene: Scene, positions: np.ndarray) -> None:
    """Obstacles, the robot at several configurations of a motion, and the path of its tool."""
    surfaces = new_surfaces()
    corners = show_objects(axis, surfaces, scene)
    links = arm_links(robot)
    lines = np.array([arm_polyline(robot, links, q) for q in positions])
    chosen = evenly_spaced(positions, ARMS)
    corners.append(show_robot(axis, surfaces, robot, list(positions[chosen]), lines[chosen]))
    surfaces.draw(axis)
    draw_tool_path(axis, lines[:, -1])
    set_view(axis, np.vstack([*corners, lines.reshape(-1, 3)]))


def evenly_spaced(positions: np.ndarray, count: int) -> np.ndarray:
    """Indices of configurations with about equal ways in joint space between them, first and last among them."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))])
    indices = np.searchsorted(way, np.linspace(0.0, way[-1], count))
    indices[-1] = len(positions) - 1
    return np.unique(indices)


def show_robot(
    axis: Any, surfaces: Surfaces, robot: Robot, configurations: Sequence[np.ndarray], lines: np.ndarray
) -> np.ndarray:
    """The robot from its start (pale) to its goal (full colour); as a polyline where it has no shapes to draw."""
    body = RobotSurfaces(robot)
    colours = [mixed(ARM, START_STRENGTH), *[ARM] * (len(configurations) - 1)]
    alphas = [1.0, *[BETWEEN] * max(0, len(configurations) - 2), 1.0]
    names = [("arm at the start", colours[0], 1.0), ("under way", ARM, 2.0 * BETWEEN), ("at the goal", ARM, 1.0)]
    for name, face_colour, alpha in names:
        axis.plot([], [], [], "s", color=face_colour, alpha=alpha, markersize=11, markeredgewidth=0.0, label=name)
    if not body.links:
        for line, line_colour, alpha in zip(lines, colours, alphas):
            axis.plot(*line.T, "-o", color=line_colour, alpha=alpha, linewidth=3.0, markersize=4, zorder=5)
    return body.add(surfaces, configurations, colours[: len(configurations)], alphas[-len(configurations) :])


def mixed(colour: str, strength: float) -> Any:
    """A colour with white."""
    return tuple(strength * part + 1.0 - strength for part in to_rgb(colour))


def draw_tool_path(axis: Any, tool: np.ndarray) -> None:
    """The way of the tool over everything else, so that it is seen where the arm is before it."""
    axis.plot(*tool.T, color=TOOL, linewidth=2.5, zorder=8, label="tool path")
    ends = {"color": TOOL, "marker": "o", "markersize": 8, "linestyle": "none", "zorder": 9}
    axis.plot(*tool[:1].T, **ends, markerfacecolor="white", markeredgewidth=2.0, label="its start")
    axis.plot(*tool[-1:].T, **ends, label="its goal")


def show_objects(axis: Any, surfaces: Surfaces, scene: Scene) -> list[np.ndarray]:
    """Adds every object and returns all corners; objects whose names share the first word share a colour."""
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
            face_colour = OBJECT_COLOURS[number % len(OBJECT_COLOURS)]
            surfaces.add_flat(tiles(quadrilaterals(faces)), face_colour, OBSTACLE)
            if len(faces) <= 6:
                outline = [np.vstack([face, face[:1]]) for face in faces]
                axis.add_collection3d(Line3DCollection(outline, colors=INK, linewidths=0.5, alpha=0.5, zorder=1))
    return [face for solids in by_size for faces in solids for face in faces]


def extent(faces: list[np.ndarray]) -> float:
    """Sum of the sides of the box around all faces, m."""
    corners = np.vstack(faces)
    return float((corners.max(axis=0) - corners.min(axis=0)).sum())


def set_view(axis: Any, points: np.ndarray) -> None:
    """Equal scales around all points, seen from behind the robot's right shoulder."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    # A motion in a plane still gets a little depth, which a 3D axis needs.
    centre, span = (lower + upper) / 2, np.maximum(upper - lower, 0.1)
    (x0, y0, z0), (x1, y1, z1) = centre - span / 2, centre + span / 2
    axis.set(xlim=(x0, x1), ylim=(y0, y1), zlim=(z0, z1))
    axis.set_box_aspect(span, zoom=1.03)
    axis.view_init(elev=ELEVATION, azim=AZIMUTH)
    axis.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    axis.locator_params(nbins=5)
    for pane in (axis.xaxis, axis.yaxis, axis.zaxis):
        pane.pane.set_facecolor("white")
        pane._axinfo["grid"]["color"] = FAINT
