"""Limits of one call: kept at every instant, certified, and refused where they make no sense."""

import json

import numpy as np
import pytest

import kinetic
from kinetic import InputError, Planner, PlanningError, Problem, Robot
from kinetic.cli import main

# Rounding of a sample of a polynomial, relative to the limit.
ROUNDING = 1e-9


def peaks(trajectory: kinetic.Trajectory, robot: Robot) -> tuple[float, float]:
    """Largest speed and acceleration by samples, each over its limit."""
    times = np.linspace(0.0, trajectory.duration, 5001)
    speed = np.array([trajectory.sample_velocity(t) for t in times]) / robot.velocity_limits
    acceleration = np.array([trajectory.sample_acceleration(t) for t in times]) / robot.acceleration_limits
    return float(np.abs(speed).max()), float(np.abs(acceleration).max())


@pytest.mark.parametrize("law", ["totp", "trapezoidal", "jerk_limited", "cubic_spline"])
def test_half_the_speed_is_kept_at_every_instant(law: str) -> None:
    robot = Robot("ur5e")
    planner = Planner(robot)
    motion = planner.plan("home", "ready", law, velocity_scaling=0.5, acceleration_scaling=0.2)
    speed, acceleration = peaks(motion, robot)
    assert speed <= 0.5 + ROUNDING and acceleration <= 0.2 + ROUNDING
    assert speed > 0.45 or acceleration > 0.18
    certificate = motion.certificate
    assert (certificate.velocity_scaling, certificate.acceleration_scaling) == (0.5, 0.2)
    np.testing.assert_array_equal(certificate.limits["velocity"], 0.5 * robot.velocity_limits)
    assert certificate.max_velocity_ratio == pytest.approx(speed / 0.5, abs=1e-3)


def test_a_slow_motion_is_the_quick_one_at_another_pace() -> None:
    quick = kinetic.plan("ur5e", "home", "ready")
    assert quick.certificate.limits is None and quick.certificate.velocity_scaling == 1.0
    for s in (0.5, 0.25):
        slow = kinetic.plan("ur5e", "home", "ready", velocity_scaling=s, acceleration_scaling=s * s)
        assert slow.duration == pytest.approx(quick.duration / s, rel=1e-6)
        for part in np.linspace(0.0, 1.0, 51):
            there = slow.sample(part * slow.duration)
            np.testing.assert_allclose(there, quick.sample(part * quick.duration), atol=1e-5)


def test_limits_of_a_call_replace_those_of_the_planner_and_of_the_robot() -> None:
    robot = Robot("ur5e")
    planner = Planner(robot, velocity_scaling=0.5, velocity_limits=0.8, jerk_limits=[9, 9, 9, 9, 9, 9])
    np.testing.assert_array_equal(planner.limits["velocity"], np.full(6, 0.4))
    np.testing.assert_array_equal(planner.limits["acceleration"], robot.acceleration_limits)
    motion = planner.plan("home", "ready", "jerk_limited")
    assert motion.validate(-10, 10, 0.4 + ROUNDING, robot.acceleration_limits, 9 + 1e-6) == []
    other = planner.plan("home", "ready", velocity_scaling=1.0, velocity_limits=np.linspace(0.2, 0.7, 6))
    np.testing.assert_array_equal(other.certificate.limits["velocity"], np.linspace(0.2, 0.7, 6))
    assert planner.velocity_scaling == 0.5 and planner.acceleration_scaling == 1.0


def test_a_planner_certifies_under_its_limits_and_batches_keep_them() -> None:
    robot = Robot("ur5e")
    slow, quick = Planner(robot, velocity_scaling=0.3), kinetic.plan(robot, "home", "ready")
    with pytest.raises(PlanningError, match="TrajectoryLimitExceeded"):
        slow.certify(quick)
    (motion,) = slow.plan_batch([robot.named_pose("home")], ["ready"])
    assert peaks(motion, robot)[0] <= 0.3 + ROUNDING


def test_problems_hold_the_limits_of_their_call(tmp_path) -> None:
    planner = Planner("ur5e", max_iterations=5000, acceleration_limits=2.0)
    motion = planner.plan("home", "ready", velocity_scaling=0.4)
    motion.problem.save(tmp_path / "problem.toml", motion)
    again = Problem.load(tmp_path / "problem.toml").replay()
    assert again["same"] and again["trajectory"].certificate.velocity_scaling == 0.4
    Planner("ur5e").problem("home", "ready").save(tmp_path / "plain.toml")
    assert "velocity_scaling = 0.4" in (tmp_path / "problem.toml").read_text()
    assert "scaling" not in (tmp_path / "plain.toml").read_text()


def test_batches_and_problems_take_the_limits_of_a_call() -> None:
    robot = Robot("ur5e")
    planner = Planner(robot, max_iterations=5000)
    limits = {"velocity_scaling": 0.4, "acceleration_limits": 0.9}
    single = planner.plan("home", "ready", **limits)
    (motion,) = planner.plan_batch([robot.named_pose("home")], ["ready"], **limits)
    solved = planner.problem("home", "ready", **limits).solve()
    for other in (motion, solved):
        assert other.hash == single.hash
        assert other.certificate.velocity_scaling == 0.4
        np.testing.assert_array_equal(other.certificate.limits["acceleration"], np.full(6, 0.9))
    assert peaks(motion, robot)[0] <= 0.4 + ROUNDING
    assert planner.velocity_scaling == 1.0
    for wrong, words in (({"velocity_scaling": 2.0}, "velocity_scaling"), ({"velocity_limits": 100.0}, "shoulder_pan")):
        with pytest.raises(InputError, match=words):
            planner.plan_batch([robot.named_pose("home")], ["ready"], **wrong)
    with pytest.raises(InputError, match="jerk_limits"):
        planner.problem("home", "ready", jerk_limits=-1.0)


@pytest.mark.parametrize("name", ["velocity_scaling", "acceleration_scaling"])
@pytest.mark.parametrize("factor", [0.0, -0.5, 1.5, np.nan, np.inf])
def test_factors_outside_of_their_range_are_refused(name: str, factor: float) -> None:
    planner = Planner("ur5e")
    with pytest.raises(InputError, match=name):
        planner.plan("home", "ready", **{name: factor})
    with pytest.raises(InputError, match=name):
        kinetic.plan("ur5e", "home", "ready", **{name: factor})
    with pytest.raises(InputError, match=name):
        Planner("ur5e", **{name: factor})


@pytest.mark.parametrize("name", ["velocity_limits", "acceleration_limits", "jerk_limits"])
@pytest.mark.parametrize("values", [0.0, -1.0, np.nan, [1.0, 1.0], np.ones((2, 3)), [1, 1, 1, 1, 1, np.inf]])
def test_limits_that_make_no_sense_are_refused(name: str, values) -> None:
    with pytest.raises(InputError):
        Planner("ur5e").plan("home", "ready", **{name: values})


def test_limits_beyond_those_of_the_robot_are_refused() -> None:
    with pytest.raises(InputError, match="shoulder_pan_joint"):
        Planner("ur5e", velocity_limits=100.0)


def test_the_command_slows_a_motion_down(capsys) -> None:
    command = ["plan", "ur5e", "--start", "home", "--goal", "ready"]
    durations = []
    for options in ([], ["--velocity-scaling", "0.3", "--acceleration-scaling", "0.09"]):
        assert main([*command, *options, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        durations.append(report["duration"])
    assert report["certificate"]["velocity_scaling"] == 0.3
    assert durations[1] == pytest.approx(durations[0] / 0.3, rel=1e-6)
    assert main([*command, "--velocity-scaling", "0.3"]) == 0
    assert "of the limit, which is 0.3 of the robot's" in capsys.readouterr().out
    assert main([*command, "--velocity-scaling", "0"]) == 2
    assert "velocity_scaling" in capsys.readouterr().err
