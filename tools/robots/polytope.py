"""Polytopes around links of which no hull may be carried over, from simple shapes that are known to contain them.

A link lies in its axis-aligned box, its oriented box, its capsule and the convex hull of its sphere cover; so it lies
in their intersection, and in the intersection of half-spaces n·x <= h(n) where h is the least of their support
functions. Needs SciPy, for ``extract.py`` alone.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection

Json = dict[str, Any]

ROUNDING = 2e-5
"""m; the sizes in the reference data are printed with five digits."""
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


def directions() -> np.ndarray:
    """Unit vectors of an icosahedron with each triangle divided twice (162 of them)."""
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = [(0.0, a, b * golden) for a, b in product((-1.0, 1.0), repeat=2)]
    points = np.array([np.roll(corner, shift) for corner in corners for shift in range(3)])
    points /= np.linalg.norm(points[0])
    for _ in range(2):
        edges = {tuple(sorted(edge)) for face in ConvexHull(points).simplices for edge in zip(face, np.roll(face, 1))}
        middles = np.array([points[i] + points[j] for i, j in sorted(edges)])
        points = np.vstack([points, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
    return points


def supports(fit: Json, normals: np.ndarray) -> np.ndarray:
    """How far the link reaches at most along each direction, m."""
    low, high = np.array(fit["aabb"]["min"]), np.array(fit["aabb"]["max"])
    box, capsule, balls = fit["box"], fit["capsule"], np.array(fit["spheres"])
    corners = np.array(box["center"]) + (CORNERS * box["half_extents"]) @ np.array(box["rotation"]).T
    ends = np.array([capsule["p0"], capsule["p1"]])
    reaches = (
        np.maximum(normals * low, normals * high).sum(axis=1),
        (normals @ corners.T).max(axis=1),
        (normals @ ends.T).max(axis=1) + capsule["radius"],
        (normals @ balls[:, :3].T + balls[:, 3]).max(axis=1),
    )
    return np.min(reaches, axis=0) + ROUNDING


def around(fit: Json) -> list[list[float]]:
    """Vertices of a polytope that contains the link, in its frame, rounded outwards from the middle."""
    axes = np.vstack([np.eye(3), np.array(fit["box"]["rotation"]).T])
    normals = np.vstack([directions(), axes, -axes])
    middle = (np.array(fit["aabb"]["min"]) + np.array(fit["aabb"]["max"])) / 2.0
    planes = np.hstack([normals, -supports(fit, normals)[:, None]])
    points = HalfspaceIntersection(planes, middle).intersections
    points = points[ConvexHull(points).vertices]
    rounded = np.round(points, 5)
    vertices: list[list[float]] = np.unique(rounded, axis=0).tolist()
    return vertices
