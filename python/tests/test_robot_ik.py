"""`Robot.ik_config`, `batch_ik` and `ccd`, judged by forward kinematics from the robot's file."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import FOLDERS, chain_of, relative_pose, urdf

from kinetic import IKError, InputError, Robot

ROUNDING = 1e-7
"""The angle of a rotation matrix by its arc cosine is good to 1e-8."""
NUMERICAL = ["dls", "sqp", "fabrik", "ccd", "bio_ik", "cached"]
KEYS = {
    "joints",
    "converged",
    "position_error",
    "orientation_error",
    "iterations",
    "mode_used",
    "solver_used",
    "degraded",
    "condition_number",
}


@pytest.fixture(scope="module")
def panda() -> Robot:
    return Robot("franka_panda")


@pytest.fixture(scope="module")
def ur5e() -> Robot:
    return Robot("ur5e")


def reached(robot: Robot, q: np.ndarray) -> np.ndarray:
    base, tip = chain_of(robot.name, robot.group)
    return relative_pose(urdf(robot.name), base, tip, dict(zip(robot.joint_names, q))) @ robot.tcp


def errors(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    turned = a[:3, :3].T @ b[:3, :3]
    sine = np.linalg.norm([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3])), float(np.arctan2(sine, np.trace(turned) - 1.0))


def targets_of(robot: Robot, count: int, first: int = 0) -> np.ndarray:
    return np.array([reached(robot, robot.random_configuration(rng_seed=first + seed)) for seed in range(count)])


@pytest.mark.parametrize("solver", NUMERICAL)
def test_answers_hold_what_they_say(solver: str, panda: Robot) -> None:
    solved = 0
    for target in targets_of(panda, 10):
        answer = panda.ik_config(target, solver=solver, raise_on_failure=False)
        assert set(answer) == KEYS
        position, orientation = errors(reached(panda, answer["joints"]), target)
        assert abs(position - answer["position_error"]) < 1e-9
        assert abs(orientation - answer["orientation_error"]) < ROUNDING
        assert answer["converged"] == (position <= 1e-4 + 1e-12 and orientation <= 1e-3 + ROUNDING)
        assert panda.check_limits(answer["joints"])
        assert answer["solver_used"] == solver
        assert answer["mode_used"] == "full6d"
        np.testing.assert_allclose(
            answer["condition_number"], np.linalg.cond(panda.jacobian(answer["joints"])), rtol=1e-4
        )
        assert answer["degraded"] == (answer["condition_number"] > 1000.0)
        solved += answer["converged"]
    assert solved >= 5


def test_poses_of_pinocchio_are_reached_by_its_own_forward_kinematics(ur5e: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="the other tests compute FK from the specification")
    model = pin.buildModelFromUrdf(str(FOLDERS["ur5e"] / "robot.urdf"))
    data = model.createData()
    base, tip = (model.getFrameId(link, pin.BODY) for link in chain_of("ur5e", ur5e.group))
    order = [model.joints[model.getJointId(name)].idx_q for name in ur5e.joint_names]

    def pose(q: np.ndarray) -> np.ndarray:
        full = pin.neutral(model)
        full[order] = q
        pin.framesForwardKinematics(model, data, full)
        return (data.oMf[base].inverse() * data.oMf[tip]).homogeneous

    for seed in range(20):
        target = pose(ur5e.random_configuration(rng_seed=seed))
        for solver in ("dls", "analytic"):
            q = ur5e.ik_config(target, solver, position_tolerance=1e-6, orientation_tolerance=1e-6)["joints"]
            position, orientation = errors(pose(q), target)
            assert position <= 1e-6 + 1e-9, f"seed {seed}"
            assert orientation <= 1e-6 + ROUNDING, f"seed {seed}"


def test_the_solver_behind_auto_has_a_name(ur5e: Robot) -> None:
    assert ur5e.ik_solver == "analytic"
    target = ur5e.fk(ur5e.mid_configuration() + 0.4)
    assert ur5e.ik_config(target)["solver_used"] == ur5e.ik_solver
    fetch = Robot("fetch")
    assert fetch.ik_config(fetch.fk(fetch.mid_configuration()))["solver_used"] == fetch.ik_solver


def test_a_batch_is_the_same_as_single_calls(panda: Robot) -> None:
    targets = targets_of(panda, 8)
    targets[3, :3, 3] = 9.0
    answers = panda.batch_ik(targets)
    assert [answer is None for answer in answers] == [index == 3 for index in range(8)]
    for target, answer in zip(targets, answers):
        if answer is not None:
            assert np.array_equal(answer["joints"], panda.ik_config(target)["joints"])
    seeds = np.array([panda.random_configuration(rng_seed=seed) for seed in range(8)])
    seeded = panda.batch_ik(list(targets), "dls", num_restarts=5, seeds=seeds)
    for target, seed, answer in zip(targets, seeds, seeded):
        if answer is not None:
            single = panda.ik_config(target, "dls", seed=seed, num_restarts=5)
            assert np.array_equal(answer["joints"], single["joints"])
    assert panda.batch_ik(np.zeros((0, 4, 4))) == []
    with pytest.raises(InputError, match="DimensionMismatch"):
        panda.batch_ik(targets, seeds=seeds[:3])


def test_modes_and_null_space(panda: Robot, ur5e: Robot) -> None:
    edge = np.eye(4)
    edge[:3, :3] = [[0, 0, -1], [0, 1, 0], [1, 0, 0]]
    edge[:3, 3] = 0.9, 0.1, 0.1
    with pytest.raises(IKError):
        ur5e.ik_config(edge)
    fallback = ur5e.ik_config(edge, mode="position_fallback")
    assert fallback["mode_used"] == "position_only"
    assert fallback["degraded"]
    assert ur5e.ik_config(edge, mode="position_only")["converged"]
    target = targets_of(panda, 1, first=5)[0]
    seed = panda.mid_configuration() + 0.3
    plain = panda.ik_config(target, "dls", seed=seed)["joints"]
    near = panda.ik_config(target, "dls", seed=seed, null_space="minimal_displacement")["joints"]
    assert np.linalg.norm(near - seed) <= np.linalg.norm(plain - seed) + 1e-9
    free = panda.ik_config(target, "dls", seed=seed, null_space="manipulability")["joints"]
    assert panda.manipulability(free) >= panda.manipulability(plain) - 1e-9


def test_failures_say_how_near_the_arm_comes_and_what_stopped_it(ur5e: Robot) -> None:
    far = np.eye(4)
    far[0, 3] = 5.0
    with pytest.raises(IKError, match=r"^NoIKSolution: .*farther than its reach.*nearest pose reached") as caught:
        ur5e.ik_config(far)
    assert not caught.value.retryable
    nearest = ur5e.ik_config(far, raise_on_failure=False)
    assert not nearest["converged"]
    assert 3.5 < nearest["position_error"] < 5.0
    pendulum = Robot.from_urdf("""<robot name="p"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="swing" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
        <joint name="end" type="fixed"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/></joint></robot>""",
        tip="c")  # fmt: skip
    beyond = np.eye(4)
    beyond[:2, :2] = [[np.cos(1.4), -np.sin(1.4)], [np.sin(1.4), np.cos(1.4)]]
    beyond[:2, 3] = np.cos(1.4), np.sin(1.4)
    with pytest.raises(IKError, match=r'^IKNotConverged: .*"swing" at its upper limit 1\.0') as caught:
        pendulum.ik(beyond)
    assert "swing" in caught.value.stopped_by
    assert caught.value.retryable


def test_bad_input_is_refused(ur5e: Robot, panda: Robot) -> None:
    target = ur5e.fk(ur5e.mid_configuration() + 0.4)
    scaled, broken = target.copy(), target.copy()
    scaled[:3, :3] *= 2.0
    broken[0, 3] = np.nan
    for bad in (scaled, broken, target[:3], np.zeros(6)):
        with pytest.raises(InputError):
            ur5e.ik_config(bad)
    for options in (
        {"solver": "newton"},
        {"mode": "sideways"},
        {"null_space": "comfort"},
        {"seed": [0.0, 1.0]},
        {"seed": [np.nan] * 6},
        {"max_iterations": 0},
        {"position_tolerance": -1.0},
        {"orientation_tolerance": np.inf},
    ):
        with pytest.raises(InputError):
            ur5e.ik_config(target, **options)
    with pytest.raises(InputError, match=r"^IncompatibleKinematics: .*opw.*six_r\.three_parallel"):
        ur5e.ik_config(target, "opw")
    with pytest.raises(InputError, match=r"InvalidValue|UnknownName"):
        ur5e.batch_ik([target], "cached")


def test_coordinate_descent_meets_targets_of_several_links(panda: Robot) -> None:
    q = panda.named_pose("ready")
    elbow = panda.fk(q, link="panda_link4")[:3, 3]
    tool = panda.fk(q)[:3, 3]
    targets = [
        {"position": elbow, "link": "panda_link4", "atol": 1e-3},
        {"position": tool, "atol": 1e-3, "weight": 2.0},
    ]
    found = panda.ccd(targets, seed=q + 0.1)
    assert np.linalg.norm(panda.fk(found, link="panda_link4")[:3, 3] - elbow) <= 1e-3 + 1e-12
    assert np.linalg.norm(reached(panda, found)[:3, 3] - tool) <= 1e-3 + 1e-12
    assert panda.check_limits(found)
    moved = panda.ccd([{"position": tool}], joints=panda.joint_names[:4], seed=q)
    assert np.array_equal(moved[4:], q[4:])
    posed = panda.ccd(panda.fk(q), seed=q + 0.05)
    position, orientation = errors(reached(panda, posed), reached(panda, q))
    assert position <= 1e-4 + 1e-12
    assert orientation <= 1e-3 + ROUNDING
    with pytest.raises(IKError, match="^IKNotConverged"):
        panda.ccd([{"position": [3.0, 0.0, 0.0]}])
    for bad in ([], [{}], [{"position": [1.0, 2.0]}], [{"position": tool, "link": "nowhere"}]):
        with pytest.raises(InputError):
            panda.ccd(bad)
    with pytest.raises(InputError, match="JointNotFound"):
        panda.ccd([{"position": tool}], joints=["nothing"])
