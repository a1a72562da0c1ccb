"""The picture of a motion, with small stand-ins for robot, scene and trajectory."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from kinetic.viz.plot import plot_motion
from kinetic.viz.skeleton import arm_links, arm_polyline
from kinetic.viz.solids import polygons


class PlanarArm:
    """Two links of 1 m and 0.5 m in a plane, with a frame beside the chain and a tool frame at its end."""

    name = "planar"
    dof = 2
    joint_names = ("shoulder", "elbow")
    link_names = ("root", "side", "upper", "upper_cover", "fore", "tool")
    velocity_limits = np.array([2.0, 3.0])

    def mid_configuration(self) -> np.ndarray:
        return np.zeros(2)

    def fk_all(self, q) -> dict:
        def pose(angle: float, x: float, y: float) -> np.ndarray:
            matrix = np.eye(4)
            matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            matrix[:2, 3] = x, y
            return matrix

        upper = pose(q[0], 0.0, 0.0)
        fore = upper @ pose(q[1], 1.0, 0.0)
        poses = {"root": np.eye(4), "side": pose(0.0, 0.0, -1.0), "upper": upper}
        return {**poses, "upper_cover": upper @ pose(0.0, 0.5, 0.0), "fore": fore, "tool": fore @ pose(0.0, 0.5, 0.0)}

    def fk(self, q, link=None) -> np.ndarray:
        return self.fk_all(q)[link or "tool"]


class Motion:
    """Both joints turn at constant speed."""

    duration = 2.0
    certificate = SimpleNamespace(
        margin=0.02,
        closest_approaches={
            "world": {"distance": 0.031, "margin": 0.02, "time": 1.2, "pair": ("fore", "box")},
            "self": {"distance": 0.012, "margin": 0.0, "time": 0.4, "pair": ("fore", "base")},
        },
    )

    def sample(self, t: float) -> np.ndarray:
        return np.array([0.5 * t, -0.25 * t])

    def sample_velocity(self, t: float) -> np.ndarray:
        return np.array([0.5, -0.25])


SHAPES = {
    "box": ("cuboid", {"half_extents": [0.1, 0.2, 0.3]}),
    "ball": ("sphere", {"radius": 0.2}),
    "post": ("cylinder", {"radius": 0.1, "half_height": 0.5}),
    "pill": ("capsule", {"radius": 0.1, "half_height": 0.3}),
    "floor": ("half_space", {"normal": [0.0, 0.0, 1.0], "offset": -0.5}),
    "rock": ("convex", {"vertices": [[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]], "radius": 0.0}),
}


class World:
    """One object of every kind."""

    objects = tuple(SHAPES)

    def get(self, name: str) -> tuple:
        kind, dimensions = SHAPES[name]
        return SimpleNamespace(kind=kind, dimensions=dimensions), np.eye(4)

    def min_distance(self, q) -> float:
        return 0.05 + 0.1 * abs(float(q[0]))


class Void:
    objects = ()

    def min_distance(self, q) -> float:
        return float("inf")


def all_points(kind: str) -> np.ndarray:
    return np.vstack(polygons(kind, dict(SHAPES.values())[kind], np.eye(4)))


def test_the_skeleton_goes_from_the_root_over_each_joint_to_the_tip() -> None:
    assert arm_links(PlanarArm()) == ["root", "upper", "fore", "tool"]


def test_the_polyline_bends_at_the_joints() -> None:
    arm = PlanarArm()
    points = arm_polyline(arm, arm_links(arm), np.array([np.pi / 2, np.pi / 2]))
    np.testing.assert_allclose(points[:, :2], [[0, 0], [0, 0], [0, 1], [-0.5, 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "half_size"),
    [
        ("cuboid", (0.1, 0.2, 0.3)),
        ("sphere", (0.2, 0.2, 0.2)),
        ("cylinder", (0.1, 0.1, 0.5)),
        ("capsule", (0.1, 0.1, 0.4)),
    ],
)
def test_surfaces_have_the_size_of_their_shape(kind: str, half_size: tuple) -> None:
    np.testing.assert_allclose(np.abs(all_points(kind)).max(axis=0), half_size, atol=1e-12)


def test_every_corner_of_a_sphere_lies_on_it() -> None:
    np.testing.assert_allclose(np.linalg.norm(all_points("sphere"), axis=1), 0.2, atol=1e-12)


def test_every_corner_of_a_half_space_lies_in_its_plane() -> None:
    normal = np.array([0.6, 0.0, 0.8])
    (square,) = polygons("half_space", {"normal": normal, "offset": 0.3}, np.eye(4))
    np.testing.assert_allclose(square @ normal, 0.3, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(square - 0.3 * normal, axis=1), np.sqrt(2.0), atol=1e-12)


def test_surfaces_move_with_the_pose_of_their_shape() -> None:
    pose = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], dtype=float)
    points = np.vstack(polygons("cuboid", {"half_extents": [0.1, 0.2, 0.3]}, pose))
    np.testing.assert_allclose(points.min(axis=0), [0.8, 1.9, 2.7], atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), [1.2, 2.1, 3.3], atol=1e-12)


def test_the_picture_has_every_curve_and_is_written(tmp_path) -> None:
    path = tmp_path / "motion.png"
    figure = plot_motion(PlanarArm(), World(), Motion(), str(path))
    positions, velocities, clearance, space = figure.axes
    assert [line.get_label() for line in positions.get_lines()] == ["shoulder", "elbow"]
    # 0.5 rad/s of 2 rad/s is a quarter of the limit.
    np.testing.assert_allclose(velocities.get_lines()[0].get_ydata(), 25.0)
    np.testing.assert_allclose(clearance.get_lines()[0].get_ydata()[0], 50.0)
    assert "fore – box" in clearance.get_title(loc="left")
    assert space.get_legend() is not None
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_scene_without_objects_is_said_to_be_empty() -> None:
    figure = plot_motion(PlanarArm(), Void(), Motion())
    assert [text.get_text() for text in figure.axes[2].texts] == ["no obstacles"]
