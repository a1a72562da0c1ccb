"""Robots: where they come from, their poses and limits, forward and inverse kinematics."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from oracles import (
    CONFIGS,
    FOLDERS,
    ROBOTS,
    SLIDER,
    central_differences,
    chain_of,
    random_pose,
    relative_pose,
    urdf,
    with_followers,
)

from kinetic import IKError, InputError, Robot, list_robots

ROUNDING = 1e-12
"""A chain of ten joints of about 1 m rounds at 1e-15; the oracle multiplies the same matrices in another order."""
DIFFERENCES = 1e-7
"""Central differences with a step of 1e-6 are off by some 1e-9 for arms of 1 m."""
IK_POSITION, IK_ROTATION = 1e-4, 1e-3
"""The tolerances that `Robot.ik` promises, m and rad."""

TURNED_TOOL = np.array([[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.02], [0.0, 0.0, 1.0, 0.3], [0.0, 0.0, 0.0, 1.0]])


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request) -> Robot:
    return Robot(request.param)


@pytest.fixture
def ur5e() -> Robot:
    return Robot("ur5e")


def values_of(robot: Robot, q: np.ndarray) -> dict[str, float]:
    return dict(zip(robot.joint_names, q))


# --- what it is made of ---


def test_every_committed_robot_is_built_in() -> None:
    assert list_robots() == ROBOTS


def test_names_and_counts_are_those_of_the_urdf(robot: Robot) -> None:
    root = urdf(robot.name)
    assert sorted(robot.link_names) == sorted(link.get("name") for link in root.findall("link"))
    assert robot.num_links == len(robot.link_names)
    assert robot.num_joints == len(root.findall("joint"))
    assert len(robot.joint_names) == robot.dof
    assert robot.group in robot.groups


def test_limits_are_those_of_the_urdf(robot: Robot) -> None:
    limits = {joint.get("name"): joint.find("limit") for joint in urdf(robot.name).findall("joint")}
    types = {joint.get("name"): joint.get("type") for joint in urdf(robot.name).findall("joint")}
    assert robot.joint_limits.shape == (robot.dof, 2)
    for index, name in enumerate(robot.joint_names):
        # 0 means unknown: a cautious speed, and no bound on the effort.
        assert robot.velocity_limits[index] == (float(limits[name].get("velocity")) or 1.0)
        assert robot.effort_limits[index] == (float(limits[name].get("effort")) or np.inf)
        if types[name] == "continuous":
            assert robot.joint_limits[index].tolist() == [-np.inf, np.inf]
        else:
            assert robot.joint_limits[index].tolist() == [float(limits[name].get(key)) for key in ("lower", "upper")]


def test_acceleration_limits_are_positive_and_of_the_group(robot: Robot) -> None:
    assert robot.acceleration_limits.shape == (robot.dof,)
    assert (robot.acceleration_limits > 0.0).all()


def test_a_tool_is_not_set_at_first(ur5e: Robot) -> None:
    assert np.array_equal(ur5e.tcp, np.eye(4))


def test_the_representation_names_robot_and_group(ur5e: Robot) -> None:
    assert repr(ur5e) == 'Robot("ur5e", group="arm", dof=6)'


# --- poses and limits ---


def test_named_poses_have_the_length_of_the_group_and_respect_its_limits(robot: Robot) -> None:
    for group in robot.groups:
        member = robot.with_group(group)
        for name in member.named_poses:
            pose = member.named_pose(name)
            assert pose.shape == (member.dof,)
            assert member.check_limits(pose)


def test_an_unknown_named_pose_is_none(ur5e: Robot) -> None:
    assert ur5e.named_pose("lying") is None


def test_zero_is_zero_and_mid_is_the_middle_of_the_limits(robot: Robot) -> None:
    assert not robot.zero_configuration().any()
    bounded = np.isfinite(robot.joint_limits).all(axis=1)
    middle = robot.joint_limits[bounded].mean(axis=1)
    assert np.allclose(robot.mid_configuration()[bounded], middle, rtol=0.0, atol=ROUNDING)
    assert not robot.mid_configuration()[~bounded].any()


def test_random_configurations_are_inside_limits_and_follow_their_seed(robot: Robot) -> None:
    draws = np.array([robot.random_configuration(rng_seed=seed) for seed in range(200)])
    assert all(robot.check_limits(q) for q in draws)
    assert np.array_equal(draws[7], robot.random_configuration(rng_seed=7))
    # 200 uniform draws miss a tenth of the range at either end with a chance of 2 · 0.9²⁰⁰ = 1e-9.
    low, high = robot.joint_limits.T
    low, high = np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
    assert (draws.min(axis=0) < low + 0.1 * (high - low)).all()
    assert (draws.max(axis=0) > high - 0.1 * (high - low)).all()


def test_random_configurations_without_a_seed_differ(ur5e: Robot) -> None:
    assert not np.array_equal(ur5e.random_configuration(), ur5e.random_configuration())


def test_clip_moves_each_value_to_its_limit_and_no_further(ur5e: Robot) -> None:
    q = np.array([10.0, -10.0, 0.5, 0.0, 7.0, -7.0])
    assert np.array_equal(ur5e.clip(q), np.clip(q, *ur5e.joint_limits.T))
    assert not ur5e.check_limits(q)
    assert ur5e.check_limits(ur5e.clip(q))


# --- forward kinematics ---


def test_fk_equals_the_urdf_specification(robot: Robot) -> None:
    base, tip = chain_of(robot.name, robot.group)
    for seed in range(20):
        q = robot.random_configuration(rng_seed=seed)
        wanted = relative_pose(urdf(robot.name), base, tip, values_of(robot, q))
        assert np.allclose(robot.fk(q), wanted, rtol=0.0, atol=ROUNDING), f"seed {seed}"


def test_fk_of_a_link_is_its_pose_in_the_base_of_the_group(robot: Robot) -> None:
    base, tip = chain_of(robot.name, robot.group)
    q = robot.random_configuration(rng_seed=1)
    poses = robot.fk_all(q)
    for link in robot.link_names:
        wanted = np.linalg.inv(poses[base]) @ poses[link]
        assert np.allclose(robot.fk(q, link=link), wanted, rtol=0.0, atol=ROUNDING)
    assert np.allclose(robot.fk(q, tip), robot.fk(q), rtol=0.0, atol=ROUNDING)


def test_fk_all_has_every_link_in_the_root_frame(robot: Robot) -> None:
    q = robot.random_configuration(rng_seed=2)
    poses = robot.fk_all(q)
    assert list(poses) == robot.link_names
    root = robot.link_names[0]
    # The links of the chain depend on the joints of the group alone.
    base, tip = chain_of(robot.name, robot.group)
    wanted = relative_pose(urdf(robot.name), base, tip, values_of(robot, q))
    assert np.array_equal(poses[root], np.eye(4))
    assert np.allclose(np.linalg.inv(poses[base]) @ poses[tip], wanted, rtol=0.0, atol=ROUNDING)


def test_joint_vectors_may_have_the_length_of_the_robot() -> None:
    whole = Robot("fetch")
    arm = Robot("fetch", "arm")
    names = [joint.get("name") for joint in urdf("fetch").findall("joint")]
    length = sum(joint.get("type") != "fixed" for joint in urdf("fetch").findall("joint"))
    q = arm.random_configuration(rng_seed=3)
    with pytest.raises(InputError, match=f"{arm.dof} .*{length}"):
        arm.fk(np.zeros(length + 1))
    full = np.zeros(length)
    assert len(names) > length > whole.dof > arm.dof
    # Where the arm's values stand in the long vector is found by moving one value at a time.
    moves = [
        index for index in range(length) if not np.allclose(arm.fk(full + 0.1 * np.eye(length)[index]), arm.fk(full))
    ]
    full[moves] = q
    assert np.allclose(arm.fk(full), arm.fk(q), rtol=0.0, atol=ROUNDING)


def test_the_tool_is_appended_to_the_tip(ur5e: Robot) -> None:
    q = ur5e.random_configuration(rng_seed=4)
    bare = ur5e.fk(q)
    ur5e.tcp = TURNED_TOOL
    assert np.allclose(ur5e.tcp, TURNED_TOOL, rtol=0.0, atol=ROUNDING)
    assert np.allclose(ur5e.fk(q), bare @ TURNED_TOOL, rtol=0.0, atol=ROUNDING)
    assert np.allclose(ur5e.fk(q, link="tool0"), bare, rtol=0.0, atol=ROUNDING)


def test_batch_fk_equals_single_calls(robot: Robot) -> None:
    rng = np.random.default_rng(5)
    low, high = np.nan_to_num(robot.joint_limits, posinf=3.0, neginf=-3.0).T
    configs = rng.uniform(low, high, (50, robot.dof))
    poses = robot.batch_fk(configs)
    assert poses.shape == (50, 4, 4)
    assert np.array_equal(poses, np.array([robot.fk(q) for q in configs]))


def test_batch_fk_takes_no_configurations_and_very_many(ur5e: Robot) -> None:
    assert ur5e.batch_fk(np.zeros((0, 6))).shape == (0, 4, 4)
    assert ur5e.batch_fk([]).shape == (0, 4, 4)
    configs = np.random.default_rng(6).uniform(-3.0, 3.0, (30_000, 6))
    poses = ur5e.batch_fk(configs)
    for index in (0, 4_095, 4_096, 15_000, 29_999):
        assert np.array_equal(poses[index], ur5e.fk(configs[index]))


def test_batch_fk_refuses_one_bad_row_among_many(ur5e: Robot) -> None:
    configs = np.zeros((20_000, 6))
    configs[19_999, 3] = np.nan
    with pytest.raises(InputError, match="NotFinite"):
        ur5e.batch_fk(configs)


# --- Jacobians ---


def test_the_jacobian_equals_central_differences(robot: Robot) -> None:
    for seed in range(5):
        q = robot.random_configuration(rng_seed=seed)
        assert robot.jacobian(q).shape == (6, robot.dof)
        assert np.allclose(robot.jacobian(q), central_differences(robot.fk, q), rtol=0.0, atol=DIFFERENCES)


def test_the_jacobian_of_a_tool_and_of_a_link_equal_central_differences(ur5e: Robot) -> None:
    q = ur5e.random_configuration(rng_seed=6)
    ur5e.tcp = TURNED_TOOL
    assert np.allclose(ur5e.jacobian(q), central_differences(ur5e.fk, q), rtol=0.0, atol=DIFFERENCES)
    wanted = central_differences(lambda q: ur5e.fk(q, link="wrist_1_link"), q)
    assert np.allclose(ur5e.jacobian(q, link="wrist_1_link"), wanted, rtol=0.0, atol=DIFFERENCES)
    assert not ur5e.jacobian(q, link="wrist_1_link")[:, 4:].any()


def test_fk_and_jacobian_equal_pinocchio(robot: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="a second opinion; the tests above do not need it")
    model = pin.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
    data = model.createData()
    # Some joints are named like the links that they carry.
    base, tip = (model.getFrameId(link, pin.BODY) for link in chain_of(robot.name, robot.group))
    q = robot.random_configuration(rng_seed=7)
    full = pin.neutral(model)
    values = with_followers(urdf(robot.name), values_of(robot, q))
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)]
        # Continuous joints are a cosine and a sine.
        full[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    pin.framesForwardKinematics(model, data, full)
    root_from_base, root_from_tip = data.oMf[base], data.oMf[tip]
    assert np.allclose(robot.fk(q), (root_from_base.inverse() * root_from_tip).homogeneous, rtol=0.0, atol=ROUNDING)
    # Followers move in proportion to their leaders; everything here is linear in the values.
    columns = np.zeros((model.nv, robot.dof))
    for index, name in enumerate(robot.joint_names):
        moving = with_followers(urdf(robot.name), {name: 1.0})
        for joint, rate in moving.items():
            columns[model.joints[model.getJointId(joint)].idx_v, index] = rate
    j = pin.computeFrameJacobian(model, data, full, tip, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED) @ columns
    turn = np.kron(np.eye(2), root_from_base.rotation.T)
    assert np.allclose(robot.jacobian(q), turn @ j, rtol=0.0, atol=ROUNDING)


def test_manipulability_and_condition_number_follow_from_the_singular_values(robot: Robot) -> None:
    q = robot.random_configuration(rng_seed=8)
    values = np.linalg.svd(robot.jacobian(q), compute_uv=False)
    assert robot.manipulability(q) == pytest.approx(values.prod(), rel=1e-9)
    assert robot.condition_number(q) == pytest.approx(values.max() / values.min(), rel=1e-9)


def test_a_straight_arm_is_singular(ur5e: Robot) -> None:
    assert ur5e.manipulability(np.zeros(6)) == pytest.approx(0.0, abs=1e-9)
    assert ur5e.condition_number(np.zeros(6)) > 1e9


# --- inverse kinematics ---


def pose_errors(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    cosine = (np.trace(a[:3, :3].T @ b[:3, :3]) - 1.0) / 2.0
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3])), float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def test_ik_answers_reach_the_pose_inside_the_limits(robot: Robot) -> None:
    for seed in range(10):
        target = robot.fk(robot.random_configuration(rng_seed=seed))
        try:
            q = robot.ik(target)
        except IKError:
            continue  # how often this may happen is a matter of test_builtin_robots.py
        position, rotation = pose_errors(robot.fk(q), target)
        assert position <= IK_POSITION, f"seed {seed}"
        assert rotation <= IK_ROTATION, f"seed {seed}"
        assert robot.check_limits(q)


def test_ik_from_a_solution_stays_there(robot: Robot) -> None:
    q = robot.random_configuration(rng_seed=9)
    assert np.abs(robot.ik(robot.fk(q), seed=q) - q).max() < 1e-3


def test_ik_gives_the_same_answer_twice(ur5e: Robot) -> None:
    target = ur5e.fk(ur5e.random_configuration(rng_seed=10))
    assert np.array_equal(ur5e.ik(target), ur5e.ik(target))


def test_ik_aims_with_the_tool(ur5e: Robot) -> None:
    ur5e.tcp = TURNED_TOOL
    target = ur5e.fk(ur5e.random_configuration(rng_seed=11))
    position, rotation = pose_errors(ur5e.fk(ur5e.ik(target)), target)
    assert position <= IK_POSITION
    assert rotation <= IK_ROTATION


def test_a_pose_out_of_reach_is_an_ik_error_that_says_so(ur5e: Robot) -> None:
    target = np.eye(4)
    target[0, 3] = 5.0
    with pytest.raises(IKError, match="^NoIKSolution: .*farther than its reach") as caught:
        ur5e.ik(target)
    assert not caught.value.retryable


# --- where it comes from ---


def test_an_unknown_robot_is_refused_with_names_that_look_alike() -> None:
    with pytest.raises(InputError, match='did you mean "ur5e"') as caught:
        Robot("ur5")
    assert caught.value.code == "RobotConfigNotFound"
    assert "ur5e" in caught.value.close
    assert caught.value.available == ROBOTS


def test_an_unknown_group_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match='^GroupNotFound: .*"arm"') as caught:
        Robot("ur5e", "leg")
    assert caught.value.available == ["arm"]


def test_from_config_is_the_constructor(ur5e: Robot) -> None:
    assert repr(Robot.from_config("ur5e")) == repr(ur5e)


@pytest.mark.parametrize("as_path", [str, lambda path: path], ids=["str", "Path"])
def test_a_folder_a_file_and_a_document_give_the_same_arm(ur5e: Robot, as_path) -> None:
    folder = CONFIGS / "ur5e"
    q = ur5e.random_configuration(rng_seed=12)
    file = folder / "robot.urdf"
    robots = [
        Robot.from_path(as_path(folder)),
        Robot.from_file(as_path(file)),
        Robot.from_urdf(as_path(file), base="base_link", tip="tool0"),
        Robot.from_urdf(file.read_text("utf-8"), base="base_link", tip="tool0"),
    ]
    for robot in robots:
        assert robot.joint_names == ur5e.joint_names
        assert np.allclose(robot.fk(q, link="tool0"), ur5e.fk(q), rtol=0.0, atol=ROUNDING)


def test_base_and_tip_of_a_document_can_be_chosen() -> None:
    assert Robot.from_urdf(SLIDER).joint_names == ["slide", "spin"]
    assert Robot.from_urdf(SLIDER, tip="carriage").joint_names == ["slide"]
    assert Robot.from_urdf(SLIDER, base="carriage").joint_names == ["spin"]
    with pytest.raises(InputError, match='^LinkNotFound: no link "hand"'):
        Robot.from_urdf(SLIDER, tip="hand")
    with pytest.raises(InputError, match="^ChainExtraction: "):
        Robot.from_urdf(SLIDER, base="post", tip="ball")


def test_malformed_xml_is_refused_with_file_and_line(tmp_path) -> None:
    broken = SLIDER.replace('<link name="rail"/>', '<link name="rail">')
    with pytest.raises(InputError, match="^UrdfParse: <string>:") as caught:
        Robot.from_urdf(broken)
    assert caught.value.line > 1
    path = tmp_path / "broken.urdf"
    path.write_text(broken)
    with pytest.raises(InputError) as caught:
        Robot.from_urdf(path)
    assert caught.value.file == str(path)


def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path) -> None:
    marked = "\ufeff" + SLIDER.strip()
    file = tmp_path / "slider.urdf"
    file.write_text(marked, "utf-8")
    assert Robot.from_urdf(marked).joint_names == Robot.from_urdf(file).joint_names == ["slide", "spin"]


def test_a_missing_file_is_a_file_not_found_error(tmp_path) -> None:
    for read in (Robot.from_urdf, Robot.from_path, lambda path: Robot.from_urdf_srdf(path, path)):
        with pytest.raises(FileNotFoundError, match="gone"):
            read(tmp_path / "gone.urdf")


def test_an_srdf_names_groups_and_poses(tmp_path) -> None:
    urdf_path, srdf_path = tmp_path / "slider.urdf", tmp_path / "slider.srdf"
    urdf_path.write_text(SLIDER)
    srdf_path.write_text(
        '<robot name="slider"><group name="axis"><chain base_link="rail" tip_link="carriage"/></group>'
        '<group_state name="out" group="axis"><joint name="slide" value="1.5"/></group_state></robot>'
    )
    robot = Robot.from_urdf_srdf(urdf_path, srdf_path).with_group("axis")
    assert robot.joint_names == ["slide"]
    assert robot.named_pose("out").tolist() == [1.5]


def test_with_group_leaves_the_first_robot_alone() -> None:
    fetch = Robot("fetch")
    arm = fetch.with_group("arm")
    assert (fetch.group, fetch.dof) == ("arm_with_torso", 8)
    assert (arm.group, arm.dof) == ("arm", 7)


def test_a_group_that_is_no_chain_says_so() -> None:
    gripper = Robot("fetch", "gripper")
    assert gripper.dof == 2
    assert len(gripper.fk_all(gripper.named_pose("open"))) == gripper.num_links


@pytest.mark.parametrize("again", [lambda robot: pickle.loads(pickle.dumps(robot)), copy.copy, copy.deepcopy])
def test_a_built_in_robot_can_be_pickled_with_group_and_tool(again) -> None:
    robot = Robot("fetch", "arm")
    robot.tcp = random_pose(np.random.default_rng(13))
    other = again(robot)
    assert repr(other) == repr(robot)
    assert np.array_equal(other.tcp, robot.tcp)


def test_a_robot_from_a_document_can_be_pickled() -> None:
    robot = Robot.from_urdf(SLIDER)
    other = pickle.loads(pickle.dumps(robot))
    assert repr(other) == repr(robot)
    assert np.array_equal(other.joint_limits, robot.joint_limits)
