"""Paths that get shorter until the budget ends; plans stopped from another thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from oracles import translation
from test_planner import boxed_in

import kinetic
from kinetic import Planner, PlanningError, Robot, Scene, Shape, StopFlag

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
TURNED = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]
# Far beyond what any of these tests takes; a plan that is not stopped ends here instead of never.
LONGEST = 60.0


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def shelf(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


def length(path) -> float:
    return float(np.linalg.norm(np.diff(path.positions(), axis=0), axis=1).sum())


def test_paths_get_shorter_and_each_is_free(robot: Robot, shelf: Scene) -> None:
    heard = []
    planner = Planner(robot, shelf, planner_type="aorrtc", max_iterations=4000, timeout=600.0, rng_seed=1)
    trajectory = planner.plan(START, TURNED, on_improvement=heard.append)
    lengths = [length(path) for path in heard]
    assert len(lengths) > 1
    assert all(after < before for before, after in zip(lengths, lengths[1:]))
    for path in heard:
        assert (path.is_timed, path.joint_names) == (False, robot.joint_names)
        points = np.array(path.positions())
        assert np.allclose(points[[0, -1]], [START, TURNED], rtol=0.0, atol=1e-12)
        # Every 0.1° of the joint that moves most, seen by the checker of single configurations.
        for a, b in zip(points, points[1:]):
            steps = int(np.ceil(np.abs(b - a).max() / 1.7e-3)) + 1
            assert shelf.are_free(np.linspace(a, b, steps), collision_margin=0.02 - 1e-9).all()
    assert trajectory.is_timed
    assert planner.last_stats["path_length"] == pytest.approx(lengths[-1], rel=1e-12)
    assert (planner.last_stats["planner_used"], planner.last_stats["iterations"]) == ("aorrtc", 4000)
    first = Planner(robot, shelf, max_iterations=4000, rng_seed=1)
    first.plan(START, TURNED)
    assert lengths[-1] < first.last_stats["path_length"]


def test_the_same_iterations_give_the_same_path(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf, planner_type="aorrtc", max_iterations=800, timeout=600.0)
    assert planner.plan(START, TURNED).to_json() == planner.plan(START, TURNED).to_json()


def test_other_planners_call_once(robot: Robot, shelf: Scene) -> None:
    heard = []
    path = Planner(robot, shelf).plan(START, TURNED, False, on_improvement=heard.append)
    assert heard == [path]


def test_what_the_function_raises_ends_the_plan(robot: Robot, shelf: Scene) -> None:
    def fail(_: kinetic.Trajectory) -> None:
        raise ZeroDivisionError("no")

    planner = Planner(robot, shelf, planner_type="aorrtc", timeout=600.0)
    with pytest.raises(ZeroDivisionError, match="no"):
        planner.plan(START, TURNED, on_improvement=fail)
    assert planner.last_stats == {}


def test_a_stop_ends_an_anytime_plan_with_its_best_path(robot: Robot, shelf: Scene) -> None:
    stop, lengths = StopFlag(), []

    def improved(path: kinetic.Trajectory) -> None:
        lengths.append(length(path))
        stop.stop()

    planner = Planner(robot, shelf, planner_type="aorrtc", timeout=600.0)
    assert planner.plan(START, TURNED, stop=stop, on_improvement=improved).is_timed
    assert planner.last_stats["path_length"] <= lengths[0]


def test_a_stop_from_another_thread_cancels_a_plan_that_has_no_path() -> None:
    robot, scene = boxed_in()
    stop, raised = StopFlag(), []
    planner = Planner(robot, scene, timeout=600.0)
    begun = threading.Event()

    def plan() -> None:
        begun.set()
        try:
            planner.plan([0.0, 0.0], [1.0, 0.0], stop=stop)
        except PlanningError as error:
            raised.append(error.code)

    thread = threading.Thread(target=plan)
    thread.start()
    begun.wait(LONGEST)
    stop.stop()
    thread.join(LONGEST)
    assert not thread.is_alive()
    assert raised == ["Cancelled"]
    assert stop.is_stopped
    # Another flag, another plan.
    assert planner.plan([0.0, 0.0], [0.3, 0.0], stop=StopFlag()).is_timed


def test_ctrl_c_of_one_plan_does_not_stop_the_flag() -> None:
    robot, scene = boxed_in()
    stop = StopFlag()

    def interrupt(_: kinetic.Trajectory) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Planner(robot, scene).plan([0.0, 0.0], [0.3, 0.0], stop=stop, on_improvement=interrupt)
    assert not stop.is_stopped
