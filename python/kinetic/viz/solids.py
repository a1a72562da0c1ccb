"""Surfaces of scene shapes as polygons, for drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .hull import hull_triangles

__all__ = ["polygons"]

# Corners of a circle and rows of a dome: round enough at the size of a picture.
CORNERS = 28
DOME_ROWS = 6
# A half-space has no size; its picture is a square of this half-length around the foot of the origin, m.
PLANE_HALF_LENGTH = 1.0
# Roundings of hulls below this are not drawn, m: those of links are about 1 mm.
VISIBLE = 0.003
# Cells along the longest side of a point cloud.
CELLS_OF_A_CLOUD = 60

Polygons = list[np.ndarray]


def polygons(kind: str, dimensions: dict[str, Any], pose: np.ndarray) -> Polygons:
    """Faces of a shape, each of shape (corners, 3), in the frame that ``pose`` (4×4) maps to.

    Args:
        kind: ``Shape.kind``.
        dimensions: ``Shape.dimensions``.
        pose: Pose of the shape.
    """
    faces = SURFACES[kind](dimensions)
    return [face @ pose[:3, :3].T + pose[:3, 3] for face in faces]


def cuboid(dimensions: dict[str, Any]) -> Polygons:
    """Six rectangles."""
    return box_between(-np.asarray(dimensions["half_extents"]), np.asarray(dimensions["half_extents"]))


def box_between(lower: np.ndarray, upper: np.ndarray) -> Polygons:
    """The faces of the box with these two corners."""
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (lower, upper):
            face = np.empty((4, 3))
            face[:, axis] = side[axis]
            face[:, u] = [lower[u], upper[u], upper[u], lower[u]]
            face[:, v] = [lower[v], lower[v], upper[v], upper[v]]
            faces.append(face)
    return faces


def ring(radius: float, height: float) -> np.ndarray:
    """A circle about z, of shape (CORNERS, 3)."""
    angle = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(CORNERS, height)])


def lathe(rings: list[np.ndarray]) -> Polygons:
    """Quadrilaterals between neighbouring rings."""
    return [
        np.array([low[i], low[(i + 1) % CORNERS], high[(i + 1) % CORNERS], high[i]])
        for low, high in zip(rings, rings[1:])
        for i in range(CORNERS)
    ]


def cylinder(dimensions: dict[str, Any]) -> Polygons:
    """Mantle and two lids."""
    radius, half = dimensions["radius"], dimensions["half_height"]
    bottom, top = ring(radius, -half), ring(radius, half)
    return [*lathe([bottom, top]), bottom, top]


def capsule(dimensions: dict[str, Any]) -> Polygons:
    """A mantle between two domes."""
    radius, half = dimensions["radius"], dimensions.get("half_height", 0.0)
    latitude = np.linspace(0.0, np.pi / 2.0, DOME_ROWS)
    upper = [ring(radius * np.cos(a), half + radius * np.sin(a)) for a in latitude]
    lower = [ring(radius * np.cos(a), -half - radius * np.sin(a)) for a in latitude[::-1]]
    return lathe(lower + upper)


def half_space(dimensions: dict[str, Any]) -> Polygons:
    """A square piece of its surface."""
    normal = np.asarray(dimensions["normal"], dtype=float)
    # The coordinate axis that is farthest from the normal gives a well-conditioned direction in the plane.
    u = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    u *= PLANE_HALF_LENGTH / np.linalg.norm(u)
    v = np.cross(normal, u)
    foot = normal * dimensions["offset"]
    return [np.array([foot + u + v, foot - u + v, foot - u - v, foot + u - v])]


def convex(dimensions: dict[str, Any]) -> Polygons:
    """The triangles of the hull, each pushed outwards where the rounding can be seen; a box where the hull is flat."""
    vertices = np.asarray(dimensions["vertices"], dtype=float)
    radius = dimensions["radius"]
    triangles = hull_triangles(vertices)
    if len(triangles) == 0:
        return box_between(vertices.min(axis=0) - radius, vertices.max(axis=0) + radius)
    if radius < VISIBLE:
        return list(triangles)
    return list(hull_triangles(rounded(triangles, radius).reshape(-1, 3)))


def rounded(triangles: np.ndarray, radius: float) -> np.ndarray:
    """Triangles (m, 3, 3) moved outwards along their normals."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    moved: np.ndarray = triangles + radius * (normals / np.maximum(lengths, np.finfo(float).tiny))[:, None]
    return moved


def mesh(dimensions: dict[str, Any]) -> Polygons:
    """The triangles themselves."""
    return list(np.asarray(dimensions["vertices"], dtype=float)[np.asarray(dimensions["faces"], dtype=int)])


def height_field(dimensions: dict[str, Any]) -> Polygons:
    """The triangles on top, the four walls and the bottom."""
    heights, base = np.asarray(dimensions["heights"], dtype=float), dimensions["base"]
    rows, columns = heights.shape
    x = (np.arange(rows) - (rows - 1) / 2.0) * dimensions["spacing"][0]
    y = (np.arange(columns) - (columns - 1) / 2.0) * dimensions["spacing"][1]
    top = np.dstack([*np.meshgrid(x, y, indexing="ij"), heights])
    a, b, c, d = (part.reshape(-1, 3) for part in (top[:-1, :-1], top[1:, :-1], top[1:, 1:], top[:-1, 1:]))
    faces = [*np.stack([a, b, c], axis=1), *np.stack([a, c, d], axis=1)]
    for edge in (top[0], top[-1], top[:, 0], top[:, -1]):
        below = np.column_stack([edge[[-1, 0], :2], [base, base]])
        faces.append(np.vstack([edge, below]))
    corners = top[[0, -1, -1, 0], [0, 0, -1, -1]].copy()
    corners[:, 2] = base
    return [*faces, corners]


def voxels(dimensions: dict[str, Any]) -> Polygons:
    """The faces between occupied and free cells."""
    cells = np.asarray(dimensions["cells"], dtype=int)
    occupied = {tuple(cell) for cell in cells.tolist()}
    unit = box_between(np.zeros(3), np.ones(3))
    steps = [side * np.eye(3, dtype=int)[axis] for axis in range(3) for side in (-1, 1)]
    faces = [
        (cell + face) * dimensions["resolution"]
        for cell in cells
        for face, step in zip(unit, steps, strict=True)
        if tuple((cell + step).tolist()) not in occupied
    ]
    return faces


def point_cloud(dimensions: dict[str, Any]) -> Polygons:
    """The faces of cells that hold points, as large as the balls, and no more than can be told apart in a drawing."""
    points = np.asarray(dimensions["points"], dtype=float)
    resolution = max(2.0 * dimensions["radius"], float(np.ptp(points, axis=0).max()) / CELLS_OF_A_CLOUD, VISIBLE)
    cells = np.unique(np.floor(points / resolution).astype(int), axis=0)
    return voxels({"cells": cells, "resolution": resolution})


SURFACES: dict[str, Callable[[dict[str, Any]], Polygons]] = {
    "capsule": capsule,
    "convex": convex,
    "cuboid": cuboid,
    "cylinder": cylinder,
    "half_space": half_space,
    "height_field": height_field,
    "mesh": mesh,
    "point_cloud": point_cloud,
    "sphere": capsule,
    "voxels": voxels,
}
