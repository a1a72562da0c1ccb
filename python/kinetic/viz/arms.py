"""The links of a robot as surfaces of their collision shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import Robot
from .solids import polygons
from .style import BODY
from .surfaces import Surfaces, quadrilaterals

__all__ = ["RobotSurfaces"]

# A link whose box moves by less than this part of its size is drawn once: it stands still or turns on the spot, and its
# faces would only get into each other's way.
SAME_PLACE = 0.25
# Of a link that nothing moves the box is the same to rounding, m.
AT_REST = 1e-9


@dataclass(frozen=True)
class LinkSurface:
    """Faces (n, 4, 3) of one link with the normals (n, 3) that lead out of its shapes, in the link's frame."""

    faces: np.ndarray
    normals: np.ndarray

    def at(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Faces and normals where the link has a pose (4×4)."""
        return self.faces @ pose[:3, :3].T + pose[:3, 3], self.normals @ pose[:3, :3].T


def places(boxes: np.ndarray) -> tuple[list[int], bool]:
    """Of the boxes (n, 2, 3) of a link those at which it is drawn, the last one always; and whether it never moves."""
    size = float(np.linalg.norm(boxes[-1, 1] - boxes[-1, 0]))
    ways = np.abs(boxes - boxes[-1]).max(axis=(1, 2))
    elsewhere = [number for number, way in enumerate(ways[:-1]) if way > SAME_PLACE * size]
    return [*elsewhere, len(boxes) - 1], len(boxes) > 1 and bool(ways.max() < AT_REST)


def box_around(faces: np.ndarray) -> np.ndarray:
    """Lowest and highest corner (2, 3) of faces."""
    points = faces.reshape(-1, 3)
    return np.array([points.min(axis=0), points.max(axis=0)])


class RobotSurfaces:
    """Collision shapes of all links that have some; worked out once, drawn at many configurations.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.links = {name: surface for name in robot.link_names if (surface := link_surface(robot, name)) is not None}

    def add(
        self, surfaces: Surfaces, configurations: Sequence[np.ndarray], colours: Sequence[Any], alphas: Sequence[float]
    ) -> np.ndarray:
        """Adds the robot at each configuration.

        Links that stay where they are come once, as at the last one; what nothing moves has no colour of the arm.

        Returns:
            All corners, shape (n, 3).
        """
        poses = [self.robot.fk_all(q) for q in configurations]
        corners = [np.zeros((0, 3))]
        for name, surface in self.links.items() if poses else ():
            placed = [surface.at(np.asarray(pose[name])) for pose in poses]
            drawn, is_at_rest = places(np.array([box_around(faces) for faces, _ in placed]))
            for number in drawn:
                surfaces.add(*placed[number], BODY if is_at_rest else colours[number], alphas[number])
                corners.append(placed[number][0].reshape(-1, 3))
        return np.vstack(corners)


def link_surface(robot: Robot, link: str) -> LinkSurface | None:
    """The faces of a link's collision shapes; None when it has none."""
    pieces = [
        oriented(quadrilaterals(polygons(shape.kind, shape.dimensions, np.asarray(pose))))
        for shape, pose in robot.collision_shapes(link)
    ]
    if not pieces:
        return None
    faces, normals = zip(*pieces)
    return LinkSurface(np.vstack(faces), np.vstack(normals))


def oriented(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces of a convex solid with area, and their unit normals away from its middle."""
    normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    lengths = np.linalg.norm(normals, axis=1)
    faces, normals = faces[lengths > 0.0], normals[lengths > 0.0] / lengths[lengths > 0.0, None]
    outside = np.einsum("ij,ij->i", normals, faces.mean(axis=1) - faces.reshape(-1, 3).mean(axis=0))
    return faces, np.where(outside < 0.0, -1.0, 1.0)[:, None] * normals
