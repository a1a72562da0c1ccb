"""The situations in which MoveIt tests sequences and blends of its Pilz planner, judged by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from test_pilz_cases import DOWN, NEAR, START, at, by, check_limits, sampled, speeds

from kinetic import (
    CartesianPath,
    InputError,
    KineticError,
    Planner,
    PlanningError,
    Robot,
    SequenceItem,
    SequenceResult,
    Trajectory,
)

ACROSS, UP, BACK = by(0.0, -0.12, 0.0), by(0.0, 0.0, 0.1), by(0.0, 0.12, 0.0)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture(scope="module")
def planner(robot: Robot) -> Planner:
    return Planner(robot, timeout=60.0)


def arc(robot: Robot, *place: float) -> CartesianPath:
    """Half a circle in a level plane from a place, 0.1 m aside."""
    x, y, z = place
    return CartesianPath().arc_to(at(robot, x + 0.05, y - 0.05, z), at(robot, x, y - 0.1, z))


def speed_at(robot: Robot, motion: Trajectory, time: float) -> float:
    before, after = (robot.fk(motion.sample(time + step))[:3, 3] for step in (-1e-5, 1e-5))
    return float(np.linalg.norm(after - before)) / 2e-5


def to_segment(points: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distances of points (N, 3) from a segment."""
    way = end - begin
    parts = np.clip((points - begin) @ way / max(way @ way, 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - begin - np.outer(parts, way), axis=1)


def to_samples(points: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """Distances of points (N, 3) from a chain of segments (M, 3)."""
    return np.min([to_segment(points, a, b) for a, b in zip(curve[:-1], curve[1:])], axis=0)


def corner(robot: Robot, result: SequenceResult, index: int) -> np.ndarray:
    part = result.items[index]["trajectory"]
    return robot.fk(part.sample(part.duration))[:3, 3]


# --- one after the other ---


@pytest.mark.parametrize("second", ["ptp", "lin", "circ"])
@pytest.mark.parametrize("first", ["ptp", "lin", "circ"])
def test_two_commands_are_one_after_the_other_at_rest_between(
    robot: Robot, planner: Planner, first: str, second: str
) -> None:
    items = {"ptp": START + 0.15, "lin": DOWN, "circ": arc(robot, 0.0, 0.0, 0.0)}
    alone = planner.plan_sequence(START, [items[first]])
    middle = alone.trajectory.sample(alone.trajectory.duration)
    via, goal = (np.array(robot.fk(middle)) for _ in range(2))
    via[:3, 3] += [0.05, -0.05, 0.0]
    goal[:3, 3] += [0.0, -0.1, 0.0]
    following = {"ptp": START - 0.15, "lin": ACROSS, "circ": CartesianPath().arc_to(via, goal)}[second]
    result = planner.plan_sequence(START, [items[first], following])
    motion, times = result.trajectory, result.boundaries
    parts = [item["trajectory"] for item in result.items]
    assert motion.duration == pytest.approx(sum(part.duration for part in parts), rel=1e-9)
    assert times[0] == 0.0 and (np.diff(times) > 0.0).all() and times[2] == motion.duration
    np.testing.assert_allclose(motion.sample(times[1]), middle, atol=1e-9)
    for time in times:
        assert np.abs(motion.sample_velocity(time)).max() <= 1e-6
    for part, begin in zip(parts, times):
        for time in np.linspace(0.0, part.duration, 50):
            np.testing.assert_allclose(motion.sample(begin + time), part.sample(time), atol=1e-7)
    check_limits(robot, motion)
    assert motion.certificate is not None


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_sequence_that_is_repeated_takes_as_many_times_as_long(robot: Robot, planner: Planner, count: int) -> None:
    once = planner.plan_sequence(START, [DOWN, ACROSS, UP, BACK]).trajectory
    often = planner.plan_sequence(START, [DOWN, ACROSS, UP, BACK] * count).trajectory
    assert often.duration == pytest.approx(count * once.duration, rel=1e-3)
    for turn in range(count):
        np.testing.assert_allclose(robot.fk(often.sample(turn * often.duration / count)), at(robot), atol=1e-3)


def test_items_are_scaled_alone(robot: Robot, planner: Planner) -> None:
    items = [DOWN, SequenceItem(ACROSS, velocity_scaling=0.1), SequenceItem(UP, acceleration_scaling=0.2), BACK]
    result = planner.plan_sequence(START, items)
    velocities, accelerations = (1.0, 0.1, 1.0, 1.0), (1.0, 1.0, 0.2, 1.0)
    for item, velocity, acceleration in zip(result.items, velocities, accelerations):
        assert check_limits(robot, item["trajectory"], velocity, acceleration) > 0.95


@pytest.mark.parametrize("item", [0, 1])
@pytest.mark.parametrize("command", ["ptp", "lin"])
def test_a_goal_out_of_reach_is_named(robot: Robot, planner: Planner, item: int, command: str) -> None:
    goal = at(robot, 3.0)
    items = [DOWN, ACROSS]
    items[item] = goal if command == "ptp" else CartesianPath().line_to(goal)
    with pytest.raises(PlanningError, match=f"SequenceItemFailed: item {item} of 2") as caught:
        planner.plan_sequence(START, items)
    assert caught.value.item == item
    assert caught.value.reason_code == ("GoalUnreachable" if command == "ptp" else "CartesianPathIncomplete")


def test_starts_and_goals_are_inside_of_the_limits(robot: Robot, planner: Planner) -> None:
    beyond = START.copy()
    beyond[2] = 3.2
    calls = ((planner.plan_cartesian, DOWN), (planner.plan, START), (planner.plan_sequence, [DOWN, ACROSS]))
    for call, goal in calls:
        with pytest.raises(InputError, match=f'JointLimitViolation: joint "{robot.joint_names[2]}" = 3.2'):
            call(beyond, goal)
    for items, item in (([DOWN, beyond], 1), ([beyond, DOWN], 0)):
        with pytest.raises(KineticError, match=f"item {item} of .*JointLimitViolation"):
            planner.plan_sequence(START, items)


# --- blends ---


@pytest.mark.parametrize("radii", [(0.0, 0.0), (0.03, 0.0), (0.0, 0.03), (0.03, 0.04), (0.05, 0.06)])
def test_blends_leave_the_lines_inside_of_their_balls_alone(robot: Robot, planner: Planner, radii: tuple) -> None:
    """Selective blending of three lines: at a radius of 0 the tool stops in the corner."""
    items = [SequenceItem(DOWN, blend_radius=radii[0]), SequenceItem(ACROSS, blend_radius=radii[1]), UP]
    result = planner.plan_sequence(START, items)
    motion = result.trajectory
    times, _, poses = sampled(robot, motion)
    places = poses[:, :3, 3]
    ends = at(robot)[:3, 3] + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -0.1], [0.0, -0.12, -0.1], [0.0, -0.12, 0.0]])
    off = np.min([to_segment(places, a, b) for a, b in zip(ends[:-1], ends[1:])], axis=0) > NEAR
    inside = [np.linalg.norm(places - end, axis=1) <= radius + NEAR for end, radius in zip(ends[1:3], radii)]
    assert not (off & ~(inside[0] | inside[1])).any()
    for index, radius in enumerate(radii):
        boundary = result.boundaries[index + 1]
        assert result.items[index]["blend_radius"] == radius
        least = np.linalg.norm(places - ends[index + 1], axis=1).min()
        if radius == 0.0:
            assert np.abs(motion.sample_velocity(boundary)).max() <= 1e-6
            assert least <= 1e-3
        else:
            near = np.linalg.norm(places - ends[index + 1], axis=1) <= radius
            assert speeds(times, places)[near[:-1]].min() > 0.01
            assert NEAR < least < radius and (off & inside[index]).any()
    assert (np.diff(result.boundaries) > 0.0).all()
    assert result.boundaries[-1] == pytest.approx(motion.duration, rel=1e-12)
    np.testing.assert_allclose(places[-1], ends[3], atol=1e-5)
    check_limits(robot, motion)


@pytest.mark.parametrize("radius", [0.01, 0.03, 0.06])
def test_larger_balls_are_quicker(robot: Robot, planner: Planner, radius: float) -> None:
    half, whole = (
        planner.plan_sequence(START, [SequenceItem(DOWN, blend_radius=ball), ACROSS]).trajectory.duration
        for ball in (radius / 2.0, radius)
    )
    assert whole < half < planner.plan_sequence(START, [DOWN, ACROSS]).trajectory.duration


@pytest.mark.parametrize("shape", ["lin circ", "circ lin", "circ circ", "lin back", "lin on"])
def test_blends_between_curves_and_on_one_line(robot: Robot, planner: Planner, shape: str) -> None:
    """Curves, a line that lies on the one before, back the way or on in its direction."""
    radius = 0.03
    first, second = {
        "lin circ": (DOWN, arc(robot, 0.0, 0.0, -0.1)),
        "circ lin": (arc(robot, 0.0, 0.0, 0.0), DOWN),
        "circ circ": (arc(robot, 0.0, 0.0, 0.0), arc(robot, 0.0, -0.1, 0.0)),
        "lin back": (DOWN, UP),
        "lin on": (DOWN, by(0.0, 0.0, -0.05)),
    }[shape]
    result = planner.plan_sequence(START, [SequenceItem(first, blend_radius=radius), second])
    assert result.items[0]["blend_radius"] == radius, result.items[0]["blend_reason"]
    _, _, poses = sampled(robot, result.trajectory)
    places, end = poses[:, :3, 3], corner(robot, result, 0)
    curve = np.vstack([sampled(robot, item["trajectory"], 200)[2][:, :3, 3] for item in result.items])
    away = np.linalg.norm(places - end, axis=1)
    assert away.min() < radius
    assert to_samples(places[away > radius + NEAR], curve).max() <= 2.0 * NEAR
    assert speed_at(robot, result.trajectory, result.boundaries[1]) > 0.01 or shape == "lin back"
    assert result.trajectory.duration < sum(item["trajectory"].duration for item in result.items)
    np.testing.assert_allclose(places[-1], corner(robot, result, 1), atol=1e-5)
    check_limits(robot, result.trajectory)


@pytest.mark.parametrize(
    ("first", "second", "radius", "inside"),
    [
        *((by(0.0, 0.0, -0.05), ACROSS, 0.06, 0), (ACROSS, by(0.0, 0.0, -0.05), 0.06, 1), (DOWN, ACROSS, 0.1, 0)),
        (ACROSS, DOWN, 0.1, 1),
    ],
)
def test_a_line_inside_of_the_ball_is_refused_and_named(
    planner: Planner, first: CartesianPath, second: CartesianPath, radius: float, inside: int
) -> None:
    """Either of the two lines, up to a radius as long as the line."""
    with pytest.raises(InputError, match=f"blend radius of item 0 .* way of the tool in item {inside}"):
        planner.plan_sequence(START, [SequenceItem(first, blend_radius=radius), second])


def test_a_motion_in_which_the_tool_stays_has_no_blend(robot: Robot, planner: Planner) -> None:
    """The wrist alone turns, or nothing moves."""
    for goal in (START + [0.0, 0.0, 0.0, 0.0, 0.0, 0.5], START):
        with pytest.raises(InputError, match="blend radius of item 0"):
            planner.plan_sequence(START, [SequenceItem(goal, blend_radius=0.01), DOWN])
        assert planner.plan_sequence(START, [goal, DOWN]).trajectory.certificate is not None
