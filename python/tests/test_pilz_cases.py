"""The situations in which MoveIt tests its Pilz planner: LIN, CIRC, PTP and sequences with blends, judged by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import about, pose_of

from kinetic import (
    CartesianConfig,
    CartesianPath,
    CartesianResult,
    InputError,
    Planner,
    PlanningError,
    Robot,
    SequenceItem,
    Trajectory,
)

STARTS = {
    "ur5e": np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1]),
    "abb_irb1200": np.array([0.2, 0.3, 0.3, 0.2, 0.9, 0.1]),
    "franka_panda": np.array([0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5]),
}
NEAR, TURNED = 1e-4, 1e-3
"""What a path is followed to, m and rad."""
SCALINGS = ("velocity_scaling", "acceleration_scaling")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture(scope="module")
def planner(robot: Robot) -> Planner:
    return Planner(robot, timeout=60.0)


START = STARTS["ur5e"]


def at(robot: Robot, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """The pose of the tool at the start, moved."""
    pose = np.array(robot.fk(START))
    pose[:3, 3] += x, y, z
    return pose


def by(*offset: float) -> CartesianPath:
    return CartesianPath().move_by(list(offset))


DOWN = by(0.0, 0.0, -0.1)


def sampled(robot: Robot, motion: Trajectory, count: int = 2000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, joint values and poses of the tool along a motion."""
    times = np.linspace(0.0, motion.duration, count)
    joints = np.array([motion.sample(t) for t in times])
    return times, joints, robot.batch_fk(joints)


def speeds(times: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)


def vector_of(rotation: np.ndarray) -> np.ndarray:
    """The rotation vector of a rotation below half a turn."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    sine = np.linalg.norm(axis)
    return axis * (np.arctan2(sine, np.trace(rotation) - 1.0) / max(sine, 1e-300))


def check_limits(robot: Robot, motion: Trajectory, velocity: float = 1.0, acceleration: float = 1.0) -> float:
    """Differences keep parts of the limits of the joints; the largest ratio of the two."""
    times, joints, _ = sampled(robot, motion)
    step = times[1] - times[0]
    v = np.max(np.abs(np.diff(joints, axis=0)) / (velocity * robot.velocity_limits * step))
    a = np.max(np.abs(np.diff(joints, n=2, axis=0)) / (acceleration * robot.acceleration_limits * step**2))
    assert v <= 1.0 + 1e-6 and a <= 1.0 + 1e-4
    lower, upper = np.array(robot.joint_limits).T
    assert (joints >= lower - 1e-9).all() and (joints <= upper + 1e-9).all()
    return float(max(v, a))


# --- LIN ---


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("seed", range(3))
def test_lin_to_the_pose_of_a_joint_goal_is_straight_and_turns_about_one_axis(name: str, seed: int) -> None:
    robot, start = Robot(name), STARTS[name]
    rng = np.random.default_rng(seed)
    other = start + rng.uniform(-0.15, 0.15, start.size)
    begin, goal = robot.fk(start), robot.fk(other)
    result = Planner(robot).plan_cartesian(start, CartesianPath().line_to(goal))
    assert result.fraction == 1.0, f"seed {seed}: {result.reason}"
    _, joints, poses = sampled(robot, result.trajectory)
    way, turn = goal[:3, 3] - begin[:3, 3], vector_of(begin[:3, :3].T @ goal[:3, :3])
    parts = (poses[:, :3, 3] - begin[:3, 3]) @ way / (way @ way)
    assert np.linalg.norm(poses[:, :3, 3] - begin[:3, 3] - np.outer(parts, way), axis=1).max() <= NEAR
    assert (np.diff(parts) > -1e-6).all() and parts[-1] == pytest.approx(1.0, abs=1e-6)
    slack = TURNED + np.linalg.norm(turn) * NEAR / np.linalg.norm(way)
    for part, pose in zip(parts, poses):
        wanted = begin[:3, :3] @ about(turn, float(part * np.linalg.norm(turn)))
        assert np.linalg.norm(vector_of(wanted.T @ pose[:3, :3])) <= slack, f"seed {seed}, {part}"
    np.testing.assert_allclose(robot.fk(joints[-1]), goal, atol=1e-6)
    if robot.dof == 6:
        np.testing.assert_allclose(joints[-1], other, atol=1e-5)
    check_limits(robot, result.trajectory)


@pytest.mark.parametrize("speed", [0.02, 0.1])
def test_lin_has_a_trapezoid_of_speed(robot: Robot, planner: Planner, speed: float) -> None:
    goal = at(robot, 0.0, -0.2, 0.03)
    goal[:3, :3] = goal[:3, :3] @ about(np.array([0.0, 0.0, 1.0]), 0.4)
    motion = planner.plan_cartesian(START, goal, CartesianConfig(constant_speed=speed)).trajectory
    times, _, poses = sampled(robot, motion)
    found = speeds(times, poses[:, :3, 3])
    held = np.flatnonzero(found > 0.99 * speed)
    first, last = held[0], held[-1]
    assert found.max() <= speed * (1.0 + 1e-6)
    assert (found[first : last + 1] > 0.985 * speed).all() and last - first > 0.9 * found.size
    assert (np.diff(found[:first]) > 0.0).all() and (np.diff(found[last + 1 :]) < 0.0).all()
    # The orientation has the same profile.
    turns = [np.linalg.norm(vector_of(a[:3, :3].T @ b[:3, :3])) for a, b in zip(poses[first:last], poses[first + 1 :])]
    assert np.ptp(np.array(turns) / found[first:last]) <= 0.02 * np.mean(turns / found[first:last])


def test_lin_that_goes_nowhere_is_refused_and_a_micrometre_is_not(robot: Robot, planner: Planner) -> None:
    """A success of one point in MoveIt; here a move has to go somewhere, for paths and for items of sequences."""
    here = at(robot)
    for goal in (here, CartesianPath().line_to(here), by(0.0, 0.0, 0.0), DOWN.line_to(at(robot, 0.0, 0.0, -0.1))):
        with pytest.raises(InputError, match="length of move [01] "):
            planner.plan_cartesian(START, goal)
    with pytest.raises(InputError, match="item 1 of the sequence"):
        planner.plan_sequence(START, [DOWN, by(0.0, 0.0, 0.0)])
    result = planner.plan_cartesian(START, at(robot, 0.0, 1e-6, 0.0), CartesianConfig(position_tolerance=1e-7))
    moved = robot.fk(result.trajectory.sample(result.trajectory.duration)) - here
    assert moved[1, 3] == pytest.approx(1e-6, abs=1e-9) and result.fraction == 1.0


@pytest.mark.parametrize("turn", [0.5, -1.0, 3.1])
def test_lin_may_turn_on_the_spot(robot: Robot, planner: Planner, turn: float) -> None:
    goal, here = at(robot), at(robot)
    goal[:3, :3] = here[:3, :3] @ about(np.array([0.0, 0.0, 1.0]), turn)
    motion = planner.plan_cartesian(START, goal).trajectory
    _, _, poses = sampled(robot, motion, 500)
    assert np.linalg.norm(poses[:, :3, 3] - here[:3, 3], axis=1).max() <= NEAR
    turned = np.array([vector_of(here[:3, :3].T @ pose[:3, :3]) for pose in poses])
    assert np.abs(turned[:, :2]).max() <= TURNED
    assert (np.diff(turned[:, 2] * np.sign(turn)) > -1e-9).all()
    assert turned[-1, 2] == pytest.approx(turn, abs=1e-6)


@pytest.mark.parametrize("offset", [(2.0, 0.0, 0.0), (0.0, 0.0, 1.5), (-0.4, -1.2, 0.0)])
def test_lin_out_of_the_workspace_ends_on_the_line_with_a_reason(robot: Robot, planner: Planner, offset: tuple) -> None:
    result = planner.plan_cartesian(START, at(robot, *offset))
    assert 0.0 < result.fraction < 1.0 and result.reason is not None
    _, joints, poses = sampled(robot, result.trajectory, 500)
    ways, length = poses[:, :3, 3] - at(robot)[:3, 3], np.linalg.norm(offset)
    along = ways @ np.array(offset) / length
    assert np.linalg.norm(ways - np.outer(along, offset) / length, axis=1).max() <= NEAR
    assert along[-1] == pytest.approx(result.fraction * length, abs=NEAR)
    # No other branch half-way: joints do not jump.
    assert np.abs(np.diff(joints, axis=0)).max() <= 1.001 * robot.velocity_limits[0] * result.trajectory.duration / 499
    with pytest.raises(PlanningError) as caught:
        planner.plan_sequence(START, [CartesianPath().line_to(at(robot, *offset))])
    assert (caught.value.code, caught.value.item) == ("SequenceItemFailed", 0)
    assert caught.value.reason_code == "CartesianPathIncomplete"


def test_lin_stops_at_the_limit_of_a_joint_and_names_it(robot: Robot, planner: Planner) -> None:
    start = START.copy()
    start[5] = 2.0 * np.pi - 0.2
    goal = robot.fk(start)
    goal[:3, :3] = goal[:3, :3] @ about(np.array([0.0, 0.0, 1.0]), 0.5)
    result = planner.plan_cartesian(start, goal)
    assert (result.obstacle["kind"], result.obstacle["joint"]) == ("limit", robot.joint_names[5])
    assert result.fraction == pytest.approx(0.4, abs=0.02)
    end = result.trajectory.sample(result.trajectory.duration)
    assert 2.0 * np.pi - 0.02 < end[5] <= 2.0 * np.pi
    back = robot.fk(start)
    back[:3, :3] = back[:3, :3] @ about(np.array([0.0, 0.0, 1.0]), -0.5)
    assert planner.plan_cartesian(start, back).fraction == 1.0


# --- CIRC ---

RADIUS = 0.1
TILTS = {"level": (0.0, 0.0, 1.0), "upright": (1.0, 0.0, 0.0), "inclined": (0.3, 0.2, 1.0)}


def circle(robot: Robot, tilt: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, axis and the arm from the centre to the tool of a circle that begins at the start."""
    axis = np.array(TILTS[tilt]) / np.linalg.norm(TILTS[tilt])
    arm = np.cross(axis, [1.0, 0.2, 0.1])
    arm *= RADIUS / np.linalg.norm(arm)
    return at(robot)[:3, 3] - arm, axis, arm


def on(robot: Robot, tilt: str, degrees: float) -> np.ndarray:
    centre, axis, arm = circle(robot, tilt)
    return pose_of(at(robot)[:3, :3], centre + about(axis, np.deg2rad(degrees)) @ arm)


def check_circle(robot: Robot, result: CartesianResult, tilt: str, degrees: float) -> None:
    """The tool is on the circle at every sample, and goes round it all the way without turning back."""
    assert result.fraction == 1.0, result.reason
    centre, axis, arm = circle(robot, tilt)
    _, _, poses = sampled(robot, result.trajectory)
    arms = poses[:, :3, 3] - centre
    assert np.abs(arms @ axis).max() <= NEAR
    assert np.abs(np.linalg.norm(arms, axis=1) - RADIUS).max() <= NEAR
    angles = np.unwrap(np.arctan2(arms @ np.cross(axis, arm), arms @ arm))
    assert (np.diff(angles) * np.sign(degrees) > -1e-6).all()
    assert angles[-1] == pytest.approx(np.deg2rad(degrees), abs=1e-5)
    assert max(np.linalg.norm(vector_of(poses[0, :3, :3].T @ pose[:3, :3])) for pose in poses) <= TURNED
    check_limits(robot, result.trajectory)


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize(("via", "goal"), [(90, 180), (180, 270), (225, 270), (-225, -270), (10, 60), (60, 350)])
def test_circ_goes_through_its_via_point_whatever_lies_opposite(
    robot: Robot, planner: Planner, tilt: str, via: float, goal: float
) -> None:
    """Half circles, via points opposite to the start, and arcs of more than half a turn, either way round."""
    result = planner.plan_cartesian_arc(START, on(robot, tilt, via), on(robot, tilt, goal))
    check_circle(robot, result, tilt, goal)
    ways = sampled(robot, result.trajectory)[2][:, :3, 3] - on(robot, tilt, via)[:3, 3]
    assert np.linalg.norm(ways, axis=1).min() <= 1e-3


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("degrees", [45, -120, 180, 360])
def test_circ_about_its_centre(robot: Robot, planner: Planner, tilt: str, degrees: float) -> None:
    centre, axis, _ = circle(robot, tilt)
    result = planner.plan_cartesian(START, CartesianPath().circle(centre, axis, np.deg2rad(degrees)))
    check_circle(robot, result, tilt, degrees)
    assert result.length == pytest.approx(RADIUS * abs(np.deg2rad(degrees)))


@pytest.mark.parametrize(
    ("via", "goal"),
    [
        *(
            ((0, 0, 0), (0, -0.1, 0)),
            ((0, -0.1, 0), (0, -0.1, 0)),
            ((0.05, -0.05, 0), (0, 0, 0)),
            ((0, 0, 0), (0, 0, 0)),
        ),
        *(((1e-8, 1e-8, 1e-8), (-1e-8, -1e-8, -1e-8)), ((0, -0.05, 0), (0, -0.1, 0)), ((0, -0.2, 0), (0, -0.1, 0))),
        ((0, 0.05, 0), (0, -0.1, 0)),
    ],
)
def test_circ_needs_three_points_that_are_not_on_a_line(
    robot: Robot, planner: Planner, via: tuple, goal: tuple
) -> None:
    """Points that coincide or nearly do, and points on a line: between start and goal, beyond and before them."""
    with pytest.raises(InputError, match="move 0 .* three positions that are not on one line"):
        planner.plan_cartesian_arc(START, at(robot, *via), at(robot, *goal))
    with pytest.raises(InputError, match="item 1 of the sequence"):
        planner.plan_sequence(START + 0.1, [START, CartesianPath().arc_to(at(robot, *via), at(robot, *goal))])


def test_circ_without_radius_axis_or_angle_is_refused(robot: Robot, planner: Planner) -> None:
    centre, axis, _ = circle(robot, "level")
    for made in ((at(robot)[:3, 3], axis, 1.0), (centre, [0.0, 0.0, 0.0], 1.0), (centre, axis, 0.0)):
        with pytest.raises(InputError, match="move 0"):
            planner.plan_cartesian(START, CartesianPath().circle(*made))


# --- speeds and scaling ---


@pytest.mark.parametrize("kind", ["lin", "circ", "ptp"])
@pytest.mark.parametrize("part", [0.5, 0.05])
def test_scaled_limits_give_the_same_motion_slower(robot: Robot, planner: Planner, kind: str, part: float) -> None:
    """Velocities by a factor and accelerations by its square stretch time; either alone is obeyed."""

    def motion(**scaling: float) -> Trajectory:
        scaled = Planner(robot, **scaling)
        if kind == "ptp":
            return scaled.plan(START, START + [0.8, -0.2, 0.1, 0.3, -0.4, 1.0])
        via, goal = on(robot, "level", 60), on(robot, "level", 120)
        path = CartesianPath().arc_to(via, goal) if kind == "circ" else CartesianPath().line_to(goal)
        return scaled.plan_cartesian(START, path).trajectory

    whole, slow = motion(), motion(velocity_scaling=part, acceleration_scaling=part**2)
    assert slow.duration == pytest.approx(whole.duration / part, rel=1e-6)
    for ratio in np.linspace(0.0, 1.0, 50):
        np.testing.assert_allclose(slow.sample(ratio * slow.duration), whole.sample(ratio * whole.duration), atol=1e-7)
    assert check_limits(robot, slow, part, part**2) > 0.95
    for name in SCALINGS:
        alone = motion(**{name: part})
        assert check_limits(robot, alone, **{name.split("_")[0]: part}) > 0.95
        assert alone.duration > 0.999 * whole.duration


@pytest.mark.parametrize("name", SCALINGS)
def test_scaling_outside_of_0_to_1_is_refused(robot: Robot, planner: Planner, name: str) -> None:
    for factor in (0.0, -0.1, 1.0001, 1.1, 100.0, np.nan, np.inf):
        for call in (Planner, planner.plan, SequenceItem):
            first = (robot,) if call is Planner else (START, START + 0.1) if call == planner.plan else (DOWN,)
            with pytest.raises(InputError, match=name):
                call(*first, **{name: factor})


@pytest.mark.parametrize("speed", [0.5, 0.05])
def test_a_speed_of_the_tool_limits_circ(robot: Robot, planner: Planner, speed: float) -> None:
    path = CartesianPath().arc_to(on(robot, "inclined", 90), on(robot, "inclined", 200))
    motion = planner.plan_cartesian(START, path, CartesianConfig(max_tool_speed=speed)).trajectory
    times, _, poses = sampled(robot, motion)
    assert 0.8 * speed < speeds(times, poses[:, :3, 3]).max() <= speed * (1.0 + 1e-6)
    # MoveIt takes these for no limit.
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(InputError, match="max_tool_speed"):
            CartesianConfig(max_tool_speed=wrong)


# --- PTP ---


@pytest.mark.parametrize("law", ["trapezoidal", "totp"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_ptp_is_the_trapezoid_of_the_joint_that_takes_longest(robot: Robot, law: str, sign: float) -> None:
    """2 rad/s and 1.5 rad/s², halved and by a third: 3 rad take 5 s, and joints with a shorter way are in step."""
    planner = Planner(robot, velocity_limits=2.0, acceleration_limits=1.5)
    start, by = np.array([0.0, -1.2, 0.5, -1.0, 0.3, 0.0]), sign * np.array([1.5, 0.0, 0.9, 0.0, 0.0, 3.0])
    motion = planner.plan(start, start + by, law, velocity_scaling=0.5, acceleration_scaling=1.0 / 3.0)
    assert motion.duration == pytest.approx(5.0, abs=1e-6)
    for time, part, speed in (
        (0, 0, 0),
        (1, 0.25, 0.5),
        (2, 1, 1),
        (2.5, 1.5, 1),
        (3, 2, 1),
        (4, 2.75, 0.5),
        (5, 3, 0),
    ):
        np.testing.assert_allclose(motion.sample(time), start + by * part / 3.0, atol=1e-6)
        np.testing.assert_allclose(motion.sample_velocity(time), by * speed / 3.0, atol=1e-6)


@pytest.mark.parametrize("law", ["trapezoidal", "totp"])
@pytest.mark.parametrize("seed", range(4))
def test_ptp_is_as_long_as_its_slowest_joint_needs(robot: Robot, law: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    velocity, acceleration, by = rng.uniform(0.2, 3.0, 6), rng.uniform(0.5, 4.0, 6), rng.uniform(-0.4, 0.4, 6)
    by[seed] = 0.0
    v, a = (np.min(limit[by != 0.0] / np.abs(by[by != 0.0])) for limit in (velocity, acceleration))
    wanted = 1.0 / v + v / a if v * v < a else 2.0 / np.sqrt(a)
    planner = Planner(robot, velocity_limits=velocity, acceleration_limits=acceleration)
    motion = planner.plan(START, START + by, law)
    assert motion.duration == pytest.approx(wanted, rel=1e-6), f"seed {seed}"
    _, joints, _ = sampled(robot, motion, 200)
    parts = (joints - START) @ by / (by @ by)
    np.testing.assert_allclose(joints - START, np.outer(parts, by), atol=1e-9)


def test_ptp_that_is_there_already_takes_no_time(robot: Robot, planner: Planner) -> None:
    for goal in (START, at(robot)):
        motion = planner.plan(START, goal)
        assert motion.duration == 0.0
        np.testing.assert_array_equal(motion.sample(0.0), START)
        assert not motion.sample_velocity(0.0).any()
    assert planner.plan_sequence(START, [START, DOWN]).boundaries[1] == 0.0


def test_ptp_to_a_pose_ends_there_and_out_of_reach_says_so(robot: Robot, planner: Planner) -> None:
    goal = at(robot, 0.05, -0.4, 0.1)
    motion = planner.plan(START, goal)
    np.testing.assert_allclose(robot.fk(motion.sample(motion.duration)), goal, atol=1e-6)
    with pytest.raises(PlanningError) as caught:
        planner.plan(START, at(robot, 3.0, 0.0, 0.0))
    assert caught.value.code == "GoalUnreachable"
