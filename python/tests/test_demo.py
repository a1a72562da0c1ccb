"""The demo: what it plans is what it says."""

import json

import numpy as np
import pytest

from kinetic import Pose, Robot, demo, demo_sensors
from kinetic.cli import main
from kinetic.simulated_camera import SimulatedCamera

# Start and goal are copied into the trajectory, not computed.
ENDS = 1e-12


@pytest.fixture(scope="module")
def result() -> demo.DemoResult:
    return demo.run()


def test_the_motion_goes_from_start_to_goal_and_rests_at_both(result) -> None:
    trajectory = result.trajectory
    np.testing.assert_allclose(trajectory.sample(0.0), demo.START, atol=ENDS)
    np.testing.assert_allclose(trajectory.sample(trajectory.duration), demo.GOAL, atol=ENDS)
    for t in (0.0, trajectory.duration):
        np.testing.assert_allclose(trajectory.sample_velocity(t), 0.0, atol=1e-9)


def test_the_straight_motion_would_hit_something(result) -> None:
    start, goal = np.array(demo.START), np.array(demo.GOAL)
    distances = [result.scene.min_distance(start + s * (goal - start)) for s in np.linspace(0.0, 1.0, 51)]
    assert min(distances) < 0.0


def test_the_planned_motion_keeps_the_margin_of_its_certificate(result) -> None:
    certificate = result.trajectory.certificate
    times = np.linspace(0.0, result.trajectory.duration, 501)
    least = min(result.scene.min_distance(result.trajectory.sample(t)) for t in times)
    # Distances carry the tolerance of the convex-hull query, a few µm.
    assert least >= certificate.margin - 1e-5
    assert certificate.min_clearance <= least + 1e-5


def test_every_object_of_the_scene_is_there() -> None:
    scene = demo.build_scene(Robot("ur5e"))
    assert sorted(scene.objects) == sorted([name for name, _, _ in demo.BOXES] + ["pillar"])


def test_the_command_writes_trajectory_and_picture(tmp_path, capsys) -> None:
    assert main(["demo", "--out", str(tmp_path / "new" / "folder"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert json.loads((tmp_path / "new" / "folder" / "demo.json").read_text())["dof"] == 6
    for picture in ("demo.png", "demo_curves.png"):
        assert (tmp_path / "new" / "folder" / picture).stat().st_size > 10_000
    assert report["certificate"]["pair"] is not None


def test_sensors_lead_the_arm_around_a_crate_that_moves() -> None:
    seen = demo_sensors.run(seconds=3.0)
    assert len(seen.times) == len(seen.distances) == 90
    # What the camera sees is enough to stay away from what is there, and to arrive.
    assert min(seen.distances) > 0.0
    assert seen.reached >= 1
    assert sum(seen.is_planned) >= 80
    assert seen.scene.objects == ["seen"]
    again = demo_sensors.run(seconds=1.0)
    np.testing.assert_array_equal(again.positions, seen.positions[:30])


def test_a_simulated_camera_measures_what_its_rays_meet() -> None:
    camera = SimulatedCamera(Pose.look_at([0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]), (60, 80), 50.0)
    depth = camera.depth([([-1.0, -1.0, -0.1], [1.0, 1.0, 0.0])], np.array([[0.0, 0.0, 0.5, 0.2]]))
    # Along the axis the ball is nearest; beside it there is the plate, and beside that nothing.
    assert depth[29:31, 39:41].max() == pytest.approx(2.0 - 0.7, abs=1e-3)
    assert depth[5, 40] == pytest.approx(2.0, abs=1e-6)
    assert depth[30, 20] == pytest.approx(2.0, abs=1e-6)
    assert depth[30, 0] == 0.0
    assert camera.depth([]).max() == 0.0


def test_the_command_draws_what_sensors_saw(tmp_path, capsys) -> None:
    assert main(["demo", "sensors", "--seconds", "0.5", "--out", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["pictures"] == 15
    assert report["milliseconds"]["picture_to_plan"]["p50"] > 0.0
    for name in ("sensors.png", "sensors.gif"):
        assert (tmp_path / name).stat().st_size > 5_000
    assert main(["demo", "sensors", "--seconds", "0", "--out", str(tmp_path)]) == 2
    assert "--seconds" in capsys.readouterr().err
