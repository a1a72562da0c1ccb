"""The situations in which MoveIt tests its kinematic constraints, with its PR2 and its numbers, judged by NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from oracles import about, pose_of, translation

from kinetic import Constraint, InputError, Planner, PlanningError, Robot

EPSILON = float(np.finfo(float).eps)
X, Y, Z = np.eye(3)
PLANNED = 1e-4
"""Starts this far beyond a tolerance are refused; ranges of joints are exact to 1e-5."""

SPHERICAL = (
    '<robot name="spherical"><link name="base"/><link name="roll"/><link name="pitch"/><link name="yaw"/>'
    '<joint name="x" type="continuous"><parent link="base"/><child link="roll"/><axis xyz="1 0 0"/></joint>'
    '<joint name="y" type="continuous"><parent link="roll"/><child link="pitch"/><axis xyz="0 1 0"/></joint>'
    '<joint name="z" type="continuous"><parent link="pitch"/><child link="yaw"/><axis xyz="0 0 1"/></joint></robot>'
)


@pytest.fixture(scope="module")
def head() -> Robot:
    return Robot("pr2", group="head")


@pytest.fixture(scope="module")
def arms() -> Robot:
    return Robot("pr2", group="both_arms_with_torso")


@pytest.fixture(scope="module")
def spherical() -> Robot:
    return Robot.from_urdf(SPHERICAL)


def state(robot: Robot, **values: float) -> np.ndarray:
    """MoveIt's default state of the PR2, zero or the middle of the soft limits, with some joints elsewhere."""
    middle = {"torso_lift_joint": 0.16825}
    for side in "lr":
        middle[f"{side}_elbow_flex_joint"], middle[f"{side}_wrist_flex_joint"] = -1.13565, -1.05
    return np.array([{**middle, **values}.get(name, 0.0) for name in robot.joint_names])


def excess(robot: Robot, constraint: Constraint, q: Sequence[float] | np.ndarray) -> float:
    """How far beyond its tolerance a constraint is, of which plans from there, which go nowhere, think the same."""
    planner = Planner(robot, constraints=[constraint])
    (found,) = planner.constraint_deviations(q)
    beyond = found["deviation"] - found["tolerance"]
    if beyond > PLANNED:
        with pytest.raises(PlanningError) as caught:
            planner.plan(q, q)
        assert (caught.value.code, caught.value.context) == ("ConstraintViolated", "start")
        assert caught.value.value == pytest.approx(found["deviation"], abs=1e-9)
    elif beyond <= 0.0:
        planner.plan(q, q)
    return beyond


def turn(rotation: np.ndarray) -> float:
    """Angle of a rotation, from sine and cosine."""
    skew = rotation - rotation.T
    sine = np.linalg.norm([skew[2, 1], skew[0, 2], skew[1, 0]])
    return float(np.arctan2(sine, np.trace(rotation) - 1.0))


def angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def euler(roll: float, pitch: float, yaw: float) -> np.ndarray:
    return about(X, roll) @ about(Y, pitch) @ about(Z, yaw)


def vector(*rotation: float) -> np.ndarray:
    return about(np.array(rotation), float(np.linalg.norm(rotation)))


def joints_of(rotation: np.ndarray) -> list[float]:
    """Roll, pitch and yaw of the spherical robot with which its last link stands like that."""
    return [
        float(np.arctan2(-rotation[1, 2], rotation[2, 2])),
        float(np.arcsin(np.clip(rotation[0, 2], -1.0, 1.0))),
        float(np.arctan2(-rotation[0, 1], rotation[0, 0])),
    ]


# --- joints ---


@pytest.mark.parametrize(
    ("pan", "is_kept"),
    [
        *((0.0, False), (0.41, True), (0.46, True), (0.501, False), (0.39, True), (0.34, False)),
        *((0.35, True), (0.5, True), (0.35 - 3.0 * EPSILON, False), (0.5 + 3.0 * EPSILON, False)),
    ],
)
def test_a_joint_has_tolerances_above_and_below_that_differ(head: Robot, pan: float, is_kept: bool) -> None:
    """0.4, by 0.1 above and 0.05 below; both bounds belong to the interval."""
    beyond = excess(head, Constraint.joint(0, 0.35, 0.5), [pan, 0.0])
    assert (beyond <= 0.0) == is_kept
    assert beyond == pytest.approx(abs(pan - 0.425) - 0.075, abs=1e-15)


@pytest.mark.parametrize(
    ("middle", "value", "is_kept"),
    [
        *((0.0, 0.0, True), (0.0, 0.03, True), (0.0, 0.05, False), (0.0, -0.01, True), (0.0, -0.03, False)),
        *((3.14, 3.17, True), (3.14, 3.19, False), (3.14, 3.13, True), (3.14, 3.11, False)),
        *((-3.14, -3.11, True), (-3.14, -3.09, False), (6.28, 6.28, True)),
    ],
)
def test_continuous_joints_have_intervals_anywhere(arms: Robot, middle: float, value: float, is_kept: bool) -> None:
    """Values of one turn; 0.04 above and 0.02 below, beyond a half turn too."""
    index = arms.joint_names.index("l_wrist_roll_joint")
    constraint = Constraint.joint(index, middle - 0.02, middle + 0.04)
    assert (excess(arms, constraint, state(arms, l_wrist_roll_joint=value)) <= 0.0) == is_kept


def test_joints_without_an_interval_or_a_name_are_refused(head: Robot) -> None:
    for low, high in ((0.45, 0.4), (0.4, 0.4), (np.nan, 0.5), (0.4, np.inf), (-np.inf, np.nan)):
        with pytest.raises(InputError, match="joint"):
            Constraint.joint(0, low, high)
    with pytest.raises(InputError, match='joint_index .* = 2.* "head"'):
        Planner(head, constraints=[Constraint.joint(2, 0.0, 1.0)])
    with pytest.raises(InputError):
        Constraint.joint(-1, 0.0, 1.0)
    # Too narrow an interval outside of the limits of the joint, which end at 3.007.
    with pytest.raises(InputError, match="joint's range"):
        Planner(head, constraints=[Constraint.joint(0, -3.15, -3.05)])


@pytest.mark.parametrize(
    ("intervals", "low", "high"),
    [
        ([(0.35, 0.45), (0.3, 0.5)], 0.35, 0.45),
        ([(0.33, 0.43), (0.37, 0.47)], 0.37, 0.43),
        ([(0.3, 0.4), (0.4, 0.5)], 0.4, 0.4),
        ([(-3.05, -2.95)], -3.007, -2.95),
    ],
)
def test_samples_are_in_the_narrowest_interval(head: Robot, intervals: list, low: float, high: float) -> None:
    planner = Planner(head, constraints=[Constraint.joint(0, *interval) for interval in intervals])
    for seed in range(100):
        start = head.random_configuration(rng_seed=seed)
        pan, tilt = planner.project(start)
        assert low - 1e-12 <= pan <= high + 1e-12, f"seed {seed}"
        assert tilt == start[1], f"seed {seed}"


# --- positions ---


def test_a_ball_at_a_place_is_left_by_the_torso(arms: Robot) -> None:
    """A wrist within 0.2 m of (0.55, 0.2, 1.25), in any orientation."""
    centre = np.array([0.55, 0.2, 1.25])
    ball = Constraint.relative_pose("base_footprint", "l_wrist_roll_link", translation(*centre), 0.2, np.pi)
    for height in (0.16825, 0.25):
        q = state(arms, torso_lift_joint=height)
        way = np.linalg.norm(arms.fk_all(q)["l_wrist_roll_link"][:3, 3] - centre)
        assert excess(arms, ball, q) == pytest.approx(way - 0.2, abs=1e-9)
        assert way < 0.2
    lower = translation(0.55, 0.2, 1.15)
    ball = Constraint.relative_pose("base_footprint", "l_wrist_roll_link", lower, 0.2, np.pi)
    assert excess(arms, ball, state(arms)) < 0.0 < excess(arms, ball, state(arms, torso_lift_joint=0.33))


@pytest.mark.parametrize(("pan", "is_kept"), [(0.0, True), (0.4, True), (-0.4, False)])
def test_a_ball_that_moves_with_the_other_arm(arms: Robot, pan: float, is_kept: bool) -> None:
    """A wrist within 0.38 m of a point 0.6 m beside the other wrist."""
    ball = Constraint.relative_pose("r_wrist_roll_link", "l_wrist_roll_link", translation(0.0, 0.6, 0.0), 0.38, np.pi)
    q = state(arms, l_shoulder_pan_joint=pan)
    poses = arms.fk_all(q)
    place = np.linalg.solve(poses["r_wrist_roll_link"], poses["l_wrist_roll_link"])[:3, 3]
    beyond = excess(arms, ball, q)
    assert beyond == pytest.approx(np.linalg.norm(place - [0.0, 0.6, 0.0]) - 0.38, abs=1e-9)
    assert (beyond <= 0.0) == is_kept


def test_a_point_beside_the_link_is_in_a_box_up_to_its_faces() -> None:
    """MoveIt's offset of the target point is a link of its own here."""
    start = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
    robot = Robot("ur5e").with_link("probe", "tool0", translation(0.02, 0.0, 0.15))
    tool = robot.fk(start)
    point = (tool @ [0.02, 0.0, 0.15, 1.0])[:3]
    assert np.linalg.norm(point - tool[:3, 3]) > 0.15
    turned, half = vector(0.4, -0.2, 0.7), np.array([0.1, 0.05, 0.02])
    for axis, side in zip(range(3), (1.0, -1.0, 1.0)):
        for beyond in (-0.001, 0.001):
            centre = point - turned[:, axis] * side * (half[axis] + beyond)
            box = Constraint.box("probe", pose_of(turned, centre), half)
            assert excess(robot, box, start) == pytest.approx(beyond, abs=1e-9), f"face {axis}"
            assert excess(robot, Constraint.box("tool0", pose_of(turned, centre), half), start) > 0.0, f"face {axis}"


def test_regions_without_size_place_or_link_are_refused(arms: Robot) -> None:
    here = translation(0.55, 0.2, 1.25)
    for half in ([0.0, 0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0.1, np.nan], [0.1, 0.1, np.inf], [0.1, 0.1], []):
        with pytest.raises(InputError):
            Constraint.box("l_wrist_roll_link", here, half)
    for radius in (0.0, -0.2, np.nan, np.inf):
        with pytest.raises(InputError, match="position_tolerance"):
            Constraint.relative_pose("base_footprint", "l_wrist_roll_link", here, radius, np.pi)
    # MoveIt takes a quaternion of zeros for none; a matrix that is no rotation is an error here.
    for rotation in (np.zeros((3, 3)), 2.0 * np.eye(3), np.diag([1.0, 1.0, -1.0])):
        with pytest.raises(InputError, match="rotation"):
            Constraint.box("l_wrist_roll_link", pose_of(rotation, here[:3, 3]), [0.1, 0.1, 0.1])
    for link in ("", "no_link"):
        with pytest.raises(InputError, match=f'no link "{link}"'):
            Planner(arms, constraints=[Constraint.box(link, here, [0.1, 0.1, 0.1])])


# --- orientations ---


@pytest.mark.parametrize(("roll", "is_kept"), [(0.0, True), (0.05, True), (0.11, False), (np.pi, False)])
def test_a_wrist_turns_within_its_tolerance_and_half_a_turn_is_none(arms: Robot, roll: float, is_kept: bool) -> None:
    link = "r_wrist_roll_link"
    fixed = Constraint.fixed_orientation(link, arms.fk_all(state(arms))[link], 0.1)
    beyond = excess(arms, fixed, state(arms, r_wrist_roll_joint=roll))
    assert beyond == pytest.approx(roll - 0.1, abs=1e-9)
    assert (beyond <= 0.0) == is_kept
    # The default state is bent at elbow and wrist, so not as the root stands.
    assert excess(arms, Constraint.fixed_orientation(link, np.eye(4), 0.1), state(arms)) > 1.0


def test_free_turns_about_an_axis_are_cones_at_singularities(spherical: Robot) -> None:
    """Tolerances of 0.8 about x and y, any turn about z: roll and pitch of half a turn are a turn about z."""
    for tolerance, is_kept in ((0.8, True), (0.002, True), (0.001, False)):
        cone = Constraint.orientation("yaw", Z, tolerance)
        q = [3.140208, 3.141588, 1.570821]
        assert excess(spherical, cone, q) == pytest.approx(angle(euler(*q)[:, 2], Z) - tolerance, abs=1e-9)
        assert (excess(spherical, cone, q) <= 0.0) == is_kept
    assert excess(spherical, Constraint.orientation("yaw", Z, 0.8), [0.0, 0.81, 0.0]) == pytest.approx(0.01)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize(
    "turns", [(0.15, 0.15), (0.21, 0.0), (0.0, 0.21), (0.5, 0.21), (0.1, 0.09), (0.3, -0.15), (0.3, 0.15)]
)
def test_at_gimbal_lock_roll_and_yaw_add_up_or_cancel(spherical: Robot, pitch: float, turns: tuple) -> None:
    """A tolerance of 0.2 about x and z, and more than a right angle about y: the y axis in a cone."""
    roll, yaw = turns
    total = abs(roll + yaw) if pitch > 0.0 else abs(roll - yaw)
    cone = Constraint.free_axis("yaw", Y, Y, 0.2)
    beyond = excess(spherical, cone, [roll, pitch, yaw])
    assert beyond == pytest.approx(total - 0.2, abs=1e-9)
    assert beyond == pytest.approx(angle(euler(roll, pitch, yaw)[:, 1], Y) - 0.2, abs=1e-9)


def test_orientation_and_its_target_may_both_be_at_gimbal_lock(spherical: Robot) -> None:
    """Turned by 0.2 and 0.3 from there, which is 0.5 about z of the link."""
    target, q = euler(0.0, np.pi / 2, 0.0), [0.2, np.pi / 2, 0.3]
    fixed = Constraint.fixed_orientation("yaw", pose_of(target, np.zeros(3)), 1.0)
    assert excess(spherical, fixed, q) == pytest.approx(0.5 - 1.0, abs=1e-9)
    assert excess(spherical, Constraint.free_axis("yaw", Z, target[:, 2], 1e-6), q) <= 0.0


SIGNS = 0.5 * (1.0 - 2.0 * np.indices((2, 2, 2)).reshape(3, -1).T)


@pytest.mark.parametrize(
    "rotation",
    [
        *(euler(*signed) for signed in SIGNS),
        *(vector(*signed) for signed in SIGNS),
        *(vector(0.1, 0.2, -0.3), vector(0.1, 0.2, -0.6), euler(0.1, 0.2, -0.3), euler(0.1, 0.2, -0.6)),
        *(vector(np.pi, 0.0, 0.0), vector(0.0, np.pi - 1e-6, 0.0), vector(0.0, 0.0, 1e-9)),
    ],
)
def test_a_fixed_orientation_measures_the_rotation_vector(spherical: Robot, rotation: np.ndarray) -> None:
    """One tolerance for its length, whether the link turns or its target."""
    nominal = euler(0.3, -0.2, 0.5)
    for target, link in ((np.eye(3), rotation), (rotation, np.eye(3)), (nominal, nominal @ rotation)):
        for tolerance in (0.5, 0.9):
            fixed = Constraint.fixed_orientation("yaw", pose_of(target, np.zeros(3)), tolerance)
            assert excess(spherical, fixed, joints_of(link)) == pytest.approx(turn(rotation) - tolerance, abs=1e-7)


def test_tolerances_of_an_axis_are_in_the_frame_of_the_target(spherical: Robot) -> None:
    """Turned by 0.9 about z of the root is inside, about z of the link, which lies down, is not."""
    lying, delta = about(X, np.pi / 2), vector(0.1, 0.1, 0.9)
    upright = Constraint.free_axis("yaw", lying.T @ Z, Z, 0.2)
    assert excess(spherical, upright, joints_of(lying)) == pytest.approx(-0.2, abs=1e-9)
    assert excess(spherical, upright, joints_of(delta @ lying)) < 0.0
    assert excess(spherical, upright, joints_of(lying @ delta)) > 0.5


# --- visibility ---

CAMERA = "narrow_stereo_optical_frame"


@pytest.mark.parametrize(
    ("turned", "is_kept"),
    [((0.0, 0.0), True), ((0.05, 0.0), True), ((0.12, 0.0), False), ((0.0, 0.12), False), ((-0.08, 0.08), False)],
)
def test_a_target_is_seen_within_the_angle_of_the_view(head: Robot, turned: tuple, is_kept: bool) -> None:
    """A camera that looked straight at a target 2 m away pans and tilts."""
    ahead, camera = head.fk_all([0.0, 0.0])[CAMERA], head.fk_all(turned)[CAMERA]
    target = ahead[:3, 3] + 2.0 * ahead[:3, 2]
    beyond = excess(head, Constraint.visibility(CAMERA, target, 0.1), turned)
    assert beyond == pytest.approx(angle(camera[:3, 2], target - camera[:3, 3]) - 0.1, abs=1e-9)
    assert (beyond <= 0.0) == is_kept


def test_a_target_behind_the_sensor_is_not_seen_before_the_head_turns(head: Robot) -> None:
    camera = head.fk_all([0.0, 0.0])[CAMERA]
    behind = Constraint.visibility(CAMERA, camera[:3, 3] - 2.0 * camera[:3, 2], 0.1)
    assert excess(head, behind, [0.0, 0.0]) == pytest.approx(np.pi - 0.1, abs=1e-9)
    pan, tilt = Planner(head, constraints=[behind]).project([0.0, 0.0])
    seen = head.fk_all([pan, tilt])[CAMERA]
    assert angle(seen[:3, 2], camera[:3, 3] - 2.0 * camera[:3, 2] - seen[:3, 3]) <= 0.1 + 1e-9
    assert abs(pan) > 2.9


def test_views_without_an_angle_or_a_sensor_are_refused(head: Robot) -> None:
    for cone in (0.0, -0.1, 3.2, np.nan, np.inf):
        with pytest.raises(InputError, match="cone_angle"):
            Constraint.visibility(CAMERA, [2.0, 0.0, 1.3], cone)
    with pytest.raises(InputError, match="index 2"):
        Constraint.visibility(CAMERA, [2.0, 0.0, np.nan], 0.1)
    with pytest.raises(InputError, match="no link"):
        Planner(head, constraints=[Constraint.visibility("no_sensor", [2.0, 0.0, 1.3], 0.1)])


# --- sets ---


@pytest.mark.parametrize(
    ("q", "broken"),
    [((0.41, 0.41), ()), ((0.41, 0.0), (1,)), ((0.41, 0.51), (1,)), ((0.51, 0.41), (0,)), ((0, 0), (0, 1))],
)
def test_all_constraints_of_a_set_hold_together(head: Robot, q: tuple, broken: tuple) -> None:
    """The same interval of two joints, in either order, once and twice."""
    pan, tilt = (Constraint.joint(index, 0.35, 0.5) for index in (0, 1))
    for order in ((pan, tilt), (tilt, pan), (pan, tilt, pan)):
        planner = Planner(head, constraints=list(order))
        found = planner.constraint_deviations(q)
        assert [each["constraint"] for each in found] == list(order)
        wrong = [each["constraint"] for each in found if each["deviation"] > each["tolerance"]]
        assert {constraint.values["joint_index"] for constraint in wrong} == set(broken)
        if broken:
            with pytest.raises(PlanningError, match="ConstraintViolated: start"):
                planner.plan(q, (0.41, 0.41))
        else:
            motion = planner.plan(q, (0.48, 0.37))
            ways = [motion.sample(t) for t in np.linspace(0.0, motion.duration, 50)]
            assert np.min(ways) >= 0.35 and np.max(ways) <= 0.5 and np.max(ways) > 0.47


def test_one_constraint_that_cannot_be_refuses_the_set(head: Robot) -> None:
    """MoveIt keeps the others; a motion that ignores a condition is none that was asked for."""
    good = Constraint.joint(0, 0.35, 0.5)
    with pytest.raises(InputError, match="no_link"):
        Planner(head, constraints=[good, Constraint.orientation("no_link", Z, 0.1)])
    with pytest.raises(InputError, match=r"constraints\[0\] and constraints\[1\]"):
        Planner(head, constraints=[good, Constraint.joint(0, 0.53, 0.55)])
    assert Planner(head, constraints=[]).constraint_deviations([0.0, 0.0]) == []


def test_constraints_are_equal_by_their_values() -> None:
    def box(link: str = "a", z: float = 1.25, half: float = 1.0) -> Constraint:
        return Constraint.box(link, translation(0.55, 0.2, z), [1.0, 1.0, half])

    joint, ball = Constraint.joint(0, 0.35, 0.5), Constraint.relative_pose("base", "a", np.eye(4), 1.0, np.pi)
    assert joint == Constraint.joint(0, 0.35, 0.5) and box() == box()
    for other in (Constraint.joint(1, 0.35, 0.5), Constraint.joint(0, 0.25, 0.4), Constraint.joint(0, 0.35, 0.501)):
        assert joint != other
    for other in (box("b"), box(z=1.26), box(half=1.5), ball, joint):
        assert box() != other


@pytest.mark.parametrize("seed", range(3))
def test_a_planned_motion_stays_in_the_box(seed: int) -> None:
    """The hand of a Panda goes 0.3 m aside and 0.3 m down inside a box of 0.1 × 0.4 × 0.4 m."""
    robot = Robot("franka_panda")
    start = np.array([0.0, -np.pi / 4, 0.0, -0.75 * np.pi, 0.0, np.pi / 2, np.pi / 4])
    goal = robot.fk(start)
    centre, half = np.array([robot.fk_all(start)["panda_hand"][0, 3], 0.15, 0.45]), np.array([0.05, 0.2, 0.2])
    goal[:3, 3] += [0.0, 0.3, -0.3]
    box = Constraint.box("panda_hand", translation(*centre), half)
    motion = Planner(robot, constraints=[box], rng_seed=seed, timeout=20.0).plan(start, goal)
    for time in np.linspace(0.0, motion.duration, 1000):
        place = robot.fk_all(motion.sample(time))["panda_hand"][:3, 3]
        assert (np.abs(place - centre) <= half + 1e-9).all(), f"seed {seed}, {time} s"
    np.testing.assert_allclose(robot.fk(motion.sample(motion.duration)), goal, atol=1e-5)
