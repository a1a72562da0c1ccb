"""Goals that many configurations meet: sets of goals and regions of poses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import about, pose_of, translation

from kinetic import Goal, InputError, Planner, PlanningError, Pose, Robot, Scene, Shape

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
NEAR = [-0.2, -1.2, 1.4, -1.7, -1.57, 0.0]
FAR = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]
MET = 1e-5
"""Pose goals are met to 1e-6; the end of a timed curve rounds once more."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def shelf(robot: Robot) -> Scene:
    """A table, and a wall between `NEAR` and `FAR`."""
    scene = Scene(robot)
    scene.add("table", Shape.box(2.0, 2.0, 0.02), translation(0.0, 0.0, -0.05))
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """Axis times angle, from the antisymmetric part; angles below π."""
    angle = np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0))
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    return np.zeros(3) if angle < 1e-9 else axis / (2.0 * np.sin(angle)) * angle


def end(trajectory) -> np.ndarray:
    return trajectory.sample(trajectory.duration)


# --- what a goal is ---


def test_sets_and_regions_are_values(robot: Robot) -> None:
    region = Goal.region(translation(0.4, 0.1, 0.3), [0.1, 0.2, 0.0], [0.0, 0.0, np.pi])
    assert (region.kind, region.goals, region.name, region.frame) == ("region", None, None, None)
    assert np.array_equal(region.values, translation(0.4, 0.1, 0.3))
    assert region.position_tolerance.tolist() == [0.1, 0.2, 0.0]
    assert region.orientation_tolerance.tolist() == [0.0, 0.0, np.pi]
    assert Goal.region(Pose.from_xyz(0.4, 0.1, 0.3), 0.1).orientation_tolerance.tolist() == [0.0] * 3
    both = Goal.any([region, Goal.named("home"), START])
    assert (both.kind, both.values, both.position_tolerance) == ("any", None, None)
    assert both.goals == [region, Goal.named("home"), Goal.joints(START)]
    assert Goal.any([both, Goal.named("ready")]).goals == [*both.goals, Goal.named("ready")]
    assert Goal.any(np.array([START, NEAR])).goals == [Goal.joints(START), Goal.joints(NEAR)]
    assert repr(Goal.any([Goal.named("home")])) == 'Goal.any([Goal.named("home")])'
    for goal in (region, both):
        assert pickle.loads(pickle.dumps(goal)) == goal


@pytest.mark.parametrize(
    ("position", "orientation", "name"),
    [
        ([0.1, -0.1, 0.0], 0.0, "position_tolerance"),
        ([0.1, 0.1], 0.0, "position_tolerance"),
        (np.nan, 0.0, "position_tolerance"),
        (0.1, 3.2, "orientation_tolerance"),
        (0.1, [0.0, np.inf, 0.0], "orientation_tolerance"),
    ],
)
def test_regions_outside_their_domain_are_refused_by_name(position, orientation, name: str) -> None:
    with pytest.raises(InputError, match=name):
        Goal.region(np.eye(4), position, orientation)


# --- plans ---


def test_any_goal_of_a_set_ends_the_plan(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    trajectory = planner.plan(START, Goal.any([FAR, NEAR]))
    assert planner.last_stats["goal_index"] == 1, "the straight way to the nearer one is free"
    assert np.allclose(end(trajectory), NEAR, rtol=0.0, atol=1e-6)
    assert trajectory == planner.plan(START, NEAR)


def test_what_cannot_be_met_is_passed_over(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    shelf.add("ball", Shape.sphere(0.1), translation(*robot.fk(NEAR)[:3, 3]))
    far_away = Goal.pose(translation(3.0, 0.0, 0.0))
    trajectory = planner.plan(START, Goal.any([NEAR, far_away, FAR, Goal.pose(robot.fk(FAR))]))
    assert planner.last_stats["goal_index"] in (2, 3)
    assert np.allclose(robot.fk(end(trajectory)), robot.fk(FAR), rtol=0.0, atol=MET)
    with pytest.raises(PlanningError, match="^GoalUnreachable: none of the 2 goals.*goal 1: GoalInCollision"):
        planner.plan(START, Goal.any([NEAR, far_away]))
    with pytest.raises(PlanningError, match="^GoalInCollision: "):
        planner.plan(START, Goal.any([NEAR]))


def test_wrong_goals_in_a_set_are_named(robot: Robot) -> None:
    planner = Planner(robot)
    with pytest.raises(InputError, match="^DimensionMismatch: goal 2 of 2"):
        planner.plan(START, Goal.any([NEAR, NEAR[:5]]))
    with pytest.raises(InputError, match="^NotFinite: "):
        planner.plan(START, Goal.any([NEAR, [np.nan] * 6]))
    with pytest.raises(InputError, match="^NamedConfigNotFound: "):
        planner.plan(START, Goal.any([Goal.named("lying")]))
    with pytest.raises(InputError, match="^JointLimitViolation: "):
        planner.plan(START, Goal.any([NEAR, [9.0] * 6]))
    with pytest.raises(InputError, match="an empty set"):
        planner.plan(START, Goal.any([]))


def test_the_start_as_goal_and_repeated_goals_are_defined(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    for goal in (Goal.joints(START), Goal.any([FAR, START])):
        trajectory = planner.plan(START, goal)
        assert (trajectory.duration, planner.last_stats["path_length"]) == (0.0, 0.0)
    assert planner.plan(START, Goal.any([FAR, FAR, FAR])) == planner.plan(START, FAR)
    assert planner.last_stats["goal_index"] == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("position", "orientation"),
    [([0.05, 0.1, 0.02], 0.0), (0.0, [0.0, 0.0, np.pi]), (0.1, 0.3), (0.0, 0.0)],
)
def test_a_region_is_reached_inside_its_tolerances(robot, shelf, position, orientation, seed: int) -> None:
    centre = robot.fk(FAR) @ pose_of(about(np.array([1.0, 2.0, 0.5]), 0.3), np.array([0.01, 0.02, 0.0]))
    planner = Planner(robot, shelf, rng_seed=seed)
    trajectory = planner.plan(START, Goal.region(centre, position, orientation))
    offset = np.linalg.inv(centre) @ robot.fk(end(trajectory))
    assert (np.abs(offset[:3, 3]) <= np.array(position) + MET).all()
    assert (np.abs(rotation_vector(offset[:3, :3])) <= np.array(orientation) + MET).all()
    assert trajectory == planner.plan(START, Goal.region(centre, position, orientation))


def test_a_region_is_reached_beside_what_blocks_its_centre(robot: Robot, shelf: Scene) -> None:
    centre = robot.fk(FAR)
    shelf.add("ball", Shape.sphere(0.03), translation(*centre[:3, 3]))
    planner = Planner(robot, shelf)
    with pytest.raises(PlanningError, match="^GoalInCollision: "):
        planner.plan(START, Goal.pose(centre))
    trajectory = planner.plan(START, Goal.region(centre, [0.25, 0.25, 0.05], 0.2))
    assert not planner.is_in_collision(end(trajectory))


def test_a_region_out_of_reach_says_what_was_tried(robot: Robot) -> None:
    with pytest.raises(PlanningError, match=r"^GoalUnreachable: of \d+ poses of the region, \d+ are out of reach"):
        Planner(robot).plan(START, Goal.region(translation(3.0, 0.0, 0.0), 0.1))
