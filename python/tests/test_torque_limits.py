"""Motions under torque limits, with Pinocchio's inverse dynamics at dense samples as the second opinion."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from oracles import FOLDERS

import kinetic
from kinetic import Dynamics, InputError, Payload, Planner, PlanningError, Robot, Trajectory

LOW, HIGH = [0.0] * 6, [0.5, -1.0, -0.6, -0.5, 1.0, 0.0]
PART = Payload(4.0, com=[0.0, 0.0, 0.2])
LAWS = ("totp", "trapezoidal", "jerk_limited")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


def states(motion: Trajectory, samples: int = 3000) -> list[np.ndarray]:
    """Positions, velocities and accelerations in the order of time."""
    times = np.linspace(0.0, motion.duration, samples)
    return [
        np.array([sample(t) for t in times])
        for sample in (motion.sample, motion.sample_velocity, motion.sample_acceleration)
    ]


def largest_share(robot: Robot, motion: Trajectory, payload: Payload) -> float:
    """The largest torque over its limit by Pinocchio, with a point mass at the tool."""
    pin = pytest.importorskip("pinocchio", reason="the second opinion on torques")
    model = pin.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
    np.testing.assert_array_equal(robot.tcp, np.eye(4), "the tool of the ur5e is its tip")
    tool = model.frames[model.getFrameId(robot.tip)]
    carried = pin.Inertia(payload.mass, payload.com, payload.inertia)
    model.appendBodyToJoint(tool.parentJoint, carried, tool.placement)
    data = model.createData()
    assert list(model.names)[1:] == robot.joint_names
    efforts = [pin.rnea(model, data, *state).copy() for state in zip(*states(motion))]
    return float((np.abs(efforts) / robot.effort_limits).max())


@pytest.mark.parametrize("law", LAWS)
def test_a_plan_keeps_torques_that_the_law_alone_exceeds(robot, law) -> None:
    plain = Planner(robot).plan(LOW, HIGH, time_parameterize=law)
    kept = Planner(robot, torque_limits=True, payload=PART).plan(LOW, HIGH, time_parameterize=law)
    assert plain.certificate.max_torque_ratio is None and plain.certificate.payload is None
    assert kept.certificate.payload == PART
    found = largest_share(robot, kept, PART)
    assert largest_share(robot, plain, PART) > 1.01
    assert found <= kept.certificate.max_torque_ratio + 1e-9 <= 1.0 + 1e-9
    assert found > 0.98, "slower than the limits ask for"
    assert plain.duration < kept.duration < 1.6 * plain.duration


def test_the_fastest_law_is_faster_than_one_that_is_slowed_evenly(robot) -> None:
    path, dynamics = Trajectory.from_waypoints([LOW, HIGH, LOW]), Dynamics(robot, payload=PART)
    limits = (robot.velocity_limits, robot.acceleration_limits)
    totp, even = (path.time_parameterize(law, *limits, dynamics=dynamics) for law in ("totp", "trapezoidal"))
    assert totp.duration < 0.95 * even.duration
    for motion in (totp, even):
        assert largest_share(robot, motion, PART) <= 1.0 + 1e-9
        assert dynamics.check_trajectory(motion) == []


def test_effort_limits_of_ones_own_are_kept(robot) -> None:
    path, dynamics = Trajectory.from_waypoints([LOW, HIGH]), Dynamics(robot)
    limits = (robot.velocity_limits, robot.acceleration_limits)
    weak = np.array([60.0, 110.0, 70.0, 15.0, 15.0, 15.0])
    motion = path.time_parameterize("totp", *limits, dynamics=dynamics, effort_limits=weak)
    assert (np.abs(dynamics.inverse_dynamics(*states(motion))) <= weak).all()
    assert dynamics.check_trajectory(motion, weak) == []
    with pytest.raises(InputError, match="effort_limits"):
        path.time_parameterize("totp", *limits, effort_limits=weak)
    with pytest.raises(InputError, match="effort limits"):
        path.time_parameterize("totp", *limits, dynamics=dynamics, effort_limits=weak[1:])


def test_a_certificate_with_torques_survives_files_and_pickling(robot, tmp_path) -> None:
    kept = Planner(robot, torque_limits=True, payload=PART).plan(LOW, HIGH)
    kept.save(tmp_path / "kept.json")
    for again in (Trajectory.load(tmp_path / "kept.json"), pickle.loads(pickle.dumps(kept))):
        assert again.certificate == kept.certificate
        assert again.certificate.max_torque_ratio == kept.certificate.max_torque_ratio
        assert again.certificate.payload == PART


def test_a_problem_with_a_payload_is_solved_again_from_its_file(robot, tmp_path) -> None:
    on_link = Payload(
        3.0, [0.0, 0.1, 0.0], np.eye(3) * 0.01, link="wrist_2_link", pose=kinetic.Pose.from_xyz(0, 0, 0.1)
    )
    problem = Planner(robot, torque_limits=True, payload=on_link, max_iterations=1000).problem(LOW, HIGH)
    problem.save(tmp_path / "problem.toml")
    again = kinetic.Problem.load(tmp_path / "problem.toml")
    assert again.hash == problem.hash
    assert again.solve().certificate == problem.solve().certificate


def test_what_no_motor_holds_is_named(robot) -> None:
    with pytest.raises(PlanningError, match="^StaticTorqueExceeded") as caught:
        Planner(robot, torque_limits=True, payload=12.0).plan(LOW, HIGH)
    holding = Dynamics(robot, payload=12.0).gravity_compensation(LOW)
    assert caught.value.joint == "shoulder_lift_joint" and caught.value.waypoint_index == 0
    assert (caught.value.limit, caught.value.reserve) == (150.0, 0.001)
    assert "150, of which 0.1% is kept for the proof" in str(caught.value)
    # The worst place is not far from the waypoint.
    assert abs(holding[1]) <= abs(caught.value.effort) <= 1.05 * abs(holding[1])


def test_certify_refuses_torques_with_joint_and_time(robot) -> None:
    plain = Planner(robot).plan(LOW, HIGH)
    with pytest.raises(PlanningError, match="^TrajectoryLimitExceeded") as caught:
        Planner(robot, torque_limits=True, payload=PART).certify(plain)
    error, dynamics = caught.value, Dynamics(robot, payload=PART)
    assert (error.quantity, error.joint, error.limit) == ("torque", "shoulder_lift_joint", 150.0)
    assert 0.0 <= error.time <= plain.duration
    assert abs(error.value) == pytest.approx(np.abs(dynamics.inverse_dynamics(*states(plain))[:, 1]).max(), rel=1e-3)
    assert Planner(robot, torque_limits=True).certify(plain).certificate.max_torque_ratio <= 1.0


def test_options_without_effect_are_refused(robot) -> None:
    with pytest.raises(InputError, match="payload"):
        Planner(robot, payload=PART).plan(LOW, HIGH)
    with pytest.raises(InputError, match="tool9"):
        Planner(robot, torque_limits=True, payload=Payload(1.0, link="tool9")).plan(LOW, HIGH)


def carrying(robot: Robot, payload: Payload | float | None) -> kinetic.Scene:
    """A scene with a box on the tool."""
    scene = kinetic.Scene(robot)
    pose = kinetic.Pose.from_xyz(0.0, 0.0, 0.2)
    scene.attach("part", kinetic.Shape.box(0.05, 0.05, 0.05), pose, "tool0", ["wrist_3_link"], payload=payload)
    return scene


def test_what_the_scene_holds_counts_as_a_payload_does(robot) -> None:
    scene, loose = carrying(robot, 4.0), Dynamics(robot, payload=PART)
    held = Dynamics(robot, scene=scene)
    np.testing.assert_allclose(held.gravity_compensation(HIGH), loose.gravity_compensation(HIGH), atol=1e-9)
    np.testing.assert_array_equal(
        Dynamics(robot, scene=carrying(robot, None)).gravity_compensation(HIGH),
        Dynamics(robot).gravity_compensation(HIGH),
    )
    kept = Planner(robot, scene, torque_limits=True).plan(LOW, HIGH)
    assert 0.99 < kept.certificate.max_torque_ratio <= 1.0
    assert kept.certificate.payload is None, "it is in the scene, whose version the certificate has"
    assert largest_share(robot, kept, PART) <= 1.0 + 1e-9
    # Gone with the body.
    scene.detach("part", kinetic.Pose.from_xyz(2.0, 0.0, 0.0))
    assert Planner(robot, scene, torque_limits=True).plan(LOW, HIGH).duration < kept.duration


def test_the_mass_of_a_body_is_content_of_the_scene(robot, tmp_path) -> None:
    heavy, light = carrying(robot, Payload(2.0, [0.0, 0.01, 0.0], 0.001 * np.eye(3))), carrying(robot, None)
    assert heavy.version != light.version
    assert list(heavy.payloads) == ["part"] and light.payloads == {}
    heavy.save(tmp_path / "scene.toml")
    again = kinetic.Scene(robot)
    again.load(tmp_path / "scene.toml")
    for copy in (again, pickle.loads(pickle.dumps(heavy)), heavy.snapshot()):
        assert copy.version == heavy.version and copy.payloads == heavy.payloads
    with pytest.raises(InputError, match="payload of a body"):
        carrying(robot, Payload(1.0, link="tool0"))
    with pytest.raises(InputError, match="mass"):
        carrying(robot, -1.0)


def test_an_object_gets_its_mass_when_it_is_picked_up(robot) -> None:
    scene = kinetic.Scene(robot)
    scene.add("part", kinetic.Shape.box(0.05, 0.05, 0.05), kinetic.Pose.from_xyz(0.9, 0.3, 0.5))
    scene.attach_existing("part", "tool0", HIGH, payload=1.5)
    assert scene.payloads["part"].mass == 1.5


def test_a_bound_on_torques_is_bound_to_masses_motors_gravity_and_what_is_carried(robot, tmp_path) -> None:
    planner = Planner(robot, torque_limits=True, payload=PART)
    certificate = planner.plan(LOW, HIGH).certificate
    assert certificate.dynamics == planner.dynamics_version == Dynamics(robot, payload=PART).version
    text = (FOLDERS["ur5e"] / "robot.urdf").read_text("utf-8")
    for old, new in (('mass value="8.058"', 'mass value="9.058"'), ('effort="150.0"', 'effort="140.0"')):
        assert old in text
        path = tmp_path / "other.urdf"
        path.write_text(text.replace(old, new, 1), "utf-8")
        other, same = Robot.from_urdf(path), Robot.from_urdf(FOLDERS["ur5e"] / "robot.urdf")
        versions = [Planner(one, torque_limits=True).dynamics_version for one in (other, same)]
        assert versions[0] != versions[1] == Planner(same, torque_limits=True).plan(LOW, HIGH).certificate.dynamics
    others = [{"payload": 4.1}, {"payload": PART, "gravity": [0.0, -9.81, 0.0]}, {}]
    assert len({Planner(robot, torque_limits=True, **other).dynamics_version for other in others}) == 3
    assert Planner(robot).dynamics_version is None and Planner(robot).plan(LOW, HIGH).certificate.dynamics is None


def test_a_file_that_does_not_say_for_which_dynamics_loses_the_bound(robot, tmp_path) -> None:
    path = tmp_path / "kept.json"
    Planner(robot, torque_limits=True).plan(LOW, HIGH).save(path)
    path.write_text(path.read_text("utf-8").replace('"dynamics"', '"of an earlier release"'), "utf-8")
    with pytest.warns(kinetic.KineticWarning, match="torques"):
        certificate = Trajectory.load(path).certificate
    assert certificate.max_torque_ratio is None and certificate.max_velocity_ratio <= 1.0 + 1e-9


def test_the_one_liner_keeps_torques(robot) -> None:
    plain = kinetic.plan(robot, LOW, HIGH)
    kept = kinetic.plan(robot, LOW, HIGH, torque_limits=True, payload=PART)
    assert plain.certificate.max_torque_ratio is None and kept.certificate.payload == PART
    assert kept.certificate == Planner(robot, torque_limits=True, payload=PART).plan(LOW, HIGH).certificate
    with pytest.raises(InputError, match="payload"):
        kinetic.plan(robot, LOW, HIGH, payload=PART)


def test_gravity_of_a_robot_on_a_wall_is_that_of_its_torques(robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="the second opinion on torques")
    gravity = np.array([9.81, 0.0, 0.0])
    kept = Planner(robot, torque_limits=True, gravity=gravity).plan(LOW, HIGH)
    assert kept.certificate.dynamics == Dynamics(robot, gravity=gravity).version
    model = pin.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
    model.gravity.linear[:] = gravity
    data = model.createData()
    shares = [np.abs(pin.rnea(model, data, *state)) / robot.effort_limits for state in zip(*states(kept))]
    assert np.max(shares) <= kept.certificate.max_torque_ratio + 1e-9
    with pytest.raises(InputError, match="gravity"):
        Planner(robot, gravity=gravity).plan(LOW, HIGH)
    with pytest.raises(InputError, match="gravity"):
        Planner(robot, torque_limits=True, gravity=[np.nan, 0.0, 0.0])
