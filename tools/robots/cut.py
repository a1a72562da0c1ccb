"""Convex pieces of a mesh that is cut by planes, for links of which one convex hull says too little.

    python tools/robots/cut.py LINK MESH "x < 0.0385" "x > 0.0385, z > 0.36" ...

prints, for each box of conditions, the rounded hull of what the mesh has there, as ``facts/additions/<name>.json``
takes it under ``hulls``. Triangles are cut exactly, so that the pieces together contain the whole surface as long as
the conditions leave nothing out, which is looked at. Vertices are at most ``MOST``; ``radius`` is what they miss. The
mesh is in the frame of its link, in metres. Needs SciPy and kinetic.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

import kinetic

MOST = 120
"""Vertices of a piece."""
DIGITS = 5
"""Of coordinates, m."""

Plane = tuple[np.ndarray, float]
"""Normal and offset: what is inside has n·x <= d."""


def triangles(file: Path) -> np.ndarray:
    """Corners (n, 3, 3) of a mesh file of any format that kinetic reads."""
    vertices, faces = kinetic.load_mesh(file)
    return vertices[faces]


def planes(text: str) -> list[Plane]:
    """The half-spaces of conditions such as ``x < 0.1, z > 0.2``."""
    found = []
    for axis, sign, value in re.findall(r"([xyz])\s*([<>])\s*(-?[0-9.]+)", text):
        side = 1.0 if sign == "<" else -1.0
        found.append((side * np.eye(3)["xyz".index(axis)], side * float(value)))
    return found


def clipped(polygon: list[np.ndarray], plane: Plane) -> list[np.ndarray]:
    """The part of a convex polygon in a half-space (Sutherland and Hodgman 1974)."""
    normal, offset = plane
    kept = []
    for a, b in zip(polygon, polygon[1:] + polygon[:1]):
        before, after = normal @ a - offset, normal @ b - offset
        if before <= 0.0:
            kept.append(a)
        if before * after < 0.0:
            kept.append(a + (b - a) * before / (before - after))
    return kept


def area(polygon: list[np.ndarray]) -> float:
    """Of a convex polygon in space."""
    fan = zip(polygon[1:], polygon[2:])
    return 0.5 * sum(float(np.linalg.norm(np.cross(a - polygon[0], b - polygon[0]))) for a, b in fan)


def distance(point: np.ndarray, vertices: np.ndarray) -> float:
    """From the hull of vertices: the least residual of a combination whose weights are positive and sum up to 1."""
    heavy = 1e3
    rows = np.vstack([vertices.T - point[:, None], heavy * np.ones(len(vertices))])
    weights, _ = nnls(rows, np.append(np.zeros(3), heavy))
    return float(np.linalg.norm(vertices.T @ (weights / weights.sum()) - point))


def rounded_hull(points: np.ndarray) -> dict[str, object]:
    """Few vertices and the radius by which their hull must grow to contain all points."""
    corners = points[ConvexHull(points).vertices]
    chosen = sorted({int(index) for side in (corners.argmin(axis=0), corners.argmax(axis=0)) for index in side})
    while len(chosen) < min(MOST, len(corners)):
        if len(chosen) < 8:
            gaps = np.min(np.linalg.norm(corners[:, None] - corners[chosen], axis=2), axis=1)
        else:
            facets = ConvexHull(corners[chosen]).equations
            gaps = (corners @ facets[:, :3].T + facets[:, 3]).max(axis=1)
        chosen.append(int(gaps.argmax()))
    vertices = np.unique(np.round(corners[chosen], DIGITS), axis=0)
    radius = max(distance(corner, vertices) for corner in corners)
    # The projection is exact to some 1e-9.
    return {"type": "convex", "vertices": vertices.tolist(), "radius": round(radius + 1e-6, 6)}


def main() -> None:
    """Cut, cover, print."""
    link, file, *boxes = sys.argv[1:]
    mesh = triangles(Path(file))
    pieces, covered = [], 0.0
    for text in boxes:
        parts = [list(triangle) for triangle in mesh]
        for plane in planes(text):
            parts = [part for part in (clipped(polygon, plane) for polygon in parts) if len(part) > 2]
        covered += sum(map(area, parts))
        points = np.array([corner for part in parts for corner in part])
        pieces.append({"link": link, **rounded_hull(points)})
    whole = sum(area(list(triangle)) for triangle in mesh)
    if abs(covered - whole) > 1e-9 * whole:
        raise SystemExit(f"the conditions take {covered} m² of a surface of {whole} m²")
    print(json.dumps(pieces, separators=(",", ":")))


if __name__ == "__main__":
    main()
