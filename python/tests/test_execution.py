"""Executors from Python, on simulated time: commands, control, feedback, errors, and what functions raise."""

from __future__ import annotations

import gc
import math
import operator
import pickle
import threading

import numpy as np
import pytest

import kinetic
from kinetic import (
    ExecutionError,
    InputError,
    LogExecutor,
    RealTimeExecutor,
    Robot,
    SimExecutor,
    SimulatedClock,
    Trajectory,
)

LIMITS = (1.0, 4.0, 40.0)
PERIOD = 0.002
AT = 200
"""The command at which things go wrong: half-way."""


def timed(*waypoints) -> Trajectory:
    return Trajectory.from_waypoints([*waypoints]).time_parameterize("jerk_limited", *LIMITS)


FORTH = timed([0.0, 0.0], [1.0, -0.5])


class Arm:
    """A driver that keeps its commands and does something at one of them; the robot is where it was commanded to be."""

    def __init__(self, at: int = AT, act=lambda: None) -> None:
        self.at, self.act = at, act
        self.commands: list[np.ndarray] = []
        self.velocities: list[np.ndarray] = []
        self.stops: list[tuple[str, np.ndarray]] = []

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        self.commands.append(positions)
        self.velocities.append(velocities)
        if len(self.commands) == self.at + 1:
            self.act()

    def read(self) -> np.ndarray:
        return self.commands[-1] if self.commands else np.zeros(2)

    def on_stop(self, action: str, positions: np.ndarray) -> None:
        self.stops.append((action, positions))


def executor(**options) -> RealTimeExecutor:
    return RealTimeExecutor(allow_unverified=True, clock=SimulatedClock(), **options)


def assert_within_limits(commands) -> None:
    """Difference quotients of positions are velocities and accelerations somewhere in between."""
    velocity = np.diff(commands, axis=0) / PERIOD
    # Positions are rounded at 1e-16, which the square of the period makes 1e-10.
    assert np.abs(velocity).max() <= LIMITS[0] * (1.0 + 1e-6)
    assert np.abs(np.diff(velocity, axis=0) / PERIOD).max() <= LIMITS[1] * (1.0 + 1e-6) + 1e-6


def raising(error: Exception):
    def raise_it(*_) -> None:
        raise error

    return raise_it


# --- executors ---


def test_commands_are_samples_of_the_trajectory_and_end_exactly_at_rest() -> None:
    log = LogExecutor(rate_hz=250.0)
    result = log.execute(FORTH)
    commands = log.commands()
    assert isinstance(result, dict) and result["state"] == "Completed"
    assert result["commands_sent"] == len(commands) == log.num_commands == len(log)
    for command in commands[:-1]:
        # The speed override integrates the time of the trajectory in steps of the period.
        np.testing.assert_allclose(command["positions"], FORTH.sample(command["time"]), atol=1e-9)
        np.testing.assert_allclose(command["velocities"], FORTH.sample_velocity(command["time"]), atol=1e-8)
    np.testing.assert_array_equal(commands[-1]["positions"], FORTH.positions()[-1])
    np.testing.assert_array_equal(commands[-1]["velocities"], 0.0)
    np.testing.assert_array_equal(result["final_positions"], commands[-1]["positions"])
    assert result["expected_duration"] == FORTH.duration
    assert 0.0 <= result["actual_duration"] - FORTH.duration < 1 / 250 + 1e-9
    assert (result["max_deviation"], result["verified"], result["stop"]) == (0.0, False, None)
    log.execute(FORTH)
    assert log.num_commands == 2 * len(commands)
    log.clear()
    assert (log.num_commands, log.commands()) == (0, [])


@pytest.mark.parametrize("rate", [0.5, 10.0, 1000.0])
def test_all_executors_send_the_same_commands(rate: float) -> None:
    log, arm = LogExecutor(rate), Arm()
    results = [log.execute(FORTH), SimExecutor(rate).execute(FORTH)]
    results.append(executor(rate_hz=rate, command_timeout_ms=1e4).execute(FORTH, arm.send))
    assert len({result["commands_sent"] for result in results}) == 1
    np.testing.assert_array_equal(arm.commands, [command["positions"] for command in log.commands()])
    np.testing.assert_array_equal(arm.velocities, [command["velocities"] for command in log.commands()])


def test_a_plan_runs_on_the_wall_clock_with_its_certificate_and_the_result_says_how_late_it_was() -> None:
    robot = Robot("ur5e")
    home = robot.named_pose("home")
    plan = kinetic.plan(robot, home, home + 0.001)
    commands: list[np.ndarray] = [home]
    safe = RealTimeExecutor.safe(robot)
    # The machine may be busy: only the watchdog of tests waits for seconds.
    config = {name: value for name, value in safe.config.items() if not name.startswith(("watchdog", "command"))}
    patient = RealTimeExecutor(command_timeout_ms=1e4, joint_names=safe.joint_names, **config)
    result = patient.execute(plan, lambda q, qd: commands.append(q), lambda: commands[-1])
    assert (result["state"], result["verified"]) == ("Completed", True)
    jitter = result["jitter"]
    assert jitter["count"] == jitter["counts"].sum() == result["commands_sent"] == len(commands) - 1
    assert len(jitter["edges"]) == len(jitter["counts"]) + 1
    assert jitter["edges"][0] == 0.0 and math.isinf(jitter["edges"][-1])
    assert 0.0 <= jitter["mean"] <= jitter["max"]
    assert 0.0 <= jitter["p50"] <= jitter["p99"] <= jitter["p999"] <= jitter["max"]
    assert set(result["realtime"]) == {"scheduling", "priority", "locked_memory", "refused"}
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) is kinetic.ExecutionResult
    assert again["commands_sent"] == result["commands_sent"]


def test_results_compare_by_value() -> None:
    first, second = (executor().execute(FORTH, Arm().send) for _ in range(2))
    assert first == second and not operator.ne(first, second)
    assert first != {**second, "final_positions": second["final_positions"] + 1e-9}
    assert first != {**second, "state": "Error"} and first != "Completed"


def test_safe_options_are_those_of_the_model() -> None:
    robot = Robot("franka_panda")
    safe = RealTimeExecutor.safe(robot)
    config = safe.config
    assert safe.joint_names == robot.joint_names
    assert (config["position_tolerance"], config["velocity_tolerance"]) == (0.05, 0.3)
    assert (config["command_timeout_ms"], config["watchdog_timeout_ms"]) == (50.0, 50.0)
    assert (config["require_feedback"], config["allow_unverified"]) == (True, False)
    limits = config["joint_limits"]
    np.testing.assert_array_equal(np.transpose([limits["lower"], limits["upper"]]), robot.joint_limits)
    np.testing.assert_array_equal(limits["velocity"], robot.velocity_limits)


def test_options_come_back_as_they_were_given() -> None:
    given = {
        "rate_hz": 100.0,
        "position_tolerance": 0.2,
        "command_timeout_ms": 50.0,
        "timeout_factor": 3.0,
        "require_feedback": True,
        "velocity_scale": 0.5,
        "velocity_tolerance": 0.7,
        "watchdog_timeout_ms": 30.0,
        "watchdog_action": "abort",
        "allow_unverified": True,
        "real_time_priority": 7,
    }
    limits = {"lower": [-1.0], "upper": [1.0], "velocity": [2.0], "acceleration": [3.0], "jerk": [4.0]}
    config = RealTimeExecutor(**given, joint_limits=limits).config
    assert {name: config[name] for name in given} == given
    assert {name: list(values) for name, values in config["joint_limits"].items()} == limits
    assert set(config) == {*given, "joint_limits"}


# --- control ---


def run(*acts, motion: Trajectory = FORTH, **options):
    """An execution with something to do to its handle at some commands."""
    arm, started = Arm(), threading.Event()
    pending = dict(acts)

    def send(positions: np.ndarray, velocities: np.ndarray) -> None:
        started.wait()
        arm.send(positions, velocities)
        if act := pending.get(len(arm.commands) - 1):
            act(handles[0])

    handles = [executor(**options).start(motion, send)]
    started.set()
    return handles[0].wait(), arm


@pytest.mark.parametrize("mode", ["path", "jerk", "hard"])
def test_stops_begin_in_the_next_cycle(mode: str) -> None:
    result, arm = run((AT, lambda handle: handle.stop(mode)))
    assert result["state"] == "Stopped"
    assert result["stop"] == {
        "mode": mode,
        "began": pytest.approx((AT + 1) * PERIOD, abs=1e-9),
        "within_limits": mode != "hard",
    }
    np.testing.assert_array_equal(arm.velocities[-1], 0.0)
    # From 1 rad/s at 4 rad/s² and 40 rad/s³: 0.25 s to 0.35 s.
    assert len(arm.commands) - AT == 2 if mode == "hard" else len(arm.commands) - AT < 190
    if mode != "hard":
        assert_within_limits(arm.commands)


def test_pause_resume_speed_and_splice_act() -> None:
    states = []
    slow, _ = run((10, lambda handle: handle.set_speed(0.5)))
    assert slow["state"] == "Completed" and slow["actual_duration"] > 1.7 * FORTH.duration
    paused, arm = run(
        (AT, lambda handle: handle.pause()),
        (AT + 300, lambda handle: states.append(handle.state) or handle.resume()),
    )
    assert states == ["Paused"] and paused["state"] == "Completed"
    np.testing.assert_array_equal(arm.velocities[AT + 290], 0.0)
    assert_within_limits(arm.commands[:-1])
    back = timed([0.2, 0.0], [0.0, 0.0])
    spliced, arm = run((AT, lambda handle: handle.splice(back)))
    np.testing.assert_array_equal(spliced["final_positions"], back.sample(back.duration))
    assert spliced["expected_duration"] > AT * PERIOD + back.duration
    assert_within_limits(arm.commands[:-1])


def test_a_handle_that_is_dropped_stops_the_arm_along_its_path() -> None:
    started, arm, ended = threading.Event(), Arm(), threading.Event()

    def send(positions: np.ndarray, velocities: np.ndarray) -> None:
        started.wait()
        arm.send(positions, velocities)

    def progress(now: dict) -> None:
        if now["state"] == "Stopping" and not arm.velocities[-1].any():
            ended.set()

    handle = executor().start(FORTH, send, progress=progress)
    del handle
    gc.collect()
    started.set()
    assert ended.wait(60.0)
    assert 0.0 <= arm.commands[-1][0] < 0.5


def test_a_wait_that_ends_before_the_execution_says_so_and_changes_nothing() -> None:
    go = threading.Event()
    handle = executor().start(FORTH, lambda q, qd: go.wait())
    with pytest.raises(TimeoutError):
        handle.wait(timeout=0.0)
    go.set()
    assert handle.wait()["state"] == handle.wait(timeout=1.0)["state"] == handle.state == "Completed"
    assert not handle.watchdog_has_fired
    with pytest.raises(InputError, match="splice"):
        handle.splice(FORTH)


def test_progress_goes_from_the_start_to_the_end() -> None:
    told: list[dict] = []
    executor().execute(FORTH, lambda q, qd: None, progress=told.append)
    fractions = [now["fraction"] for now in told]
    assert fractions[0] == 0.0 and fractions[-1] == 1.0 and fractions == sorted(fractions)
    assert {now["state"] for now in told} == {"Running"}
    np.testing.assert_array_equal(told[-1]["positions"], FORTH.positions()[-1])
    assert told[-1]["elapsed"] == pytest.approx((len(told) - 1) * PERIOD, abs=1e-9)


# --- faults ---


@pytest.mark.parametrize("has_stop", [True, False])
def test_a_command_that_raises_is_the_last_and_the_cause_of_the_error(has_stop: bool) -> None:
    boom = ConnectionError("no power")
    arm = Arm(act=raising(boom))
    with pytest.raises(ExecutionError, match="^CommandFailed: .*no power") as caught:
        executor().execute(FORTH, arm.send, on_stop=arm.on_stop if has_stop else None)
    assert caught.value.__cause__ is boom
    assert caught.value.after == pytest.approx(AT * PERIOD)
    assert caught.value.result["state"] == "Aborted" and caught.value.result["commands_sent"] == AT + 1
    assert len(arm.commands) == AT + 1
    assert [action for action, _ in arm.stops] == ["zero_velocity"] * has_stop


@pytest.mark.parametrize("name", ["feedback", "progress", "speed_scaling"])
def test_other_functions_that_raise_stop_the_arm_along_its_path(name: str) -> None:
    boom, calls, arm = RuntimeError("no answer"), [], Arm()

    def function(*_) -> object:
        calls.append(1)
        if len(calls) > AT:
            raise boom
        return {"feedback": arm.read(), "speed_scaling": 1.0}.get(name)

    with pytest.raises(ExecutionError, match=f"^Aborted: {name} raised .*no answer") as caught:
        executor().execute(FORTH, arm.send, **{name: function})
    assert caught.value.__cause__ is boom
    assert caught.value.result["state"] == "Stopped"
    # Progress is told after the command, the others are asked before it.
    first = AT + 1 if name == "progress" else AT
    assert caught.value.result["stop"]["began"] == pytest.approx(first * PERIOD, abs=1e-9)
    assert_within_limits(arm.commands)
    np.testing.assert_array_equal(arm.velocities[-1], 0.0)


@pytest.mark.parametrize("required", [True, False])
def test_feedback_that_raises_before_the_first_command_leaves_the_arm_alone(required: bool) -> None:
    boom, arm = OSError("not connected"), Arm()
    with pytest.raises(ExecutionError) as caught:
        executor(require_feedback=required).execute(FORTH, arm.send, raising(boom))
    assert caught.value.__cause__ is boom and arm.commands == []
    assert ("FeedbackLost" if required else "feedback raised OSError: not connected") in str(caught.value)


def test_a_driver_that_takes_too_long_is_stopped_by_the_watchdog_while_its_call_lasts() -> None:
    clock = SimulatedClock()
    arm, asked = Arm(act=lambda: clock.sleep(5.0)), []
    handle = RealTimeExecutor(
        allow_unverified=True, clock=clock, watchdog_timeout_ms=20.0, watchdog_action="abort"
    ).start(FORTH, arm.send, on_stop=lambda action, positions: asked.append((clock.now, action, positions)))
    with pytest.raises(ExecutionError, match="^CommandTimeout: "):
        handle.wait()
    # The last command that was taken was that before.
    assert asked[0][0] == pytest.approx((AT - 1) * PERIOD + 0.02) and asked[0][1] == "abort"
    np.testing.assert_array_equal(asked[0][2], arm.commands[AT])
    assert handle.watchdog_has_fired and len(arm.commands) == AT + 1
    with pytest.raises(ExecutionError, match="^Aborted: .*without a stop sink"):
        executor_of(clock).execute(FORTH, Arm(act=lambda: clock.sleep(5.0)).send)


def executor_of(clock: SimulatedClock) -> RealTimeExecutor:
    return RealTimeExecutor(allow_unverified=True, clock=clock)


@pytest.mark.parametrize(
    ("code", "late", "measure"),
    [
        ("DeviationExceeded", 0, lambda q: q + 0.2),
        ("DeviationExceeded", 0, lambda q: q * math.nan),
        ("DeviationExceeded", 0, lambda q: (q, np.full(2, 9.0))),
        ("DimensionMismatch", 0, lambda q: q[:1]),
        ("DimensionMismatch", 0, lambda q: (q, np.zeros(3))),
        ("FeedbackLost", 0, lambda q: "here"),
        # A single reading may be lost: 99 ms are over with the fiftieth cycle after the last that was heard.
        ("FeedbackLost", 49, lambda q: None),
    ],
)
@pytest.mark.parametrize("at", [0, AT])
def test_bad_feedback_stops_the_arm_in_the_same_cycle_and_lets_no_first_command_out(code, late, measure, at) -> None:
    arm = Arm()

    def feedback() -> object:
        return measure(arm.read()) if len(arm.commands) >= at else arm.read()

    with pytest.raises((ExecutionError, InputError)) as caught:
        executor(require_feedback=True, command_timeout_ms=99.0).execute(FORTH, arm.send, feedback)
    error = caught.value
    assert error.code == code
    if at == 0:
        assert arm.commands == [] and error.result["commands_sent"] == 0
    else:
        assert error.result["stop"]["began"] == pytest.approx((at + late) * PERIOD, abs=1e-9)
        assert_within_limits(arm.commands)
        np.testing.assert_array_equal(arm.velocities[-1], 0.0)


def test_the_trajectory_follows_the_speed_slider_without_a_jump() -> None:
    arm = Arm()
    slider = lambda: 0.3 if AT <= len(arm.commands) < AT + 400 else 1.0  # noqa: E731
    result = executor().execute(FORTH, arm.send, arm.read, speed_scaling=slider)
    assert result["state"] == "Completed"
    assert_within_limits(arm.commands[:-1])
    slow = np.abs(np.diff(arm.commands[AT + 250 : AT + 390], axis=0)).max() / PERIOD
    assert slow <= 0.3 * LIMITS[0] * (1.0 + 1e-6)


def test_clocks_that_jump_ahead_end_an_execution_and_those_that_go_back_do_not() -> None:
    clock = SimulatedClock()
    arm = Arm(act=lambda: clock.advance(10.0))
    with pytest.raises(ExecutionError, match="^CommandTimeout: "):
        executor_of(clock).execute(FORTH, arm.send, on_stop=arm.on_stop)
    assert len(arm.commands) == AT + 1 and len(arm.stops) == 1
    arm = Arm(act=lambda: clock.advance(-10.0))
    result = executor_of(clock).execute(FORTH, arm.send)
    assert (result["state"], result["missed_cycles"]) == ("Completed", 0)


def test_an_executor_and_a_driver_do_one_thing_at_a_time() -> None:
    go, arm = threading.Event(), Arm(at=0)
    arm.act = go.wait
    first = executor()
    handle = first.start(FORTH, arm.send)
    with pytest.raises(InputError, match="executor"):
        first.start(FORTH, Arm().send)
    with pytest.raises(InputError, match="command_callback"):
        executor().start(FORTH, arm.send)
    go.set()
    handle.wait()
    assert first.execute(FORTH, arm.send)["state"] == "Completed"


# --- bad input ---


@pytest.mark.parametrize("cls", [SimExecutor, LogExecutor, RealTimeExecutor])
@pytest.mark.parametrize("rate", [0.0, -1.0, 1e6, math.nan, math.inf])
def test_rates_that_nobody_keeps_are_refused(cls: type, rate: float) -> None:
    with pytest.raises(InputError, match="rate_hz"):
        cls(rate_hz=rate)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"position_tolerance": 0.0}, "position_tolerance"),
        ({"velocity_tolerance": math.nan}, "velocity_tolerance"),
        ({"command_timeout_ms": 2.0}, "command_timeout_ms"),
        ({"timeout_factor": 0.5}, "timeout_factor"),
        ({"velocity_scale": 1.5}, "velocity_scale"),
        ({"watchdog_timeout_ms": 0.0}, "watchdog"),
        ({"watchdog_action": "shout"}, '"zero_velocity"'),
        ({"joint_limits": {"speed": [1.0]}}, '"velocity"'),
        ({"joint_limits": {"velocity": [math.nan]}}, "velocity"),
        ({"joint_limits": {"lower": [0.0, 0.0], "upper": [1.0]}}, "upper"),
    ],
)
def test_options_outside_their_domain_are_refused_by_name(options: dict, named: str) -> None:
    with pytest.raises(InputError, match=named):
        RealTimeExecutor(**options)


def bad_trajectories() -> dict:
    return {
        "certificate": (FORTH, {"allow_unverified": False}),
        "empty": (timed([1.0, 1.0], [1.0, 1.0]), {}),
        "without time": (Trajectory.from_waypoints([[0.0], [1.0]]), {}),
        "2 joints, the driver 1": (FORTH, {"joint_names": ["a"]}),
        "joint limits": (FORTH, {"joint_limits": {"velocity": [9.0]}}),
        "position of joint": (FORTH, {"joint_limits": {"upper": [0.5, 0.5]}}),
        "begins with joint": (
            Trajectory.from_numpy([0.0, 1.0], [[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]),
            {},
        ),
        "there is no function": (FORTH, {"require_feedback": True}),
    }


@pytest.mark.parametrize("reason", bad_trajectories())
def test_trajectories_that_cannot_be_carried_out_are_refused_before_the_first_command(reason: str) -> None:
    motion, options = bad_trajectories()[reason]
    arm = Arm()
    strict = RealTimeExecutor(**{"allow_unverified": True, "clock": SimulatedClock(), **options})
    for _ in range(2):
        with pytest.raises((ExecutionError, InputError), match=reason):
            strict.execute(motion, arm.send)
    assert arm.commands == []


def test_a_trajectory_of_another_robot_is_refused() -> None:
    ur5e, ur10e = Robot("ur5e"), Robot("franka_panda")
    plan = kinetic.plan(ur5e, "home", ur5e.named_pose("home") + 0.01)
    with pytest.raises(ExecutionError, match="^InvalidTrajectory: .*shoulder_pan_joint"):
        RealTimeExecutor(joint_names=[f"other_{name}" for name in ur5e.joint_names]).start(plan, print)
    with pytest.raises(ExecutionError, match="^InvalidTrajectory: "):
        RealTimeExecutor.safe(ur10e).start(plan, print, lambda: ur5e.named_pose("home"))


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="a function"):
        executor().start(FORTH, 3)
    for bad in (1.5, -0.1, math.nan):
        handle = executor().start(FORTH, lambda q, qd: None)
        with pytest.raises(InputError, match="speed"):
            handle.set_speed(bad)
        with pytest.raises(InputError, match="timeout"):
            handle.wait(timeout=-1.0)
        handle.wait()
    with pytest.raises(InputError, match='"path", "jerk", "hard"'):
        handle.stop("softly")
