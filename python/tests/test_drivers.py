"""Drivers against fakes with the calls, the rates and the limits of their SDKs."""

from __future__ import annotations

import ast
import types

import numpy as np
import pytest
from oracles import ROOT

import kinetic
from kinetic import ExecutionError, RealTimeExecutor, SimulatedClock, Trajectory
from kinetic.drivers import functions, panda_py, ur_rtde, xarm

AT = 100
"""The command at which the robot does something by itself."""


class Fake:
    """A robot that follows its commands, refuses jumps and, where it has a largest rate, commands that come faster."""

    LARGEST_STEP = 0.02

    def __init__(self, dof: int, rate: float) -> None:
        self.clock, self.rate = SimulatedClock(), rate
        self.q, self.qd = np.zeros(dof), np.zeros(dof)
        self.times: list[float] = []
        self.commands: list[np.ndarray] = []
        self.calls: list[str] = []
        self.happens = lambda: None

    def take(self, q) -> None:
        q = np.array(q)
        assert np.abs(q - self.q).max() < self.LARGEST_STEP
        assert not self.times or self.clock.now - self.times[-1] > 0.999 / self.rate
        self.times.append(self.clock.now)
        self.commands.append(q)
        self.q, self.qd = q, (q - self.q) * self.rate
        if len(self.commands) == AT:
            self.happens()


class FakeUr(Fake):
    """RTDEControlInterface and RTDEReceiveInterface in one."""

    def __init__(self) -> None:
        super().__init__(6, 500.0)
        self.protective, self.program, self.slider = False, True, 1.0

    def servoJ(self, q: list, speed: float, acceleration: float, time: float, lookahead: float, gain: float) -> bool:
        assert isinstance(q, list) and time == 1.0 / self.rate and 0.03 <= lookahead <= 0.2 and 100 <= gain <= 2000
        if self.program:
            self.take(q)
        return self.program

    def servoStop(self, a: float = 10.0) -> bool:
        self.calls.append("servoStop")
        return True

    def getActualQ(self) -> list:
        return self.q.tolist()

    def getActualQd(self) -> list:
        return self.qd.tolist()

    def isProtectiveStopped(self) -> bool:
        return self.protective

    def isEmergencyStopped(self) -> bool:
        return False

    def getSpeedScaling(self) -> float:
        return 1.0

    def getTargetSpeedFraction(self) -> float:
        return self.slider


class FakePanda(Fake):
    """panda_py.Panda and its joint position controller in one."""

    def __init__(self) -> None:
        super().__init__(7, 1000.0)
        self.reflex = False

    def start_controller(self, controller) -> None:
        self.calls.append("start_controller")

    def set_control(self, position, velocity) -> None:
        self.take(position)

    def get_state(self):
        return types.SimpleNamespace(q=self.q.tolist(), dq=self.qd.tolist())

    def raise_error(self) -> None:
        if self.reflex:
            raise RuntimeError("libfranka: Move command aborted: motion aborted by reflex!")

    def stop_controller(self) -> None:
        self.calls.append("stop_controller")


class FakeXArm(Fake):
    """xarm.wrapper.XArmAPI of an arm with six joints; angles always have seven places."""

    axis = 6

    def __init__(self) -> None:
        super().__init__(6, 250.0)
        self.error_code, self.state, self.mode = 0, 2, 0

    def motion_enable(self, enable: bool = True) -> int:
        return 0

    def set_mode(self, mode: int = 0) -> int:
        self.mode = mode
        return 0

    def set_state(self, state: int = 0) -> int:
        self.calls.append(f"set_state({state})")
        self.state = state
        return 0

    def set_servo_angle_j(self, angles: list, is_radian: bool | None = None) -> int:
        assert self.mode == 1 and is_radian
        self.take(angles)
        return 0

    def get_servo_angle(self, is_radian: bool | None = None, is_real: bool = False) -> tuple[int, list]:
        assert is_radian and is_real
        return 0, [*self.q.tolist(), 0.0]


def drivers() -> dict:
    ur, panda, arm = FakeUr(), FakePanda(), FakeXArm()
    return {
        "ur_rtde": (ur, ur_rtde.Driver(ur, ur)),
        "panda_py": (panda, panda_py.Driver(panda, panda)),
        "xarm": (arm, xarm.Driver(arm)),
    }


NAMES = ["ur_rtde", "panda_py", "xarm"]


def motion(dof: int) -> Trajectory:
    path = Trajectory.from_waypoints([np.zeros(dof), np.full(dof, 0.4)])
    return path.time_parameterize("jerk_limited", 1.0, 4.0, 40.0)


def run(robot: Fake, driver) -> kinetic.ExecutionResult:
    executor = RealTimeExecutor(driver.rate_hz, require_feedback=True, allow_unverified=True, clock=robot.clock)
    return executor.execute(motion(len(robot.q)), **functions(driver))


@pytest.mark.parametrize("name", NAMES)
def test_a_motion_runs_at_the_rate_of_the_robot(name: str) -> None:
    robot, driver = drivers()[name]
    result = run(robot, driver)
    assert result["state"] == "Completed" and driver.rate_hz == robot.rate
    np.testing.assert_allclose(robot.q, 0.4)
    assert result["max_deviation"] < 0.01


FAULTS = {
    "ur_rtde": [
        (lambda robot: setattr(robot, "protective", True), "stopped by itself"),
        (lambda robot: setattr(robot, "program", False), "no program"),
    ],
    "panda_py": [(lambda robot: setattr(robot, "reflex", True), "aborted by reflex")],
    "xarm": [
        (lambda robot: setattr(robot, "error_code", 31), "error 31"),
        (lambda robot: setattr(robot, "state", 3), "state 3"),
    ],
}
STOPS = {"ur_rtde": "servoStop", "panda_py": "stop_controller", "xarm": "set_state(4)"}


@pytest.mark.parametrize(("name", "fault", "text"), [(name, *fault) for name in NAMES for fault in FAULTS[name]])
def test_a_robot_that_stops_by_itself_gets_no_further_command(name: str, fault, text: str) -> None:
    robot, driver = drivers()[name]
    robot.happens = lambda: fault(robot)
    with pytest.raises(ExecutionError) as caught:
        run(robot, driver)
    # An xArm says so when it is asked where it is; the stop along the path then ends with its first command.
    assert text in str(caught.value.__cause__)
    assert len(robot.commands) == AT and robot.calls[-1] == STOPS[name]


def test_the_slider_of_a_ur_slows_the_motion_down_and_a_pause_by_it_is_left_gently() -> None:
    robot, driver = drivers()["ur_rtde"]
    robot.happens = lambda: setattr(robot, "slider", 0.0)
    asked = []

    def slider() -> float:
        asked.append(1)
        if len(asked) == AT + 400:
            robot.slider = 1.0
        return driver.speed_scaling()

    executor = RealTimeExecutor(500.0, allow_unverified=True, clock=robot.clock)
    result = executor.execute(motion(6), **{**functions(driver), "speed_scaling": slider})
    assert result["state"] == "Completed"
    accelerations = np.diff(robot.commands[:-1], 2, axis=0) * robot.rate**2
    # Positions are rounded at 1e-16, which the square of the period makes 1e-10.
    assert np.abs(accelerations).max() <= 4.0 * (1.0 + 1e-6) + 1e-6
    assert np.abs(np.diff(robot.commands, axis=0)[AT + 300 : AT + 390]).max() == 0.0


def test_drivers_are_short_and_import_no_sdk() -> None:
    for name in NAMES:
        text = (ROOT / "python" / "kinetic" / "drivers" / f"{name}.py").read_text("utf-8")
        modules = {node.module for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)}
        assert modules == {"__future__", "typing"}
        assert len(text.splitlines()) <= 40
        with pytest.raises(ImportError):
            vars(kinetic.drivers)[name].Driver.connect("192.0.2.1")


def test_a_function_is_a_driver_and_other_objects_are_refused() -> None:
    assert functions(print) == {"command_callback": print}
    with pytest.raises(TypeError, match="send"):
        functions(3)
