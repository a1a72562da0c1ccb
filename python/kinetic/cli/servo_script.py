"""Scripts of ``kinetic servo``: a line per command, ``SECONDS COMMAND …``, in the order of time."""

from __future__ import annotations

import bisect
from pathlib import Path

from .. import Robot
from .output import CliError
from .servo_commands import Command, parse_command, parse_number


class Script:
    """Commands over time. Each is sent in every period until the next one; the last line is ``SECONDS stop``."""

    def __init__(self, path: str, times: list[float], commands: list[Command]) -> None:
        self._path, self._times, self._commands = path, times, commands

    def state(self) -> str:
        """Which script it is."""
        return self._path

    def command(self, time: float) -> Command | None:
        """The command of the period that begins at `time`, s; None once the script is over."""
        # Times of periods are rounded.
        line = bisect.bisect_right(self._times, time + 1e-9) - 1
        if line == len(self._times) - 1:
            return None
        return self._commands[line]


def read_script(robot: Robot, path: str) -> Script:
    """The script in a file.

    Raises:
        CliError: A line that cannot be read, by its number.
        OSError: The file cannot be read.
    """
    times: list[float] = []
    commands: list[Command] = []
    last = ""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise CliError(f'--script: "{path}" is not UTF-8 text: {error}') from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            time, command = parse_line(robot, words)
            check_order(times, time)
        except CliError as error:
            raise CliError(f'--script: line {number} of "{path}": {error}') from None
        times.append(time)
        commands.append(command)
        last = words[1]
    if last != "stop":
        raise CliError(f'--script: "{path}" has no end; wanted a last line "SECONDS stop"')
    return Script(path, times, commands)


def parse_line(robot: Robot, words: list[str]) -> tuple[float, Command]:
    """The time and the command of a line."""
    if len(words) < 2:
        raise CliError('wanted "SECONDS COMMAND …"')
    return parse_number(words[0]), parse_command(robot, words[1:])


def check_order(times: list[float], time: float) -> None:
    """Refuses a line that comes before the one above it, and a first one that is not at 0."""
    if not times and time != 0.0:
        raise CliError(f"the first command is at {time} s, wanted 0")
    if times and time <= times[-1]:
        raise CliError(f"{time} s is not after the line before, at {times[-1]} s")
