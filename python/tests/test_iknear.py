"""Inverse kinematics near a seed, tools, tolerances, and what a robot is made of, from Python."""

import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from kinetic import Manipulator, Pose, Robot, Scene
from kinetic.exceptions import IKError, InputError

ROOT = Path(__file__).parents[2]
TOOL = np.array([[0.0, -1.0, 0.0, 0.05], [1.0, 0.0, 0.0, -0.02], [0.0, 0.0, 1.0, 0.2], [0.0, 0.0, 0.0, 1.0]])


def test_ik_travels_least_of_all_branches_and_turns() -> None:
    robot = Robot("ur5e")
    limits = robot.joint_limits
    for case in range(30):
        seed, target = robot.random_configuration(case), robot.fk(robot.random_configuration(1000 + case))
        least = np.inf
        for q in robot.ik_all(target, respect_limits=False):
            turned = [[a + 2 * np.pi * k for k in range(-3, 4)] for a in q]
            inside = [[v for v in vs if lo <= v <= hi] for vs, (lo, hi) in zip(turned, limits, strict=True)]
            least = min([least, *(np.linalg.norm(np.array(row) - seed) for row in product(*inside))])
        assert np.linalg.norm(robot.ik(target, seed) - seed) <= least + 1e-9, case


def test_all_turns_are_listed() -> None:
    robot = Robot("ur5e")
    target = robot.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])
    few, many = robot.ik_all(target), robot.ik_all(target, turns=True)
    assert len(few) == 8
    # The elbow turns by half a turn either way, the five others by a whole one.
    assert len(many) == 8 * 2**5
    assert len(np.unique(np.round(many, 6), axis=0)) == len(many)
    arm = Manipulator.from_robot(robot)
    assert len(arm.solve(target, turns=True, max_solutions=10)) == 10
    with pytest.raises(InputError, match="respect_limits"):
        arm.solve(target, turns=True, respect_limits=False)


def test_a_place_of_the_self_motion_outside_its_range_is_refused() -> None:
    arm = Manipulator.from_robot("franka_panda")
    target = arm.fk([0.1, -0.3, 0.2, -1.9, 0.1, 1.8, 0.7])
    with pytest.raises(InputError, match=r"at\[0\]"):
        arm.solve(target, at=[arm.self_motion[0][1] + 0.1])


def test_five_joints_say_what_they_can_meet() -> None:
    robot = Robot("xarm5")
    with pytest.raises(IKError, match="5 joints cannot meet a whole pose"):
        robot.ik(robot.fk([0.1, -0.3, -0.6, 0.4, 0.2]) @ Pose.from_xyz_rpy([0, 0, 0], [0.2, 0.3, 0.0]).matrix)


def test_every_call_takes_a_tool() -> None:
    robot = Robot("ur5e")
    q = np.array([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])
    target = robot.fk(q, tcp=TOOL)
    own = Robot("ur5e")
    own.tcp = TOOL
    np.testing.assert_allclose(own.fk(q), target, atol=1e-12)
    answers = [
        robot.ik(target, q, TOOL),
        robot.ik(target, q, TOOL, mode="position_fallback"),
        robot.ik_all(target, q, tcp=TOOL)[0],
        robot.ik_config(target, seed=q, tcp=TOOL)["joints"],
        robot.batch_ik([target], seeds=[q], tcp=TOOL)[0]["joints"],
        robot.ik_distinct(target, q, tcp=TOOL)[0][0],
        robot.ik_path([target], q, tcp=TOOL).q[0],
        Scene("ur5e").inverse_kinematics(target, q, tcp=TOOL, distance=0.0),
    ]
    for index, answer in enumerate(answers):
        np.testing.assert_allclose(robot.fk(answer, tcp=TOOL), target, atol=2e-3, err_msg=str(index))


def test_modes_and_tolerances_reach_the_solver() -> None:
    robot = Robot("ur5e")
    q = np.array([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])
    target = robot.fk(q, tcp=TOOL)
    target[:3, :3] = np.eye(3)
    for answer in [
        robot.ik(target, q, TOOL, mode="position_only", position_tolerance=1e-8),
        robot.batch_ik([target], seeds=[q], tcp=TOOL, mode="position_only", position_tolerance=1e-8)[0]["joints"],
        Scene("ur5e").inverse_kinematics(
            target, q, tcp=TOOL, distance=0.0, mode="position_only", position_tolerance=1e-6
        ),
    ]:
        assert np.linalg.norm(robot.fk(answer, tcp=TOOL)[:3, 3] - target[:3, 3]) <= 1e-6
    with pytest.raises(InputError, match="position_tolerance"):
        robot.ik(target, position_tolerance=0.0)
    with pytest.raises(InputError, match="position_tolerance"):
        Scene("ur5e").inverse_kinematics(target, q, position_tolerance=-1.0)
    far = robot.fk(q)
    far[0, 3] += 3.0
    assert np.isfinite(robot.ik(far, mode="position_only", position_tolerance=10.0)).all()


def test_the_tool_of_a_configuration_file_is_the_tool(tmp_path: Path) -> None:
    folder = ROOT / "robot_configs" / "ur5e"
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    toml = tmp_path / "kinetic.toml"
    stated = toml.read_text().replace("grasp_xyz = [0.0, 0.0, 0.0]", "tcp_xyz = [0.05, -0.02, 0.2]")
    toml.write_text(stated.replace("grasp_rpy = [0.0, 0.0, 0.0]", "tcp_rpy = [0.0, 0.0, 1.5707963267948966]"))
    plain, tooled = Robot("ur5e"), Robot.from_path(tmp_path)
    q = np.array([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])
    np.testing.assert_allclose(plain.tcp, np.eye(4))
    np.testing.assert_allclose(tooled.tcp, TOOL, atol=1e-12)
    np.testing.assert_allclose(tooled.fk(q), plain.fk(q) @ TOOL, atol=1e-12)
    np.testing.assert_allclose(tooled.jacobian(q), plain.jacobian(q, tcp=TOOL), atol=1e-12)
    np.testing.assert_allclose(tooled.ik(plain.fk(q) @ TOOL, q), q, atol=1e-9)


def test_a_robot_says_what_it_is_made_of() -> None:
    robot = Robot("franka_panda")
    assert (robot.base, robot.tip) == ("panda_link0", "panda_link8")
    tree = ET.parse(ROOT / "robot_configs" / "franka_panda" / "robot.urdf")
    stated = {joint.get("name"): joint for joint in tree.getroot().iter("joint") if joint.find("parent") is not None}
    joints = {joint["name"]: joint for joint in robot.joints}
    assert set(joints) == set(stated) and len(joints) == robot.num_joints
    for name, joint in stated.items():
        assert joints[name]["type"] == joint.get("type")
        assert joints[name]["parent"] == joint.find("parent").get("link")  # type: ignore[union-attr]
        assert joints[name]["child"] == joint.find("child").get("link")  # type: ignore[union-attr]
        axis = joint.find("axis")
        if axis is not None and joint.get("type") != "fixed":
            wanted = np.array(axis.get("xyz", "").split(), float)
            np.testing.assert_allclose(joints[name]["axis"], wanted / np.linalg.norm(wanted))
    assert [link["name"] for link in robot.links] == robot.link_names
    hand = robot.end_effectors[0]
    assert (hand["name"], hand["parent_link"], hand["parent_group"]) == ("hand", "panda_link8", "arm")
    assert hand["grasp_frame"][2, 3] == pytest.approx(0.1034)
    robot.tcp = hand["grasp_frame"]
    np.testing.assert_allclose(robot.tcp, hand["grasp_frame"])


def test_visuals_and_materials_can_be_read() -> None:
    urdf = """<robot name="r"><material name="red"><color rgba="1 0 0 0.5"/></material>
      <link name="a">
        <visual><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry><material name="red"/></visual>
        <visual><geometry><mesh filename="package://r/a.stl" scale="1 2 3"/></geometry></visual></link></robot>"""
    ball, mesh = Robot.from_urdf(urdf).links[0]["visuals"]
    assert ball["material"] == {"name": "red", "color": (1.0, 0.0, 0.0, 0.5), "texture": None}
    assert ball["mesh"] is None and ball["link_from_shape"][2, 3] == 1.0 and "sphere" in repr(ball["shape"])
    assert mesh["mesh"] == "package://r/a.stl" and mesh["material"] is None and mesh["shape"] is None
    np.testing.assert_array_equal(mesh["scale"], [1.0, 2.0, 3.0])


def test_poses_of_five_decimals_are_taken_and_others_orthonormalised() -> None:
    robot = Robot("ur5e")
    for case in range(200):
        target = robot.fk(robot.random_configuration(case))
        assert len(robot.ik_all(np.round(target, 5))) > 0
        coarse = np.round(target, 3)
        nearest = Pose.orthonormalised(coarse).matrix
        u, _, vt = np.linalg.svd(coarse[:3, :3])
        np.testing.assert_allclose(nearest[:3, :3], u @ vt, atol=1e-12)
    with pytest.raises(InputError, match="orthonormalised"):
        robot.ik(np.diag([1.0, 1.0, 1.01, 1.0]))
    with pytest.raises(InputError, match="positive determinant"):
        Pose.orthonormalised(np.diag([1.0, 1.0, -1.0, 1.0]))
