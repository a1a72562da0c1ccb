"""``kinetic servo --gamepad``: what sticks and buttons command, and a device that goes away."""

from __future__ import annotations

import csv
import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

import kinetic
from kinetic.cli import main
from kinetic.cli.output import CliError
from kinetic.cli.servo_gamepad import Event, Gamepad, Sticks

START = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
AT_START = "--start=" + ",".join(map(str, START))
BUTTON, AXIS, INITIAL = 1, 2, 128
"""Kinds of events in `joystick-api.rst`."""
TRIGGERS = (2, 5)
FULL = 32767
DEVICE_EVENT = "=IhBB"


class Events:
    """A gamepad whose events come one period after the other."""

    def __init__(self, *periods: list[Event]) -> None:
        self._periods = iter(periods)

    def events(self) -> list[Event]:
        return next(self._periods, [])


def at_rest() -> list[Event]:
    """What a device says when it is opened: sticks in the middle, triggers and buttons let go."""
    axes = [Event(-FULL if axis in TRIGGERS else 0, AXIS | INITIAL, axis) for axis in range(8)]
    return [*axes, *(Event(0, BUTTON | INITIAL, button) for button in range(11))]


def steered(*periods: list[Event]) -> Sticks:
    """Sticks after some periods."""
    sticks = Sticks(kinetic.Robot("ur5e"), START, Events(at_rest(), *periods))
    for _ in range(1 + len(periods)):
        sticks.command(0.0)
    return sticks


def twist_of(sticks: Sticks, frame: str = "base") -> np.ndarray:
    """The velocity of the tool that is commanded, after it is reached."""
    servo = kinetic.Servo("ur5e")
    servo.set_state(START)
    for _ in range(300):
        sticks.command(0.0)(servo)
    before = servo.state()["ee_pose"]
    sticks.command(0.0)(servo)
    step = np.linalg.inv(before) @ servo.state()["ee_pose"] * servo.rate_hz
    turn = np.eye(3) if frame == "tool" else before[:3, :3]
    return np.array([*turn @ step[:3, 3], *turn @ [step[2, 1], step[0, 2], step[1, 0]]])


@pytest.mark.parametrize(
    ("event", "axis", "sign"),
    [
        (Event(-FULL, AXIS, 1), 0, 1.0),
        (Event(FULL, AXIS, 1), 0, -1.0),
        (Event(-FULL, AXIS, 0), 1, 1.0),
        (Event(FULL, AXIS, 5), 2, 1.0),
        (Event(FULL, AXIS, 2), 2, -1.0),
        (Event(FULL, AXIS, 3), 3, 1.0),
        (Event(-FULL, AXIS, 4), 4, 1.0),
        (Event(1, BUTTON, 4), 5, 1.0),
        (Event(1, BUTTON, 5), 5, -1.0),
    ],
)
@pytest.mark.parametrize("frame", ["base", "tool"])
def test_each_stick_commands_its_axis_while_it_is_held(event: Event, axis: int, sign: float, frame: str) -> None:
    switch = [Event(1, BUTTON, 2), Event(0, BUTTON, 2)] if frame == "tool" else []
    wanted = np.zeros(6)
    wanted[axis] = sign * (0.1 if axis < 3 else 0.5)
    np.testing.assert_allclose(twist_of(steered(switch, [event]), frame), wanted, atol=5e-3)


def test_a_stick_commands_as_much_as_it_is_moved_and_little_of_it_is_rest() -> None:
    half = twist_of(steered([Event(-round(0.55 * FULL), AXIS, 1)]))
    assert half[0] == pytest.approx(0.05, rel=0.02)
    for value in (-round(0.09 * FULL), round(0.09 * FULL), 0):
        command = steered([Event(value, AXIS, 1)]).command(0.0)
        assert command.__name__ == "stop"
    # Both at once, a step faster.
    both = [Event(-FULL, AXIS, 1), Event(FULL, AXIS, 0), Event(1, BUTTON, 7)]
    np.testing.assert_allclose(twist_of(steered(both))[:2], [0.125, -0.125], atol=5e-3)


def test_what_is_held_when_the_device_is_opened_does_not_move_the_arm() -> None:
    held = [Event(-FULL, AXIS | INITIAL, 1), Event(0, AXIS | INITIAL, 5), Event(1, BUTTON | INITIAL, 0)]
    sticks = Sticks(kinetic.Robot("ur5e"), START, Events(held, [Event(-FULL, AXIS, 1), Event(0, AXIS, 5)]))
    assert [sticks.command(0.0).__name__ for _ in range(2)] == ["stop", "stop"]
    # Once it was let go, it acts.
    sticks = steered([Event(0, AXIS, 1), Event(-FULL, AXIS, 1)])
    assert sticks.command(0.0).__name__ == "command"


def test_buttons_select_joints_lead_home_stop_and_quit() -> None:
    down = [Event(FULL, AXIS, 7), Event(0, AXIS, 7)]
    sticks = steered(down, down, [Event(-FULL, AXIS, 7), Event(0, AXIS, 7)], [Event(FULL, AXIS, 6)])
    servo = kinetic.Servo("ur5e")
    servo.set_state(START)
    for _ in range(300):
        answer = sticks.command(0.0)(servo)
    limit = kinetic.Robot("ur5e").velocity_limits[1]
    np.testing.assert_allclose(answer["velocities"], 0.2 * limit * np.eye(6)[1], atol=1e-9)
    # Joints beyond the first and the last one are not selected.
    assert steered(*[[Event(-FULL, AXIS, 7), Event(0, AXIS, 7)]] * 9).joint == 0
    assert steered(*[down] * 9).joint == 5
    home = steered([Event(1, BUTTON, 0)])
    for _ in range(3000):
        home.command(0.0)(servo)
    np.testing.assert_allclose(servo.state()["joint_positions"], START, atol=1e-6)
    assert steered([Event(1, BUTTON, 0), Event(1, BUTTON, 1)]).command(0.0).__name__ == "stop"
    assert steered([Event(1, BUTTON, 8)]).command(0.0) is None
    slower = steered(*[[Event(1, BUTTON, 6), Event(0, BUTTON, 6)]] * 40)
    assert slower.speed == pytest.approx(0.1) and "shoulder_pan_joint, speed 0.10" in slower.state()


def packed(*events: Event) -> bytes:
    """Events as the kernel writes them."""
    return b"".join(struct.pack(DEVICE_EVENT, 17, *event) for event in events)


def test_events_are_read_as_the_kernel_writes_them_however_they_are_cut(tmp_path) -> None:
    os.mkfifo(tmp_path / "js")
    writer = os.open(tmp_path / "js", os.O_RDWR)
    events = [Event(-FULL, AXIS, 1), Event(1, BUTTON, 3), Event(12, AXIS | INITIAL, 0)]
    with Gamepad(str(tmp_path / "js")) as gamepad:
        assert gamepad.events() == []
        found = []
        for byte in packed(*events):
            os.write(writer, bytes([byte]))
            found += gamepad.events()
        assert found == events
        os.write(writer, packed(*events))
        os.close(writer)
        assert gamepad.events() == events
        with pytest.raises(CliError, match="has gone"):
            gamepad.events()


DRIVER = """
import os, struct
import numpy as np

class Driver:
    rate_hz = 250.0

    def __init__(self):
        self.q, self.count = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0]), 0
        self.device = os.open("js", os.O_RDWR)
        self.write((0, 130, 1))

    def write(self, *events):
        os.write(self.device, b"".join(struct.pack("=IhBB", 0, *event) for event in events))

    def send(self, positions, velocities):
        self.count += 1
        if self.count == 10:
            self.write((-32767, 2, 1))
        if self.count == 110:
            {end}
        self.q = positions

    def read(self):
        return self.q, np.zeros(6)

def connect():
    return Driver()
"""


@pytest.mark.parametrize(
    ("end", "code"), [("self.write((0, 2, 1), (1, 1, 8))", 0), ("os.close(self.device)", 2)], ids=["quit", "gone"]
)
def test_the_arm_follows_and_stops_when_the_gamepad_says_so_or_goes_away(
    tmp_path, monkeypatch, capsys, end: str, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("js")
    module = f"gamepad_driver_{code}"
    Path(f"{module}.py").write_text(DRIVER.format(end=end))
    assert (
        main(["servo", "ur5e", "--gamepad", "js", "--driver", f"{module}:connect", "--log", "t.csv", "--json"]) == code
    )
    report = json.loads(capsys.readouterr().out)
    with Path("t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    robot = kinetic.Robot("ur5e")
    q = np.array([[float(row[f"positions {name}"]) for name in robot.joint_names] for row in rows])
    moved = robot.fk(q[-1])[:3, 3] - robot.fk(START)[:3, 3]
    # A tenth of a metre per second for 0.4 s, and the way to rest.
    assert 0.03 < moved[0] < 0.06 and np.abs(moved[1:]).max() < 1e-3
    assert max(abs(float(rows[-1][f"velocities {name}"])) for name in robot.joint_names) < 1e-9
    if code:
        assert "gamepad has gone" in report["error"]["message"]


def test_a_device_that_is_not_there_is_named(capsys) -> None:
    assert main(["servo", "ur5e", AT_START, "--gamepad", "/dev/input/none"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "/dev/input/none" in err and "/dev/input/js0" in err
    assert main(["servo", "ur5e", "--gamepad", "x", "--script", "y"]) == 2
    assert "--gamepad" in capsys.readouterr().err
