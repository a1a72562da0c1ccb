"""Damping, friction, rotor inertia and effort of joints, as MuJoCo and Pinocchio read them."""

from __future__ import annotations

import numpy as np
import pytest

from kinetic import Robot

MODEL = """
<mujoco>
  <compiler angle="radian"/>
  <default>
    <joint damping="0.5"/>
    <position kp="10" forcerange="-40 40"/>
    <default class="wrist"><joint frictionloss="0.3" armature="0.02"/><position forcerange="-9 8" gear="2"/></default>
  </default>
  <worldbody>
    <body name="a"><joint name="one" damping="2.5"/><geom size="0.1"/>
      <body name="b" pos="0 0 1" childclass="wrist"><joint name="two" type="slide" axis="1 0 0"/><geom size="0.1"/>
        <body name="c" pos="0 0 1"><joint name="three" actuatorfrcrange="-5 5"/><geom size="0.1"/>
          <body name="d" pos="0 0 1"><joint name="four"/><geom size="0.1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position joint="one"/>
    <position joint="two" class="wrist"/>
    <motor joint="three" ctrlrange="-7 7" gear="3"/>
    <motor joint="four" ctrlrange="-0.5 0.7" gear="100"/>
  </actuator>
</mujoco>
"""


def largest_efforts(mujoco, model) -> np.ndarray:
    """What a joint feels at most of the forces that MuJoCo computes, by trying the extremes of all controls."""
    data, most = mujoco.MjData(model), np.zeros(model.nv)
    for sign in (-1.0, 1.0):
        limits = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange.T, [[-1e6], [1e6]])
        data.ctrl = limits[0] if sign < 0 else limits[1]
        mujoco.mj_forward(model, data)
        most = np.maximum(most, np.abs(data.qfrc_actuator))
    return most


def test_joints_of_mjcf_resist_and_push_as_in_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco", reason="what attributes become is tested in Rust")
    robot, model = Robot.from_mjcf(MODEL), mujoco.MjModel.from_xml_string(MODEL)
    joints = [joint for joint in robot.joints if joint["type"] != "fixed"]
    assert [joint["name"] for joint in joints] == [model.joint(index).name for index in range(model.njnt)]
    np.testing.assert_array_equal([joint["damping"] for joint in joints], np.ravel(model.dof_damping))
    np.testing.assert_array_equal([joint["friction"] for joint in joints], model.dof_frictionloss)
    np.testing.assert_array_equal([joint["armature"] for joint in joints], model.dof_armature)
    np.testing.assert_allclose(robot.effort_limits, largest_efforts(mujoco, model), rtol=1e-12)


def test_joints_of_urdf_resist_as_in_pinocchio() -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="what attributes become is tested in Rust")
    inertia = "".join(f'i{ab}="{int(ab[0] == ab[1])}" ' for ab in ("xx", "yy", "zz", "xy", "xz", "yz"))
    link = f'<link name="{{}}"><inertial><mass value="1"/><inertia {inertia}/></inertial></link>'
    joint = (
        '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 0 1"/>{4}'
        '<limit lower="-1" upper="1" velocity="1" effort="{5}"/></joint>'
    )
    text = "".join(link.format(name) for name in "abc")
    text += joint.format("one", "revolute", "a", "b", '<dynamics damping="0.4" friction="0.06"/>', 12)
    text += joint.format("two", "prismatic", "b", "c", '<dynamics damping="3"/>', 90)
    text = f'<robot name="r">{text}</robot>'
    robot, model = Robot.from_urdf(text), pinocchio.buildModelFromXML(text)
    joints = [joint for joint in robot.joints if joint["type"] != "fixed"]
    np.testing.assert_array_equal([joint["damping"] for joint in joints], model.damping)
    np.testing.assert_array_equal([joint["friction"] for joint in joints], model.friction)
    np.testing.assert_array_equal(robot.effort_limits, model.effortLimit)
