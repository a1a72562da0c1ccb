"""`GpuOptimizer`: paths that are free by the exact checker, in the scene of each call, with every option acting."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import translation
from test_gpu import DEVICES

import kinetic
from kinetic import GpuOptimizer, InputError, Planner, PlanningError, Robot, Scene, Shape, Trajectory

START, GOAL = ([angle, -1.2, 1.4, -1.8, -1.57, 0.0] for angle in (-0.8, 0.9))
BALL = [[0.6, 0.1, 0.4, 0.12]]


def with_ball(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(BALL[0][3]), translation(*BALL[0][:3]))
    return scene


def check(robot: Robot, path: Trajectory) -> None:
    """Ends as asked for, and free at many points between."""
    rows = np.array(path.positions())
    assert np.array_equal(rows[0], START) and np.array_equal(rows[-1], GOAL)
    dense = np.concatenate([np.linspace(a, b, 60) for a, b in zip(rows, rows[1:])])
    assert with_ball(robot).are_free(dense).all()


@pytest.mark.parametrize("device", DEVICES)
def test_paths_are_free_in_the_scene_of_the_call(device: str) -> None:
    robot = Robot("ur5e")
    optimizer = GpuOptimizer(robot, "speed", num_seeds=64, device=device, timeout=60.0, rng_seed=2)
    assert optimizer.is_gpu == (device != "cpu") and optimizer.device.startswith(device)
    straight = optimizer.optimize(START, GOAL)
    assert not straight.is_timed
    assert np.abs(np.diff(straight.positions(), axis=0)).sum() == pytest.approx(1.7, abs=1e-6)
    path = optimizer.optimize(START, GOAL, obstacle_spheres=BALL)
    check(robot, path)
    assert optimizer.optimize(START, GOAL, obstacle_spheres=BALL) == path, "the same again"
    scene = with_ball(robot)
    check(robot, optimizer.optimize(START, GOAL, scene))
    check(robot, optimizer.optimize(START, GOAL, scene, warm_start=path))
    scene.update_pose("ball", translation(9.0, 0.0, 0.0))
    assert optimizer.optimize(START, GOAL, scene) == straight, "edits of a scene are seen"
    scene.update_pose("ball", translation(*BALL[0][:3]))
    far = optimizer.optimize(START, GOAL, scene, [[9.0, 0.0, 0.0, 0.1]])
    check(robot, far)
    assert scene.objects == ["ball"], "the balls of a call are in no other scene"


@pytest.mark.parametrize("device", DEVICES)
def test_a_batch_has_what_each_has_alone(device: str) -> None:
    robot = Robot("ur5e")
    optimizer = GpuOptimizer(robot, "speed", num_seeds=32, device=device, timeout=60.0)
    alone = optimizer.optimize(START, GOAL, obstacle_spheres=BALL)
    same = optimizer.optimize_batch([START] * 3, [GOAL] * 3, obstacle_spheres=BALL)
    assert same == [alone] * 3
    scenes = [with_ball(robot), Scene(robot)]
    first, second = optimizer.optimize_batch([START] * 2, [GOAL] * 2, scenes)
    assert first == optimizer.optimize(START, GOAL, scenes[0]) and second == optimizer.optimize(START, GOAL)
    assert optimizer.optimize_batch([START] * 2, [GOAL] * 2, scenes[0]) == [first, first]
    inside = [0.6, 0.1, 0.4, 2.0]
    [error] = optimizer.optimize_batch([START], [GOAL], obstacle_spheres=[inside])
    assert isinstance(error, PlanningError)


def test_options_are_those_of_planners_with_a_device() -> None:
    optimizer = GpuOptimizer("ur5e", "quality", iterations=77, control_points=12, device="cpu")
    wanted = Planner("ur5e").with_device("cpu", preset="quality", iterations=77, control_points=12)
    assert optimizer.config == wanted.device_options
    again = pickle.loads(pickle.dumps(optimizer))
    assert again.config == optimizer.config and repr(again) == repr(optimizer)
    assert GpuOptimizer.gpu_available() == kinetic.gpu_available()


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(InputError, match="preset"):
        GpuOptimizer("ur5e", "fast", device="cpu")
    with pytest.raises(InputError, match="gpu:99"):
        GpuOptimizer("ur5e", device="gpu:99")
    with pytest.raises(InputError, match="iterations"):
        GpuOptimizer("ur5e", iterations=0, device="cpu")
    with pytest.raises(TypeError, match="no_option"):
        GpuOptimizer("ur5e", device="cpu", no_option=1)
    optimizer = GpuOptimizer("ur5e", "speed", device="cpu")
    with pytest.raises(InputError, match="obstacle_spheres"):
        optimizer.optimize(START, GOAL, obstacle_spheres=[[0.0, 0.0, 0.1]])
    for ball in ([0.6, 0.0, 0.4, -0.1], [0.6, np.nan, 0.4, 0.1]):
        with pytest.raises(InputError):
            optimizer.optimize(START, GOAL, obstacle_spheres=[ball])
    with pytest.raises(InputError):
        optimizer.optimize(START, GOAL, Scene("franka_panda"))
    with pytest.raises(PlanningError):
        optimizer.optimize(START, GOAL, obstacle_spheres=[[0.6, 0.1, 0.4, 2.0]])
