"""Paths that come from elsewhere: proven, shortened and smoothed in the scene of a planner."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import InputError, Planner, PlanningError, Robot, Scene, Shape, Trajectory

START = np.array([0.6, -1.2, 1.4, -1.7, -1.57, 0.0])
GOAL = np.array([2.5, -1.2, 1.4, -1.7, -1.57, 0.0])
# Over the wall, with corners.
DETOUR = np.array([START, [0.6, -1.8, 0.8, -1.7, -1.57, 0.0], [2.5, -1.8, 0.8, -1.7, -1.57, 0.0], GOAL])
MARGIN = 0.02


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def wall(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 0.6), translation(0.0, 0.7, 0.3))
    return scene


@pytest.fixture
def planner(robot: Robot, wall: Scene) -> Planner:
    return Planner(robot, wall, rng_seed=5)


def points(path: np.ndarray) -> np.ndarray:
    """Every 0.1° of the joint that moves most."""
    pieces = [np.linspace(a, b, int(np.ceil(np.abs(b - a).max() / 1.7e-3)) + 1) for a, b in zip(path, path[1:])]
    return np.vstack(pieces)


def length(path: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def deviation(path: np.ndarray, given: np.ndarray) -> float:
    """The farthest that a point of a path is from a polyline."""
    dense, best = points(path), np.inf
    for a, b in zip(given, given[1:]):
        t = np.clip((dense - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(dense - a - t[:, None] * (b - a), axis=1))
    return float(np.max(best))


@pytest.mark.parametrize("call", ["simplify", "shortcut", "smooth_bspline"])
def test_what_comes_back_is_free_keeps_its_ends_and_is_shorter(planner: Planner, wall: Scene, call: str) -> None:
    assert planner.check_path(DETOUR) is None
    result = getattr(planner, call)(DETOUR)
    assert (result.is_timed, result.joint_names) == (False, planner.robot.joint_names)
    path = np.array(result.positions())
    assert np.array_equal(path[[0, -1]], DETOUR[[0, -1]])
    assert length(path) < length(DETOUR)
    assert wall.are_free(points(path), collision_margin=MARGIN - 1e-9).all()
    assert planner.check_path(result) is None
    assert getattr(planner, call)(Trajectory.from_waypoints(DETOUR)) == result
    timed = result.time_parameterize("totp", 2.0, 4.0)
    assert np.allclose(timed.sample(timed.duration), GOAL, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("allowed", [0.001, 0.05, 0.09])
def test_rounded_corners_stay_within_the_deviation_and_use_it(planner: Planner, allowed: float) -> None:
    path = np.array(planner.smooth_bspline(DETOUR, allowed).positions())
    assert deviation(path, DETOUR) <= allowed + 1e-12
    missed = np.linalg.norm(path[:, None] - DETOUR[None, 1:-1], axis=2).min(axis=0)
    assert missed == pytest.approx(allowed, abs=1e-12)
    directions = np.diff(path, axis=0) / np.linalg.norm(np.diff(path, axis=0), axis=1)[:, None]
    assert (np.sum(directions[1:] * directions[:-1], axis=1) > 0.9).all()
    assert np.array_equal(planner.smooth_bspline(DETOUR, 0.0).positions(), DETOUR)


def test_paths_that_are_none_of_the_group_are_refused(planner: Planner) -> None:
    outside = DETOUR.copy()
    outside[1, 2] = 3.5
    for call in (planner.check_path, planner.simplify, planner.shortcut, planner.smooth_bspline):
        with pytest.raises(InputError, match="^DimensionMismatch"):
            call(np.zeros((2, 7)))
        with pytest.raises(InputError, match="^NotFinite"):
            call([START, GOAL * np.nan])
        with pytest.raises(InputError, match="^JointLimitViolation.*elbow"):
            call(outside)
        with pytest.raises(InputError, match="waypoint"):
            call(np.zeros((0, 6)))
        with pytest.raises(PlanningError, match="^CollisionDetected.*wall") as caught:
            call([START, GOAL])
        assert isinstance(caught.value, kinetic.KineticError)
    for deviation_given in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="max_deviation"):
            planner.smooth_bspline(DETOUR, deviation_given)
    with pytest.raises(InputError):
        planner.shortcut(DETOUR, -1)


def test_motions_of_other_joints_are_refused() -> None:
    left, right = Planner("baxter_left"), Planner("baxter_right")
    home = np.array(left.robot.named_pose("home"))
    motion = left.plan(home, home + [0.3, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    dynamics = kinetic.Dynamics("baxter_right")
    calls = [
        *(right.check_path, right.simplify, right.shortcut, right.smooth_bspline, right.certify),
        lambda given: right.check_remaining(given, 0.0),
        lambda given: right.splice(given, 0.0, given),
        Scene("baxter_right").check_trajectory,
        dynamics.check_trajectory,
        lambda given: given.time_parameterize("totp", 0.5, 0.5, dynamics=dynamics),
    ]
    for call in calls:
        with pytest.raises(InputError, match="left_s0.*; wanted one of the joints right_s0"):
            call(motion)
    with pytest.raises(InputError, match="^InvalidValue: warm_start = left_s0"):
        Planner("baxter_right", planner_type="trajopt").plan("home", home, warm_start=motion)
    # Arrays do not say of which joints they are.
    assert right.check_path(motion.positions()) is None


def test_the_scene_counts_as_it_is_when_a_path_is_given(planner: Planner, wall: Scene) -> None:
    planner.check_path(DETOUR)
    wall.update_pose("wall", translation(0.0, 0.7, 0.8))
    with pytest.raises(PlanningError):
        planner.check_path(DETOUR)
