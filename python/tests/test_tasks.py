"""Batches of inverse kinematics, looking, relative moves; residuals by Pinocchio and by the tests' own kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import FOLDERS, about, chain_of, relative_pose, urdf

from kinetic import CascadedFrame, IKError, InputError, Pose, Robot

THRE, RTHRE = 1e-3, np.deg2rad(1.0)
SLACK = 1.001
"""Another program's forward kinematics rounds differently."""


@pytest.fixture(scope="module")
def panda() -> Robot:
    return Robot("franka_panda")


def poses(robot: Robot, count: int) -> np.ndarray:
    return np.array([robot.fk(robot.random_configuration(rng_seed=seed)) for seed in range(count)])


def angle(rotation: np.ndarray) -> float:
    """Angle of a rotation matrix, precise for small ones."""
    x, y, z = rotation - rotation.T
    sine = 0.5 * np.linalg.norm([z[1], x[2], y[0]])
    return float(np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0)))


def residuals(reached: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    return float(np.linalg.norm(reached[:3, 3] - wanted[:3, 3])), angle(wanted[:3, :3].T @ reached[:3, :3])


def test_pinocchio_finds_every_success_within_the_thresholds(panda: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="the next test checks the same with the tests' own kinematics")
    model = pin.buildModelFromUrdf(str(FOLDERS["franka_panda"] / "robot.urdf"))
    data, base_tip = model.createData(), chain_of("franka_panda", panda.group)
    base, tip = (model.getFrameId(link) for link in base_tip)
    targets = poses(panda, 40)
    tool = np.linalg.inv(panda.tcp)
    q, success, attempts = panda.batch_inverse_kinematics(targets, attempts_per_pose=20)
    assert success.mean() > 0.95 and len(attempts) == 40 and max(attempts) <= 20
    for row, target in zip(q[success], targets[success]):
        full = pin.neutral(model)
        for name, value in zip(panda.joint_names, row):
            full[model.joints[model.getJointId(name)].idx_q] = value
        pin.framesForwardKinematics(model, data, full)
        reached = (data.oMf[base].inverse() * data.oMf[tip]).homogeneous
        position, rotation = residuals(reached, target @ tool)
        assert position < THRE * SLACK + 0.3 * rotation and rotation < RTHRE * SLACK
        assert panda.check_limits(row)


@pytest.mark.parametrize("name", ["ur5e", "fetch"])
def test_targets_are_read_in_every_form(name: str) -> None:
    robot = Robot(name)
    matrices = poses(robot, 10)
    as_poses = [Pose(matrix) for matrix in matrices]
    six = np.array([[*pose.xyz, *pose.rpy] for pose in as_poses])
    seven = np.array([[*pose.xyz, *pose.xyzw] for pose in as_poses])
    frames = [CascadedFrame(pose) for pose in as_poses]
    base, tip = chain_of(name, robot.group)
    for targets in [matrices, as_poses, six, seven.tolist(), list(matrices), frames]:
        q, success, _ = robot.batch_inverse_kinematics(targets, attempts_per_pose=20, thre=1e-6, rthre=1e-6)
        assert success.mean() >= 0.9
        for row, target in zip(q[success], matrices[success]):
            reached = relative_pose(urdf(name), base, tip, dict(zip(robot.joint_names, row))) @ robot.tcp
            position, rotation = residuals(reached, target)
            assert position < 1e-6 * SLACK + 1e-9 and rotation < 1e-6 * SLACK + 1e-9


def test_answers_depend_on_the_seed_alone(panda: Robot) -> None:
    targets = poses(panda, 16)
    ask = lambda seed: panda.batch_inverse_kinematics(  # noqa: E731
        targets, initial_angles="random", attempts_per_pose=3, rng_seed=seed
    )
    for first, second in zip(ask(1), ask(1)):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(ask(1)[0], ask(2)[0])


def test_masks_name_what_is_constrained(panda: Robot) -> None:
    ready = panda.named_pose("ready")
    target = Pose(panda.fk(ready)).translate([0.05, 0.1, 0.0], wrt="world").rotate(1.0, "z")
    ask = lambda **options: panda.batch_inverse_kinematics([target], initial_angles=ready, **options)  # noqa: E731
    for position, rotation in [(True, False), ("xy", True), ([0, 0, 1], "x"), (None, "xyz")]:
        q, success = ask(position_mask=position, rotation_mask=rotation, thre=1e-6, rthre=1e-6)
        assert success.all()
        reached = panda.fk(q[0])
        assert np.linalg.norm(target.difference_position(reached, position)) < 1.1e-6
        assert np.linalg.norm(target.difference_rotation(reached, rotation)) < 1.1e-6
    turned = target.rotate(np.pi, "z")
    q, success = panda.batch_inverse_kinematics([turned], initial_angles=ready, rotation_mirror="z")
    assert success.all() and np.abs(q[0] - ask()[0]).max() < 1e-6
    q, success = ask(translation_tolerance=[None, 0.05, 0.0], thre=1e-6)
    assert success.all() and abs(target.difference_position(panda.fk(q[0]))[1]) < 0.05 + 1e-5


def test_joints_that_are_held_do_not_move(panda: Robot) -> None:
    ready = panda.named_pose("ready")
    target = Pose(panda.fk(ready)).translate([0.03, 0.0, 0.03], wrt="world")
    held = [panda.joint_names[0], panda.joint_names[2]]
    q, success = panda.batch_inverse_kinematics(
        [target], rotation_mask=False, initial_angles=ready, invariant_joint_list=held
    )
    assert success.all() and (q[0][[0, 2]] == ready[[0, 2]]).all()
    q, _ = panda.batch_inverse_kinematics([target], initial_angles=ready, joint_list=panda.joint_names[3:])
    assert (q[0][:3] == ready[:3]).all()


def test_a_base_moves_where_it_may() -> None:
    robot = Robot("fetch")
    target = Pose.from_xyz_rpy(3.0, 1.0, 0.8, 0.0, 0.0, 0.5)
    q, success, _ = robot.batch_inverse_kinematics([target], use_base="planar", attempts_per_pose=10, thre=1e-5)
    assert success.all() and q.shape == (1, 3 + robot.dof)
    x, y, yaw = q[0][:3]
    world_from_root = np.eye(4)
    world_from_root[:3, :3], world_from_root[:2, 3] = about(np.array([0.0, 0.0, 1.0]), yaw), (x, y)
    base, tip = chain_of("fetch", robot.group)
    root = robot.link_names[0]
    values = dict(zip(robot.joint_names, q[0][3:]))
    root_from_base = relative_pose(urdf("fetch"), root, base, values)
    reached = world_from_root @ relative_pose(urdf("fetch"), root, tip, values) @ robot.tcp
    position, rotation = residuals(reached, root_from_base @ target.matrix)
    assert position < 2e-5 and rotation < RTHRE * SLACK
    floating, _ = robot.batch_inverse_kinematics([target], use_base="floating", base_weight=[1.0] * 6)
    assert floating.shape == (1, 6 + robot.dof)


def test_the_tool_looks_at_a_point(panda: Robot) -> None:
    for axis, column in [("z", 2), ("x", 0), ([0.0, 2.0, 0.0], 1)]:
        q = panda.look_at([0.6, 0.4, 0.1], axis=axis, seed=panda.named_pose("ready"))
        pose = panda.fk(q)
        view = np.array([0.6, 0.4, 0.1]) - pose[:3, 3]
        np.testing.assert_allclose(pose[:3, column], view / np.linalg.norm(view), atol=1.1e-4)
        assert panda.check_limits(q)
    q = panda.look_at([1.0, 0.0, 0.0], link="panda_link5")
    pose = panda.fk(q, link="panda_link5")
    view = np.array([1.0, 0.0, 0.0]) - pose[:3, 3]
    np.testing.assert_allclose(pose[:3, 2], view / np.linalg.norm(view), atol=1.1e-4)


def test_relative_moves_of_the_tool(panda: Robot) -> None:
    ready = panda.named_pose("ready")
    before = Pose(panda.fk(ready))
    for wrt in ["local", "world"]:
        q = panda.move_end_pos(ready, [0.0, 0.05, -0.05], wrt=wrt)
        wanted = before.translate([0.0, 0.05, -0.05], wrt=wrt)
        assert wanted.translation_distance(panda.fk(q)) < 1.1e-4 and wanted.rotation_distance(panda.fk(q)) < 1.1e-3
        q = panda.move_end_rot(ready, 0.3, "z", wrt=wrt)
        wanted = before.rotate(0.3, "z", wrt=wrt)
        assert wanted.translation_distance(panda.fk(q)) < 1.1e-4 and wanted.rotation_distance(panda.fk(q)) < 1.1e-3
    with pytest.raises(IKError):
        panda.move_end_pos(ready, [5.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"invariant_joint_list": "all"}, ValueError),
        ({"joint_list": []}, ValueError),
        ({"joint_list": ["nowhere"]}, InputError),
        ({"move_target": "nowhere"}, InputError),
        ({"position_mask": False, "rotation_mask": None}, InputError),
        ({"position_mask": "w"}, InputError),
        ({"rotation_mirror": "q"}, InputError),
        ({"stop": 0}, InputError),
        ({"thre": 0.0}, InputError),
        ({"rthre": float("nan")}, InputError),
        ({"alpha": 0.0}, InputError),
        ({"attempts_per_pose": 0}, InputError),
        ({"random_initial_range": 1.5}, InputError),
        ({"translation_tolerance": [0.1]}, InputError),
        ({"rotation_tolerance": [-0.1, 0.0, 0.0]}, InputError),
        ({"use_base": "flying"}, InputError),
        ({"use_base": True, "base_weight": [1.0]}, InputError),
        ({"initial_angles": "here"}, InputError),
        ({"initial_angles": [[0.0, 0.0]]}, InputError),
        ({"initial_angles": np.zeros((3, 7))}, InputError),
    ],
)
def test_what_cannot_be_used_is_refused(panda: Robot, options: dict, error: type) -> None:
    if options.get("invariant_joint_list") == "all":
        options = {"invariant_joint_list": panda.joint_names}
    with pytest.raises(error):
        panda.batch_inverse_kinematics(poses(panda, 1), **options)


def test_targets_that_are_no_poses_are_refused(panda: Robot) -> None:
    for bad in [np.zeros((2, 5)), np.zeros((1, 4, 4)), np.full((1, 6), np.nan), [[0, 0, 0, 0, 0, 0, 0]], ["pose"], 3.0]:
        with pytest.raises((InputError, TypeError)):
            panda.batch_inverse_kinematics(bad)
    q, success = panda.batch_inverse_kinematics([])
    assert q.shape == (0, panda.dof) and success.shape == (0,)
