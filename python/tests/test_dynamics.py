"""Dynamics: resistance of joints as in MuJoCo, batches, efforts of positions, and what is refused."""

from __future__ import annotations

import os
import pickle
import signal
import threading

import numpy as np
import pytest

from kinetic import Dynamics, InputError, Payload, Robot, Wrench, gpu_adapters, gpu_available, state_to_state

Q = np.array([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
NO_ADAPTER = "no adapter of Vulkan, Metal or DX12; kinetic devices --doctor says why"
needs_adapter = pytest.mark.skipif(not gpu_adapters(), reason=NO_ADAPTER)

ARM = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.5 -1 -9.81"><flag contact="disable"/></option>
  <default><joint damping="0.7" frictionloss="0.3" armature="0.05"/></default>
  <worldbody>
    <body name="a" pos="0 0 0.3"><joint name="one" axis="0 0 1"/><geom type="box" size="0.05 0.1 0.2" pos="0.1 0 0.1"/>
      <body name="b" pos="0.2 0 0.3"><joint name="two" axis="0 1 0" damping="0"/>
        <geom type="box" size="0.04 0.2 0.03" pos="0 0.2 0"/>
        <body name="c" pos="0 0.4 0"><joint name="three" type="slide" axis="1 0 1" armature="0.2"/>
          <geom type="sphere" size="0.1"/>
          <body name="d" pos="0.1 0 0.1"><joint name="four" axis="1 1 0" frictionloss="0"/>
            <geom type="capsule" size="0.03 0.1" pos="0 0 0.1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_efforts_with_damping_friction_and_rotors_are_those_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco", reason="the second opinion on resistance of joints")
    robot, model = Robot.from_mjcf(ARM), mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    dynamics = Dynamics(robot, gravity=model.opt.gravity, joints=robot.active_joints)
    assert dynamics.joint_names == [model.joint(index).name for index in range(model.njnt)]
    rng = np.random.default_rng(0)
    for _ in range(50):
        # MuJoCo's friction is a constraint that has its full force at velocities such as these.
        data.qpos, data.qacc = rng.uniform(-2, 2, (2, model.nv))
        data.qvel = rng.uniform(0.5, 2, model.nv) * rng.choice([-1.0, 1.0], model.nv)
        mujoco.mj_inverse(model, data)
        tau = dynamics.inverse_dynamics(data.qpos, data.qvel, data.qacc)
        np.testing.assert_allclose(tau, data.qfrc_inverse, rtol=0, atol=1e-9 * np.abs(data.qfrc_inverse).max())
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        np.testing.assert_allclose(dynamics.mass_matrix(data.qpos), mass, rtol=0, atol=1e-9 * mass.max())


def test_without_friction_nothing_opposes_velocity_alone() -> None:
    robot, zero = Robot.from_mjcf(ARM), np.zeros(4)
    free = Dynamics(robot, joints=robot.active_joints, friction=False)
    rough = Dynamics(robot, joints=robot.active_joints)
    qd = np.array([1.0, -2.0, 0.5, 3.0])
    taken = rough.inverse_dynamics(zero, qd, zero) - free.inverse_dynamics(zero, qd, zero)
    np.testing.assert_allclose(taken, [0.7 + 0.3, -0.3, 0.35 + 0.3, 2.1], atol=1e-12)


def test_batches_are_rows_of_single_calls() -> None:
    dynamics, rng = Dynamics("franka_panda"), np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 20, 7))
    tau = dynamics.inverse_dynamics(q, qd, qdd)
    results = {
        "inverse": (tau, [dynamics.inverse_dynamics(*row) for row in zip(q, qd, qdd)]),
        "forward": (
            dynamics.forward_dynamics(q, qd, tau),
            [dynamics.forward_dynamics(*row) for row in zip(q, qd, tau)],
        ),
        "gravity": (dynamics.gravity_compensation(q), [dynamics.gravity_compensation(row) for row in q]),
        "coriolis": (dynamics.coriolis(q, qd), [dynamics.coriolis(*row) for row in zip(q, qd)]),
        "mass": (dynamics.mass_matrix(q), [dynamics.mass_matrix(row) for row in q]),
    }
    for name, (batch, rows) in results.items():
        np.testing.assert_array_equal(batch, rows, err_msg=name)
    out = np.empty((20, 7))
    assert dynamics.inverse_dynamics(q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, tau)
    assert dynamics.gravity_compensation(np.empty((0, 7))).shape == (0, 7)


@needs_adapter
@pytest.mark.parametrize("name", ["franka_panda", "ur5e", "fetch"])
def test_efforts_on_a_gpu_are_those_of_the_processor(name: str) -> None:
    robot, rng = Robot(name), np.random.default_rng(1)
    payload = Payload(1.5, [0.01, 0.02, 0.05], np.diag([0.003, 0.004, 0.002]))
    dynamics = Dynamics(
        robot,
        gravity=[1.0, -2.0, -9.0],
        payload=payload,
        base_acceleration=[0.5, 1.0, -2.0],
        base_angular_velocity=[1, 2, 0],
    )
    q, qd, qdd = rng.uniform(-2, 2, (3, 50, dynamics.dof))
    wanted = dynamics.inverse_dynamics(q, qd, qdd)
    found = dynamics.inverse_dynamics(q, qd, qdd, device="gpu")
    assert found.shape == wanted.shape and found.dtype == np.float64
    assert np.all(np.abs(found - wanted) < 1e-5 * np.abs(wanted).max(axis=0))
    assert not np.array_equal(found, wanted)  # single precision
    out = np.empty_like(wanted)
    assert dynamics.inverse_dynamics(q, qd, qdd, out=out, device="gpu") is out
    np.testing.assert_array_equal(out, found)
    # One state is a batch of one, and no states are a batch as well.
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q[3], qd[3], qdd[3], device="gpu"), found[3])
    assert dynamics.inverse_dynamics(q[:0], qd[:0], qdd[:0], device="gpu").shape == (0, dynamics.dof)


def test_without_a_gpu_auto_has_the_bits_of_the_processor() -> None:
    dynamics, rng = Dynamics("ur5e"), np.random.default_rng(2)
    states = rng.uniform(-2, 2, (3, 20, 6))
    wanted, found = (dynamics.inverse_dynamics(*states, device=device) for device in ("cpu", "auto"))
    np.testing.assert_array_equal(wanted, dynamics.inverse_dynamics(*states))
    if gpu_available():
        assert np.all(np.abs(found - wanted) < 1e-5 * np.abs(wanted).max(axis=0))
    else:
        np.testing.assert_array_equal(found, wanted)
    # Wrenches are computed on the processor, so that a program does not depend on what there is.
    pushed = [dynamics.inverse_dynamics(Q, Q, Q, {"tool0": Q}, device=device) for device in ("cpu", "auto")]
    np.testing.assert_array_equal(*pushed)


@needs_adapter
def test_what_a_gpu_does_not_compute_is_refused() -> None:
    dynamics = Dynamics("ur5e")
    with pytest.raises(InputError, match="external_forces"):
        dynamics.inverse_dynamics(Q, Q, Q, {"tool0": Q}, device="gpu")
    for bad in ([Q, np.full(6, 1e30), Q], [Q, Q, np.full(6, 1e300)]):
        with pytest.raises(InputError, match="single precision"):
            dynamics.inverse_dynamics(*bad, device="gpu")
    for bad in ([Q, np.full(6, np.nan), Q], [Q, Q[:5], Q], [Q, Q, np.zeros((2, 6))]):
        with pytest.raises(InputError):
            dynamics.inverse_dynamics(*bad, device="gpu")
    with pytest.raises(InputError, match="out of shape"):
        dynamics.inverse_dynamics(Q, Q, Q, out=np.empty(5), device="gpu")


@pytest.mark.parametrize("device", ["", "gpu:x", "gpu:99", "no such adapter"])
def test_devices_that_are_not_there_are_refused(device: str) -> None:
    with pytest.raises(InputError, match="device"):
        Dynamics("ur5e").inverse_dynamics(Q, Q, Q, device=device)


@needs_adapter
def test_ctrl_c_ends_a_batch_on_a_gpu() -> None:
    dynamics = Dynamics("franka_panda")
    states = np.zeros((3, 400_000, 7))
    dynamics.inverse_dynamics(*states[:, :10], device="gpu")
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):  # a fast GPU is interrupted between two calls
                dynamics.inverse_dynamics(*states, device="gpu")
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_efforts_of_positions_are_those_of_their_central_differences() -> None:
    dynamics, dt = Dynamics("ur5e"), 1e-3
    motion = lambda t: Q + 0.2 * np.sin(np.arange(1, 7) * t)  # noqa: E731
    t = 0.3
    speeds = 0.2 * np.arange(1, 7)
    qd, qdd = speeds * np.cos(np.arange(1, 7) * t), -speeds * np.arange(1, 7) * np.sin(np.arange(1, 7) * t)
    tau = dynamics.torque_vector(motion(t), motion(t - dt), motion(t + dt), dt)
    # Central differences leave dt² / 12 of the fourth derivative, which is up to 0.2 · 6⁴.
    np.testing.assert_allclose(tau, dynamics.inverse_dynamics(motion(t), qd, qdd), atol=1e-3)
    np.testing.assert_array_equal(dynamics.torque_vector(Q), dynamics.gravity_compensation(Q))


def test_a_payload_at_the_tool_pulls_on_the_arm() -> None:
    robot = Robot("ur5e")
    empty, loaded = Dynamics(robot), Dynamics(robot, payload=3.0)
    assert loaded.mass == pytest.approx(empty.mass + 3.0)
    force = robot.jacobian(Q)[:3].T @ [0.0, 0.0, 3.0 * 9.81]
    np.testing.assert_allclose(loaded.gravity_compensation(Q) - empty.gravity_compensation(Q), force, atol=1e-12)
    pulled = empty.inverse_dynamics(Q, 0 * Q, 0 * Q, {robot.tip: Wrench([0, 0, -3 * 9.81], [0, 0, 0])}, axes="root")
    np.testing.assert_allclose(pulled, loaded.gravity_compensation(Q), atol=1e-12)


def test_dynamic_manipulability_is_the_quotient_of_the_determinants() -> None:
    robot = Robot("ur5e")
    dynamics = Dynamics(robot)
    expected = abs(np.linalg.det(robot.jacobian(Q))) / np.linalg.det(dynamics.mass_matrix(Q))
    assert dynamics.dynamic_manipulability(Q, robot.tip) == pytest.approx(expected, rel=1e-9)


def test_efforts_of_a_trajectory_are_checked_between_its_waypoints() -> None:
    dynamics = Dynamics("ur5e")
    motion = state_to_state([0.0, -1.0, 0, 0, 0, 0], [0.0, 1.0, 0, 0, 0, 0], 0.2, 0.5, 2.0)
    assert dynamics.check_trajectory(motion) == []
    times = np.linspace(0, motion.duration, 2000)
    rows = [[at(t) for t in times] for at in (motion.sample, motion.sample_velocity, motion.sample_acceleration)]
    most = np.abs(dynamics.inverse_dynamics(*rows))[:, 1].max()
    limits = np.full(6, np.inf)
    limits[1] = 0.99 * most
    found = dynamics.check_trajectory(motion, limits)
    assert {record["joint"] for record in found} == {"shoulder_lift_joint"}
    assert max(abs(record["effort"]) for record in found) == pytest.approx(most, rel=2e-3)
    limits[1] = 1.01 * most
    assert dynamics.check_trajectory(motion, limits) == []


def test_a_pickled_payload_is_the_same() -> None:
    payload = Payload(1.5, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]), link="tool0", pose=np.eye(4))
    other = pickle.loads(pickle.dumps(payload))
    assert (other.mass, other.link) == (1.5, "tool0")
    np.testing.assert_array_equal(other.com, payload.com)
    np.testing.assert_array_equal(other.inertia, payload.inertia)


ZERO = np.zeros(6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda d: Dynamics("ur5e", payload=0.0), "mass of the payload"),
        (lambda d: Dynamics("ur5e", payload=Payload(1.0, [np.nan, 0, 0])), "finite|NotFinite"),
        (lambda d: Payload(1.0, inertia=np.eye(2)), "inertia of the payload"),
        (lambda d: Payload(1.0, inertia=np.diag([3.0, 1.0, 1.0])), "principal moments"),
        (lambda d: Dynamics("ur5e", payload=Payload(1.0, link="nowhere")), "nowhere"),
        (lambda d: Dynamics("ur5e", gravity=[0, 0]), "shape"),
        (lambda d: Dynamics("ur5e", joints=["nowhere"]), "nowhere"),
        (lambda d: Dynamics("ur5e", held=[0.0]), "configuration"),
        (lambda d: d.gravity_compensation(np.zeros(5)), "configuration"),
        (lambda d: d.gravity_compensation(np.full(6, np.nan)), "NotFinite"),
        (lambda d: d.inverse_dynamics(ZERO, ZERO, np.zeros((2, 6))), "accelerations"),
        (lambda d: d.inverse_dynamics(np.zeros((2, 6)), np.zeros((3, 6)), np.zeros((2, 6))), "velocities"),
        (lambda d: d.inverse_dynamics(ZERO, ZERO, ZERO, {"nowhere": ZERO}), "nowhere"),
        (lambda d: d.inverse_dynamics(ZERO, ZERO, ZERO, {"tool0": [1, 2]}), "wrench"),
        (lambda d: d.inverse_dynamics(ZERO, ZERO, ZERO, {}, axes="tool"), "axes"),
        (lambda d: d.inverse_dynamics(*np.zeros((3, 2, 6)), {"tool0": ZERO}), "batches"),
        (lambda d: d.inverse_dynamics(ZERO, np.full(6, 1e200), ZERO), "range of f64"),
        (lambda d: d.torque_vector(ZERO, ZERO), "all three"),
        (lambda d: d.torque_vector(ZERO, ZERO, ZERO, 0.0), "time between"),
    ],
)
def test_what_cannot_be_used_is_refused(call, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(Dynamics("ur5e"))


def test_a_robot_without_masses_is_refused() -> None:
    bare = '<robot name="bare"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    with pytest.raises(InputError, match="inertial properties"):
        Dynamics(Robot.from_urdf(bare + '<child link="b"/></joint></robot>'))
