"""Commands of a servo in words: ``twist 0 0 0.1 0 0 0 base``, ``joint elbow_joint 0.3``, ``stop``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import Robot, Servo
from .output import CliError
from .plan import pose_from_xyz_rpy

Answer = dict[str, Any]
Command = Callable[[Servo], Answer]
"""Commands something and moves for one period."""


def stop(servo: Servo) -> Answer:
    """Commands to stop."""
    return servo.stop()


def silence(servo: Servo) -> Answer:
    """Commands nothing: the last command acts until it is older than `command_timeout`."""
    return servo.tick()


def parse_command(robot: Robot, words: Sequence[str]) -> Command:
    """The command that some words say.

    Raises:
        CliError: Unknown words, wrong numbers, and what is possible.
    """
    name, *arguments = words
    if name not in COMMANDS:
        raise CliError(f'unknown command "{name}"; commands are {", ".join(COMMANDS)}')
    usage, parse = COMMANDS[name]
    try:
        return parse(robot, arguments)
    except CliError as error:
        raise CliError(f"{error}; usage: {name} {usage}".rstrip()) from None


def twist(robot: Robot, words: Sequence[str]) -> Command:
    """A velocity of the tool."""
    has_frame = len(words) == 7
    numbers = parse_numbers(words[:6] if has_frame else words, 6)
    frame = words[6] if has_frame else "base"
    if frame not in ("base", "tool", *robot.link_names):
        raise CliError(f'unknown frame "{frame}"; frames are base, tool, and the links {", ".join(robot.link_names)}')
    return lambda servo: servo.send_twist(numbers, frame=frame)


def pose(_robot: Robot, words: Sequence[str]) -> Command:
    """A pose of the tool in the base of the group."""
    base_from_tool = pose_from_xyz_rpy(parse_numbers(words, 6))
    return lambda servo: servo.track_pose(base_from_tool)


def joint(robot: Robot, words: Sequence[str]) -> Command:
    """The velocity of one joint, by its name or its index."""
    if len(words) != 2:
        raise CliError(f"{len(words)} words, wanted 2")
    names = robot.joint_names
    index = names.index(words[0]) if words[0] in names else int(words[0]) if words[0].isdecimal() else len(names)
    if index >= len(names):
        raise CliError(f'unknown joint "{words[0]}"; joints are 0 to {len(names) - 1}, or {", ".join(names)}')
    (velocity,) = parse_numbers(words[1:], 1)
    return lambda servo: servo.send_joint_jog(index, velocity)


def joints(robot: Robot, words: Sequence[str]) -> Command:
    """Velocities of all joints."""
    velocities = parse_numbers(words, robot.dof)
    return lambda servo: servo.send_joint_velocities(velocities)


def positions(robot: Robot, words: Sequence[str]) -> Command:
    """Positions of all joints."""
    target = np.array(parse_numbers(words, robot.dof))
    return lambda servo: servo.track_joints(target)


def without_arguments(command: Command) -> Callable[[Robot, Sequence[str]], Command]:
    """The reader of a command that is one word."""

    def parse(_robot: Robot, words: Sequence[str]) -> Command:
        parse_numbers(words, 0)
        return command

    return parse


def parse_numbers(words: Sequence[str], count: int) -> list[float]:
    """As many finite numbers as are wanted."""
    if len(words) != count:
        raise CliError(f"{len(words)} numbers, wanted {count}")
    return [parse_number(word) for word in words]


def parse_number(word: str) -> float:
    """One finite number."""
    try:
        number = float(word)
    except ValueError:
        raise CliError(f'"{word}" is not a number') from None
    if not math.isfinite(number):
        raise CliError(f'"{word}" is not finite')
    return number


COMMANDS: dict[str, tuple[str, Callable[[Robot, Sequence[str]], Command]]] = {
    "twist": ("VX VY VZ WX WY WZ [base|tool|LINK]", twist),
    "pose": ("X Y Z ROLL PITCH YAW", pose),
    "joint": ("NAME|INDEX VELOCITY", joint),
    "joints": ("VELOCITY, one per joint", joints),
    "positions": ("POSITION, one per joint", positions),
    "stop": ("", without_arguments(stop)),
    "silence": ("", without_arguments(silence)),
}
"""What follows the name of a command, and what reads it."""
