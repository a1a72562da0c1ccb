"""Two arms, and arm and gripper, on one clock. Oracle: samples of the parts, and who was called when."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import kinetic
from kinetic import ExecutionError, GroupDriver, InputError, RealTimeExecutor, Robot, SimulatedClock, Trajectory
from kinetic.drivers import functions

PERIOD = 0.002
AT = 200
LEFT, RIGHT = ["left_0", "left_1"], ["right_0", "right_1"]


def timed(*waypoints) -> Trajectory:
    return Trajectory.from_waypoints([*waypoints]).time_parameterize("jerk_limited", 1.0, 4.0, 40.0)


PARTS = [timed([0.0, 0.0], [1.0, -0.5]), timed([0.0, 0.0], [-0.2, 0.5])]
BOTH = Trajectory.stack(PARTS, joint_names=LEFT + RIGHT)


class Arm:
    """A driver that keeps its commands and does something at one of them."""

    def __init__(self, clock: SimulatedClock, act=lambda: None) -> None:
        self.clock, self.act = clock, act
        self.commands: list[np.ndarray] = []
        self.times: list[float] = []
        self.stops: list[str] = []

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        self.commands.append(positions)
        self.times.append(self.clock.now)
        if len(self.commands) == AT + 1:
            self.act()

    def read(self) -> np.ndarray:
        return self.commands[-1] if self.commands else np.zeros(2)

    def on_stop(self, action: str, positions: np.ndarray) -> None:
        self.stops.append(action)


def cell(act=lambda: None) -> tuple[RealTimeExecutor, list[Arm], list[GroupDriver]]:
    """Both arms; the left one does something half-way."""
    clock = SimulatedClock()
    arms = [Arm(clock, act), Arm(clock)]
    drivers = [GroupDriver(names, **functions(arm)) for names, arm in zip([LEFT, RIGHT], arms, strict=True)]
    return RealTimeExecutor(allow_unverified=True, clock=clock), arms, drivers


def test_both_arms_get_their_part_of_the_same_instant() -> None:
    executor, arms, drivers = cell()
    result = executor.execute_together(BOTH, drivers)
    assert (result["state"], result["verified"]) == ("Completed", False)
    assert arms[0].times == arms[1].times and len(arms[0].times) == result["commands_sent"]
    for arm, part in zip(arms, PARTS, strict=True):
        np.testing.assert_allclose(arm.commands, [part.sample(time) for time in arm.times], atol=1e-9)
        np.testing.assert_array_equal(arm.commands[-1], part.sample(part.duration))
    np.testing.assert_array_equal(result["final_positions"], np.concatenate([arm.commands[-1] for arm in arms]))


def test_a_driver_that_raises_is_stopped_and_the_other_arm_brakes_on_its_path() -> None:
    boom = ConnectionError("no power")

    def raise_it() -> None:
        raise boom

    executor, (left, right), drivers = cell(raise_it)
    with pytest.raises(ExecutionError, match="^CommandFailed: .*no power") as caught:
        executor.execute_together(BOTH, drivers)
    assert caught.value.__cause__ is boom
    assert caught.value.result["stop"]["began"] == pytest.approx((AT + 1) * PERIOD)
    assert (len(left.commands), left.stops, right.stops) == (AT + 1, ["zero_velocity"], [])
    steps = np.abs(np.diff(right.commands, axis=0)).max(axis=1)
    assert len(right.commands) > AT + 10 and np.all(np.diff(steps[AT + 1 :]) < 1e-9)


def test_feedback_of_one_arm_that_is_lost_stops_both() -> None:
    _, (left, right), drivers = cell()
    lost = GroupDriver(RIGHT, right.send, lambda: None if len(right.commands) >= AT else right.read())
    strict = RealTimeExecutor(allow_unverified=True, clock=left.clock, require_feedback=True, command_timeout_ms=99.0)
    with pytest.raises(ExecutionError, match="^FeedbackLost: ") as caught:
        strict.execute_together(BOTH, [drivers[0], lost])
    assert caught.value.result["stop"]["began"] == pytest.approx((AT + 49) * PERIOD)
    assert list(caught.value.joints) == RIGHT
    assert len(left.commands) == len(right.commands)
    with pytest.raises(ExecutionError, match="^InvalidTrajectory: .*feedback is required"):
        strict.execute_together(BOTH, [drivers[0], GroupDriver(RIGHT, right.send)])


def test_ctrl_c_stops_both_arms_on_their_paths() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = threading.Event()

        def interrupt() -> None:
            started.wait()
            signal.raise_signal(signal.SIGINT)
            # Simulated time waits for nobody: without a pause the motion may end before the main thread hears of it.
            handle.pause()

        executor, (left, right), drivers = cell(interrupt)
        handle = executor.start_together(BOTH, drivers)
        started.set()
        with pytest.raises(KeyboardInterrupt):
            handle.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(left.commands) == len(right.commands)
    assert left.commands[-1][0] < 1.0 and right.commands[-1][1] < 0.5


def test_a_motion_of_both_groups_that_was_certified_as_a_whole_is_verified() -> None:
    robot = Robot("ur5e")
    plan = kinetic.plan(robot, "home", robot.named_pose("home") + 0.01)
    taken: list[np.ndarray] = []
    shoulder, wrist = robot.joint_names[:3], robot.joint_names[3:]
    drivers = [
        GroupDriver(wrist[::-1], lambda q, qd: taken.append(q)),
        GroupDriver(shoulder, lambda q, qd: None),
    ]
    result = RealTimeExecutor(clock=SimulatedClock()).execute_together(plan, drivers)
    assert result["verified"] is True
    np.testing.assert_array_equal(taken[-1], result["final_positions"][3:][::-1])


def test_joints_that_are_shared_missing_or_others_are_refused_before_the_first_command() -> None:
    executor, arms, drivers = cell()
    for others, error, named in [
        ([drivers[0]], ExecutionError, "right_0"),
        ([GroupDriver(["elbow"], print), *drivers], ExecutionError, "elbow"),
        ([*drivers, GroupDriver(["left_0"], print)], InputError, "left_0"),
        ([drivers[0], GroupDriver(RIGHT, arms[0].send)], InputError, "command_callback"),
        ([], ExecutionError, "left_0"),
    ]:
        with pytest.raises(error, match=named):
            executor.execute_together(BOTH, others)
    with pytest.raises(ExecutionError, match="no names"):
        executor.execute_together(PARTS[0], [drivers[0]])
    with pytest.raises(TypeError, match="a function"):
        GroupDriver(LEFT, 3)
    assert all(arm.commands == [] for arm in arms)
    assert executor.execute_together(BOTH, drivers)["state"] == "Completed"


def test_stacks_of_shared_or_nameless_joints_are_refused() -> None:
    for trajectories, names, named in [
        (PARTS, None, "joint names of trajectory 0"),
        (PARTS, ["a", "b", "c", "a"], "a"),
        (PARTS, ["a"], "joint_names"),
        ([], None, "at least one"),
        ([Trajectory.from_waypoints([[0.0], [1.0]])], None, "without time"),
    ]:
        with pytest.raises(InputError, match=named):
            Trajectory.stack(trajectories, names)
    robot = Robot("ur5e")
    plan = kinetic.plan(robot, "home", robot.named_pose("home") + 0.01)
    gripper = Trajectory.stack([timed([0.0], [0.04])], ["gripper_finger"])
    whole = Trajectory.stack([plan, gripper])
    assert whole.joint_names == [*robot.joint_names, "gripper_finger"]
    assert whole.certificate is None and whole.duration == max(plan.duration, gripper.duration)
