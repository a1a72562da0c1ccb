"""Constraints: deviations, projection, planned motions; Pinocchio's forward kinematics is the second opinion."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import FOLDERS, pose_of

import kinetic
from kinetic import Constraint, InputError, Planner, PlanningError, Problem, Robot, Scene, Shape

pin = pytest.importorskip("pinocchio", reason="the second opinion on poses of links")

ROBOTS = {"ur5e": "tool0", "franka_panda": "panda_hand"}
OTHERS = {"ur5e": "forearm_link", "franka_panda": "panda_link4"}


class Model:
    """A robot in Pinocchio, and poses of its links as matrices."""

    def __init__(self, name: str) -> None:
        self.robot = Robot(name)
        self.model = pin.buildModelFromUrdf(str(FOLDERS[name] / "robot.urdf"))
        self.data = self.model.createData()
        self.indices = [self.model.joints[self.model.getJointId(joint)].idx_q for joint in self.robot.joint_names]

    def poses(self, q: np.ndarray, *links: str) -> list[np.ndarray]:
        full = pin.neutral(self.model)
        full[self.indices] = q
        pin.framesForwardKinematics(self.model, self.data, full)
        return [self.data.oMf[self.model.getFrameId(link)].homogeneous.copy() for link in links]

    def random(self, rng: np.random.Generator) -> np.ndarray:
        lower, upper = np.array(self.robot.joint_limits).T
        return rng.uniform(np.maximum(lower, -3.0), np.minimum(upper, 3.0))


@pytest.fixture(scope="module", params=list(ROBOTS))
def model(request) -> Model:
    return Model(request.param)


def angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def turn(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(pin.log3(a @ b.T)))


def unit(vector) -> np.ndarray:
    return np.array(vector) / np.linalg.norm(vector)


def cases(model: Model, q: np.ndarray, slack: float = 1.0) -> list[tuple[Constraint, object]]:
    """One constraint of every kind that `q` keeps, and its deviation beyond the tolerance by Pinocchio and NumPy."""
    link, other = ROBOTS[model.robot.name], OTHERS[model.robot.name]
    pose, second = model.poses(q, link, other)
    rotation, position = pose[:3, :3], pose[:3, 3]
    axis, normal = unit([0.3, -0.5, 0.8]), unit([1.0, 2.0, -0.5])
    relative = np.linalg.inv(second) @ pose
    middle = float(np.linalg.norm(position - second[:3, 3]))
    box = pose_of(rotation @ pin.exp3(np.array([0.1, 0.2, -0.3])), position)
    half = slack * np.array([0.05, 0.08, 0.1])

    def of_pose(deviation):
        return lambda q: deviation(model.poses(q, link)[0])

    def of_both(deviation):
        return lambda q: deviation(*model.poses(q, link, other))

    def off_line(p):
        offset = p - position
        return np.linalg.norm(offset - normal * (normal @ offset))

    target = position + 0.4 * rotation[:, 2]
    return [
        (
            Constraint.orientation(link, rotation[:, 2], 0.1 * slack),
            of_pose(lambda p: angle(p[:3, 2], rotation[:, 2]) - 0.1 * slack),
        ),
        (
            Constraint.free_axis(link, axis, rotation @ axis, 0.2 * slack),
            of_pose(lambda p: angle(p[:3, :3] @ axis, rotation @ axis) - 0.2 * slack),
        ),
        (
            Constraint.fixed_orientation(link, pose, 0.1 * slack),
            of_pose(lambda p: turn(p[:3, :3], rotation) - 0.1 * slack),
        ),
        (
            Constraint.position_bound(link, "y", position[1] - 0.02 * slack, position[1] + 0.04 * slack),
            of_pose(lambda p: abs(p[1, 3] - position[1] - 0.01 * slack) - 0.03 * slack),
        ),
        (
            Constraint.plane(link, position, 2.0 * normal, 0.01 * slack),
            of_pose(lambda p: abs(normal @ (p[:3, 3] - position)) - 0.01 * slack),
        ),
        (
            Constraint.line(link, position, 3.0 * normal, 0.02 * slack),
            of_pose(lambda p: off_line(p[:3, 3]) - 0.02 * slack),
        ),
        (
            Constraint.box(link, box, half),
            of_pose(lambda p: float(np.max(np.abs(box[:3, :3].T @ (p[:3, 3] - position)) - half))),
        ),
        (
            Constraint.joint(1, q[1] - 0.2 * slack, q[1] + 0.4 * slack),
            lambda q_now: abs(q_now[1] - q[1] - 0.1 * slack) - 0.3 * slack,
        ),
        (
            Constraint.visibility(link, target, 0.3 * slack),
            of_pose(lambda p: angle(p[:3, 2], target - p[:3, 3]) - 0.3 * slack),
        ),
        (
            Constraint.distance(link, other, middle - 0.05 * slack, middle + 0.05 * slack),
            of_both(lambda a, b: abs(np.linalg.norm(a[:3, 3] - b[:3, 3]) - middle) - 0.05 * slack),
        ),
        (
            Constraint.relative_pose(other, link, relative, 0.05 * slack, 0.2 * slack),
            of_both(
                lambda a, b: max(
                    np.linalg.norm((np.linalg.inv(b) @ a)[:3, 3] - relative[:3, 3]) - 0.05 * slack,
                    turn((np.linalg.inv(b) @ a)[:3, :3], relative[:3, :3]) - 0.2 * slack,
                )
            ),
        ),
    ]


def test_deviations_are_those_of_pinocchio(model) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = model.random(rng)
        for constraint, excess in cases(model, q):
            planner = Planner(model.robot, constraints=[constraint])
            for near in (q, q + rng.normal(scale=0.05, size=q.size), model.random(rng)):
                (found,) = planner.constraint_deviations(near)
                assert found["constraint"] == constraint
                assert found["deviation"] - found["tolerance"] == pytest.approx(excess(near), abs=2e-7), constraint


def test_projections_keep_constraints_that_can_be_kept(model) -> None:
    rng = np.random.default_rng(2)
    for slack in (1.0, 0.01):
        counts: dict[str, int] = {}
        for _ in range(20):
            q = model.random(rng)
            for constraint, excess in cases(model, q, slack):
                planner = Planner(model.robot, constraints=[constraint])
                lower, upper = np.array(model.robot.joint_limits).T
                start = np.clip(q + rng.normal(scale=0.1, size=q.size), lower, upper)
                try:
                    found = planner.project(start)
                except PlanningError as error:
                    assert error.code == "ConstraintViolated"
                    continue
                counts[constraint.kind] = counts.get(constraint.kind, 0) + 1
                assert excess(found) <= 1e-9, constraint
                assert (found >= lower).all() and (found <= upper).all()
                if excess(start) < -0.5 * found.size:
                    np.testing.assert_array_equal(found, start)
        assert all(count >= 16 for count in counts.values()) and len(counts) == 11, counts


def sampled_excess(motion, excess) -> float:
    times = np.linspace(0.0, motion.duration, max(300, int(500 * motion.duration)))
    return max(excess(motion.sample(t)) for t in times)


def upright(model: Model, rng: np.random.Generator, planner: Planner) -> np.ndarray | None:
    """A configuration that keeps the constraints of a planner and is free."""
    for _ in range(200):
        try:
            q = planner.project(model.random(rng))
        except PlanningError:
            continue
        if not planner.is_in_collision(q):
            return q
    return None


@pytest.mark.parametrize("law", ["totp", "trapezoidal", "jerk_limited"])
def test_a_cup_stays_upright_at_every_instant(model, law) -> None:
    link, tolerance = ROBOTS[model.robot.name], np.deg2rad(5.0)
    scene = Scene(model.robot)
    scene.add("post", Shape.cuboid(0.04, 0.04, 0.5), kinetic.Pose.from_xyz(0.5, 0.0, 0.5))
    cup = Constraint.orientation(link, [0, 0, -1], tolerance)
    planner = Planner(model.robot, scene, constraints=[cup], timeout=20.0)
    rng = np.random.default_rng(3)
    for case in range(3):
        # All branches of a pose: those of an arm without self-motion are not connected under the constraint.
        start, goal = upright(model, rng, planner), model.robot.fk(upright(model, rng, planner))
        motion = planner.plan(start, goal, time_parameterize=law)
        assert planner.planner_used == "cbirrt"
        (proven,) = motion.certificate.constraints
        assert proven["constraint"] == cup
        found = sampled_excess(
            motion, lambda q: angle(model.poses(q, link)[0][:3, 2], np.array([0, 0, -1])) - tolerance
        )
        assert found <= proven["max_violation"] + 1e-9 <= 1e-9, case
        np.testing.assert_allclose(motion.sample(0.0), start, atol=1e-9)
        np.testing.assert_allclose(model.robot.fk(motion.sample(motion.duration)), goal, atol=1e-6)


def test_a_pen_stays_on_the_board_and_upright(model) -> None:
    """Three constraints within a millimetre and a hundredth of a radian."""
    link = ROBOTS[model.robot.name]
    home = {"ur5e": [0.3, -1.4, 1.9, -2.0, -1.5, 0.4], "franka_panda": [0.0, -0.2, 0.1, -2.2, 0.0, 2.0, 0.7]}
    start = np.array(home[model.robot.name])
    (pose,) = model.poses(start, link)
    constraints = [
        Constraint.plane(link, pose[:3, 3], [0, 0, 1], 1e-3),
        Constraint.free_axis(link, [0, 0, 1], pose[:3, 2], 1e-2),
    ]
    planner = Planner(model.robot, constraints=constraints, timeout=20.0)
    goal = planner.project(start + 0.5 * np.eye(start.size)[0])
    motion = planner.plan(start, goal)
    on_board = sampled_excess(motion, lambda q: abs(model.poses(q, link)[0][2, 3] - pose[2, 3]) - 1e-3)
    tilt = sampled_excess(motion, lambda q: angle(model.poses(q, link)[0][:3, 2], pose[:3, 2]) - 1e-2)
    bounds = [proven["max_violation"] for proven in motion.certificate.constraints]
    assert on_board <= bounds[0] + 1e-9 <= 1e-9
    assert tilt <= bounds[1] + 1e-9 <= 1e-9


def test_plan_constrained_adds_to_the_constraints_of_the_planner(model) -> None:
    link = ROBOTS[model.robot.name]
    cup = Constraint.orientation(link, [0, 0, -1], 0.2)
    planner = Planner(model.robot, constraints=[cup], timeout=20.0)
    rng = np.random.default_rng(4)
    start = upright(model, rng, planner)
    side = -np.sign(start[0])  # away from the limit
    limit = Constraint.joint(0, start[0] - (0.1 if side > 0 else 1.0), start[0] + (1.0 if side > 0 else 0.1))
    goal = planner.project(start + np.eye(start.size)[0] * 0.8 * side)
    motion = planner.plan_constrained(start, goal, [limit])
    assert [proven["constraint"] for proven in motion.certificate.constraints] == [cup, limit]
    values = [motion.sample(t)[0] for t in np.linspace(0.0, motion.duration, 500)]
    assert limit.values["min"] - 1e-5 <= min(values) and max(values) <= limit.values["max"] + 1e-5
    assert planner.constraints == [cup] and planner.last_stats["planner_used"] == "cbirrt"
    with pytest.raises(PlanningError) as caught:
        planner.plan_constrained(start, start + np.eye(start.size)[0] * 1.5 * side, [limit])
    assert caught.value.code == "ConstraintViolated" and "goal" in str(caught.value)


def test_the_same_seed_gives_the_same_bytes_and_a_saved_problem_replays(model, tmp_path) -> None:
    link = ROBOTS[model.robot.name]
    planner = Planner(model.robot, constraints=[Constraint.orientation(link, [0, 0, -1], 0.1)], max_iterations=20000)
    rng = np.random.default_rng(5)
    start, goal = upright(model, rng, planner), model.robot.fk(upright(model, rng, planner))
    problem = planner.problem(start, goal)
    problem.save(tmp_path / "problem.toml")
    first, second = problem.solve(), pickle.loads(pickle.dumps(planner)).problem(start, goal).solve()
    assert first.to_json() == second.to_json()
    loaded = Problem.load(tmp_path / "problem.toml")
    assert loaded.solve().to_json() == first.to_json()


def test_what_cannot_be_kept_is_refused_by_name(model) -> None:
    link = ROBOTS[model.robot.name]
    cup = Constraint.orientation(link, [0, 0, -1], 0.1)
    robot = model.robot
    with pytest.raises(InputError, match="constraints\\[0\\] and constraints\\[1\\]"):
        Planner(robot, constraints=[cup, Constraint.orientation(link, [0, 0, 1], 0.1)])
    with pytest.raises(InputError, match="hand_of_god"):
        Planner(robot, constraints=[Constraint.orientation("hand_of_god", [0, 0, 1], 0.1)])
    with pytest.raises(InputError, match="joint_index"):
        Planner(robot, constraints=[Constraint.joint(99, -1.0, 1.0)])
    with pytest.raises(InputError, match="tolerance"):
        Constraint.orientation(link, [0, 0, 1], -0.1)
    with pytest.raises(InputError):
        Constraint.orientation(link, [0, np.nan, 1], 0.1)
    with pytest.raises(InputError, match='"x", "y", "z"|axis'):
        Constraint.position_bound(link, "w", 0.0, 1.0)
    planner = Planner(robot, constraints=[cup])
    rng = np.random.default_rng(6)
    good = upright(model, rng, planner)
    with pytest.raises(InputError, match="minimise"):
        Planner(robot, constraints=[cup], minimise="length").plan(good, planner.project(good + 0.1))
    tilted = upright(model, rng, planner)
    tilted[-2] += 0.3 if tilted[-2] < 0 else -0.3
    with pytest.raises(PlanningError) as caught:
        planner.plan(tilted, good)
    error = caught.value
    assert error.code == "ConstraintViolated" and error.context == "start"
    assert error.value == pytest.approx(angle(model.poses(tilted, link)[0][:3, 2], np.array([0, 0, -1])), abs=1e-7)
    assert error.tolerance == 0.1
    for wrong in ([0.0], np.full(robot.dof, np.nan)):
        with pytest.raises(InputError):
            planner.project(wrong)
        with pytest.raises(InputError):
            planner.constraint_deviations(wrong)


# --- functions ---


def sum_of_two(rates=(1, 1, 0, 0, 0, 0), **options) -> Constraint:
    return Constraint.custom(lambda q: [q[0] + q[1] - 0.3], 1, rates, 0.02, name="sum", **options)


@pytest.mark.parametrize("jacobian", [None, lambda q: [[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]]])
def test_a_function_is_kept_at_every_instant(jacobian) -> None:
    planner = Planner("ur5e", constraints=[sum_of_two(jacobian=jacobian)], timeout=20.0)
    start = planner.project([1.0, -0.9, 0.5, -1.0, 1.0, 0.0])
    motion = planner.plan(start, planner.project([0.3, -0.5, 1.2, -1.5, 0.5, 0.4]))
    (proven,) = motion.certificate.constraints
    most = sampled_excess(motion, lambda q: abs(q[0] + q[1] - 0.3) - 0.02)
    assert most <= proven["max_violation"] + 1e-12 <= 1e-12
    assert planner.constraint_deviations(start)[0]["deviation"] == pytest.approx(abs(start[0] + start[1] - 0.3))


@pytest.mark.parametrize(
    ("residual", "says"),
    [
        (lambda q: [0.0, 0.0], "2 values, expected 1"),
        (lambda q: [np.nan], "NaN at index 0"),
        (lambda q: "nothing", "raised"),
        (lambda q: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_functions_that_fail_end_the_call_with_their_error(residual, says) -> None:
    planner = Planner("ur5e", constraints=[Constraint.custom(residual, 1, [1] * 6, 0.02)])
    q = [1.0, -0.9, 0.5, -1.0, 1.0, 0.0]
    for call in (lambda: planner.project(q), lambda: planner.plan(q, [0.5] * 6)):
        with pytest.raises(kinetic.KineticError) as caught:
            call()
        assert caught.value.code == "ConstraintFunctionFailed" and says in str(caught.value)


def test_a_function_that_changes_faster_than_its_rates_ends_the_call() -> None:
    planner = Planner("ur5e", constraints=[Constraint.custom(lambda q: [100.0 * q[0]], 1, [1] * 6, 0.02)])
    with pytest.raises(kinetic.KineticError, match="^ConstraintFunctionFailed: .*rate") as caught:
        planner.project([1.0, -0.9, 0.5, -1.0, 1.0, 0.0])
    assert caught.value.constraint == "custom"


def test_functions_are_neither_pickled_nor_saved(tmp_path) -> None:
    constraint = sum_of_two()
    planner = Planner("ur5e", constraints=[constraint])
    for store in (
        lambda: pickle.dumps(constraint),
        lambda: pickle.dumps(planner),
        lambda: planner.problem([0.0] * 6, "home").save(tmp_path / "problem.toml"),
    ):
        with pytest.raises(InputError, match="function"):
            store()
    with pytest.raises(InputError, match="rates"):
        Planner("ur5e", constraints=[sum_of_two(rates=[1.0])])


def test_a_start_off_the_constraints_is_projected_on_request(model) -> None:
    cup = Constraint.orientation(ROBOTS[model.robot.name], [0, 0, -1], 0.1)
    planner = Planner(model.robot, constraints=[cup], timeout=20.0)
    good = upright(model, np.random.default_rng(6), planner)
    tilted = good.copy()
    tilted[-2] += 0.2 if tilted[-2] < 0 else -0.2
    with pytest.raises(PlanningError) as caught:
        planner.plan(tilted, good)
    assert "projected_start" in {suggestion["kind"] for suggestion in caught.value.report.suggestions}
    motion = Planner(model.robot, constraints=[cup], timeout=20.0, project_start=True).plan(tilted, good)
    np.testing.assert_allclose(motion.sample(0.0), planner.project(tilted), atol=1e-12)
