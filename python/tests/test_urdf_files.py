"""URDF joints of every kind against Pinocchio, meshes from files, and questions about the tree."""

import math
from pathlib import Path

import numpy as np
import pytest

import kinetic

MESHES = Path(__file__).resolve().parents[2] / "crates/kinetic-robot/tests/data/meshes"

# Sums of a few products of numbers around 1.
ROUNDING = 1e-12

ROBOT = """<robot name="all_kinds">
  <link name="world"/><link name="base"/><link name="a"/><link name="b"/>
  <link name="c"/><link name="d"/><link name="e"/>
  <joint name="root" type="{root}"><parent link="world"/><child link="base"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 0 1"/></joint>
  <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 1"/><axis xyz="1 2 3"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><origin rpy="1 0 0"/><axis xyz="0 1 1"/>
    <limit lower="-9" upper="9" velocity="1" effort="1"/><mimic joint="lead" multiplier="-0.5" offset="0.2"/></joint>
  <joint name="wheel" type="continuous"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 0 -1"/>
    <mimic joint="slide" multiplier="3" offset="-1"/></joint>
  <joint name="last" type="continuous"><parent link="base"/><child link="d"/><axis xyz="0 1 0"/>
    <mimic joint="wheel" offset="0.5"/></joint>
  <joint name="mount" type="fixed"><parent link="d"/><child link="e"/><origin xyz="0 0 1"/></joint>
</robot>"""


@pytest.mark.parametrize("root", ["floating", "planar", "fixed", "continuous", "prismatic"])
def test_poses_of_all_links_are_those_of_pinocchio(root: str) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="the second opinion on kinematics")
    text = ROBOT.format(root=root)
    if root == "prismatic":
        limit = '<axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="1" effort="1"/></joint>'
        text = text.replace('<axis xyz="0 0 1"/></joint>', limit, 1)
    robot = kinetic.Robot.from_urdf(text)
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    rng = np.random.default_rng(0)
    for _ in range(100):
        q = rng.uniform(-3, 3, len(robot.active_joints))
        values = dict(zip(robot.active_joints, q))
        lead = values["lead"]
        slide = -0.5 * lead + 0.2
        wheel = 3 * slide - 1
        joints = {
            "lead": [lead],
            "slide": [slide],
            **{n: [math.cos(v), math.sin(v)] for n, v in (("wheel", wheel), ("last", wheel + 0.5))},
        }
        if root == "floating":
            turn = pinocchio.rpy.rpyToMatrix(values["root/roll"], values["root/pitch"], values["root/yaw"])
            joints["root"] = [*(values[f"root/{axis}"] for axis in "xyz"), *pinocchio.Quaternion(turn).coeffs()]
        elif root == "planar":
            yaw = values["root/yaw"]
            joints["root"] = [values["root/x"], values["root/y"], math.cos(yaw), math.sin(yaw)]
        elif root != "fixed":
            root_value = values["root"]
            joints["root"] = [root_value] if root == "prismatic" else [math.cos(root_value), math.sin(root_value)]
        configuration = np.concatenate([joints[name] for name in list(model.names)[1:]])
        pinocchio.forwardKinematics(model, data, configuration)
        pinocchio.updateFramePlacements(model, data)
        poses = robot.fk_all(q)
        for name in ("base", "a", "b", "c", "d", "e"):
            np.testing.assert_allclose(poses[name], data.oMf[model.getFrameId(name)].homogeneous, atol=ROUNDING)


def test_the_automatic_group_stands_on_what_floats() -> None:
    robot = kinetic.Robot.from_urdf(ROBOT.format(root="floating"))
    assert robot.joint_names == ["lead"]
    assert robot.active_joints == [*(f"root/{part}" for part in ("x", "y", "z", "yaw", "pitch", "roll")), "lead"]
    assert np.isinf(kinetic.Robot.from_urdf(ROBOT.format(root="planar"), base="world", tip="base").joint_limits).all()


def test_questions_about_the_tree() -> None:
    robot = kinetic.Robot.from_urdf(ROBOT.format(root="fixed"))
    assert robot.leaf_links == ["c", "e"]
    assert robot.movable_links == ["a", "b", "c", "d", "e"]
    assert robot.parent_link("world") is None
    assert robot.parent_link("d") == "base"
    assert robot.child_links("base") == ["a", "d"]
    assert robot.link_path("b", "e") == ["b", "a", "base", "d", "e"]
    with pytest.raises(kinetic.InputError, match="nowhere"):
        robot.link_path("b", "nowhere")


def test_a_mesh_file_becomes_arrays() -> None:
    vertices, triangles = kinetic.load_mesh(MESHES / "triangles.dae")
    assert vertices.shape == (8, 3) and triangles.shape == (12, 3)
    assert triangles.dtype == np.int64
    np.testing.assert_array_equal(vertices[triangles].max(axis=(0, 1)), [3, 2, 1])
    turned, _ = kinetic.load_mesh(MESHES / "y_up.dae", z_up=True)
    np.testing.assert_array_equal(turned.max(axis=0), [3, 0, 2])


def test_a_broken_or_missing_mesh_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0\n")
    with pytest.raises(kinetic.InputError, match="three numbers"):
        kinetic.load_mesh(tmp_path / "a.obj")
    with pytest.raises(FileNotFoundError):
        kinetic.load_mesh(tmp_path / "b.obj")


SHAPES = """<robot name="r"><link name="a"><collision><geometry><mesh filename="package://none/a.stl"/></geometry></collision>
</link></robot>"""


def test_a_missing_collision_mesh_refuses_a_scene_unless_told_otherwise() -> None:
    robot = kinetic.Robot.from_urdf(SHAPES)
    assert "collision meshes are missing" in robot.notes[0]
    with pytest.raises(FileNotFoundError, match="none/a.stl"):
        kinetic.Scene(robot)
    robot = kinetic.Robot.from_urdf(SHAPES, missing_meshes="ignore")
    assert "left out" in robot.notes[0]
    kinetic.Scene(robot)
    with pytest.raises(kinetic.InputError, match='"error" or "ignore"'):
        kinetic.Robot.from_urdf(SHAPES, missing_meshes="perhaps")
