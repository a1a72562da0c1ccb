"""The demo: what it plans is what it says."""

import json

import numpy as np
import pytest

from kinetic import Robot, demo
from kinetic.cli import main

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
