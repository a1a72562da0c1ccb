"""Many plans at once: as single ones, on any number of threads; progress, stopping, Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles import translation
from test_planner import boxed_in

from kinetic import Goal, InputError, KineticError, Planner, PlanningError, Robot, Scene, Shape, StopFlag, Trajectory

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
COUNT = 10


@pytest.fixture(scope="module")
def planner() -> Planner:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return Planner(robot, scene, max_iterations=20_000, timeout=600.0, rng_seed=3)


@pytest.fixture(scope="module")
def starts() -> list:
    return [START] * COUNT


@pytest.fixture(scope="module")
def goals() -> np.ndarray:
    goals = np.tile([2.5, -1.2, 1.4, -1.7, -1.57, 0.0], (COUNT, 1))
    goals[:, 5] = np.linspace(-1.0, 1.0, COUNT)
    return goals


def test_every_item_is_the_single_plan_on_any_number_of_threads(planner: Planner, starts, goals) -> None:
    single = [planner.plan(start, goal) for start, goal in zip(starts, goals)]
    for threads in (1, 2, 8, None):
        batch = planner.plan_batch(starts, goals, threads)
        assert batch == single
        assert [item.to_json() for item in batch] == [item.to_json() for item in single]
    assert batch[0].joint_names == planner.robot.joint_names
    paths = planner.plan_batch(starts, goals, time_parameterize=False)
    assert [path.is_timed for path in paths] == [False] * COUNT


def test_every_item_may_have_a_scene_of_its_own(planner: Planner, starts, goals) -> None:
    scenes = [Scene(planner.robot) for _ in range(COUNT)]
    for index, scene in enumerate(scenes):
        scene.add("ball", Shape.sphere(0.12), translation(0.1 * index - 0.5, 0.9, 0.6))
    batch = planner.plan_batch(starts, goals, scenes=scenes)
    for scene, goal, item in zip(scenes, goals, batch):
        alone = Planner(planner.robot, scene, max_iterations=20_000, timeout=600.0, rng_seed=3)
        assert item == alone.plan(START, goal)
    assert len({item.to_json() for item in batch}) > 1
    assert batch != planner.plan_batch(starts, goals)
    with pytest.raises(InputError, match="scenes"):
        planner.plan_batch(starts, goals, scenes=scenes[:-1])
    with pytest.raises(InputError, match="franka_panda"):
        planner.plan_batch(starts[:1], goals[:1], scenes=[Scene("franka_panda")])
    for wrong in (scenes[0], [None], "scenes"):
        with pytest.raises(TypeError, match="scenes"):
            planner.plan_batch(starts[:1], goals[:1], scenes=wrong)


def test_what_is_wrong_with_one_item_is_the_items_error(planner: Planner, starts, goals) -> None:
    goals = [*goals]
    goals[2] = Goal.pose(translation(3.0, 0.0, 0.0))
    goals[4] = Goal.named("lying")
    batch = planner.plan_batch(starts, goals, threads=3)
    assert [isinstance(item, Trajectory) for item in batch] == [index not in (2, 4) for index in range(COUNT)]
    assert isinstance(batch[2], PlanningError)
    assert batch[2].code == "GoalUnreachable"
    assert isinstance(batch[4], InputError)
    assert "home" in batch[4].available
    assert all(isinstance(batch[index], KineticError) for index in (2, 4))


def test_wrong_batches_are_refused_and_an_empty_one_is_empty(planner: Planner, starts, goals) -> None:
    with pytest.raises(InputError, match="^DimensionMismatch: list of goals has 9 values, expected 10, one per start"):
        planner.plan_batch(starts, goals[:-1])
    with pytest.raises(InputError, match="threads"):
        planner.plan_batch(starts, goals, threads=0)
    with pytest.raises(InputError, match="warp"):
        planner.plan_batch(starts, goals, time_parameterize="warp")
    with pytest.raises(InputError):
        planner.plan_batch([START, START[:5]], goals[:2])
    assert planner.plan_batch([], []) == []
    assert [item.code for item in planner.plan_batch([[np.nan] * 6], goals[:1])] == ["NotFinite"]


def test_progress_counts_every_item_once(planner: Planner, starts, goals) -> None:
    heard = []
    planner.plan_batch(starts, goals, threads=4, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(done, COUNT) for done in range(1, COUNT + 1)]


def test_what_progress_raises_ends_the_batch(planner: Planner, starts, goals) -> None:
    def progress(done: int, _: int) -> None:
        raise ZeroDivisionError(f"at {done}")

    with pytest.raises(ZeroDivisionError, match="at 1"):
        planner.plan_batch(starts, goals, threads=2, progress=progress)


def test_a_stop_cancels_what_is_left() -> None:
    robot, scene = boxed_in()
    planner, stop = Planner(robot, scene, timeout=600.0), StopFlag()
    # The first item is done at once; the others would run for ten minutes.
    goals = [[0.1, 0.0], [1.0, 0.0], [1.0, 0.1], [1.0, 0.2]]
    batch = planner.plan_batch([[0.0, 0.0]] * 4, goals, threads=2, progress=lambda *_: stop.stop(), stop=stop)
    assert isinstance(batch[0], Trajectory)
    assert [item.code for item in batch[1:]] == ["Cancelled"] * 3
    assert [item.code for item in planner.plan_batch([[0.0, 0.0]], [[0.1, 0.0]], stop=stop)] == ["Cancelled"]


INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
# A shell that runs the tests in the background has children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from test_planner import boxed_in
from kinetic import Planner

robot, scene = boxed_in()
planner = Planner(robot, scene, timeout=600.0)
# The first item is done at once, and Ctrl-C comes while the others run for ever.
goals = [[0.1, 0.0], [1.0, 0.0], [1.0, 0.1], [1.0, 0.2]]
def interrupt(done, total):
    if done == 1:
        os.kill(os.getpid(), signal.SIGINT)
try:
    planner.plan_batch([[0.0, 0.0]] * 4, goals, progress=interrupt)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
def test_ctrl_c_stops_a_running_batch() -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parent)]
    # The plans themselves would take 600 s: whoever waits that long was not interrupted.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["interrupted"], done.stderr


def test_the_scene_counts_as_it_is_when_the_batch_begins() -> None:
    robot, scene = boxed_in()
    planner = Planner(robot, scene, max_iterations=50)
    goals = [[-0.5 - 0.1 * index, 0.0] for index in range(6)]

    def edit(done: int, _: int) -> None:
        if done == 1:
            scene.add("late", Shape.sphere(0.5), translation(-1.0, 0.0, 0.0))

    batch = planner.plan_batch([[0.0, 0.0]] * 6, goals, threads=1, progress=edit)
    assert all(isinstance(item, Trajectory) for item in batch)
    again = planner.plan_batch([[0.0, 0.0]] * 6, goals, threads=1)
    assert [item.code for item in again] == ["GoalInCollision"] * 6


def test_what_is_planned_before_an_interrupt_is_kept() -> None:
    robot, scene = boxed_in()
    planner = Planner(robot, scene, timeout=600.0)
    # The first two are done at once, the others run for ever.
    goals = [[0.1, 0.0], [0.05, 0.0], *[[1.0, 0.0]] * 4]
    heard: list[tuple[int, int]] = []

    def interrupt(done: int, total: int) -> None:
        heard.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        planner.plan_batch([[0.0, 0.0]] * 6, goals, threads=1, progress=interrupt)
    results = caught.value.results  # type: ignore[attr-defined]
    assert heard == [(1, 6), (2, 6)]
    assert len(results) == 6 and all(isinstance(item, Trajectory) for item in results[:2])
    assert results[-1].code == "Cancelled"
