"""The picture of a motion, with small stand-ins for robot, scene and trajectory."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from kinetic.viz.arms import RobotSurfaces
from kinetic.viz.hull import hull_triangles
from kinetic.viz.plot import plot_motion
from kinetic.viz.skeleton import arm_links, arm_polyline
from kinetic.viz.solids import polygons
from kinetic.viz.space import evenly_spaced
from kinetic.viz.style import BODY
from kinetic.viz.surfaces import Surfaces, tiles


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

    def collision_shapes(self, link: str) -> list:
        sizes = {"root": 0.1, "upper": 0.05, "fore": 0.05}
        if link not in sizes:
            return []
        pose = np.eye(4)
        pose[0, 3] = 0.25
        return [(SimpleNamespace(kind="cuboid", dimensions={"half_extents": [0.25, sizes[link], 0.05]}), pose)]


class BareArm(PlanarArm):
    """The same without shapes."""

    def collision_shapes(self, link: str) -> list:
        return []


class Motion:
    """Both joints turn at constant speed."""

    duration = 2.0
    certificate = SimpleNamespace(
        margin=0.02,
        self_margin=0.001,
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

    def snapshot(self) -> "Void":
        return Void()


class Void:
    """Nothing around the arm, whose links come as near to each other as the elbow is bent."""

    objects = ()

    def min_distance(self, q) -> float:
        return float("inf")

    def snapshot(self) -> "Void":
        return Void()

    def clear(self) -> None:
        pass

    def link_distances(self, q) -> list:
        return [{"distance": 0.2 + float(q[1])}, {"distance": 5.0}]


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
    positions, velocities, clearance, _ = figure.axes
    assert [line.get_label() for line in positions.get_lines()] == ["shoulder", "elbow"]
    # 0.5 rad/s of 2 rad/s is a quarter of the limit.
    np.testing.assert_allclose(velocities.get_lines()[0].get_ydata(), 25.0)
    curves = {line.get_label(): line.get_ydata() for line in clearance.get_lines()}
    np.testing.assert_allclose(curves["to the world"][[0, -1]], [50.0, 150.0])
    # The elbow turns by 0.5 rad in all.
    np.testing.assert_allclose(curves["to itself"][[0, -1]], [200.0, -300.0])
    np.testing.assert_allclose([curves["margin 20 mm"][0], curves["margin 1 mm"][0]], [20.0, 1.0])
    assert path.read_bytes().startswith(b"\x89PNG")


def test_legends_lie_outside_of_what_is_drawn() -> None:
    figure = plot_motion(PlanarArm(), World(), Motion())
    figure.canvas.draw()
    assert figure.axes[3].get_legend() is None
    boxes = [legend.get_window_extent() for legend in (*figure.legends, figure.axes[2].get_legend())]
    panels = [axis.get_window_extent() for axis in figure.axes]
    assert len(boxes) == 3
    # The frames of the legends and the panels have some points of room around what is in them.
    room = 4.0
    for box in boxes:
        assert all(box.y0 > panel.y1 - room or box.y1 < panel.y0 or box.x1 < panel.x0 for panel in panels)
    assert boxes[0].x1 < boxes[1].x0


def test_a_scene_without_objects_is_said_to_be_empty_and_still_has_the_clearance_to_itself() -> None:
    clearance = plot_motion(PlanarArm(), Void(), Motion()).axes[2]
    assert [text.get_text() for text in clearance.texts] == ["no obstacles"]
    labels = [line.get_label() for line in clearance.get_lines()]
    assert "to itself" in labels and "to the world" not in labels


def faces_drawn(figure) -> int:
    return sum(len(made.get_facecolor()) for made in figure.axes[3].collections if hasattr(made, "set_3d_properties"))


def test_a_robot_is_drawn_by_its_shapes_and_one_without_shapes_by_lines() -> None:
    solid, bare = plot_motion(PlanarArm(), Void(), Motion()), plot_motion(BareArm(), Void(), Motion())
    assert faces_drawn(solid) > 0 and faces_drawn(bare) == 0
    assert len(bare.axes[3].get_lines()) > len(solid.axes[3].get_lines())


class Recorder(Surfaces):
    """Remembers what is added, hidden or not."""

    def __init__(self) -> None:
        self.added: list = []

    def add(self, faces, normals, face_colour, alpha) -> None:
        self.added.append((faces, normals, face_colour))


def test_links_that_stand_still_are_drawn_once_and_those_that_move_at_every_configuration() -> None:
    recorder = Recorder()
    configurations = [np.zeros(2), np.array([0.0, 1.5]), np.array([0.0, 3.0])]
    RobotSurfaces(PlanarArm()).add(recorder, configurations, ["a", "b", "c"], [1.0, 1.0, 1.0])
    # Root and upper arm once, as what does not move; the forearm three times.
    assert [colour for _, _, colour in recorder.added] == [BODY, BODY, "a", "b", "c"]


def test_the_normals_of_a_link_lead_out_of_it() -> None:
    recorder = Recorder()
    RobotSurfaces(PlanarArm()).add(recorder, [np.array([0.3, 0.4])], ["a"], [1.0])
    for faces, normals, _ in recorder.added:
        outwards = faces.mean(axis=1) - faces.reshape(-1, 3).mean(axis=0)
        assert (np.einsum("ij,ij->i", outwards, normals) > 0.0).all()


def test_configurations_are_drawn_at_equal_ways_whatever_the_speed() -> None:
    slow_then_fast = np.array([[x**3] for x in np.linspace(0.0, 1.0, 1001)])
    chosen = evenly_spaced(slow_then_fast, 5)
    np.testing.assert_allclose(slow_then_fast[chosen, 0], [0.0, 0.25, 0.5, 0.75, 1.0], atol=0.01)
    assert list(evenly_spaced(np.zeros((10, 2)), 5)) == [0, 9]


@pytest.mark.parametrize("seed", range(20))
def test_no_point_stands_out_of_its_hull_and_the_hull_is_closed(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(60, 3))
    triangles = hull_triangles(points)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    heights = np.einsum("mi,mni->mn", normals, points[None] - triangles[:, :1])
    # Heights are times twice the area of a triangle, up to 20; a point may stand out by 1e-7 of the size, up to 8.
    assert heights.max() < 2e-5
    # Euler: a closed surface of triangles with v corners has 2v − 4 of them.
    assert len(triangles) == 2 * len(np.unique(triangles.reshape(-1, 3), axis=0)) - 4


def test_the_hull_of_a_grid_of_points_is_the_cube_around_it() -> None:
    steps = np.linspace(0.0, 1.0, 4)
    triangles = hull_triangles(np.array([(x, y, z) for x in steps for y in steps for z in steps]))
    volume = np.einsum("mi,mi->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6.0
    np.testing.assert_allclose(volume, 1.0, atol=1e-9)


@pytest.mark.parametrize(
    "points", [np.zeros((5, 3)), np.eye(3), np.random.default_rng(0).uniform(size=(9, 3)) * [1, 1, 0]]
)
def test_flat_points_have_no_hull(points: np.ndarray) -> None:
    assert hull_triangles(points).shape == (0, 3, 3)


def test_a_rounded_hull_is_larger_by_its_radius() -> None:
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    surface = np.vstack(polygons("convex", {"vertices": cube, "radius": 0.1}, np.eye(4)))
    np.testing.assert_allclose([surface.min(axis=0), surface.max(axis=0)], [[-0.1] * 3, [1.1] * 3], atol=1e-9)


def test_large_faces_are_divided_without_a_gap() -> None:
    square = np.array([[[0.0, 0.0, 0.0], [0.6, 0.0, 0.0], [0.6, 0.3, 0.0], [0.0, 0.3, 0.0]]])
    parts = tiles(square)
    across = np.cross(parts[:, 2] - parts[:, 0], parts[:, 3] - parts[:, 1])
    np.testing.assert_allclose(np.linalg.norm(across, axis=1).sum() / 2.0, 0.6 * 0.3)
    assert np.linalg.norm(parts[:, 1] - parts[:, 0], axis=1).max() <= 0.12 + 1e-12
