"""Inverse kinematics of paths, judged by Pinocchio, which reads the robots' files itself."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import FOLDERS, about, chain_of, pose_of, translation

from kinetic import IKPath, InputError, PathTolerance, Robot

pinocchio = pytest.importorskip("pinocchio", reason="the Rust tests have another forward kinematics")

REACHED = 1e-8
"""Followed through singularities numerically, poses are met to 1e-9 m and rad."""


class Tool:
    """Pose of a robot's tip in the base of its group, by Pinocchio."""

    def __init__(self, robot: Robot) -> None:
        base, tip = chain_of(robot.name, robot.group)
        self.model = pinocchio.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
        self.data = self.model.createData()
        self.base, self.tip = (self.model.getFrameId(link, pinocchio.BODY) for link in (base, tip))
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in robot.joint_names]

    def __call__(self, q: np.ndarray) -> np.ndarray:
        full = pinocchio.neutral(self.model)
        for joint, value in zip(self.joints, q):
            # Endless joints have cosine and sine.
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else [np.cos(value), np.sin(value)]
        pinocchio.framesForwardKinematics(self.model, self.data, full)
        return (self.data.oMf[self.base].inverse() * self.data.oMf[self.tip]).homogeneous


def way(robot: Robot, seed: int, count: int) -> np.ndarray:
    """Joint values from one random configuration to another."""
    ends = [robot.random_configuration(rng_seed=2 * seed + end) for end in (0, 1)]
    return np.linspace(ends[0], ends[1], count)


def check(robot: Robot, path: IKPath, targets: np.ndarray, q_start: np.ndarray | None, most: float) -> None:
    """Every pose is reached inside the limits, and no joint moves farther than ``most`` from pose to pose."""
    tool = Tool(robot)
    assert path.success.all(), path.reason
    assert path.reason is None
    assert path.splits == path.obstacles == []
    for index, (q, target) in enumerate(zip(path.q, targets)):
        assert np.abs(tool(q) - target).max() < REACHED, f"pose {index}"
    limits = robot.joint_limits
    assert np.all(path.q >= limits[:, 0])
    assert np.all(path.q <= limits[:, 1])
    rows = path.q if q_start is None else np.vstack([q_start, path.q])
    steps = np.abs(np.diff(rows, axis=0))
    assert steps.max() <= most
    assert path.largest_step == pytest.approx(steps.max(), abs=1e-9)
    assert path.length == pytest.approx(np.linalg.norm(steps, axis=1).sum(), abs=1e-6)


@pytest.mark.parametrize("name", ["ur5e", "ur10e", "abb_irb1200"])
@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), from_start=st.booleans())
def test_a_smooth_path_is_followed(name: str, seed: int, from_start: bool) -> None:
    robot = Robot(name)
    tool = Tool(robot)
    rows = way(robot, seed, 50)
    targets = np.array([tool(q) for q in rows])
    q_start = rows[0] if from_start else None
    # The rows themselves are a path with this step.
    most = np.abs(np.diff(rows, axis=0)).max() + 1e-6
    check(robot, robot.ik_path(targets, q_start), targets, q_start, most)


def test_a_panda_is_followed_numerically_and_the_same_way_each_time() -> None:
    robot = Robot("franka_panda")
    tool = Tool(robot)
    q_start = robot.named_pose("ready") if "ready" in robot.named_poses else robot.mid_configuration()
    start = tool(q_start)
    targets = np.array([translation(0.0, 0.002 * step, -0.001 * step) @ start for step in range(60)])
    path = robot.ik_path(targets, q_start)
    check(robot, path, targets, q_start, 0.1)
    assert np.array_equal(path.q, robot.ik_path(targets, q_start).q)


def test_the_pair_is_q_and_success() -> None:
    robot = Robot("ur5e")
    rows = way(robot, 3, 5)
    path = robot.ik_path([robot.fk(q) for q in rows], rows[0], max_joint_step=np.pi)
    q, success = path
    assert np.array_equal(q, path.q)
    assert np.array_equal(success, path.success)
    assert q.shape == (5, 6)
    assert success.dtype == bool
    assert repr(path).startswith("<IKPath: 5 poses, largest step")


def test_a_limit_is_named_with_pose_joint_and_amount() -> None:
    robot = Robot("ur5e")
    q = np.array([0.3, -1.0, 1.2, -0.4, 0.8, 0.0])
    rows = np.repeat(q[None], 157, axis=0)
    rows[:, 5] = 0.1 * np.arange(157)
    path = robot.ik_path([robot.fk(row) for row in rows], q)
    first = path.obstacles[0]
    assert (first["kind"], first["index"], first["joint"]) == ("limit", 63, "wrist_3_joint")
    assert first["amount"] == pytest.approx(6.3 - robot.joint_limits[5, 1], abs=1e-9)
    assert first["message"] == path.reason
    assert "pose 63" in path.reason
    assert not path.success[path.splits[0]]
    assert np.count_nonzero(~path.success) == len(path.splits) == 1


def test_poses_out_of_reach_have_no_values() -> None:
    robot = Robot("ur5e")
    start = robot.fk([0.3, -1.2, 1.6, -0.4, 0.8, 0.1])
    path = robot.ik_path([translation(0.1 * step, 0.0, 0.0) @ start for step in range(10)], max_joint_step=3.0)
    assert path.success[0]
    assert not path.success[-1]
    assert np.array_equal(np.isnan(path.q).any(axis=1), ~path.success)
    assert path.obstacles[0]["kind"] == "unreachable"
    assert path.obstacles[0]["joint"] is None
    assert path.obstacles[0]["index"] == np.argmin(path.success)


def test_a_free_tool_axis_solves_what_strict_poses_cannot() -> None:
    robot = Robot("ur5e")
    tool = Tool(robot)
    start = tool(np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1]))
    turns = 6.0 * np.pi * np.linspace(0.0, 1.0, 100)
    targets = [
        translation(0.0, -0.002 * step, 0.0) @ start @ pose_of(about(np.array([0.0, 0.0, 1.0]), turn), np.zeros(3))
        for step, turn in enumerate(turns)
    ]
    assert robot.ik_path(targets).reason is not None
    for tolerance in (PathTolerance("z"), [PathTolerance([0.0, 0.0, 2.0])] * 100):
        path = robot.ik_path(targets, tolerance=tolerance)
        assert path.reason is None
        for q, target in zip(path.q, targets):
            reached = tool(q)
            assert np.abs(reached[:3, 2:] - target[:3, 2:]).max() < REACHED


def test_a_box_of_positions_is_kept() -> None:
    robot = Robot("ur5e")
    tool = Tool(robot)
    start = tool(np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1]))
    targets = [translation(0.0, -0.01 * step, 0.0) @ start for step in range(10)]
    tolerances = [None, PathTolerance(position=[0.0, 0.004, 0.002])] * 5
    path = robot.ik_path(targets, tolerance=tolerances)
    assert path.reason is None
    for q, target, tolerance in zip(path.q, targets, tolerances):
        off = np.linalg.inv(target) @ tool(q)
        box = np.zeros(3) if tolerance is None else tolerance.position
        assert np.all(np.abs(off[:3, 3]) <= box + REACHED)
        assert np.abs(off[:3, :3] - np.eye(3)).max() < REACHED


def test_bad_input_is_a_value_error() -> None:
    robot = Robot("ur5e")
    pose = robot.fk(robot.named_pose("home"))
    skewed = pose.copy()
    skewed[0, 0] += 0.1
    unknown = pose.copy()
    unknown[0, 3] = np.nan
    for call in (
        lambda: robot.ik_path([]),
        lambda: robot.ik_path(np.zeros((0, 4, 4))),
        lambda: robot.ik_path(pose),
        lambda: robot.ik_path([pose, skewed]),
        lambda: robot.ik_path([unknown]),
        lambda: robot.ik_path([pose[:3]]),
        lambda: robot.ik_path([pose], [0.0] * 5),
        lambda: robot.ik_path([pose], [np.nan] * 6),
        lambda: robot.ik_path([pose], max_joint_step=-0.1),
        lambda: robot.ik_path([pose], max_joint_step=0.0),
        lambda: robot.ik_path([pose], max_joint_step=[0.1] * 5),
        lambda: robot.ik_path([pose], max_joint_step=np.nan),
        lambda: robot.ik_path([pose] * 3, tolerance=[None] * 2),
        lambda: PathTolerance("w"),
        lambda: PathTolerance([0.0, 0.0, 0.0]),
        lambda: PathTolerance("z", -1.0),
        lambda: PathTolerance(angle=1.0),
        lambda: PathTolerance(position=-0.1),
        lambda: PathTolerance(position=[0.1, 0.1]),
    ):
        with pytest.raises(InputError, match="."):
            call()
    with pytest.raises(TypeError):
        robot.ik_path([pose], tolerance=["z"])


def short_way(robot: Robot, seed: int, count: int) -> np.ndarray:
    """Joint values from a random configuration a little towards another."""
    return way(robot, seed, 10 * count)[:count]


@pytest.mark.parametrize("name", ["ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14", "kinova_gen3", "fetch"])
@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_the_local_method_reaches_every_pose_without_a_jump_or_says_where_it_ends(name: str, seed: int) -> None:
    robot = Robot(name)
    tool = Tool(robot)
    rows = short_way(robot, seed, 60)
    targets = np.array([tool(q) for q in rows])
    path = robot.ik_path(targets, rows[0], method="local")
    for index in np.flatnonzero(path.success):
        assert np.abs(tool(path.q[index]) - targets[index]).max() < 1e-6, f"pose {index}"
    limits = robot.joint_limits
    reached = path.q[~np.isnan(path.q).any(axis=1)]
    assert np.all(reached >= limits[:, 0])
    assert np.all(reached <= limits[:, 1])
    steps = np.abs(np.diff(np.vstack([rows[0], path.q]), axis=0)).max(axis=1)
    most = np.where([kind == "prismatic" for kind in kinds(robot)], 0.1, 1.0)
    bounded = np.abs(np.diff(np.vstack([rows[0], path.q]), axis=0)) <= most
    assert bounded[path.success].all()
    assert path.success.all() == (path.reason is None)
    if path.reason is not None:
        first = path.obstacles[0]
        assert first["index"] == np.argmin(path.success)
        assert str(first["index"]) in path.reason
    else:
        assert path.largest_step == pytest.approx(steps.max(), abs=1e-9)
        check(robot, path, targets, rows[0], 1.0)


def kinds(robot: Robot) -> list[str]:
    """Types of the group's joints."""
    types = {joint["name"]: joint["type"] for joint in robot.joints}
    return [types[name] for name in robot.joint_names]


@pytest.mark.parametrize("name", ["ur5e", "abb_irb1200", "franka_panda", "kuka_iiwa14", "fetch"])
def test_the_local_method_is_the_loop_over_single_calls_where_that_does_not_jump(name: str) -> None:
    robot = Robot(name)
    agree = 0
    for seed in range(20):
        rows = short_way(robot, seed, 40)
        targets = robot.batch_fk(rows)
        path = robot.ik_path(targets, rows[0], method="local")
        q = rows[0]
        looped = []
        for target in targets:
            q = robot.ik(target, seed=q)
            looped.append(q)
        agree += bool(np.abs(path.q - np.array(looped)).max() < 1e-6)
    # Beside singularities the least largest step and the least travel may lead to two branches.
    assert agree >= 18


def test_the_local_method_ends_at_a_limit_that_a_look_ahead_avoids() -> None:
    robot = Robot("ur5e")
    rows = np.repeat(np.array([[0.3, -1.0, 1.2, -0.4, 0.8, 0.0]]), 120, axis=0)
    rows[:, 5] = 0.1 * np.arange(120)
    targets = [robot.fk(row) for row in rows]
    assert robot.ik_path(targets).reason is None
    path = robot.ik_path(targets, method="local")
    first = path.obstacles[0]
    assert (first["kind"], first["joint"]) == ("limit", "wrist_3_joint")
    # Steps of 0.1 rad from the turn of the first pose to the limit.
    room = robot.joint_limits[5, 1] - path.q[0, 5]
    assert first["index"] == np.count_nonzero(rows[:, 5] <= room)
    assert path.splits[0] == first["index"]
    assert path.success[: first["index"]].all()
    assert not path.success[first["index"]]


def test_a_method_that_does_not_exist_is_refused_with_those_that_do() -> None:
    robot = Robot("ur5e")
    with pytest.raises(InputError, match=r"greedy.*global.*local"):
        robot.ik_path([robot.fk(robot.mid_configuration())], method="greedy")


def test_tolerances_compare_by_value_and_can_be_pickled() -> None:
    tolerance = PathTolerance("x", 0.3, 0.01)
    assert tolerance == pickle.loads(pickle.dumps(tolerance)) != PathTolerance("y", 0.3, 0.01)
    assert tolerance.position.tolist() == [0.01] * 3
