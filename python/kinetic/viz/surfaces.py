"""Faces with colours that stand for solids: shaded by one light, the far ones drawn first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

__all__ = ["Surfaces", "quadrilaterals", "tiles"]

# Faces whose normal leaves the viewer by more than this cosine are behind the solid. Some room, because the picture has
# a perspective and the direction to the viewer is not the same everywhere.
BEHIND = -0.2
# How bright a face is that turns its edge to the light, and how much more one that faces it.
AMBIENT, DIFFUSE = 0.55, 0.5
# Direction to the light with the viewer in front: from the left, from above, from behind the viewer's shoulder.
LIGHT = (-0.45, 0.65, 0.62)
# Faces longer than this are divided, because faces are ordered by the distance of their middles, m; and into how many
# parts along a side at most.
TILE = 0.12
MOST_TILES = 20


def quadrilaterals(polygons: Sequence[np.ndarray]) -> np.ndarray:
    """Polygons as quadrilaterals (n, 4, 3); the last corner of a triangle is there twice."""
    parts = []
    for polygon in polygons:
        if len(polygon) == 4:
            parts.append(polygon)
            continue
        parts += [polygon[[0, corner, corner + 1, corner + 1]] for corner in range(1, len(polygon) - 1)]
    return np.array(parts, dtype=float).reshape(-1, 4, 3)


def tiles(faces: np.ndarray) -> np.ndarray:
    """Quadrilaterals whose sides are not much longer than `TILE`."""
    parts = [tile for face in faces for tile in divided(face)]
    return np.array(parts).reshape(-1, 4, 3)


def divided(face: np.ndarray) -> list[np.ndarray]:
    """One quadrilateral as a grid of smaller ones."""
    sides = np.linalg.norm(np.roll(face, -1, axis=0) - face, axis=1)
    counts = np.clip(np.ceil([max(sides[[0, 2]]) / TILE, max(sides[[1, 3]]) / TILE]), 1, MOST_TILES).astype(int)
    u, v = (np.linspace(0.0, 1.0, count + 1) for count in counts)
    low = face[0] + u[:, None] * (face[1] - face[0])
    high = face[3] + u[:, None] * (face[2] - face[3])
    grid = low[:, None] + v[None, :, None] * (high - low)[:, None]
    return [
        np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]])
        for i in range(counts[0])
        for j in range(counts[1])
    ]


class Surfaces:
    """Faces of all solids of one drawing, which hide each other by distance and not by the order of drawing.

    Args:
        elevation: Angle of the view above the ground, degrees.
        azimuth: Angle of the view about z, degrees.
    """

    def __init__(self, elevation: float, azimuth: float) -> None:
        e, a = np.deg2rad([elevation, azimuth])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        self.to_viewer = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        up = np.cross(self.to_viewer, right)
        self.to_light = np.array(LIGHT) @ np.array([right, up, self.to_viewer])
        self.faces: list[np.ndarray] = []
        self.colours: list[np.ndarray] = []
        self.edges: list[np.ndarray] = []

    def add(self, faces: np.ndarray, normals: np.ndarray, face_colour: Any, alpha: float) -> None:
        """Adds those quadrilaterals (n, 4, 3) of a solid that are seen, by the normals (n, 3) that lead out of it."""
        shown = normals @ self.to_viewer > BEHIND
        light = AMBIENT + DIFFUSE * np.clip(normals[shown] @ self.to_light, 0.0, None)
        shades = np.clip(light[:, None] * np.array(to_rgb(face_colour)), 0.0, 1.0)
        self._take(faces[shown], np.column_stack([shades, np.full(len(shades), alpha)]))

    def add_flat(self, faces: np.ndarray, face_colour: Any, alpha: float) -> None:
        """Adds quadrilaterals (n, 4, 3) that are seen from both sides, all in one shade."""
        self._take(faces, np.tile([*to_rgb(face_colour), alpha], (len(faces), 1)))

    def _take(self, faces: np.ndarray, colours: np.ndarray) -> None:
        """Opaque faces get edges of their own colour, which close the seams between them."""
        self.faces.append(faces)
        self.colours.append(colours)
        edges = colours.copy()
        edges[colours[:, 3] < 1.0] = 0.0
        self.edges.append(edges)

    def draw(self, axis: Any) -> None:
        """Puts everything into a 3D axis as one collection, which sorts its faces by distance."""
        if sum(map(len, self.faces)) > 0:
            collection = Poly3DCollection(np.vstack(self.faces), linewidths=0.4, zorder=2)
            collection.set_facecolor(np.vstack(self.colours))
            collection.set_edgecolor(np.vstack(self.edges))
            axis.add_collection3d(collection)
