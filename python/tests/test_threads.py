"""Objects shared between threads: answers as with one thread, edits that are whole, no deadlock."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles import translation

from kinetic import Planner, PlanningError, Robot, Scene, Shape

THREADS = 8
# Far beyond what any of these tests takes; a deadlock ends here instead of never.
LONGEST = 60.0


def at_once(work, items) -> list:
    """Results of ``work`` on every item, in order, on many threads that start together."""
    items = list(items)
    gate = threading.Barrier(min(THREADS, len(items)))

    def run(index: int) -> object:
        if index < gate.parties:
            gate.wait(LONGEST)
        return work(items[index])

    with ThreadPoolExecutor(gate.parties) as pool:
        return [future.result(LONGEST) for future in [pool.submit(run, index) for index in range(len(items))]]


@pytest.fixture
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def scene(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
TURNED = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]


def test_a_robot_answers_many_threads_as_it_answers_one(robot: Robot) -> None:
    configs = [robot.random_configuration(rng_seed=seed) for seed in range(64)]
    targets = [robot.fk(q) for q in configs]
    assert np.array_equal(at_once(robot.fk, configs), targets)
    assert np.array_equal(at_once(robot.ik, targets), [robot.ik(target) for target in targets])


def test_one_planner_serves_many_threads(robot: Robot, scene: Scene) -> None:
    planner = Planner(robot, scene)
    alone = planner.plan(START, TURNED)
    assert at_once(lambda _: planner.plan(START, TURNED) == alone, range(2 * THREADS)) == [True] * (2 * THREADS)
    assert planner.last_stats["planner_used"] == "rrt_connect"


def test_queries_see_the_scene_before_or_after_an_edit_and_nothing_between(scene: Scene) -> None:
    q = START
    shape = Shape.sphere(0.1)
    scene.add("ball", shape, translation(2.0, 0.0, 0.0))
    distances = []
    for x in (2.0, 3.0):
        scene.clear()
        scene.add("ball", shape, translation(x, 0.0, 0.0))
        distances.append(scene.min_distance(q))
    done = threading.Event()

    def edit() -> None:
        while not done.is_set():
            for x in (2.0, 3.0):
                scene.update_pose("ball", translation(x, 0.0, 0.0))

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        seen = set(at_once(lambda _: scene.min_distance(q), range(200)))
    finally:
        done.set()
        editor.join(LONGEST)
    assert not editor.is_alive()
    assert seen <= set(distances)


def test_a_plan_works_on_the_scene_it_began_with(robot: Robot, scene: Scene) -> None:
    planner = Planner(robot, scene)
    wanted = planner.plan(START, TURNED)
    ball = Shape.sphere(0.1)
    pose = translation(*robot.fk(START)[:3, 3])
    done = threading.Event()

    def edit() -> None:
        while not done.is_set():
            scene.add("ball", ball, pose)
            scene.remove("ball")

    def plan(_: int) -> bool:
        try:
            return planner.plan(START, TURNED) == wanted
        except PlanningError as error:
            return error.code == "StartInCollision" and error.other == "ball"

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        assert all(at_once(plan, range(40)))
    finally:
        done.set()
        editor.join(LONGEST)


def test_loading_files_and_asking_at_once_does_not_deadlock(robot: Robot, scene: Scene, tmp_path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text('[[object]]\nname = "ball"\nshape = "sphere"\nradius = 0.1\nposition = [2.0, 0.0, 0.0]\n')

    def work(index: int) -> None:
        scene.load(path)
        scene.are_free([START] * 10)
        scene.snapshot().check_motion(START, TURNED)
        robot.tcp = translation(0.0, 0.0, 0.01 * index)
        robot.batch_fk([START] * 10)
        repr(robot.fk(START))

    at_once(work, range(100))
    assert scene.objects == ["ball", "wall"]


def test_a_tool_is_set_whole(robot: Robot) -> None:
    tools = [translation(0.0, 0.0, 0.1 * index) for index in range(4)]
    wanted = []
    for tool in tools:
        robot.tcp = tool
        wanted.append(robot.fk(START)[:3, 3].tolist())

    def work(index: int) -> list[float]:
        robot.tcp = tools[index % 4]
        return robot.fk(START)[:3, 3].tolist()

    assert all(found in wanted for found in at_once(work, range(200)))
