"""A depth camera that looks at boxes and balls: what the demo of sensors has instead of a device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import Pose, Robot

__all__ = ["SimulatedCamera", "robot_balls"]

Corners = tuple[Sequence[float], Sequence[float]]


class SimulatedCamera:
    """A pinhole camera without distortion.

    Args:
        root_from_camera: Pose of its optical frame (x right, y down, z forward).
        size: Rows and pixels per row.
        focal: Focal length, pixels.
    """

    def __init__(self, root_from_camera: Pose, size: tuple[int, int] = (120, 160), focal: float = 120.0) -> None:
        self.pose, self.size, self.focal = root_from_camera, size, focal
        self.center = ((size[1] - 1) / 2.0, (size[0] - 1) / 2.0)
        v, u = np.mgrid[: size[0], : size[1]]
        rays = np.stack([(u - self.center[0]) / focal, (v - self.center[1]) / focal, np.ones(size)], axis=-1)
        self.rays = (rays @ root_from_camera.rotation_matrix.T).reshape(-1, 3)
        self.origin = np.asarray(root_from_camera.xyz)

    @property
    def intrinsics(self) -> list[float]:
        """fx, fy, cx and cy, pixels."""
        return [self.focal, self.focal, *self.center]

    def depth(self, boxes: Sequence[Corners], balls: np.ndarray | None = None) -> np.ndarray:
        """Depths along the optical axis (H, W), m; 0 where there is nothing.

        Args:
            boxes: Lowest and highest corners of boxes along the axes of the root frame, m.
            balls: Centres and radii (N, 4) of balls, m.
        """
        depth = np.full(len(self.rays), np.inf)
        for corners in boxes:
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = (np.array(corners)[:, None] - self.origin) / self.rays
            near, far = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
            depth = np.where((near <= far) & (near > 0.0), np.minimum(depth, near), depth)
        squared = np.einsum("ij,ij->i", self.rays, self.rays)
        for *center, radius in [] if balls is None else balls:
            offset = np.array(center) - self.origin
            along = self.rays @ offset
            root = along**2 - squared * (offset @ offset - radius**2)
            near = (along - np.sqrt(np.maximum(root, 0.0))) / squared
            depth = np.where((root >= 0.0) & (near > 0.0), np.minimum(depth, near), depth)
        return np.where(np.isfinite(depth), depth, 0.0).astype(np.float32).reshape(self.size)


def robot_balls(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The balls (N, 4) that cover a robot at a configuration, in its root frame, m."""
    poses = robot.fk_all(q)
    rows = []
    for link in robot.link_names:
        for x, y, z, radius in robot.collision_spheres(link):
            rows.append([*(poses[link] @ [x, y, z, 1.0])[:3], radius])
    return np.array(rows).reshape(-1, 4)
