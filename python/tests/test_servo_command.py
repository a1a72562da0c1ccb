"""``kinetic servo``: scripts on simulated time, keys in a pseudo terminal, drivers, an arm of MuJoCo."""

from __future__ import annotations

import csv
import json
import os
import select
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic.cli import main
from kinetic.cli.servo_keyboard import Keyboard

UP = "0 twist 0 0 0.1 0 0 0 base\n0.5 silence\n1.0 joint elbow_joint -0.3\n1.2 stop\n"
SCENE = '[[object]]\nname = "ball"\nshape = "sphere"\nradius = 0.05\nposition = [{}, {}, {}]\n'
START = [0.0, -1.57, 1.57, 0.0, 1.57, 0.0]
AT_START = "--start=" + ",".join(map(str, START))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def carried_out(capsys, script: str, *options: str) -> dict[str, Any]:
    """What a script on simulated time comes to."""
    Path("script.txt").write_text(script)
    assert main(["servo", "ur5e", "--script", "script.txt", AT_START, "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def rows_of(name: str) -> list[dict[str, str]]:
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_script_moves_the_tool_as_it_says_and_every_period_is_logged(capsys) -> None:
    report = carried_out(capsys, UP, "--log", "ticks.csv")
    rows, robot = rows_of("ticks.csv"), kinetic.Robot("ur5e")
    assert len(rows) == report["ticks"] and report["missed_cycles"] == 0 and report["rate_hz"] == 500.0
    np.testing.assert_allclose([float(row["time"]) for row in rows], np.arange(len(rows)) / 500.0, atol=1e-9)
    q = np.array([[float(row[f"positions {name}"]) for name in robot.joint_names] for row in rows])
    np.testing.assert_array_equal(q[-1], report["final_positions"])
    heights = [robot.fk(row)[2, 3] for row in q]
    # From 0.3 s on it has its speed: 0.1 m/s.
    assert (heights[240] - heights[150]) / (90 / 500.0) == pytest.approx(0.1, rel=0.01)
    # Silence: a command acts for 0.1 s, and then the arm stops.
    assert [row["status"] for row in rows[:300]] == ["no_warning"] * 300
    assert rows[302]["status"] == "no_command" and np.abs(q[499] - q[480]).max() == 0.0
    assert report["statuses"]["no_command"] >= 200
    # A joint by its name; at the end it stands.
    assert np.abs(np.delete(q[590] - q[520], 2)).max() == 0.0 and q[590, 2] < q[520, 2]
    assert max(abs(float(rows[-1][f"velocities {name}"])) for name in robot.joint_names) < 1e-9


def test_json_lines_have_what_the_csv_has(capsys) -> None:
    carried_out(capsys, UP, "--log", "ticks.csv")
    carried_out(capsys, UP, "--log", "ticks.jsonl")
    lines = [json.loads(line) for line in Path("ticks.jsonl").read_text().splitlines()]
    rows = rows_of("ticks.csv")
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows):
        assert line["velocities"][1] == float(row["velocities shoulder_lift_joint"])
        assert (line["time"], line["status"], line["measured"]) == (float(row["time"]), row["status"], None)
    # Nothing is near, which JSON has no number for.
    assert lines[0]["min_distance"] is None and rows[0]["min_distance"] == "inf"


def test_all_commands_of_a_script_are_those_of_the_servo(capsys) -> None:
    robot = kinetic.Robot("ur5e")
    near = robot.fk(np.array(START) + 0.05)
    x, y, z = near[:3, 3]
    roll, pitch, yaw = kinetic.Pose(near).rpy
    lines = [
        f"0 pose {x} {y} {z} {roll} {pitch} {yaw}   # and a comment",
        "",
        "2 joints 0.1 0 0 0 0 -0.1",
        "2.2 positions 0 -1.5 1.5 0 1.5 0",
        "3.5 joint 5 0.2",
        "3.6 twist 0 0 0 0 0 0.1 tool",
        "3.7 twist 0 0 0.05 0 0 0 wrist_1_link",
        "3.8 stop",
    ]
    carried_out(capsys, "\n".join(lines), "--log", "script.csv")
    found = [[float(row[f"positions {name}"]) for name in robot.joint_names] for row in rows_of("script.csv")]
    servo = kinetic.Servo(robot)
    servo.set_state(START)

    def command(time: float) -> Any:
        if time < 2.0:
            return servo.track_pose(near)
        if time < 2.2:
            return servo.send_joint_velocities([0.1, 0, 0, 0, 0, -0.1])
        if time < 3.5:
            return servo.track_joints([0, -1.5, 1.5, 0, 1.5, 0])
        if time < 3.6:
            return servo.send_joint_jog(5, 0.2)
        if time < 3.7:
            return servo.send_twist([0, 0, 0, 0, 0, 0.1], frame="tool")
        if time < 3.8:
            return servo.send_twist([0, 0, 0.05, 0, 0, 0], frame="wrist_1_link")
        return servo.stop()

    wanted = [command(tick / 500.0)["positions"] for tick in range(len(found))]
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    np.testing.assert_allclose(robot.fk(np.array(found[999])), near, atol=1e-4)


def test_an_object_of_a_scene_stops_the_arm_and_options_reach_the_servo(capsys) -> None:
    x, y, z = kinetic.Robot("ur5e").fk(START)[:3, 3]
    Path("scene.toml").write_text(SCENE.format(x, y, z + 0.3))
    up = "0 twist 0 0 0.3 0 0 0\n3 stop\n"
    plain = carried_out(capsys, up, "--scene", "scene.toml")
    wide = carried_out(
        capsys, up, "--scene", "scene.toml", "--option", "stop_distance=0.1", "--option", "method=damped"
    )
    assert 0.0298 < plain["min_distance"] < 0.06 and 0.0998 < wide["min_distance"] < 0.12
    slow = carried_out(capsys, up, "--option", "velocity_limits=" + ",".join(["0.01"] * 6), "--preset", "tracking")
    assert slow["rate_hz"] == 200.0 and np.abs(np.subtract(slow["final_positions"], START)).max() < 0.031
    assert carried_out(capsys, up, "--rate", "100")["rate_hz"] == 100.0


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("", ["no end", "SECONDS stop"]),
        ("0 twist 0 0 0 0 0 0\n", ["no end", "SECONDS stop"]),
        ("0\n", ["line 1", "SECONDS COMMAND"]),
        ("soon stop\n", ["line 1", '"soon" is not a number']),
        ("1 stop\n", ["line 1", "1.0 s, wanted 0"]),
        ("0 silence\n\n0 stop\n", ["line 3", "not after the line before"]),
        ("0 silence\nnan stop\n", ["line 2", "not finite"]),
        ("0 jump\n", ["line 1", '"jump"', "twist, pose, joint, joints, positions, stop, silence"]),
        ("0 twist 0 0 1\n", ["line 1", "3 numbers, wanted 6", "VX VY VZ"]),
        ("0 twist 0 0 0 0 0 inf\n", ["line 1", '"inf" is not finite']),
        ("0 twist 0 0 0 0 0 0 hand\n", ["line 1", '"hand"', "tool0"]),
        ("0 joint elbow 0.1\n", ["line 1", '"elbow"', "elbow_joint"]),
        ("0 joint 6 0.1\n", ["line 1", '"6"', "0 to 5"]),
        ("0 joint 0\n", ["line 1", "1 words, wanted 2"]),
        ("0 joints 1 2\n", ["line 1", "2 numbers, wanted 6"]),
        ("0 positions 1 2 3 4 5 x\n", ["line 1", '"x" is not a number']),
        ("0 stop now\n", ["line 1", "1 numbers, wanted 0"]),
    ],
)
def test_lines_that_cannot_be_read_are_refused_by_their_number(capsys, script: str, words: list[str]) -> None:
    Path("script.txt").write_text(script)
    assert main(["servo", "ur5e", "--script", "script.txt"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and all(word in err for word in words), err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--script", "none.txt"], "none.txt"),
        (["--script", "script.txt", "--log", "ticks.txt"], ".csv or .jsonl"),
        (["--script", "script.txt", "--start", "lying"], "lying"),
        (["--script", "script.txt", "--preset", "fast"], "precise"),
        (["--script", "script.txt", "--rate", "0"], "rate_hz"),
        (["--script", "script.txt", "--option", "stop_distance"], "stop_distance=…"),
        (["--script", "script.txt", "--option", "speed=1"], "speed=1"),
        (["--script", "script.txt", "--option", "stop_distance=far"], "far"),
        (["--script", "script.txt", "--option", "velocity_limits=1,2"], "velocity_limits"),
        (["--script", "script.txt", "--group", "legs"], "legs"),
        (["--script", "script.txt", "--driver", "arm"], "module:function"),
        (["--script", "script.txt", "--driver", "a:b", "--simulate", "mujoco"], "--driver"),
        (["--script", "binary.txt"], "UTF-8"),
        ([], "--script FILE"),
    ],
)
def test_unusable_arguments_are_refused_in_one_line(capsys, monkeypatch, arguments: list[str], word: str) -> None:
    Path("script.txt").write_text("0 stop\n")
    Path("binary.txt").write_bytes(b"\xff\xfe0 stop")
    with Path(os.devnull).open() as nothing:  # no terminal
        monkeypatch.setattr(sys, "stdin", nothing)
        assert main(["servo", "ur5e", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and word in err


def test_a_start_in_contact_is_told_with_its_pair(capsys) -> None:
    x, y, z = kinetic.Robot("ur5e").fk(START)[:3, 3]
    Path("scene.toml").write_text(SCENE.format(x, y, z))
    Path("script.txt").write_text("0 stop\n")
    assert main(["servo", "ur5e", AT_START, "--script", "script.txt", "--scene", "scene.toml"]) == 2
    assert "ball" in capsys.readouterr().err


DRIVER = """
import numpy as np

class Driver:
    rate_hz = 250.0

    def __init__(self):
        self.q, self.count = np.array([0.1, -1.5, 1.5, 0.0, 1.5, 0.0]), 0

    def send(self, positions, velocities):
        self.count += 1
        {send}
        self.q = positions

    def read(self):
        {read}
        return self.q, np.zeros(6)

    def on_stop(self, action, positions):
        with open("stopped.txt", "a") as file:
            print(action, positions[0], file=file)

def connect():
    return Driver()
"""


@pytest.mark.parametrize(
    ("send", "read", "code", "word"),
    [
        ("pass", "pass", None, ""),
        ("if self.count == 40: raise ConnectionError('the cable is out')", "pass", "CommandFailed", "the cable is out"),
        ("pass", "if self.count == 40: raise OSError('no state')", "FeedbackLost", "no state"),
        ("pass", "if self.count == 40: return self.q + 0.2", "DeviationExceeded", "0.2"),
        ("pass", "if self.count == 40: return self.q * np.nan", "DeviationExceeded", "nan"),
        ("pass", "if self.count == 40: return self.q[:5]", "DimensionMismatch", "6 joints"),
        ("if self.count == 40: __import__('time').sleep(0.3)", "pass", "CommandTimeout", "100 ms"),
    ],
)
def test_a_driver_of_ones_own_is_driven_on_the_wall_clock_and_its_faults_stop_it(
    capsys, folder, monkeypatch, request, send: str, read: str, code: str | None, word: str
) -> None:
    module = f"servo_driver_{request.node.callspec.indices['send']}_{code}"
    (folder / f"{module}.py").write_text(DRIVER.format(send=send, read=read))
    Path("script.txt").write_text("0 joint 0 0.3\n0.4 stop\n")
    expected = 0 if code is None else 2 if code == "DimensionMismatch" else 1
    assert main(["servo", "ur5e", "--script", "script.txt", "--driver", f"{module}:connect", "--json"]) == expected
    report = json.loads(capsys.readouterr().out)
    if code is None:
        # It begins where the driver says that the arm is, and at the driver's rate.
        assert report["rate_hz"] == 250.0 and report["final_positions"][1:] == [-1.5, 1.5, 0.0, 1.5, 0.0]
        assert 0.1 < report["final_positions"][0] < 0.25 and report["max_deviation"] == 0.0
        assert not Path("stopped.txt").exists()
    else:
        assert report["error"]["code"] == code and word in report["error"]["message"]
        assert Path("stopped.txt").read_text().splitlines()[0].startswith("zero_velocity 0.1")
        assert len(Path("stopped.txt").read_text().splitlines()) == 1


def test_an_arm_of_mujoco_follows_and_touches_nothing_that_the_servo_knows(capsys) -> None:
    pytest.importorskip("mujoco", reason="a counterpart for servo commands")
    x, y, z = kinetic.Robot("ur5e").fk(START)[:3, 3]
    Path("scene.toml").write_text(SCENE.format(x, y, z + 0.3))
    up = "0 twist 0 0 0.3 0 0 0\n3 stop\n"
    report = carried_out(capsys, up, "--scene", "scene.toml", "--simulate", "mujoco")
    assert report["contacts"] == [] and report["min_distance"] < 0.06
    # Its servos are 10 ms late, and a command acts a period later.
    robot = kinetic.Robot("ur5e")
    assert 1e-4 < report["max_deviation"] < 0.012 * robot.velocity_limits.max()
    # Slow commands are simulated in steps that are as short.
    slow = carried_out(capsys, up, "--simulate", "mujoco", "--rate", "20")
    assert 1e-4 < slow["max_deviation"] < 0.06 * robot.velocity_limits.max()


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "fetch", "tiago", "xarm6", "kuka_iiwa14"])
def test_mujoco_sees_the_contacts_that_kinetic_sees(name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="a counterpart for contacts")
    from kinetic.drivers.mujoco_arm import Driver

    robot = kinetic.Robot(name)
    rng, touched = np.random.default_rng(3), 0
    for _ in range(40):
        scene, q = kinetic.Scene(robot), robot.random_configuration(int(rng.integers(1 << 30)))
        centre = robot.fk(q)[:3, 3] + rng.normal(size=3) * 0.1
        shape = [
            kinetic.Shape.sphere(0.07),
            kinetic.Shape.cuboid(0.05, 0.06, 0.1),
            kinetic.Shape.cylinder(0.05, 0.1),
            kinetic.Shape.capsule(0.05, 0.1),
            kinetic.Shape.convex(rng.normal(size=(12, 3)) * 0.08),
        ][rng.integers(5)]
        scene.add(
            "object", shape, translation(*centre) @ kinetic.Pose.from_xyz_rpy(0, 0, 0, *rng.normal(size=3)).matrix
        )
        arm = Driver(robot, q, scene)
        mujoco.mj_forward(arm.model, arm.data)
        depth = min([contact.dist for contact in arm.data.contact[: arm.data.ncon]], default=np.inf)
        contacts = [contact for contact in scene.contacts(q) if contact["other"] == "object"]
        distance = min((contact["distance"] for contact in contacts), default=np.inf)
        # What touches by less than a millimetre is left to rounding of shapes.
        if distance < -1e-3:
            assert depth < 0.0, f"{name}: {distance}"
            touched += 1
        elif not contacts:
            assert depth > -1e-3, f"{name}: {depth}"
    assert touched > 5


class Pressed:
    """Keys that come one period after the other."""

    def __init__(self, *keys: str) -> None:
        self._keys = iter(keys)

    def pressed(self) -> list[str]:
        return list(next(self._keys))


def test_each_key_commands_its_axis_of_the_chosen_frame_and_speed() -> None:
    robot = kinetic.Robot("ur5e")
    for frame in ("base", "tool"):
        for axis, keys in enumerate(["ws", "ad", "rf", "ik", "jl", "uo"]):
            for sign, key in zip((1.0, -1.0), keys):
                servo = kinetic.Servo(robot, command_timeout=10.0)
                servo.set_state(START)
                keyboard = Keyboard(robot, np.array(START), Pressed("t" if frame == "tool" else "", key))
                keyboard.command(0.0)(servo)
                keyboard.command(0.0)(servo)
                for _ in range(200):
                    servo.tick()
                before = servo.state()
                servo.tick()
                after = servo.state()
                step = np.linalg.inv(before["ee_pose"]) @ after["ee_pose"] * servo.rate_hz
                turn = np.eye(3) if frame == "tool" else before["ee_pose"][:3, :3]
                linear, angular = turn @ step[:3, 3], turn @ np.array([step[2, 1], step[0, 2], step[1, 0]])
                wanted = np.zeros(6)
                wanted[axis] = sign * (0.1 if axis < 3 else 0.5)
                np.testing.assert_allclose([*linear, *angular], wanted, atol=5e-3)


def test_keys_select_joints_change_the_speed_lead_home_and_stop() -> None:
    robot = kinetic.Robot("ur5e")
    servo = kinetic.Servo(robot)
    servo.set_state(START)
    keyboard = Keyboard(robot, np.array(START), Pressed("6", "9", ".", "+++", ".", "----x", ",", "h", " ", "", "wq"))
    limit = robot.velocity_limits[5]
    for speed, sign in [(1.0, 1.0), (1.25**3, 1.0), (1.25**-1, -1.0)]:
        while (command := keyboard.command(0.0)).__name__ == "silence":
            pass
        for _ in range(300):
            answer = command(servo)
        assert answer["velocities"][5] == pytest.approx(sign * speed * 0.2 * limit)
        assert np.abs(answer["velocities"][:5]).max() == 0.0
    assert "wrist_3_joint, speed 0.80" in keyboard.state()
    command = keyboard.command(0.0)
    for _ in range(3000):
        command(servo)
    np.testing.assert_allclose(servo.state()["joint_positions"], START, atol=1e-6)
    assert keyboard.command(0.0).__name__ == "stop"
    assert keyboard.command(0.0).__name__ == "silence"
    assert keyboard.command(0.0) is None


PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from kinetic.cli import main
sys.exit(main(sys.argv[1:]))
"""


class PseudoTerminal:
    """The command in a pseudo terminal: what is typed, what is shown, how the terminal is left."""

    def __init__(self, *arguments: str) -> None:
        pty, termios, fcntl = map(pytest.importorskip, ("pty", "termios", "fcntl"))
        self.termios = termios
        self.own, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 200, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        command = [sys.executable, "-c", PROGRAM, "servo", "ur5e", AT_START, *arguments]
        ends = {"stdin": self.theirs, "stderr": self.theirs}
        self.process = subprocess.Popen(command, **ends, stdout=subprocess.PIPE, start_new_session=True)
        self.shown = ""

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        for end in (self.own, self.theirs):
            if end >= 0:
                os.close(end)

    def read_until(self, wanted: str, after: int = 0) -> int:
        """Reads until something is shown, from a place on; returns where it ends."""
        while wanted not in self.shown[after:]:
            ready, _, _ = select.select([self.own], [], [], 30.0)
            assert ready, f"{wanted!r} is not in {self.shown!r}"
            self.shown += os.read(self.own, 4096).decode("utf-8", "replace")
        return self.shown.index(wanted, after) + len(wanted)

    def type(self, keys: str) -> None:
        os.write(self.own, keys.encode())

    def end(self) -> str:
        """Waits for the end; the terminal has to be as it was. Returns what was printed."""
        printed = self.process.communicate(timeout=60)[0].decode()
        assert self.termios.tcgetattr(self.theirs) == self.before
        return printed


def test_keys_in_a_terminal_move_the_arm_and_silence_stops_it() -> None:
    with PseudoTerminal("--json") as terminal:
        place = terminal.read_until("no_command")
        flags = terminal.termios.tcgetattr(terminal.theirs)[3]
        # Ctrl-C makes a signal.
        assert not flags & terminal.termios.ECHO and flags & terminal.termios.ISIG
        for key, word in [("+", "speed 1.25"), ("t", "tool axes"), ("2", "shoulder_lift_joint"), ("t", "base axes")]:
            terminal.type(key)
            place = terminal.read_until(word, place)
        for _ in range(3):
            # Each is a command of 0.1 s, and the arm stops after it.
            terminal.type("r\x1b[A")
            place = terminal.read_until("no_warning", place)
            place = terminal.read_until("no_command", place)
        terminal.type("q")
        report = json.loads(terminal.end())
    assert terminal.process.returncode == 0
    assert report["statuses"]["no_warning"] >= 3 * 50 and report["statuses"]["no_command"] > 3
    moved = kinetic.Robot("ur5e").fk(report["final_positions"])[:3, 3] - kinetic.Robot("ur5e").fk(START)[:3, 3]
    assert moved[0] > 0.01 and abs(moved[1]) < 1e-3


@pytest.mark.parametrize(("how", "code"), [("q", 0), ("\x04", 0), ("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_terminal_is_restored_and_the_arm_stopped_however_it_ends(folder, how: str, code: int) -> None:
    with PseudoTerminal("--log", "ticks.csv", "--option", "command_timeout=100") as terminal:
        terminal.read_until("no_command")
        terminal.type("\x1a?.")  # Ctrl-Z and an unknown key do nothing
        terminal.read_until("no_warning")
        if how.startswith("SIG"):
            terminal.process.send_signal(getattr(signal, how))
        else:
            terminal.type(how)
        terminal.end()
    assert terminal.process.returncode == code
    rows = rows_of("ticks.csv")
    speeds = [abs(float(row["velocities shoulder_pan_joint"])) for row in rows]
    assert max(speeds) > 0.01 and speeds[-1] < 1e-9


def test_a_terminal_that_goes_away_ends_the_command() -> None:
    with PseudoTerminal() as terminal:
        terminal.read_until("no_command")
        os.close(terminal.own)
        terminal.own = -1
        assert terminal.process.wait(timeout=60) in (0, 1, 2, 129, 141)
