"""Planners of the registry by name: rewired, exploring and cost-aware ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Planner, PlanningError, Robot, Scene, Shape, StopFlag

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
GOAL = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def shelf(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


def length(path: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


@pytest.mark.parametrize("planner_type", ["rrt_star", "bi_rrt_star"])
def test_rewired_trees_report_shorter_and_shorter_paths(planner_type: str, robot: Robot, shelf: Scene) -> None:
    heard: list[float] = []
    options = {"planner_type": planner_type, "max_iterations": 3000, "timeout": 600.0}
    planner = Planner(robot, shelf, **options)
    first = planner.plan(START, GOAL, on_improvement=lambda path: heard.append(length(np.array(path.positions()))))
    assert planner.planner_used == planner_type
    assert len(heard) > 1
    assert all(after < before for before, after in zip(heard, heard[1:]))
    assert first.to_json() == Planner(robot, shelf, **options).plan(START, GOAL).to_json()


@pytest.mark.parametrize("planner_type", ["rrt_star", "bi_rrt_star"])
def test_rewired_trees_refuse_what_they_do_not_make_small(planner_type: str, robot: Robot) -> None:
    with pytest.raises(InputError, match="minimise"):
        Planner(robot, planner_type=planner_type, minimise="time").plan(START, GOAL)
    with pytest.raises(InputError, match="budget"):
        Planner(robot, planner_type=planner_type, timeout=float("inf")).plan(START, GOAL)


@pytest.mark.parametrize("planner_type", ["rrt_star", "bi_rrt_star", "est", "kpiece", "bitrrt", "prm", "prm_star"])
def test_a_stop_ends_the_search(planner_type: str, robot: Robot, shelf: Scene) -> None:
    stop = StopFlag()
    stop.stop()
    with pytest.raises(PlanningError) as raised:
        Planner(robot, shelf, planner_type=planner_type).plan(START, GOAL, stop=stop)
    assert raised.value.code == "Cancelled"


def test_the_projection_of_kpiece_is_an_option(robot: Robot, shelf: Scene) -> None:
    paths = {}
    for projection in (None, "tool", "joints", "random"):
        planner = Planner(
            robot, shelf, planner_type="kpiece", projection=projection, smooth=False, shortcut_iterations=0
        )
        paths[projection] = str(planner.plan(START, GOAL, time_parameterize=False).positions())
        assert pickle.loads(pickle.dumps(planner)).projection == projection
    assert paths[None] == paths["tool"]
    assert len(set(paths.values())) == 3
    with pytest.raises(InputError, match='"tool", "joints", "random"'):
        Planner(robot, projection="elbow")


def test_costs_of_configurations_make_auto_the_planner_that_looks_at_them(robot: Robot, shelf: Scene) -> None:
    for cost in ("clearance", "joint_centring", "manipulability", "torque"):
        planner = Planner(robot, shelf, state_cost=cost)
        assert planner.planner_used == "bitrrt"
        assert planner.plan(START, GOAL).certificate is not None
        assert pickle.loads(pickle.dumps(planner)).state_cost == cost
    with pytest.raises(InputError, match="bitrrt and stomp look at costs"):
        Planner(robot, shelf, planner_type="rrt_connect", state_cost="clearance").plan(START, GOAL)
    with pytest.raises(InputError, match='"clearance", "joint_centring", "manipulability", "torque"'):
        Planner(robot, state_cost="beauty")


def test_a_function_is_a_cost_of_configurations(robot: Robot, shelf: Scene) -> None:
    asked = []

    def high(q: np.ndarray) -> float:
        asked.append(q)
        return float(max(0.0, 2.0 + np.sin(q[1])))

    planner = Planner(robot, shelf, state_cost=high, rng_seed=3)
    first = planner.plan(START, GOAL)
    assert planner.planner_used == "bitrrt" and planner.state_cost == "function"
    assert first.certificate is not None and len(asked) > 10
    assert all(q.shape == (6,) and q.dtype == np.float64 for q in asked)
    assert np.array_equal(planner.plan(START, GOAL).positions(), first.positions())
    stomp = Planner(robot, state_cost=high, planner_type="stomp", max_iterations=200)
    assert stomp.plan("home", "ready").certificate is not None
    with pytest.raises(InputError, match="a function cannot be stored"):
        pickle.dumps(planner)
    # A motion outlives the function that it was planned with.
    again = pickle.loads(pickle.dumps(first))
    assert np.array_equal(again.positions(), first.positions())


@pytest.mark.parametrize(
    ("returned", "message"),
    [(float("nan"), "NaN"), (-1.0, "-1"), ("much", "not str"), (None, "not NoneType"), (np.ones(2), "raised")],
)
def test_what_is_no_cost_ends_the_plan(robot: Robot, returned: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Planner(robot, state_cost=lambda _: returned, fallback=["stomp"]).plan(START, GOAL)  # type: ignore[arg-type, return-value]
    assert caught.value.code in ("CostFunctionFailed", "InvalidValue")


def test_a_cost_that_raises_ends_the_plan(robot: Robot) -> None:
    def broken(q: np.ndarray) -> float:
        raise ValueError("out of reach")

    with pytest.raises(InputError, match="raised ValueError: out of reach") as caught:
        Planner(robot, state_cost=broken).plan(START, GOAL)
    assert caught.value.code == "CostFunctionFailed"
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.__cause__.__traceback__.tb_frame.f_code.co_name == "broken"

    def interrupted(q: np.ndarray) -> float:
        raise KeyboardInterrupt

    # As planners of Python do, what is no Exception goes its way.
    with pytest.raises(KeyboardInterrupt):
        Planner(robot, state_cost=interrupted).plan(START, GOAL)
    with pytest.raises((TypeError, InputError), match="function"):
        Planner(robot, state_cost=3)  # type: ignore[arg-type]


def test_joints_stay_nearer_to_the_middle_of_their_ranges() -> None:
    robot = Robot("franka_panda")
    low, high = robot.joint_limits.T
    start, goal = low + 0.35 * (high - low), low + 0.65 * (high - low)
    # Far from the middle in joints whose straight way does not pass it.
    start[1::2], goal[1::2] = (low + 0.25 * (high - low))[1::2], (low + 0.25 * (high - low))[1::2]

    def off_centre(**options: object) -> float:
        costs = []
        for seed in range(6):
            planner = Planner(robot, rng_seed=seed, smooth=False, shortcut_iterations=0, **options)
            path = np.array(planner.plan(start, goal, time_parameterize=False).positions())
            points = np.concatenate([np.linspace(a, b, 50) for a, b in zip(path, path[1:])])
            costs.append((((points - (low + high) / 2) / ((high - low) / 2)) ** 2).mean())
        return float(np.mean(costs))

    assert off_centre(state_cost="joint_centring") < off_centre()


@pytest.mark.parametrize("planner_type", ["rrt_star", "bi_rrt_star", "est", "kpiece", "bitrrt"])
def test_a_preset_that_makes_the_time_small_leaves_planners_that_do_not_as_they_are(planner_type: str) -> None:
    planner = Planner("ur5e", preset="offline", planner_type=planner_type, timeout=0.2)
    assert planner.minimise is None
    assert planner.plan("home", "ready").certificate is not None
