"""Which configuration of a goal a plan ends at: the best of all, by a search of every branch and every full turn."""

import itertools

import numpy as np
import pytest
from test_planner import boxed_in

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Pose, Robot, Scene, Shape

TAU = 2.0 * np.pi


def candidates(robot: Robot, pose: np.ndarray, is_free) -> np.ndarray:
    """Every branch of a pose with every combination of full turns inside the limits, as far as it is free."""
    limits = robot.joint_limits
    found = []
    for branch in robot.ik_all(pose):
        if not is_free(branch):
            continue
        values = []
        for value, (low, high) in zip(branch, limits):
            if np.isfinite(low):
                values.append([v for k in (-2, -1, 0, 1, 2) if low <= (v := value + k * TAU) <= high])
            else:
                values.append([value])
        found.extend(itertools.product(*values))
    return np.array(found)


def shortest_ways(robot: Robot, start: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Ways of the joints; those without limits turn the shorter way."""
    ways = np.abs(ends - start)
    endless = ~np.isfinite(robot.joint_limits[:, 0])
    ways[:, endless] = np.abs((ways[:, endless] + np.pi) % TAU - np.pi)
    return ways


def travel_times(planner: Planner, ways: np.ndarray) -> np.ndarray:
    """The slowest joint from rest to rest, by the area of its triangle or trapezium of speed."""
    v, a = planner.limits["velocity"], planner.limits["acceleration"]
    peak = np.minimum(v, np.sqrt(ways * a))
    return np.where(ways > 0, ways / np.maximum(peak, 1e-300) + peak / a, 0.0).max(axis=1)


COSTS = {
    "distance": lambda planner, scene, start, ends: np.linalg.norm(
        shortest_ways(planner.robot, start, ends) * planner.joint_weights, axis=1
    ),
    "time": lambda planner, scene, start, ends: travel_times(planner, shortest_ways(planner.robot, start, ends)),
    "clearance": lambda planner, scene, start, ends: np.array([-scene.min_distance(q) for q in ends]),
}


@pytest.mark.parametrize("prefer", COSTS)
@pytest.mark.parametrize("name", ["ur5e", "xarm6", "abb_irb1200"])
def test_a_plan_ends_at_the_best_of_all_configurations(name, prefer) -> None:
    robot = Robot(name)
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.05), np.eye(4) + [[0, 0, 0, -0.6], [0, 0, 0, -0.5], [0, 0, 0, 0.5], [0] * 4])
    planner = Planner(robot, scene, prefer=prefer, timeout=60.0, max_iterations=20_000)
    rng = np.random.default_rng(0)
    compared = unreached = 0
    for _ in range(20):
        start, target = (np.array(robot.random_configuration(int(seed))) for seed in rng.integers(2**32, size=2))
        if planner.is_in_collision(start) or planner.is_in_collision(target):
            continue
        pose = robot.fk(target)
        ends = candidates(robot, pose, lambda q: not planner.is_in_collision(q))
        costs = COSTS[prefer](planner, scene, start, ends)
        motion = planner.plan(start, Goal.pose(pose), False)
        end = np.array(motion.positions()[-1])
        reached = COSTS[prefer](planner, scene, start, end[None, :])[0]
        if reached > costs.min() + 1e-6:
            # Parts of joint space are closed off by the arm itself: nothing leads to the best configuration.
            alone = Planner(robot, scene, timeout=60.0, max_iterations=5_000)
            with pytest.raises(PlanningError, match="no plan"):
                alone.plan(start, Goal.joints(ends[np.argmin(costs)]), False)
            unreached += 1
        compared += 1
    assert unreached <= 2
    assert compared >= 6


def test_the_order_holds_among_the_members_of_a_set() -> None:
    robot = Robot("ur5e")
    start = robot.named_pose("home")
    near, far = start + 0.2, start + [2.0, 0.1, 0.1, 0.1, 0.1, 0.1]
    planner = Planner(robot, prefer="distance")
    motion = planner.plan(start, Goal.any([Goal.joints(far), Goal.joints(near)]), False)
    np.testing.assert_array_equal(np.array(motion.positions()[-1]), near)
    assert planner.last_stats["goal_index"] == 1


def test_a_goal_that_is_not_reached_gives_way_to_the_next_best() -> None:
    # Beyond a wall that nothing leads past, and on this side of it.
    robot, scene = boxed_in()
    beyond, here = [0.9, 0.0], [-1.5, 0.0]
    planner = Planner(robot, scene, prefer="distance", max_iterations=4_000, timeout=60.0)
    assert not planner.is_in_collision(beyond)
    motion = planner.plan([0.0, 0.0], Goal.any([beyond, here]), False)
    np.testing.assert_array_equal(motion.positions()[-1], here)
    # The best goal had a thirty-second of the budget.
    assert planner.last_stats["iterations"] >= 125


class OnlyHere:
    """Knows one goal."""

    def plan(self, start, goals, validity):
        return next(([start, goal] for goal in goals if goal[0] < 0.0), None)


def test_a_planner_that_gives_up_is_given_the_next_best_goals() -> None:
    kinetic.register_planner("preference_only_here", OnlyHere)
    robot, scene = boxed_in()
    planner = Planner(robot, scene, prefer="distance", planner_type="preference_only_here")
    motion = planner.plan([0.0, 0.0], Goal.any([[0.1, 0.0], [0.2, 0.0], [-0.3, 0.0]]), False)
    np.testing.assert_array_equal(motion.positions()[-1], [-0.3, 0.0])
    with pytest.raises(PlanningError) as caught:
        planner.plan([0.0, 0.0], Goal.any([[0.1, 0.0], [0.2, 0.0]]), False)
    assert caught.value.code == "PlanningFailed"


def test_the_rest_of_an_anytime_budget_is_for_the_way_to_the_goal_that_is_preferred() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("pillar", Shape.box(0.1, 0.1, 1.0), Pose.from_xyz(0.45, 0.25, 0.5))
    start, target = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0], [-0.2, -1.0, 1.0, -1.57, 0.0, 0.0]
    options = {"prefer": "distance", "max_iterations": 3_000, "timeout": 60.0}
    first = Planner(robot, scene, planner_type="rrt_connect", shortcut_iterations=0, smooth=False, **options)
    anytime = Planner(robot, scene, planner_type="aorrtc", **options)
    ends, lengths = [], []
    for planner in (first, anytime):
        motion = planner.plan(start, Goal.pose(robot.fk(target)), False)
        ends.append(np.array(motion.positions()[-1]))
        lengths.append(planner.last_stats["path_length"])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    assert lengths[1] <= lengths[0] + 1e-9
    assert anytime.last_stats["iterations"] >= 2_900


def test_an_unknown_preference_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError) as caught:
        Planner("ur5e", prefer="nearest")
    assert caught.value.available == ["distance", "time", "clearance"]
