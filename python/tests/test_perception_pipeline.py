"""Sensors that feed a scene: maps with a memory, measurements at their own time, counts of what was dropped."""

from __future__ import annotations

import copy
import pickle
import threading
import time

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import FrameTree, InputError, Octree, PerceptionPipeline, Pose, Robot, Scene

ROBOT = Robot("ur5e")
HOME = ROBOT.named_pose("home")
RESOLUTION = 0.05
LONGEST = 60.0
"""Far beyond what a test takes, s."""


def wall(x: float) -> np.ndarray:
    """Points on a wall, in the middles of cells."""
    y, z = np.meshgrid(np.arange(-10, 10) + 0.5, np.arange(20) + 0.5)
    return np.column_stack([np.full(400, x), y.ravel() * RESOLUTION, z.ravel() * RESOLUTION])


def test_a_map_in_a_scene_is_the_map_alone_and_clears_what_went_away() -> None:
    scene, alone, sensor = Scene(ROBOT), Octree(RESOLUTION), [0.026, 0.026, 0.526]
    for points in (wall(0.676), wall(0.976), wall(0.976)):
        report = scene.update_octree("map", points, sensor, RESOLUTION)
        inserted = alone.insert_cloud(points, sensor)
        assert report["insertion"] == inserted
        assert scene.octree("map") == alone
        shape, pose = scene.get("map")
        assert shape == alone.occupied_shape()
        np.testing.assert_array_equal(pose, np.eye(4))
    assert (scene.octrees, scene.num_octrees, scene.objects) == (["map"], 1, ["map"])
    # Far points beyond the range clear what they pass.
    behind = sensor + (np.vstack([wall(0.676), wall(0.976)]) - sensor) * 10.0
    for _ in range(10):
        scene.update_octree("map", behind, sensor, max_range=2.0)
    assert (scene.octrees, scene.objects) == (["map"], [])
    for copied in (scene.snapshot(), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert copied.octree("map") == scene.octree("map")
    scene.set_octree("other", alone)
    assert scene.octrees == ["map", "other"]
    assert scene.remove("map")
    scene.add("other", kinetic.Shape.sphere(0.1), np.eye(4))
    assert scene.octrees == []
    with pytest.raises(InputError, match="octree"):
        scene.octree("map")


def test_the_robot_and_known_objects_are_not_in_the_map() -> None:
    scene = Scene(ROBOT)
    scene.add("ball", kinetic.Shape.sphere(0.1), translation(0.7, 0.0, 0.5))
    wrist = ROBOT.fk(HOME)[:3, 3]
    points = np.array([wrist, [0.65, 0.0, 0.5], [0.0, 0.8, 0.8], [np.nan, 0.0, 0.0]], dtype=np.float32)
    report = scene.update_octree("map", points, [0.0, 0.0, 1.5], robot_at=HOME, objects=["ball"])
    assert (report["excluded"], report["not_finite"], report["insertion"]["rays"]) == (2, 1, 1)
    assert scene.octree("map").is_occupied([0.0, 0.8, 0.8])
    # In the frame of the sensor.
    scene.update_octree("moved", [[0.0, 0.0, 1.0]], [0, 0, 0], pose=Pose.from_xyz(0.01, 0.01, 0.01))
    assert scene.octree("moved").is_occupied([0.01, 0.01, 1.01])
    before = scene.version
    for call, named in [
        (lambda: scene.update_octree("map", [[np.nan] * 3], [0, 0, 0]), "point"),
        (lambda: scene.update_octree("map", wall(0.6), [1e6, 0, 0]), "sensor_origin"),
        (lambda: scene.update_octree("map", wall(0.6), [0, 0, 0], max_range=0.0), "max_range"),
        (lambda: scene.update_octree("new", wall(0.6), [0, 0, 0], resolution=0.0), "resolution"),
        (lambda: scene.update_octree("tool0", wall(0.6), [0, 0, 0]), "name"),
    ]:
        with pytest.raises(InputError, match=named):
            call()
    assert scene.version == before


def test_what_no_sensor_has_seen_can_be_an_obstacle() -> None:
    scene = Scene(ROBOT)
    scene.update_octree("map", wall(0.676), [0.026, 0.026, 0.526], RESOLUTION)
    box = ([-0.99, -0.99, 0.01], [0.99, 0.99, 0.99])
    everything = scene.add_unknown_space("unseen", "map", *box)
    shape = scene.octree("map").unknown_shape(*box)
    assert scene.get("unseen")[0] == shape
    assert everything == len(shape.dimensions["cells"])
    assert scene.check_collision(HOME)
    cells = scene.add_unknown_space("unseen", "map", *box, robot_at=HOME)
    assert everything / 2 < cells < everything
    assert not scene.check_collision(HOME)
    for call, named in [
        (lambda: scene.add_unknown_space("unseen", "nothing", *box), "octree"),
        (lambda: scene.add_unknown_space("map", "map", *box), "name"),
        (lambda: scene.add_unknown_space("unseen", "map", box[1], box[0]), "box"),
    ]:
        with pytest.raises(InputError, match=named):
            call()


def pipeline(**options: object) -> tuple[PerceptionPipeline, Scene, FrameTree]:
    scene, frames = Scene(ROBOT), FrameTree(history=10.0)
    frames.set_static("tool0", "camera", Pose.from_xyz(0.0, 0.05, 0.02))
    frames.set_static("base_link", "lidar", Pose.from_xyz(0.0, 0.0, 1.0))
    sensors = PerceptionPipeline(scene, frames)
    sensors.add_sensor("eye", frame="camera", object="seen", camera=[20.0, 20.0, 9.5, 7.5], **options)
    return sensors, scene, frames


def test_a_depth_image_is_registered_at_its_own_time() -> None:
    sensors, scene, _ = pipeline(filter_robot=False)
    start, end = HOME, HOME + 0.4
    sensors.update_robot(start, timestamp=10.0)
    depth = np.zeros((16, 20), dtype=np.uint16)
    depth[7, 9] = 900
    sensors.push_depth("eye", depth / np.float32(1000.0), timestamp=10.0)
    assert sensors.process() == ["eye"]
    first = scene.get("seen")[0].dimensions["points"][0]
    sensors.push_depth("eye", depth, timestamp=10.5)
    assert sensors.process() == []
    assert sensors.statistics("eye")["is_waiting"]
    sensors.update_robot(end, timestamp=11.0)
    assert sensors.process() == ["eye"]
    ((found,),) = [scene.get("seen")[0].dimensions["points"]]
    # Between two states every joint turns at a constant rate, and so the hand is where the joints are.
    ray = np.array([(9 - 9.5) / 20.0, (7 - 7.5) / 20.0, 1.0, 1.0 / 0.9]) * 0.9
    camera = translation(0.0, 0.05, 0.02)
    ends = [(ROBOT.fk(q) @ camera @ ray)[:3] for q in (start, end)]
    np.testing.assert_allclose(found, (ROBOT.fk((start + end) / 2.0) @ camera @ ray)[:3], atol=1e-6)
    np.testing.assert_allclose(first, ends[0], atol=1e-6)
    sensors.push_depth("eye", depth, timestamp=11.0)
    assert sensors.process() == ["eye"]
    np.testing.assert_allclose(scene.get("seen")[0].dimensions["points"][0], ends[1], atol=1e-6)
    # What is older than the scene comes too late.
    sensors.push_depth("eye", depth, timestamp=10.9)
    assert sensors.process() == []
    assert sensors.statistics("eye")["last_timestamp"] == 11.0
    assert sensors.statistics("eye")["dropped"] == 1


def test_every_measurement_is_counted() -> None:
    sensors, scene, _ = pipeline(output="octree", resolution=RESOLUTION)
    sensors.add_sensor("lidar", frame="lidar", object="seen", output="octree", resolution=RESOLUTION, margin=0.01)
    assert sensors.sensors == ["eye", "lidar"]
    sensors.update_robot(HOME, timestamp=1.0)
    sensors.update_robot(HOME, timestamp=2.0)
    for stamp in (1.5, 1.7, 1.6, 0.5):
        sensors.push_points("lidar", wall(0.676), timestamp=stamp)
    assert sensors.process() == ["lidar"]
    sensors.push_points("lidar", [[np.nan] * 3], timestamp=1.9)
    sensors.process()
    sensors.update_robot(HOME, timestamp=20.0)
    sensors.push_points("lidar", wall(0.676), timestamp=1.9)
    sensors.process()
    counted = sensors.statistics("lidar")
    counts = {name: counted[name] for name in ("received", "processed", "dropped", "stale", "failed")}
    assert counts == {"received": 6, "processed": 1, "dropped": 3, "stale": 1, "failed": 1}
    assert counted["last_timestamp"] == 1.7
    assert "finite" in counted["last_error"]
    assert counted["last_insertion"]["rays"] == 400
    assert scene.margins["paddings"] == {"seen": 0.01}
    assert sensors.remove_sensor("lidar")
    assert not sensors.remove_sensor("lidar")


def test_a_thread_feeds_the_scene_while_another_one_delivers() -> None:
    sensors, scene, _ = pipeline(filter_robot=False)
    sensors.update_robot(HOME, timestamp=0.0)
    sensors.update_robot(HOME, timestamp=9.0)
    frames = 200

    def deliver() -> None:
        for index in range(frames):
            depth = np.full((16, 20), 0.5 + 0.001 * index, dtype=np.float32)
            sensors.push_depth("eye", depth, timestamp=index * 0.01)

    with sensors:
        assert sensors.is_running
        producer = threading.Thread(target=deliver)
        producer.start()
        producer.join(LONGEST)
        end = time.monotonic() + LONGEST
        while sensors.statistics("eye")["last_timestamp"] != (frames - 1) * 0.01:
            assert time.monotonic() < end
    assert not sensors.is_running
    counted = sensors.statistics("eye")
    assert counted["received"] == frames == counted["processed"] + counted["dropped"]
    assert scene.objects == ["seen"]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda sensors: sensors.add_sensor("eye", frame="camera", object="other"), "sensor name"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="seen"), "object of a sensor"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="tool0"), "name"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="o", output="mesh"), "output"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="o", camera=[1.0]), "camera"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="o", camera=[0.0, 1, 1, 1]), "f"),
        (lambda sensors: sensors.add_sensor("new", frame="camera", object="o", margin=-1.0), "margin"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", robot_padding=np.nan), "robot_padding"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", link_paddings={"tool": 0.1}), '"tool"'),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", output="octree", crop=([0] * 3, [1] * 3)), "crop"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", output="octree", voxel_size=0.1), "voxel_size"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", output="octree", hysteresis=True), "hysteresis"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", max_range=1.0), "max_range"),
        (lambda sensors: sensors.add_sensor("new", "camera", "o", fisheye=True), "fisheye"),
        (lambda sensors: sensors.push_points("nobody", wall(1.0), 0.0), "sensor"),
        (lambda sensors: sensors.push_depth("eye", np.ones(5), 0.0), "depth"),
        (lambda sensors: sensors.push_points("eye", wall(1.0), np.nan), "stamp"),
        (lambda sensors: sensors.update_robot([0.0], 0.0), "joint"),
        (lambda sensors: sensors.statistics("nobody"), "sensor"),
    ],
)
def test_bad_input_is_named(call, named: str) -> None:
    sensors, _, _ = pipeline()
    with pytest.raises(InputError, match=named):
        call(sensors)


def test_a_tree_without_history_is_refused() -> None:
    with pytest.raises(InputError, match="history"):
        PerceptionPipeline(Scene(ROBOT), FrameTree())


def test_an_object_goes_when_its_time_to_live_is_over() -> None:
    scene, frames = Scene(ROBOT), FrameTree(history=10.0)
    frames.set_static("base_link", "lidar", Pose.from_xyz(0.0, 0.0, 1.0))
    pipeline = PerceptionPipeline(scene, frames)
    pipeline.add_sensor("lidar", "lidar", "seen", time_to_live=0.5)
    pipeline.push_points("lidar", [[1.0, 0.0, -0.5]], timestamp=5.0)
    for timestamp, objects in [(5.0, ["seen"]), (5.5, ["seen"]), (5.6, [])]:
        pipeline.update_robot(HOME, timestamp=timestamp)
        pipeline.process()
        assert scene.objects == objects
        assert pipeline.statistics("lidar")["expired"] == (0 if objects else 1)
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="time_to_live"):
            pipeline.add_sensor("other", "lidar", "other", time_to_live=wrong)


def test_a_clock_that_was_set_back_is_told_and_reset_begins_anew() -> None:
    """Regression 39: one time in the future left later pictures stale, and their objects expired as they were made."""
    scene, frames = Scene(ROBOT), FrameTree(history=5.0)
    frames.set_static("base_link", "lidar", Pose.from_xyz(0.0, 0.0, 1.0))
    sensors = PerceptionPipeline(scene, frames)
    sensors.add_sensor("filtered", "lidar", "far")
    sensors.add_sensor("short", "lidar", "near", filter_robot=False, time_to_live=0.5)

    def heard(timestamp: float) -> list[str]:
        for name, x in (("filtered", 1.0), ("short", 1.2)):
            sensors.push_points(name, [[x, 0.0, -0.5]], timestamp=timestamp)
        return sensors.process()

    sensors.update_robot(HOME, timestamp=10.0)
    assert heard(10.0) == ["filtered", "short"]
    sensors.update_robot(HOME, timestamp=1e6)
    assert heard(20.0) == ["short"]
    assert scene.objects == ["far", "near"], "what is seen now does not expire"
    with pytest.raises(InputError, match="reset"):
        sensors.update_robot(HOME, timestamp=20.0)
    sensors.reset()
    frames.clear_dynamic()
    sensors.update_robot(HOME, timestamp=9.0)
    assert heard(9.0) == ["filtered", "short"]
    assert scene.objects == ["far", "near"]


def test_noise_of_a_sensor_that_sees_the_same_changes_no_scene() -> None:
    scene, frames, rng = Scene(ROBOT), FrameTree(history=100.0), np.random.default_rng(5)
    frames.set_static("base_link", "lidar", Pose.from_xyz(0.0, 0.0, 1.0))
    sensors = PerceptionPipeline(scene, frames)
    sensors.add_sensor("lidar", "lidar", "seen", filter_robot=False, margin=0.01, voxel_size=0.02, hysteresis=True)
    revisions = []
    for picture in range(80):
        sensors.push_points("lidar", wall(0.68) + rng.normal(scale=0.001, size=(400, 3)), timestamp=float(picture))
        assert sensors.process() == ["lidar"]
        revisions.append(scene.revision)
    # The wall is on the border of cells.
    assert len(set(revisions[:5])) > 1
    assert len(set(revisions[40:])) == 1
    assert sensors.statistics("lidar")["last_cloud"]["carried_over"] > 0
