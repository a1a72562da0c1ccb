"""The loop of planning and execution in scripted worlds on simulated time. Oracle: distances between balls by hand."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_running_motions import RADIUS, ROBOT

from kinetic import (
    ExecutionError,
    InputError,
    PlanExecuteLoop,
    Planner,
    PlanningError,
    Pose,
    RealTimeExecutor,
    Scene,
    Shape,
    SimExecutor,
    SimulatedClock,
)

START, GOAL = np.array([-1.0, 0.0]), np.array([1.0, 0.0])
BALL, SIZE = np.array([0.6, 0.02]), 0.15
RATE = 100.0


class World:
    """A robot that follows its commands, a scene, and what happens after a command."""

    def __init__(self, act: Callable[[World], None] = lambda world: None) -> None:
        self.scene, self.act = Scene(ROBOT), act
        self.commands: list[np.ndarray] = []

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        del velocities
        self.commands.append(positions)
        self.act(self)

    def read(self) -> np.ndarray:
        return self.commands[-1] if self.commands else START

    def add_ball(self) -> None:
        self.scene.add("ball", Shape.sphere(SIZE), Pose.from_xyz(*BALL, 1.0))

    def loop(self, **options) -> PlanExecuteLoop:
        executor = RealTimeExecutor(RATE, clock=SimulatedClock())
        return PlanExecuteLoop(Planner(ROBOT, self.scene), executor, self.send, self.read, **options)

    def nearest(self) -> float:
        return float((np.linalg.norm(np.array(self.commands) - BALL, axis=1) - SIZE - RADIUS).min())

    def slowest(self) -> float:
        """The least speed under way, m/s."""
        commands = np.array(self.commands)
        away = np.minimum(np.linalg.norm(commands - START, axis=1), np.linalg.norm(commands - GOAL, axis=1))[:-1]
        return float((RATE * np.linalg.norm(np.diff(commands, axis=0), axis=1))[away > 0.2].min())


def appearing(world: World) -> None:
    if world.commands[-1][0] > -0.6 and not world.scene.objects:
        world.add_ball()


def appearing_in_another_thread(world: World) -> None:
    if world.commands[-1][0] > -0.6 and not world.scene.objects:
        thread = threading.Thread(target=world.add_ball)
        thread.start()
        thread.join()


def test_an_undisturbed_motion_is_the_plan() -> None:
    world = World()
    result = world.loop().move_to(GOAL)
    assert (result["replans"], result["splices"], result["execution"]["state"]) == (0, 0, "Completed")
    assert result["trajectory"].certificate.scene == world.scene.version and result["execution"]["verified"]
    assert result["trajectory"].joint_names == ["x", "y"]
    assert result["total_duration"] >= result["execution"]["actual_duration"]
    np.testing.assert_allclose(result["final_joints"], GOAL, atol=1e-9)
    assert result["execution"]["commands_sent"] == len(world.commands)


@pytest.mark.parametrize("act", [appearing, appearing_in_another_thread])
@pytest.mark.parametrize("replan", ["immediate", "deferred", "splice"])
def test_an_obstacle_that_appears_is_not_touched(act, replan) -> None:
    world = World(act)
    result = world.loop(replan=replan).move_to(GOAL)
    np.testing.assert_allclose(result["final_joints"], GOAL, atol=1e-9)
    assert result["replans"] == 1 and result["splices"] == (replan == "splice")
    assert world.nearest() > 0.0 and np.hypot(*(BALL - [0.6, 0.0])) < SIZE + RADIUS
    assert (world.slowest() > 0.1) == (replan == "splice")


@pytest.mark.parametrize("replan", ["immediate", "splice"])
def test_a_simulated_robot_moves_without_functions(replan) -> None:
    scene, told = Scene(ROBOT), []

    def progress(now) -> None:
        told.append(now["positions"])
        if now["positions"][0] > -0.6 and not scene.objects:
            scene.add("ball", Shape.sphere(SIZE), Pose.from_xyz(*BALL, 1.0))

    loop = PlanExecuteLoop(Planner(ROBOT, scene), SimExecutor(RATE), progress=progress, joints=START, replan=replan)
    result = loop.move_to(GOAL)
    assert result["replans"] == 1 and result["execution"]["verified"]
    assert (np.linalg.norm(np.array(told) - BALL, axis=1) > SIZE + RADIUS).all()
    np.testing.assert_allclose(loop.joints, GOAL, atol=1e-9)
    back = loop.move_to(START)
    np.testing.assert_allclose(back["final_joints"], START, atol=1e-9)


def test_a_held_robot_goes_on_when_the_scene_lets_it() -> None:
    world = World()
    world.scene.add("ball", Shape.sphere(SIZE), Pose.from_xyz(*GOAL, 1.0))
    with pytest.raises(PlanningError, match="GoalInCollision"):
        world.loop().move_to(GOAL)
    thread = threading.Thread(target=world.scene.remove, args=("ball",))
    loop = world.loop(recovery="hold", timeout=60.0)
    thread.start()
    np.testing.assert_allclose(loop.move_to(GOAL)["final_joints"], GOAL, atol=1e-9)
    thread.join()


def test_too_many_motions_are_given_up_and_the_robot_stands() -> None:
    world = World(appearing)
    loop = world.loop(max_replans=0)
    with pytest.raises(ExecutionError, match="max_replans"):
        loop.move_to(GOAL)
    np.testing.assert_array_equal(loop.joints, world.commands[-1])
    assert world.nearest() > 0.0


@pytest.mark.parametrize("name", ["command_callback", "feedback", "progress"])
def test_what_a_function_raises_is_the_cause(name) -> None:
    error, world = RuntimeError("the cable is out"), World()

    def fail(*arguments):
        if len(world.commands) >= 80:
            raise error
        return world.read() if name == "feedback" else world.send(*arguments) if name != "progress" else None

    functions = {"command_callback": world.send, "feedback": world.read, name: fail}
    executor = RealTimeExecutor(RATE, clock=SimulatedClock())
    loop = PlanExecuteLoop(Planner(ROBOT, world.scene), executor, **functions)
    with pytest.raises(ExecutionError, match="the cable is out") as caught:
        loop.move_to(GOAL)
    assert caught.value.__cause__ is error
    if name != "command_callback":
        assert np.linalg.norm(world.commands[-1] - world.commands[-2]) < 0.01, "it has stopped on its path"
    assert world.commands[-1][0] < 0.9
    # The callback is free again.
    world.commands.clear()
    assert world.loop().move_to(GOAL)["replans"] == 0


def test_ctrl_c_stops_the_robot_along_its_path() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    stopping = threading.Event()

    def act(world: World) -> None:
        if len(world.commands) == 80:
            signal.raise_signal(signal.SIGINT)
        # The main thread hears of it between two looks; the clock, which waits for nobody, is held back.
        if len(world.commands) >= 80 and not stopping.is_set():
            stopping.wait(0.2)

    world = World(act)

    def progress(now) -> None:
        if now["state"] == "Stopping":
            stopping.set()

    try:
        with pytest.raises(KeyboardInterrupt):
            executor = RealTimeExecutor(RATE, clock=SimulatedClock(), command_timeout_ms=1e5)
            planner = Planner(ROBOT, world.scene)
            PlanExecuteLoop(planner, executor, world.send, world.read, progress=progress).move_to(GOAL)
    finally:
        signal.signal(signal.SIGINT, before)
    commands = np.array(world.commands)
    assert stopping.is_set() and commands[-1, 0] < 0.9 and (commands[:, 1] == 0.0).all()
    assert np.linalg.norm(commands[-1] - commands[-2]) < 0.01


ENDING = """
import threading
from test_plan_execute import GOAL, ROBOT, World
from kinetic import PlanExecuteLoop, Planner, RealTimeExecutor

begun = threading.Event()

def act(world):
    begun.set()
    print(*world.commands[-1], flush=True)

world = World(act)
executor = RealTimeExecutor(100.0, command_timeout_ms=1e4)
loop = PlanExecuteLoop(Planner(ROBOT, world.scene), executor, world.send, world.read)
threading.Thread(target=loop.move_to, args=(GOAL,), daemon=True).start()
begun.wait()
"""


def test_the_end_of_python_stops_the_robot_along_its_path() -> None:
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", ENDING], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    places = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    assert places[-1, 0] < 0.9 and np.linalg.norm(places[-1] - places[-2]) < 0.01


def test_options_are_kept_and_bad_ones_are_refused() -> None:
    world = World()
    options = {"max_replans": 3, "replan": "splice", "recovery": "hold", "latency": 0.1, "timeout": 9.0}
    assert world.loop(**options, time_parameterize="jerk_limited").config == {
        "time_parameterize": "jerk_limited",
        **options,
    }
    assert world.loop().config["timeout"] is None
    bad = [
        {"replan": "later"},
        {"recovery": "pray"},
        {"latency": -0.1},
        {"timeout": 0.0},
        {"time_parameterize": False},
        {"time_parameterize": "magic"},
    ]
    for option in bad:
        with pytest.raises(InputError, match=next(iter(option)).split("_")[0]):
            world.loop(**option)
    planner = Planner(ROBOT, world.scene)
    with pytest.raises(InputError, match="command_callback"):
        PlanExecuteLoop(planner, RealTimeExecutor())
    with pytest.raises(InputError, match="feedback"):
        PlanExecuteLoop(planner, SimExecutor(), feedback=world.read)
    for loop in (PlanExecuteLoop(planner, SimExecutor()), PlanExecuteLoop(planner, RealTimeExecutor(), world.send)):
        with pytest.raises(InputError, match="joints|positions"):
            loop.move_to(GOAL)
    with pytest.raises(TypeError):
        PlanExecuteLoop(planner, world)
