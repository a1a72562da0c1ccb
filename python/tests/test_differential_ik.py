"""Differential inverse kinematics. Oracles: bounded least squares of SciPy and DAQP, NumPy, differences of poses."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from oracles import central_differences
from scipy.optimize import linprog, lsq_linear

import kinetic
from kinetic import DifferentialIK, InputError, Robot, TaskProblem

ROBOTS = ["franka_panda", "ur5e", "fetch", "xarm6", "kuka_iiwa14", "tiago"]
TWIST = [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
METHODS = [name for name, _ in DifferentialIK.methods()]


def random_q(robot: Robot, seed: int) -> np.ndarray:
    return robot.random_configuration(seed)


def rate(robot: Robot, q: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """Linear and angular velocity of the tool in the base, by central differences of the pose along the motion."""
    step = 1e-6
    before, after = np.asarray(robot.fk(q - step * velocities)), np.asarray(robot.fk(q + step * velocities))
    turn = after[:3, :3] @ before[:3, :3].T
    angular = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    return np.concatenate([after[:3, 3] - before[:3, 3], angular]) / (2 * step)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("method", METHODS)
def test_the_tool_moves_as_the_twist_says(name, method) -> None:
    robot = Robot(name)
    ik = DifferentialIK(robot, method=method)
    rng = np.random.default_rng(0)
    exact = 0
    for seed in range(60):
        q, twist = random_q(robot, seed), rng.uniform(-0.05, 0.05, 6)
        frame = ["base", "tool"][seed % 2]
        answer = ik.twist(q, twist, frame=frame)
        if answer["damping"] > 0 or answer["limiting_joint"] is not None:
            continue
        exact += 1
        reached = rate(robot, q, answer["velocities"])
        if frame == "tool":
            rotation = np.asarray(robot.fk(q))[:3, :3]
            reached = np.concatenate([rotation.T @ reached[:3], rotation.T @ reached[3:]])
        assert np.abs(reached - twist).max() < 1e-7, seed
        assert answer["achieved"] == pytest.approx(1.0, abs=1e-9)
    assert exact > 15


@pytest.mark.parametrize("name", ROBOTS)
def test_bounded_least_squares_are_those_of_scipy(name) -> None:
    robot = Robot(name)
    ik = DifferentialIK(robot)
    rng = np.random.default_rng(1)
    limited = 0
    for seed in range(100):
        q, twist = random_q(robot, seed), rng.uniform(-3.0, 3.0, 6)
        answer = ik.twist(q, twist)
        lower, upper = ik.velocity_bounds(q)
        velocities = answer["velocities"]
        assert (velocities >= lower).all() and (velocities <= upper).all(), seed
        jacobian = robot.jacobian(q)
        if answer["damping"] > 0:
            continue
        limited += answer["limiting_joint"] is not None
        oracle = lsq_linear(jacobian, twist, (lower, upper + 1e-12), tol=1e-12)
        least, error = np.linalg.norm(jacobian @ oracle.x - twist), np.linalg.norm(jacobian @ velocities - twist)
        # Null space: some 1e-3 of the error may be traded for smaller velocities.
        assert error <= least * (1 + 1e-3) + 1e-6, seed
        if robot.dof == 6:
            assert np.abs(velocities - oracle.x).max() < 1e-4 * (1 + np.abs(oracle.x).max()), seed
    assert limited > 10


@pytest.mark.parametrize("name", ROBOTS)
def test_rows_and_bounds_together_are_those_of_daqp(name) -> None:
    daqp = pytest.importorskip("daqp", reason="the second opinion on quadratic programs")
    robot = Robot(name)
    ik = DifferentialIK(robot)
    rng = np.random.default_rng(2)
    n, k, compared = robot.dof, 10, 0
    for seed in range(100):
        q, twist = random_q(robot, seed), rng.uniform(-1.0, 1.0, 6)
        rows, row_bounds = rng.uniform(-1.0, 1.0, (k, n)), -rng.uniform(0.0, 0.2, k)
        answer = ik.twist(q, twist, rows=rows, row_bounds=row_bounds)
        velocities = answer["velocities"]
        assert (rows @ velocities >= row_bounds - 1e-9).all(), seed
        if answer["damping"] > 0:
            continue
        lower, upper = ik.velocity_bounds(q)
        jacobian = robot.jacobian(q)
        hessian = jacobian.T @ jacobian + 1e-9 * np.eye(n)
        high, low = np.concatenate([upper, np.full(k, 1e30)]), np.concatenate([lower, row_bounds])
        x, _, flag, _ = daqp.solve(hessian, -jacobian.T @ twist, rows, high, low, np.zeros(n + k, dtype=np.int32))
        if flag != 1:
            continue
        compared += 1
        least, error = np.linalg.norm(jacobian @ x - twist), np.linalg.norm(jacobian @ velocities - twist)
        assert error <= least * (1 + 1e-3) + 1e-5, seed
    assert compared > 20


@pytest.mark.parametrize("name", ROBOTS)
def test_rows_are_infeasible_where_linear_programming_says_so(name) -> None:
    robot = Robot(name)
    ik = DifferentialIK(robot)
    rng = np.random.default_rng(3)
    answers = []
    for seed in range(100):
        q, previous, k = random_q(robot, seed), rng.uniform(-0.2, 0.2, robot.dof), rng.integers(1, 12)
        rows, row_bounds = rng.uniform(-1.0, 1.0, (k, robot.dof)), rng.uniform(-0.3, 0.2, k)
        answer = ik.twist(q, rng.uniform(-1.0, 1.0, 6), previous=previous, rows=rows, row_bounds=row_bounds)
        bounds = list(zip(*ik.velocity_bounds(q, previous)))
        oracle = linprog(np.zeros(robot.dof), A_ub=-rows, b_ub=-row_bounds, bounds=bounds)
        assert oracle.status in (0, 2) and (answer["infeasible_row"] is None) == (oracle.status == 0), seed
        answers.append(oracle.status)
    assert 10 < sum(status == 2 for status in answers) < 90


@pytest.mark.parametrize("name", ROBOTS)
def test_the_singularity_is_that_of_numpy(name) -> None:
    robot = Robot(name)
    ik = DifferentialIK(robot)
    for seed in range(30):
        q = random_q(robot, seed)
        jacobian = central_differences(lambda q: np.asarray(robot.fk(q)), q)
        left, sigma, _ = np.linalg.svd(jacobian)
        found = ik.singularity(q)
        assert found["sigma"] == pytest.approx(sigma[-1], abs=1e-7)
        assert found["manipulability"] == pytest.approx(np.prod(sigma), abs=1e-6)
        if sigma[-2] - sigma[-1] > 0.01:
            assert abs(found["direction"] @ left[:, -1]) == pytest.approx(1.0, abs=1e-5)
        assert np.linalg.norm(jacobian @ found["joints"]) == pytest.approx(found["sigma"], abs=1e-6)


def test_zeros_and_stretched_arms_give_finite_velocities_inside_bounds() -> None:
    for name in ROBOTS:
        robot = Robot(name)
        for method in METHODS:
            ik = DifferentialIK(robot, method=method)
            lower, upper = ik.velocity_bounds(np.zeros(robot.dof))
            for axis in range(6):
                answer = ik.twist(np.zeros(robot.dof), 0.3 * np.eye(6)[axis])
                velocities = answer["velocities"]
                assert np.isfinite(velocities).all()
                assert (velocities >= lower).all() and (velocities <= upper).all()


def test_masks_and_postures_leave_the_rest_alone() -> None:
    robot = Robot("franka_panda")
    ik = DifferentialIK(robot)
    q = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    posture = np.array([0.1, 0, 0, 0, 0, 0, 0.2])
    jacobian = robot.jacobian(q)
    moved = ik.twist(q, [0.0, 0.0, 0.1, 9.0, 9.0, 9.0], rotation_mask=False, posture=posture)["velocities"]
    null = np.eye(7) - np.linalg.pinv(jacobian[:3]) @ jacobian[:3]
    expected = np.linalg.pinv(jacobian[:3]) @ [0.0, 0.0, 0.1] + null @ posture
    assert np.abs(moved - expected).max() < 1e-9
    one = ik.twist(q, [0.1, 0, 0, 0, 0, 0], position_mask="x", rotation_mask=None)["velocities"]
    assert np.abs(one - np.linalg.pinv(jacobian[:1])[:, 0] * 0.1).max() < 1e-9
    of_twist, of_numbers = (ik.twist(q, twist)["velocities"] for twist in (kinetic.Twist([0.1, 0, 0], [0] * 3), TWIST))
    assert (of_twist == of_numbers).all()


def test_a_start_outside_its_limits_comes_back() -> None:
    robot = Robot("franka_panda")
    ik = DifferentialIK(robot, outside_limits="return")
    q, previous = np.array([0.0, -0.785, 0.0, 0.0, 0.0, 1.571, 0.785]), np.zeros(7)
    for _ in range(500):
        previous = ik.twist(q, np.zeros(6), previous=previous)["velocities"]
        q = q + 0.01 * previous
    assert q[3] <= -0.0698 + 1e-9
    may = DifferentialIK(robot).velocity_bounds([0.0, -0.785, 0.0, 0.0, 0.0, 1.571, 0.785])
    assert may[1][3] == 0.0 and may[0][3] < 0.0


def test_tasks_of_the_library_and_of_python_are_brought_about() -> None:
    robot = Robot("franka_panda")
    q = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    target = np.asarray(robot.fk(q))[:3, 3] + [0.05, 0.02, -0.04]
    known = TaskProblem(robot).add_position("reach", target).add_posture("rest", q, priority=1)
    start = np.asarray(robot.fk(q))[:3, 3]

    def reach(state):
        point = np.asarray(robot.fk(state.q[: robot.dof]))[:3, 3]
        return target - point, robot.jacobian(state.q[: robot.dof])[:3]

    ik = DifferentialIK(robot)
    velocities = ik.tasks(q, known, gain=2.0)["velocities"]
    assert np.abs(robot.jacobian(q)[:3] @ velocities - 2.0 * (target - start)).max() < 1e-9
    own = ik.tasks(q, TaskProblem(robot).add_task("reach", reach, 3), gain=2.0)["velocities"]
    alone = ik.tasks(q, TaskProblem(robot).add_position("reach", target), gain=2.0)["velocities"]
    assert np.abs(own - alone).max() < 1e-9
    with pytest.raises(ZeroDivisionError):
        ik.tasks(q, TaskProblem(robot).add_task("broken", lambda state: 1 / 0, 1))
    for _ in range(600):
        q = q + 0.01 * ik.tasks(q, known, gain=2.0)["velocities"]
    assert np.linalg.norm(np.asarray(robot.fk(q))[:3, 3] - target) < 1e-4


def test_a_row_that_cannot_hold_is_named_and_the_joints_stand() -> None:
    ik = DifferentialIK("ur5e")
    q = [0.0, -1.2, 1.5, -1.0, -1.5, 0.0]
    rows, bounds = np.eye(6)[:2], [0.0, 99.0]
    answer = ik.twist(q, [0.1, 0, 0, 0, 0, 0], rows=rows, row_bounds=bounds)
    assert answer["infeasible_row"] == 1 and not answer["velocities"].any()
    soft = ik.twist(q, [0.1, 0, 0, 0, 0, 0], rows=rows, row_bounds=bounds, row_weights=[np.inf, 1e3])
    assert soft["infeasible_row"] is None and soft["velocities"][1] == pytest.approx(ik.velocity_bounds(q)[1][1])


def test_it_pickles_with_its_options() -> None:
    ik = DifferentialIK(Robot("fetch").with_group("arm"), method="damped", period=0.002, velocity_scale=0.5)
    back = pickle.loads(pickle.dumps(ik))
    assert repr(back) == repr(ik) and (back.method, back.period, back.group, back.dof) == ("damped", 0.002, "arm", 7)
    q = np.full(7, 0.3)
    twist = [0.1, 0.2, 0, 0, 0, 0]
    assert (back.twist(q, twist)["velocities"] == ik.twist(q, twist)["velocities"]).all()
    assert (back.velocity_bounds(q)[1] == ik.velocity_bounds(q)[1]).all()


def test_regularization_gives_a_little_of_the_twist_for_slow_joints() -> None:
    robot, q = Robot("franka_panda"), np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    free = DifferentialIK(robot).twist(q, TWIST)["velocities"]
    jacobian = np.asarray(robot.jacobian(q))
    null = np.linalg.svd(jacobian)[2][6]
    # A row that the null space nearly cannot help with.
    row = np.linalg.pinv(jacobian) @ [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    row = row / np.linalg.norm(row) + 0.02 * null
    bound = row @ free - 0.02
    answers = []
    for weight in (0.0, 0.03):
        ik = DifferentialIK(robot, regularization=weight)
        assert pickle.loads(pickle.dumps(ik)).twist(q, TWIST, rows=-row[None], row_bounds=[-bound])[
            "velocities"
        ] == pytest.approx(ik.twist(q, TWIST, rows=-row[None], row_bounds=[-bound])["velocities"], abs=0.0)
        velocities = ik.twist(q, TWIST, rows=-row[None], row_bounds=[-bound])["velocities"]
        assert row @ velocities <= bound + 1e-9
        # The optimum of ‖J q̇ − v‖² + w ‖q̇ − q̇₀‖² with the row, by its KKT conditions.
        hessian = jacobian.T @ jacobian + max(weight, 2.5e-6) * np.eye(7)
        step = np.linalg.solve(hessian, row)
        oracle = free - step * (row @ free - bound) / (row @ step)
        assert velocities == pytest.approx(oracle, abs=1e-6)
        answers.append(np.abs(velocities - free).max())
    assert answers[0] > 2.0 * answers[1]


def test_threads_share_one() -> None:
    ik = DifferentialIK("ur5e")
    q, twist = [0.0, -1.2, 1.5, -1.0, -1.5, 0.0], [0.1, 0, 0, 0, 0, 0]
    expected = ik.twist(q, twist)["velocities"]
    wrong = []

    def work():
        wrong.extend(1 for _ in range(200) if not np.allclose(ik.twist(q, twist)["velocities"], expected, atol=1e-12))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "options, text",
    [
        ({"method": "newton"}, "damped"),
        ({"group": "leg"}, "arm"),
        ({"period": 0.0}, "period"),
        ({"period": np.nan}, "period"),
        ({"velocity_scale": 1.5}, "velocity scaling"),
        ({"acceleration_scale": 0.0}, "acceleration scaling"),
        ({"outside_limits": "jump"}, "return"),
        ({"singular_value": 0.0}, "singular_value"),
        ({"damping": -1.0}, "damping"),
        ({"regularization": -1.0}, "regularization"),
        ({"regularization": np.nan}, "regularization"),
    ],
)
def test_options_outside_their_domain_are_refused(options, text) -> None:
    with pytest.raises(InputError, match=text):
        DifferentialIK("ur5e", **options)


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"q": [0.0] * 4}, "joint vector"),
        ({"q": [np.nan] * 6}, "joint vector"),
        ({"twist": [0.0] * 5}, "twist"),
        ({"twist": [np.inf] * 6}, "twist"),
        ({"frame": "elbow"}, "forearm_link"),
        ({"posture": [0.0] * 3}, "posture"),
        ({"previous": [0.0] * 3}, "previous"),
        ({"rows": np.zeros((2, 5)), "row_bounds": [0.0, 0.0]}, "inequality row"),
        ({"rows": np.zeros((2, 6)), "row_bounds": [0.0]}, "inequality rows"),
        ({"rows": np.zeros((1, 6)), "row_bounds": [np.nan]}, "bounds of inequality rows"),
        ({"rows": np.zeros((1, 6)), "row_bounds": [0.0], "row_weights": [0.0]}, "weight"),
        ({"position_mask": "xw"}, "axis mask"),
    ],
)
def test_commands_that_cannot_be_used_are_refused(arguments, text) -> None:
    ik = DifferentialIK("ur5e")
    given = {"q": [0.1] * 6, "twist": [0.0] * 6, **arguments}
    with pytest.raises(InputError, match=text):
        ik.twist(given.pop("q"), given.pop("twist"), **given)


def test_task_problems_over_other_joints_are_refused() -> None:
    ik = DifferentialIK("ur5e")
    with pytest.raises(InputError, match="joints of the task problem"):
        ik.tasks([0.1] * 6, TaskProblem("ur5e", base=True))
    with pytest.raises(InputError, match="joints of the task problem"):
        ik.tasks([0.1] * 6, TaskProblem("xarm6"))
    with pytest.raises(InputError, match="gain"):
        ik.tasks([0.1] * 6, TaskProblem("ur5e"), gain=1e3)
    with pytest.raises(TypeError, match="speed"):
        ik.twist([0.1] * 6, [0.0] * 6, speed=1.0)
