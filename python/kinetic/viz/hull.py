"""The triangles of the convex hull of points in space, for drawing."""

from __future__ import annotations

import numpy as np

__all__ = ["hull_triangles"]

# Points that stand out of a face by less than this part of the size of the whole do not change the picture.
FLAT = 1e-7


def hull_triangles(points: np.ndarray) -> np.ndarray:
    """Triangles of the hull of points (n, 3), counter-clockwise from outside; of shape (m, 3, 3).

    Point by point: what a point sees of the hull so far is replaced by triangles from the border of that part to the
    point (the beneath-beyond method; Edelsbrunner, "Algorithms in Combinatorial Geometry", 1987, section 8.4). Points
    in one plane have no hull in space: the result is empty.
    """
    points = np.unique(np.asarray(points, dtype=float), axis=0)
    margin = FLAT * float(np.ptp(points, axis=0).max(initial=0.0))
    corners = first_tetrahedron(points, margin)
    if corners is None:
        return np.zeros((0, 3, 3))
    inside = points[corners].mean(axis=0)
    faces = outward(points, inside, np.array([np.delete(corners, skip) for skip in range(4)]))
    for number in np.setdiff1d(np.arange(len(points)), corners):
        normals, offsets = planes(points[faces])
        seen = normals @ points[number] - offsets > margin
        if seen.any():
            border = border_edges(faces[seen])
            new = np.column_stack([border, np.full(len(border), number)])
            faces = np.vstack([faces[~seen], outward(points, inside, new)])
    triangles: np.ndarray = points[faces]
    return triangles


def first_tetrahedron(points: np.ndarray, margin: float) -> np.ndarray | None:
    """Indices of four points that are not in one plane; None when there are none."""
    if len(points) < 4:
        return None
    a = 0
    b = int(np.linalg.norm(points - points[a], axis=1).argmax())
    along = points[b] - points[a]
    c = int(np.linalg.norm(np.cross(points - points[a], along), axis=1).argmax())
    normal = np.cross(along, points[c] - points[a])
    length = float(np.linalg.norm(normal))
    if length <= margin**2:
        return None
    heights = np.abs((points - points[a]) @ (normal / length))
    d = int(heights.argmax())
    return np.array([a, b, c, d]) if heights[d] > margin else None


def planes(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals (m, 3) and offsets (m,) of the planes of triangles; a triangle without area has no normal."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    return normals, np.einsum("ij,ij->i", normals, triangles[:, 0])


def outward(points: np.ndarray, inside: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """The same faces, turned so that a point inside lies behind all of them."""
    normals, offsets = planes(points[faces])
    turned: np.ndarray = np.where((normals @ inside > offsets)[:, None], faces[:, ::-1], faces)
    return turned


def border_edges(faces: np.ndarray) -> np.ndarray:
    """Edges (k, 2) that exactly one of the faces has."""
    edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    border: np.ndarray = unique[counts == 1]
    return border
