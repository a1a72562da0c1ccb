"""``kinetic servo``: an arm that is steered from the keyboard, with a gamepad, or by a script."""

from __future__ import annotations

import argparse
import inspect
import sys
from contextlib import ExitStack
from typing import Any, Union

import numpy as np

from .. import MonotonicClock, Robot, Scene, Servo, SimulatedClock
from ..drivers.mujoco_arm import Driver as MujocoArm
from .driver import connect, driver_rate
from .numbers import parse_numbers
from .output import CliError, add_json_flag, duration, facts, length, print_json
from .plan import load_robot, load_scene, parse_start
from .servo_gamepad import DEFAULT_DEVICE, Gamepad, Sticks
from .servo_gamepad import HELP as GAMEPAD_HELP
from .servo_keyboard import HELP, Keyboard, Terminal
from .servo_log import LogFile, StatusLine, Summary, check_log_name
from .servo_loop import Loop, Observer, ended_by_signals, measured_positions
from .servo_script import Script, read_script
from .servo_steering import Steering

EXAMPLES = """\
examples:
  kinetic servo ur5e
  kinetic servo ur5e --scene scene.toml --simulate mujoco --option stop_distance=0.05
  kinetic servo ur5e --gamepad
  kinetic servo ur5e --script steps.txt --log ticks.csv
  kinetic servo ur5e --driver my_robot:connect

a script has a line per command, which acts until the next one; the last line is a stop:
  0.0 twist 0 0 0.1 0 0 0 base     velocity of the tool, m/s and rad/s, along the axes of base, tool or a link
  0.5 pose 0.4 0.1 0.5 3.14 0 0    pose of the tool: x y z (m) roll pitch yaw (rad)
  1.0 joint elbow_joint 0.3        velocity of one joint, by name or index
  1.5 joints 0.1 0 0 0 0 0         velocities of all joints
  2.0 positions 0 -1.5 1 0 0 0     positions of all joints
  2.5 silence                      no command: after command_timeout the arm stops
  3.0 stop
"""
# Of the arguments of `Servo`, those that have a flag.
FLAGS = frozenset({"robot", "scene", "group", "preset", "rate_hz"})


# Of the options, those that are names.
WORDS = frozenset({"method", "filter"})


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "servo",
        help="steer an arm from the keyboard, with a gamepad, or by a script",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", help="name of a built-in robot, a robot file, or a folder with kinetic.toml")
    parser.add_argument("--group", help="planning group (default: that of the robot)")
    parser.add_argument(
        "--start", default="home", help="joint values j1,j2,… or a named pose; a driver that measures says it itself"
    )
    parser.add_argument("--scene", help="scene file (TOML, or .scene of MoveIt)")
    add_source_flags(parser)
    parser.add_argument("--preset", default="teleop", help="teleop, tracking or precise (default: %(default)s)")
    parser.add_argument("--rate", type=float, help="commands per second (default: the driver's, else the preset's)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="any other option of kinetic.Servo"
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--simulate",
        choices=("none", "mujoco"),
        default="none",
        help="what moves: nothing, the arm follows exactly, or an arm of MuJoCo (default: %(default)s)",
    )
    target.add_argument("--driver", help="module:function that returns a driver, as for kinetic execute")
    parser.add_argument("--log", help="write every period into this file (.csv or .jsonl)")
    parser.add_argument(
        "--real-time", action="store_true", help="carry a script out on the wall clock, as keys and drivers are"
    )
    add_json_flag(parser)
    parser.set_defaults(run=run)


Source = Union[Script, Terminal, Gamepad]
"""Where commands come from."""


def add_source_flags(parser: argparse.ArgumentParser) -> None:
    """Adds what says where commands come from."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--script", help="commands over time from this file, instead of keys")
    source.add_argument(
        "--gamepad",
        nargs="?",
        const=DEFAULT_DEVICE,
        metavar="DEVICE",
        help=f"sticks and buttons of this joystick of Linux, instead of keys ({DEFAULT_DEVICE} when none is named)",
    )


class Follower:
    """An arm that follows exactly."""

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Takes a command, which leaves nothing to do."""


def run(args: argparse.Namespace) -> int:
    """Steers the arm, prints what happened."""
    if args.log is not None:
        check_log_name(args.log)
    robot = load_robot(args.robot)
    if args.group is not None:
        robot = robot.with_group(args.group)
    scene = Scene(robot) if args.scene is None else load_scene(robot, args.scene)
    source = source_of(args, robot)
    driver: Any = None if args.driver is None else connect(args.driver)
    rate = args.rate if args.rate is not None else driver_rate(driver)
    start = measured_start(driver)
    if start is None:
        start = parse_start(robot, args.start)
    servo = Servo(robot, scene, preset=args.preset, rate_hz=rate, **servo_options(args.option))
    if driver is None:
        driver = mujoco_arm(robot, start, scene, servo) if args.simulate == "mujoco" else Follower()
    servo.set_state(start)
    report = drive(args, robot, servo, driver, source)
    if args.json:
        print_json(report)
    else:
        print(text(report))
    return 0


def source_of(args: argparse.Namespace, robot: Robot) -> Source:
    """Where commands come from."""
    if args.script is not None:
        return read_script(robot, args.script)
    return Terminal() if args.gamepad is None else Gamepad(args.gamepad)


def steering_of(source: Source, robot: Robot, start: np.ndarray, stack: ExitStack) -> Script | Steering:
    """What makes commands of what comes; says how it is used."""
    if isinstance(source, Script):
        return source
    if isinstance(source, Gamepad):
        print(GAMEPAD_HELP, end="", file=sys.stderr)
        return Sticks(robot, start, stack.enter_context(source))
    print(HELP, end="", file=sys.stderr)
    return Keyboard(robot, start, stack.enter_context(source))


def drive(args: argparse.Namespace, robot: Robot, servo: Servo, driver: Any, source: Source) -> dict[str, Any]:
    """Runs the loop until the script ends, or the keys say so; returns what happened."""
    summary, start = Summary(), servo.state()["joint_positions"]
    is_simulated = isinstance(source, Script) and args.driver is None and not args.real_time
    with ExitStack() as stack:
        stack.enter_context(ended_by_signals())
        log = [] if args.log is None else [stack.enter_context(LogFile(args.log, robot))]
        steering = steering_of(source, robot, start, stack)
        observers: list[Observer] = [summary, *log, stack.enter_context(StatusLine(servo, steering.state))]
        loop = Loop(servo, driver, SimulatedClock() if is_simulated else MonotonicClock(), observers)
        loop.run(steering.command)
    return {
        "robot": robot.name,
        "group": robot.group,
        "rate_hz": servo.rate_hz,
        "duration": loop.time,
        **summary.report(),
        "missed_cycles": loop.missed_cycles,
        "max_deviation": loop.max_deviation,
        "contacts": sorted(driver.contacts) if isinstance(driver, MujocoArm) else None,
        "final_positions": servo.state()["joint_positions"].tolist(),
    }


def servo_options(words: list[str]) -> dict[str, Any]:
    """Options of `kinetic.Servo` from `NAME=VALUE`: a number, numbers with commas between, or a name."""
    known = [name for name in inspect.signature(Servo).parameters if name not in FLAGS]
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise CliError(f'--option: "{word}" is none of {", ".join(f"{name}=…" for name in known)}')
        options[name] = value if name in WORDS else parse_option(word, value, several=name.endswith("_limits"))
    return options


def parse_option(word: str, value: str, *, several: bool) -> Any:
    """A number, or several with commas between."""
    numbers = parse_numbers("--option", value)
    if numbers is None or (len(numbers) != 1 and not several):
        raise CliError(f'--option: "{word}": wanted {"numbers with commas between" if several else "a number"}')
    return numbers if several else numbers[0]


def mujoco_arm(robot: Robot, start: Any, scene: Scene, servo: Servo) -> MujocoArm:
    """The arm in MuJoCo."""
    try:
        return MujocoArm(robot, start, scene, servo.rate_hz)
    except ImportError:
        raise CliError('--simulate mujoco needs MuJoCo: pip install "kinetic[mujoco]"') from None
    except ValueError as error:
        raise CliError(f"--simulate mujoco: {error}") from None


def measured_start(driver: Any) -> Any:
    """Where a driver says that its arm is; None when it does not measure."""
    return measured_positions(driver.read) if hasattr(driver, "read") else None


def text(report: dict[str, Any]) -> str:
    """The report for people."""
    deviation, contacts = report["max_deviation"], report["contacts"]
    return facts(
        [
            ("duration", f"{duration(report['duration'])}, {report['ticks']} commands at {report['rate_hz']:g} Hz"),
            *((name, str(count)) for name, count in report["statuses"].items()),
            ("nearest object", length(report["min_distance"])),
            ("nearest links", length(report["min_self_distance"])),
            ("stops with more jerk than the limit", str(report["exceeding_jerk"])),
            ("cycles left out", str(report["missed_cycles"])),
            ("largest deviation", "no feedback" if deviation is None else f"{1e3 * deviation:.2f} mrad or mm"),
            *([] if contacts is None else [("contacts in MuJoCo", ", ".join(map(" - ".join, contacts)) or "none")]),
        ]
    )
