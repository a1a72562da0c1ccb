"""Point clouds and depth images as obstacles, against SciPy's trees and geometry that is known."""

from __future__ import annotations

import pickle
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import translation
from scipy.spatial import cKDTree

import kinetic
from kinetic import InputError, OutlierFilter, Robot, Scene, Shape

ROBOT = Robot("ur5e")
UP = np.array([0.0, -1.2, 1.0, -1.4, -1.57, 0.0])


def wall(x: float = 0.5, spacing: float = 0.01) -> np.ndarray:
    """Points on a vertical plane."""
    steps = np.arange(-0.3, 0.3, spacing)
    y, z = (part.ravel() for part in np.meshgrid(steps, steps + 0.4))
    return np.column_stack([np.full_like(y, x), y, z])


def test_a_cloud_is_an_obstacle_for_queries_planners_and_certificates() -> None:
    scene = Scene(ROBOT)
    report = scene.add_pointcloud("wall", wall())
    assert report["given"] == report["kept"] == len(wall()) and report["radius"] == 0.01
    assert scene.get("wall")[0].kind == "point_cloud"
    start, goal = np.array([1.3, -1.0, 1.2, -1.7, -1.57, 0.0]), np.array([-1.3, -1.0, 1.2, -1.7, -1.57, 0.0])
    assert scene.check_motion(start, goal) is not None
    motion = kinetic.plan(ROBOT, start, goal, scene=scene, rng_seed=1)
    assert motion.certificate.closest_approaches["world"]["pair"][1] == "wall"
    tree = cKDTree(wall())
    spheres = {link: np.asarray(ROBOT.collision_spheres(link)).reshape(-1, 4) for link in ROBOT.fk_all(UP)}
    for t in np.linspace(0.0, motion.duration, 50):
        q = motion.sample(t)
        assert scene.min_distance(q) > 0.0
        # The spheres contain the links: what they are clear of, the robot is.
        bound = min(
            (tree.query(s[:, :3] @ p[:3, :3].T + p[:3, 3])[0] - s[:, 3] - 0.01).min()
            for link, p in ROBOT.fk_all(q).items()
            if len(s := spheres[link]) and link not in ("base_link", "base_link_inertia")
        )
        assert scene.min_distance(q) >= bound - 1e-9


def test_every_form_of_points_gives_the_same_object() -> None:
    points = wall()
    structured = np.zeros(len(points), dtype=[("x", "f4"), ("intensity", "u1"), ("y", "f4"), ("z", "f4")])
    structured["x"], structured["y"], structured["z"] = points.T
    single = points.astype(np.float32)
    strided = np.zeros((len(points), 4), dtype=np.float32)[:, :3]
    strided[:] = single
    forms = [
        single,
        strided,
        np.asfortranarray(single),
        single.reshape(60, 60, 3),
        structured,
        SimpleNamespace(points=single),
        SimpleNamespace(vertices=single.astype(float)),
        single.astype(float).tolist(),
    ]
    scene, versions = Scene(ROBOT), set()
    for form in forms:
        assert scene.add_pointcloud("wall", form)["kept"] == len(points)
        versions.add(scene.version)
    assert len(versions) == 1
    assert np.array_equal(scene.get("wall")[0].dimensions["points"], single.astype(float))


def test_points_of_the_robot_and_of_known_objects_go() -> None:
    scene = Scene(ROBOT)
    rng = np.random.default_rng(0)
    poses = [pose[:3, 3] for pose in ROBOT.fk_all(UP).values()]
    own = np.vstack([centre + rng.normal(size=(50, 3)) * 0.01 for centre in poses])
    scene.add("cup", Shape.cylinder(0.04, 0.06), translation(0.5, 0.5, 0.1))
    cup = np.array([0.5, 0.5, 0.1]) + rng.uniform(-0.04, 0.04, (100, 3))
    points = np.vstack([own, cup, wall(0.9)])
    scene.add_pointcloud("seen", points)
    assert scene.check_collision(UP)
    report = scene.add_pointcloud("seen", points, robot_at=UP, robot_padding=0.06, objects=["cup"])
    assert not scene.check_collision(UP)
    assert report["excluded"] == len(own) + len(cup) and report["kept"] == len(wall(0.9))
    left, again = scene.filter_pointcloud(points, robot_at=UP, robot_padding=0.06, objects=["cup"])
    assert again == report and np.array_equal(left, wall(0.9))
    # A distance of its own for one link.
    beside = ROBOT.fk_all(UP)["forearm_link"][:3, 3] + [0.0, 0.25, 0.0]
    for paddings, kept in [({}, 1), ({"forearm_link": 0.3}, 0)]:
        report = scene.filter_pointcloud([beside, *wall(0.9)], robot_at=UP, link_paddings=paddings)[1]
        assert report["excluded"] == 1 - kept


def test_outliers_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    points = np.vstack([wall(), rng.uniform(-1.0, 1.0, (200, 3))])
    tree = cKDTree(points)
    means = tree.query(points, k=13)[0][:, 1:].mean(axis=1)
    kept = Scene(ROBOT).filter_pointcloud(points, outliers=OutlierFilter.statistical(12, std_ratio=1.0))
    assert np.array_equal(kept[0], points[means <= means.mean() + means.std(ddof=1)])
    assert kept[1]["outliers"] == len(points) - len(kept[0]) > 50
    near = tree.query_ball_point(points, 0.03, return_length=True) - 1
    kept = Scene(ROBOT).filter_pointcloud(points, outliers=OutlierFilter.radius(0.03, min_neighbors=5))
    assert np.array_equal(kept[0], points[near >= 5])


@pytest.mark.parametrize(
    "options", [{"voxel_size": 0.05}, {"max_points": 300}, {"voxel_size": 0.02, "max_points": 100}]
)
def test_points_that_are_merged_stay_covered(options: dict[str, float]) -> None:
    points = np.vstack([wall(), np.random.default_rng(4).uniform(-1.0, 1.0, (500, 3))])
    left, report = Scene(ROBOT).filter_pointcloud(points, sphere_radius=0.01, **options)
    assert len(left) == report["kept"] < len(points) == report["kept"] + report["merged"]
    assert len(left) <= options.get("max_points", np.inf)
    assert cKDTree(left).query(points)[0].max() <= report["radius"] - 0.01 + 1e-12


def test_a_crop_box_and_points_that_are_no_numbers_are_counted() -> None:
    points = wall()
    points[::7] = np.nan
    points[3] = [9.0, 0.0, 0.0]
    scene = Scene(ROBOT)
    report = scene.add_pointcloud("wall", points.reshape(60, 60, 3), crop=([-1.0] * 3, [1.0] * 3))
    lost = len(points[::7])
    assert (report["not_finite"], report["cropped"], report["kept"]) == (lost, 1, len(points) - lost - 1)
    before = scene.version
    for blind in (np.full((10, 3), np.nan), np.zeros((0, 3)), []):
        with pytest.raises(InputError, match="finite"):
            scene.add_pointcloud("wall", blind)
    assert scene.version == before
    # What is seen and does not count is no obstacle.
    assert scene.add_pointcloud("wall", wall(), crop=([2.0] * 3, [3.0] * 3))["kept"] == 0
    assert scene.objects == []


def test_a_scene_that_stands_still_keeps_its_version() -> None:
    rng, scene = np.random.default_rng(3), Scene(ROBOT)

    def show(points: np.ndarray) -> dict[str, object]:
        noisy = points + rng.normal(scale=0.001, size=points.shape)
        return scene.add_pointcloud("wall", noisy, voxel_size=0.02, hysteresis=True)

    for _ in range(100):
        show(wall())
    version, revision = scene.version, scene.revision
    for _ in range(10):
        report = show(wall())
        assert report["given"] + report["carried_over"] == report["merged"] + report["kept"]
        assert (scene.version, scene.revision) == (version, revision)
    assert report["radius"] == pytest.approx(0.01 + np.sqrt(3.0) / 2 * 0.02, abs=1e-9)
    show(wall() + [0.0, 0.0, 0.5])
    assert scene.version != version
    # Middles of cells, without an object that they could stay of.
    left, _ = scene.filter_pointcloud(wall(), voxel_size=0.02, hysteresis=True)
    cells = np.unique(np.floor(wall() / 0.02), axis=0)
    assert np.array_equal(left, (cells + 0.5) * 0.02)


def camera(distance: float, size: tuple[int, int] = (120, 160)) -> tuple[np.ndarray, list[float], np.ndarray]:
    """A camera that looks down at a table: its depths, intrinsics and pose."""
    height, width = size
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[:3, 3] = [0.6, 0.0, distance - 0.1]
    return np.full(size, distance), [200.0, 200.0, (width - 1) / 2, (height - 1) / 2], pose


@pytest.mark.parametrize("kind", ["float64", "float32", "uint16"])
def test_depth_images_become_the_table_that_they_show(kind: str) -> None:
    depth, intrinsics, pose = camera(1.0)
    scene = Scene(ROBOT)
    image = (depth * 1000).astype(kind) if kind == "uint16" else depth.astype(kind)
    report = scene.update_from_depth("table", image, *intrinsics, pose, sphere_radius=0.004)
    points = scene.get("table")[0].dimensions["points"]
    assert report["kept"] == depth.size and np.allclose(points[:, 2], -0.1, atol=1e-9)
    rows, columns = np.indices(depth.shape)
    x = 0.6 + (columns - intrinsics[2]) / intrinsics[0]
    y = -(rows - intrinsics[3]) / intrinsics[1]
    assert np.allclose(points[:, :2], np.column_stack([x.ravel(), y.ravel()]), atol=1e-9)


def test_lenses_and_flying_pixels() -> None:
    depth, intrinsics, pose = camera(1.0)
    scene = Scene(ROBOT)
    k1, k2, p1, p2 = -0.2, 0.05, 0.001, -0.002
    scene.update_from_depth("table", depth, *intrinsics, pose, distortion=[k1, k2, p1, p2])
    local = (scene.get("table")[0].dimensions["points"] - pose[:3, 3]) @ pose[:3, :3]
    x, y = local[:, 0], local[:, 1]
    r2 = x * x + y * y
    radial = 1 + k1 * r2 + k2 * r2**2
    u = (x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)) * intrinsics[0] + intrinsics[2]
    rows, columns = np.indices(depth.shape)
    assert np.allclose(u, columns.ravel(), atol=1e-6)
    scene.update_from_depth("table", depth, *intrinsics, pose, fisheye=True)
    local = (scene.get("table")[0].dimensions["points"] - pose[:3, 3]) @ pose[:3, :3]
    angle = np.arctan(np.hypot(local[:, 0], local[:, 1]))
    wanted = np.hypot((columns - intrinsics[2]) / intrinsics[0], (rows - intrinsics[3]) / intrinsics[1])
    assert np.allclose(angle, wanted.ravel(), atol=1e-9)
    depth[:, 80:] = 2.0
    depth[:, 80] = 1.4
    kept = scene.update_from_depth("table", depth, *intrinsics, pose, flying_pixel_ratio=0.1)["given"]
    assert kept == depth.size - depth.shape[0]


def test_bad_input_is_refused_by_name() -> None:
    scene = Scene(ROBOT)
    scene.add_pointcloud("wall", wall())
    before = scene.version
    points, (depth, intrinsics, pose) = wall(), camera(1.0)
    bad = [
        (lambda: scene.add_pointcloud("wall", np.zeros((4, 2))), "shape"),
        (lambda: scene.add_pointcloud("wall", np.zeros(3)), "shape"),
        (lambda: scene.add_pointcloud("wall", "points"), "numbers"),
        (lambda: scene.add_pointcloud("wall", np.zeros(3, dtype=[("x", float), ("y", float)])), "without z"),
        (lambda: scene.add_pointcloud("tool0", points), "tool0"),
        (lambda: scene.add_pointcloud("wall", points, sphere_radius=-1.0), "sphere_radius"),
        (lambda: scene.add_pointcloud("wall", points, voxel_size=0.0), "voxel_size"),
        (lambda: scene.add_pointcloud("wall", points, max_points=0), "max_points"),
        (lambda: scene.add_pointcloud("wall", points, hysteresis=True), "voxel_size"),
        (lambda: scene.add_pointcloud("wall", points, crop=([1, 0, 0], [0, 1, 1])), "crop"),
        (lambda: scene.add_pointcloud("wall", points, robot_at=[0.0] * 5), "6"),
        (lambda: scene.add_pointcloud("wall", points, robot_padding=-0.1), "robot_padding"),
        (lambda: scene.add_pointcloud("wall", points, link_paddings={"arm": 0.1}), "arm"),
        (lambda: scene.add_pointcloud("wall", points, objects=["cup"]), "cup"),
        (lambda: scene.add_pointcloud("wall", points, object_padding=np.nan), "object_padding"),
        (lambda: OutlierFilter.radius(0.0, 3), "radius"),
        (lambda: OutlierFilter.statistical(0), "neighbors"),
        (lambda: scene.update_from_depth("wall", depth[0], *intrinsics, pose), "shape"),
        (lambda: scene.update_from_depth("wall", depth.astype(int), *intrinsics, pose), "int64"),
        (lambda: scene.update_from_depth("wall", [[1.0]], *intrinsics, pose), "list"),
        (lambda: scene.update_from_depth("wall", depth, 0.0, *intrinsics[1:], pose), "fx"),
        (lambda: scene.update_from_depth("wall", depth, *intrinsics, np.ones((4, 4))), "pose"),
        (lambda: scene.update_from_depth("wall", depth, *intrinsics, pose, 2.0, 1.0), "min_depth"),
        (lambda: scene.update_from_depth("wall", depth, *intrinsics, pose, distortion=[0.1]), "distortion"),
        (
            lambda: scene.update_from_depth("wall", depth.astype("u2"), *intrinsics, pose, depth_scale=0.0),
            "depth_scale",
        ),
        (lambda: scene.update_from_depth("wall", depth * np.nan, *intrinsics, pose), "finite"),
    ]
    for call, text in bad:
        with pytest.raises((InputError, ValueError, TypeError), match=text):
            call()
    assert scene.version == before


def test_scenes_with_clouds_pickle_and_pass_through_files(tmp_path) -> None:
    scene = Scene(ROBOT)
    scene.add_pointcloud("wall", wall(spacing=0.05))
    copy = pickle.loads(pickle.dumps(scene))
    scene.save(tmp_path / "scene.toml")
    read = Scene(ROBOT)
    read.load(tmp_path / "scene.toml")
    assert copy.version == read.version == scene.version
    assert repr(scene.get("wall")[0]) == "Shape.point_cloud(<144 points>, radius=0.01)"


def test_edits_go_on_while_others_plan() -> None:
    scene = Scene(ROBOT)
    seen, done = threading.Event(), threading.Event()

    def camera_thread() -> None:
        number = 0
        while not done.is_set():
            scene.add_pointcloud("wall", wall(0.95 + 0.001 * (number % 2)).astype(np.float32))
            seen.set()
            number += 1

    thread = threading.Thread(target=camera_thread)
    thread.start()
    try:
        assert seen.wait(60.0)
        for seed in range(5):
            motion = kinetic.plan(ROBOT, UP, UP + 0.2, scene=scene, rng_seed=seed)
            assert motion.certificate is not None
    finally:
        done.set()
        thread.join()
    assert scene.revision > 0


def test_ctrl_c_ends_a_filter_and_leaves_the_scene() -> None:
    scene = Scene(ROBOT)
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (1_000_000, 3))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    began = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1_000):
                scene.filter_pointcloud(points, max_points=None, outliers=OutlierFilter.statistical(50))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 60.0 and scene.objects == []
