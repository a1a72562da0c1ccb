"""Speed override, stops, tracking, splices, blends, tool motion, messages.

Oracles: linear programs and splines of SciPy, Ruckig, forward kinematics, differences of positions at 10 kHz, and cases
worked out by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import kinetic
from kinetic import ExecutionMonitor, InputError, Playback, Tracker, Trajectory, blend_sequence

VELOCITY, ACCELERATION, JERK = 1.0, 4.0, 40.0
PATH = [[0.0, 0.0], [1.0, 0.2], [1.5, 1.0], [2.5, 1.2]]


@pytest.fixture
def timed() -> Trajectory:
    return Trajectory.from_waypoints(PATH).time_parameterize("totp", VELOCITY, ACCELERATION, max_deviation=0.02)


def legs(*points):
    pairs = zip(points, points[1:], strict=False)
    return [Trajectory.from_waypoints(pair).time_parameterize("jerk_limited", 1.0, 4.0, 40.0) for pair in pairs]


def test_an_override_keeps_the_path_and_the_limits_at_10_khz(timed: Trajectory) -> None:
    playback = Playback(timed, ACCELERATION)
    rng = np.random.default_rng(0)
    period, rows = 1e-4, []
    for cycle in range(40_000):
        if cycle % 1500 == 700:
            playback.set_override(float(rng.choice([0.0, 0.3, 1.0, rng.random()])))
        state = playback.step(period)
        rows.append(state["positions"])
        if cycle % 100 == 0:
            np.testing.assert_allclose(state["positions"], timed.sample(playback.time), atol=1e-12)
    rows = np.array(rows)
    assert np.abs(np.diff(rows, axis=0)).max() / period <= VELOCITY * (1 + 1e-9)
    # Second differences are means of accelerations; rounding of 4e-16 over (1e-4)² is 2e-7.
    assert np.abs(np.diff(rows, 2, axis=0)).max() / period**2 <= ACCELERATION * (1 + 1e-6) + 1e-6


def test_under_jerk_limits_the_override_bounds_jerk_at_1_khz() -> None:
    path = Trajectory.from_waypoints(PATH)
    used = path.time_parameterize("jerk_limited", VELOCITY, ACCELERATION, JERK, max_deviation=0.02)
    playback = Playback(used, ACCELERATION, [JERK, JERK])
    rng, period, rows = np.random.default_rng(1), 1e-3, []
    for cycle in range(6000):
        if cycle % 400 == 200:
            playback.set_override(float(rng.choice([0.0, 0.3, 1.0, rng.random()])))
        rows.append(playback.step(period)["positions"])
        if cycle % 100 == 0:
            np.testing.assert_allclose(rows[-1], used.sample(playback.time), atol=1e-12)
    # Third differences are means of jerk; rounding of 4e-16 over (1e-3)³ is 4e-7.
    assert np.abs(np.diff(rows, 3, axis=0)).max() / period**3 <= JERK * (1 + 1e-6) + 1e-5
    assert np.abs(np.diff(rows, 2, axis=0)).max() / period**2 <= ACCELERATION * (1 + 1e-6)
    with pytest.raises(InputError, match="jerk of joint"):
        Playback(used, ACCELERATION, 0.5 * JERK)
    with pytest.raises(InputError, match="step of the acceleration of joint"):
        Playback(path.time_parameterize("trapezoidal", 1.0, 1.0), ACCELERATION, JERK)


def test_an_override_by_hand_and_its_refusals() -> None:
    line = Trajectory.from_waypoints([[0.0], [2.0]]).time_parameterize("trapezoidal", 1.0, 4.0)
    playback = Playback(line, 4.0)
    playback.step(0.5)
    playback.set_override(0.0)
    playback.step(0.125)
    assert playback.rate == pytest.approx(0.5, abs=1e-6)
    state = playback.step(1.0)
    assert (playback.rate, playback.speed_override, playback.is_finished) == (0.0, 0.0, False)
    assert state["positions"][0] == pytest.approx(0.375 + 0.125, abs=1e-6)
    assert playback.trajectory == line
    for bad in (-0.1, 1.5, np.nan):
        with pytest.raises(InputError, match="speed override"):
            playback.set_override(bad)
    with pytest.raises(InputError, match="acceleration of joint 0"):
        Playback(line, 1.0)
    with pytest.raises(InputError, match="time_parameterize"):
        Playback(Trajectory.from_waypoints([[0.0], [1.0]]), 1.0)


def slowest_stop(timed: Trajectory, begin: float, limit: float) -> float:
    """Where on the trajectory the earliest stop ends, by linear programs over a dense grid of squared rates."""
    optimize = pytest.importorskip("scipy.optimize")
    grid = np.linspace(begin, timed.duration, 500)
    square, step = 1.0, grid[1] - grid[0]
    for time in grid[:-1]:
        velocity, acceleration = timed.sample_velocity(time), timed.sample_acceleration(time)
        # q'' y + q' y'/2 within the limits, with y' as small as possible.
        rows = np.concatenate([0.5 * velocity, -0.5 * velocity])[:, None]
        bounds = np.concatenate([limit - acceleration * square, limit + acceleration * square])
        bounds = np.maximum(bounds, 0.0)
        found = optimize.linprog([1.0], A_ub=rows, b_ub=bounds, bounds=[(-1e3, 0.0)])
        square += found.x[0] * step
        if square <= 0.0:
            return time
    return timed.duration


def test_a_stop_on_the_path_is_as_early_as_linear_programs_say(timed: Trajectory) -> None:
    for part in (0.2, 0.45, 0.7):
        begin = part * timed.duration
        stop = timed.stop(begin, VELOCITY, ACCELERATION)
        assert stop["on_path"]
        assert stop["deviation"] < 1e-9
        halt = stop["trajectory"]
        np.testing.assert_allclose(halt.sample(0.0), timed.sample(begin), atol=1e-9)
        assert halt.validate(-10, 10, VELOCITY, ACCELERATION) == []
        place = timed.sample(slowest_stop(timed, begin, ACCELERATION))
        assert np.abs(halt.sample(halt.duration) - place).max() < 0.02


def test_a_stop_beside_the_path_holds_jerk_and_says_how_far(timed: Trajectory) -> None:
    begin = 0.5 * timed.duration
    stop = timed.stop(begin, VELOCITY, ACCELERATION, JERK, on_path=False)
    assert not stop["on_path"]
    assert 0.0 <= stop["deviation"] < 0.2
    halt = stop["trajectory"]
    assert np.abs(halt.sample_velocity(halt.duration)).max() < 1e-9
    weak = timed.stop(timed.to_numpy()[0][1] - 0.03, VELOCITY, 0.3, 10.0)
    assert not weak["on_path"]
    assert halt.validate(-10, 10, VELOCITY, ACCELERATION, JERK) == stop["violations"] == []
    # Half of the speed that it has: what the validator finds is what the stop says.
    fast = np.abs(timed.sample_velocity(begin)).max()
    late = timed.stop(begin, 0.5 * fast, ACCELERATION, JERK)
    found = late["trajectory"].validate(-10, 10, 0.5 * fast, ACCELERATION, JERK)
    assert not late["on_path"]
    assert {(entry["joint"], entry["type"]) for entry in found} == {
        (entry["joint"], entry["type"]) for entry in late["violations"]
    }
    worst = max(abs(entry["value"]) for entry in late["violations"] if entry["type"] == "velocity")
    assert worst >= fast
    assert worst == pytest.approx(np.abs(late["trajectory"].sample_velocity(0.0)).max(), rel=0.3)
    with pytest.raises(InputError, match="time on the running trajectory"):
        timed.stop(-1.0, 1.0, 1.0)


def test_a_tracker_steps_like_ruckig_from_rest_and_catches_up() -> None:
    tracker = Tracker([0.0, 0.0], VELOCITY, ACCELERATION, JERK, period=0.002)
    assert tracker.period == 0.002
    for cycle in range(3000):
        target = np.array([0.3, -0.2]) + 0.05 * cycle * 0.002
        state = tracker.step(target, [0.05, 0.05])
        assert np.abs(state["velocities"]).max() <= VELOCITY + 1e-9
        assert np.abs(state["accelerations"]).max() <= ACCELERATION + 1e-9
    np.testing.assert_allclose(state["positions"], target, atol=1e-3)
    for _ in range(500):
        state = tracker.step_to_rest()
    np.testing.assert_allclose(state["velocities"], 0.0, atol=1e-9)
    assert tracker.time_to_target == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_array_equal(tracker.state["positions"], state["positions"])

    ruckig = pytest.importorskip("ruckig", reason="no wheel of Ruckig for this Python")
    given, out, otg = ruckig.InputParameter(1), ruckig.OutputParameter(1), ruckig.Ruckig(1, 0.002)
    given.current_position, given.current_velocity, given.current_acceleration = [0.0], [0.0], [0.0]
    given.target_position, given.target_velocity, given.target_acceleration = [1.0], [0.0], [0.0]
    given.max_velocity, given.max_acceleration, given.max_jerk = [VELOCITY], [ACCELERATION], [JERK]
    tracker = Tracker([0.0], VELOCITY, ACCELERATION, JERK, period=0.002)
    for _ in range(800):
        otg.update(given, out)
        out.pass_to_input(given)
        assert tracker.step([1.0])["positions"][0] == pytest.approx(out.new_position[0], abs=1e-6)
    with pytest.raises(InputError, match="target velocity of joint 0"):
        tracker.step([0.0], [2.0])
    with pytest.raises(InputError, match="period"):
        Tracker([0.0], 1.0, 1.0, period=0.0)


def test_velocity_control_takes_the_times_of_ruckig_and_stops_at_position_limits() -> None:
    ruckig = pytest.importorskip("ruckig", reason="no wheel of Ruckig for this Python")
    rng = np.random.default_rng(11)
    for _ in range(200):
        velocity, acceleration, target = rng.uniform(-1, 1), rng.uniform(-2, 2), rng.uniform(-1, 1)
        given, theirs = ruckig.InputParameter(1), ruckig.Trajectory(1)
        given.control_interface = ruckig.ControlInterface.Velocity
        given.current_position, given.current_velocity, given.current_acceleration = [0.0], [velocity], [acceleration]
        given.target_velocity, given.target_acceleration = [target], [0.0]
        given.max_acceleration, given.max_jerk = [ACCELERATION], [JERK]
        ruckig.Ruckig(1).calculate(given, theirs)
        # Limits of velocity far away: Ruckig's velocity interface has none.
        tracker = Tracker(
            [0.0], 10.0, ACCELERATION, JERK, period=0.01, velocities=[velocity], accelerations=[acceleration]
        )
        for cycle in range(1, 100):
            position, speed, rate = theirs.at_time(min(0.01 * cycle, theirs.duration))
            state = tracker.step_velocity([target])
            if 0.01 * cycle <= theirs.duration:
                assert state["positions"][0] == pytest.approx(position[0], abs=1e-9)
            assert state["velocities"][0] == pytest.approx(speed[0], abs=1e-9)
            assert state["accelerations"][0] == pytest.approx(rate[0], abs=1e-7)

    tracker = Tracker([0.0, 0.0], VELOCITY, ACCELERATION, JERK, period=0.002)
    tracker.set_position_limits([-0.4, -1.0], [1.0, 0.3])
    for _ in range(3000):
        state = tracker.step_velocity([-VELOCITY, VELOCITY])
        assert state["positions"][0] >= -0.4 - 1e-9
        assert state["positions"][1] <= 0.3 + 1e-9
    np.testing.assert_allclose(state["positions"], [-0.4, 0.3], atol=1e-9)
    np.testing.assert_allclose(state["velocities"], 0.0, atol=1e-9)
    with pytest.raises(InputError, match="target velocity of joint 1"):
        tracker.step_velocity([0.0, 2 * VELOCITY])
    with pytest.raises(InputError, match="position limits of joint 1"):
        tracker.set_position_limits(0.0, [1.0, -1.0])


def test_a_splice_has_equal_states_where_it_joins() -> None:
    running, other = legs([0.0, 0.0], [1.0, 0.7])[0], legs([0.4, 0.6], [-0.5, 1.0])[0]
    spliced = running.splice(other, 0.4, 0.05, 1.0, 4.0, 40.0)
    assert spliced.validate(-10, 10, 1.0, 4.0, 40.0) == []
    for read in (Trajectory.sample, Trajectory.sample_velocity, Trajectory.sample_acceleration):
        np.testing.assert_allclose(read(spliced, 0.05), read(running, 0.45), atol=1e-6)
    np.testing.assert_allclose(spliced.sample(spliced.duration), [-0.5, 1.0], atol=1e-9)


def test_a_sequence_is_blended_without_stops_and_a_gap_is_named() -> None:
    parts = legs([0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.5])
    blended = blend_sequence(parts, 0.4, 1.0, 4.0, 40.0)
    assert blended.validate(-10, 10, 1.0, 4.0, 40.0) == []
    times = np.linspace(0.1, blended.duration - 0.1, 400)
    assert min(np.linalg.norm(blended.sample_velocity(t)) for t in times) > 0.05
    assert (np.diff(blended.to_numpy()[0]) > 0).all()
    with pytest.raises(InputError, match="joint 1"):
        blend_sequence([parts[0], parts[2]], 0.4)
    with pytest.raises(InputError, match="none"):
        blend_sequence([], 0.4)


def test_the_monitor_says_how_far_off_the_robot_is() -> None:
    monitor = ExecutionMonitor(2, warning=0.1, critical=0.5, window=2)
    assert [monitor.update([0, 0], [0, off])["level"] for off in (0.2, 0.2, 0.6, 0.6, 0.0)] == [
        "normal",
        "warning",
        "warning",
        "critical",
        "normal",
    ]
    assert monitor.update([0, 0], [0, np.nan])["level"] == "critical"
    monitor.reset()
    found = monitor.update([0, 0], [-0.3, 0.1])
    assert (found["level"], found["joint"], found["value"]) == ("normal", 0, -0.3)
    with pytest.raises(InputError, match="warning threshold"):
        ExecutionMonitor(1, warning=0.0)


def test_the_tool_keeps_to_its_lines_and_corners_inside_the_limits() -> None:
    robot = kinetic.Robot("ur5e")
    q_start = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
    poses = np.repeat(robot.fk(q_start)[None], 3, axis=0)
    poses[1:, 1, 3] -= 0.2
    poses[2, 0, 3] -= 0.2
    found = robot.tool_motion(poses, 0.05, q_start=q_start)
    motion = found["trajectory"]
    assert (found["deviation"] <= 1e-4, motion.joint_names) == (True, robot.joint_names)
    lower, upper = robot.joint_limits.T
    assert motion.validate(lower, upper, robot.velocity_limits, robot.acceleration_limits) == []
    corner = poses[1, :3, 3]
    for t in np.linspace(0.0, motion.duration, 300):
        tool = robot.fk(motion.sample(t))
        x, y, z = tool[:3, 3] - corner
        # On one of the two lines, or near the corner between them.
        assert abs(z) < 2e-4
        assert min(abs(x), abs(y)) < 2e-4 or max(abs(x), abs(y)) < 0.05
        assert np.hypot(x, y) > 0.25 * 0.05 * np.sqrt(2) / 2
        assert np.abs(tool[:3, :3] - poses[0, :3, :3]).max() < 2e-3
    with pytest.raises(kinetic.IKError):
        far = poses.copy()
        far[2, 0, 3] = 5.0
        robot.tool_motion(far, 0.05)
    with pytest.raises(InputError, match="blend radii"):
        robot.tool_motion(poses, [0.1, 0.1])


def test_a_message_for_ros_has_every_knot_with_rising_stamps(timed: Trajectory) -> None:
    message = timed.to_ros()
    assert message["joint_names"] == ["joint_0", "joint_1"]
    stamps = [p["time_from_start"]["sec"] * 10**9 + p["time_from_start"]["nanosec"] for p in message["points"]]
    assert (np.diff(stamps) > 0).all()
    assert stamps[0] == 0
    assert stamps[-1] == round(timed.duration * 1e9)
    for point, stamp in zip(message["points"], stamps, strict=True):
        np.testing.assert_allclose(point["positions"], timed.sample(stamp * 1e-9), atol=2e-9)
    resampled = timed.to_ros(period=0.1, joint_names=["a", "b"])
    assert resampled["joint_names"] == ["a", "b"]
    assert len(resampled["points"]) == int(timed.duration / 0.1) + 2
    with pytest.raises(InputError, match="period"):
        timed.to_ros(period=0.0)


def test_a_cubic_spline_is_the_clamped_one_of_scipy() -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    path = Trajectory.from_waypoints(PATH)
    timed = path.time_parameterize("cubic_spline", VELOCITY, ACCELERATION, max_deviation=10.0)
    times, positions, _ = timed.to_numpy()
    np.testing.assert_allclose(positions, PATH, atol=1e-12)
    spline = interpolate.CubicSpline(times, PATH, bc_type="clamped")
    for t in np.linspace(0.0, timed.duration, 200):
        np.testing.assert_allclose(timed.sample(t), spline(t), atol=1e-10)
        np.testing.assert_allclose(timed.sample_velocity(t), spline(t, 1), atol=1e-9)
    assert timed.validate(-10, 10, VELOCITY, ACCELERATION) == []


def test_durations_scalings_and_safety_factors(timed: Trajectory) -> None:
    path = Trajectory.from_waypoints(PATH)
    for law in ("totp", "trapezoidal", "jerk_limited", "cubic_spline"):
        slow = path.time_parameterize(law, VELOCITY, ACCELERATION, duration=20.0)
        assert slow.duration == 20.0
        half = path.time_parameterize(law, VELOCITY, ACCELERATION, velocity_scaling=0.5, acceleration_scaling=0.25)
        assert half.validate(-10, 10, 0.5 * VELOCITY, 0.25 * ACCELERATION) == []
        with pytest.raises(InputError, match="as fast as the limits allow"):
            path.time_parameterize(law, VELOCITY, ACCELERATION, duration=0.1)
    assert timed.validate(-10, 10, VELOCITY, ACCELERATION) == []
    assert timed.validate(-10, 10, VELOCITY, ACCELERATION, safety_factor=0.9) != []
    with pytest.raises(InputError, match="safety_factor"):
        timed.validate(-10, 10, VELOCITY, ACCELERATION, safety_factor=1.1)
    jumpy = Trajectory.from_numpy([0.0, 5.0], [[0.0], [1.0]])
    assert [v["type"] for v in jumpy.validate(-10, 10, 10, 10)] == ["position_jump"]
    assert jumpy.validate(-10, 10, 10, 10, max_position_jump=1.5) == []
    assert 0.0 < timed.path_deviation <= 0.02 + 1e-9


def test_a_plan_takes_every_law_by_its_name_and_certifies_the_timed_curve() -> None:
    robot = kinetic.Robot("ur5e")
    planner = kinetic.Planner(robot)
    start, goal = robot.named_pose("home"), robot.named_pose("ready")
    with pytest.raises(InputError, match="cubic_spline") as refusal:
        planner.plan(start, goal, time_parameterize="none such")
    for law in ("totp", "trapezoidal", "jerk_limited", "cubic_spline"):
        assert law in str(refusal.value)
        motion = planner.plan(start, goal, time_parameterize=law)
        assert motion.law == law
        assert motion.certificate.max_velocity_ratio <= 1.0
        assert motion.certificate.max_acceleration_ratio <= 1.0
