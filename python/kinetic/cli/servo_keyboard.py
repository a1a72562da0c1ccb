"""Keys that steer a servo: a terminal without echo, and what each key commands."""

from __future__ import annotations

import os
import re
import select
import sys
from typing import Any

import numpy as np

from .. import Robot
from .output import CliError
from .servo_commands import Command, silence, stop
from .servo_steering import Steering

HELP = """\
hold a key to move; nothing pressed stops the arm
  w s  x      i k  turn about x     t    axes of the base or the tool     space  stop
  a d  y      j l  turn about y     1-9  select a joint                   h      towards the start
  r f  z      u o  turn about z     , .  move the joint back, on          q      quit
  + -  faster, slower               arrows are w s a d
"""

# Direction of the tool's velocity, by key.
TWISTS = {
    "w": (0, 1.0),
    "s": (0, -1.0),
    "a": (1, 1.0),
    "d": (1, -1.0),
    "r": (2, 1.0),
    "f": (2, -1.0),
    "i": (3, 1.0),
    "k": (3, -1.0),
    "j": (4, 1.0),
    "l": (4, -1.0),
    "u": (5, 1.0),
    "o": (5, -1.0),
}
ARROWS = {"\x1b[A": "w", "\x1b[B": "s", "\x1b[D": "a", "\x1b[C": "d"}
# q, Ctrl-D.
QUIT = frozenset({"q", "\x04"})
# A whole key: a sequence that begins with ESC [ or ESC O, or one character.
KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[^\x1b]|\x1b(?![\[O])")
# The beginning of a sequence whose rest has not come yet.
UNFINISHED = re.compile(r"\x1b([\[O][0-9;]*)?\Z")


class Terminal:
    """Keys as they are pressed, without echo. The terminal is as it was when the block ends, however it ends.

    Ctrl-C still interrupts; Ctrl-Z does not suspend, which would leave an arm without commands.
    """

    def __init__(self) -> None:
        if not sys.stdin.isatty():
            raise CliError("standard input is no terminal; --script FILE steers without a keyboard")
        try:
            import termios
        except ImportError:
            raise CliError("this system has no POSIX terminals; --script FILE steers without a keyboard") from None
        self._termios: Any = termios
        self._fd = sys.stdin.fileno()
        self._rest = ""

    def __enter__(self) -> Terminal:
        termios = self._termios
        self._before = termios.tcgetattr(self._fd)
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ECHO | termios.ICANON)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        mode[6][termios.VSUSP] = bytes([os.fpathconf(self._fd, "PC_VDISABLE") & 0xFF])
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)
        return self

    def __exit__(self, *_: object) -> None:
        termios = self._termios
        try:
            # What was pressed and not read is not for the shell.
            termios.tcflush(self._fd, termios.TCIFLUSH)
            termios.tcsetattr(self._fd, termios.TCSANOW, self._before)
        except termios.error:
            # The terminal has gone.
            pass

    def pressed(self) -> list[str]:
        """The keys that were pressed since the last call; the end of input is Ctrl-D."""
        text = self._rest
        if select.select([self._fd], [], [], 0.0)[0]:
            try:
                read = os.read(self._fd, 1024)
            except OSError:
                read = b""  # the terminal has gone
            if not read:
                return [*KEY.findall(text), "\x04"]
            text += read.decode("utf-8", "replace")
        unfinished = UNFINISHED.search(text)
        self._rest = text[unfinished.start() :] if unfinished else ""
        return KEY.findall(text[: len(text) - len(self._rest)])


class Keyboard(Steering):
    """What keys command: directions of the tool, joints, speeds.

    Args:
        robot: The robot that is steered.
        start: Positions (dof,) that the key `h` leads to.
        terminal: Where keys come from, or anything else with `pressed`.
    """

    def __init__(self, robot: Robot, start: np.ndarray, terminal: Terminal) -> None:
        super().__init__(robot, start)
        self._terminal = terminal

    def command(self, _time: float) -> Command | None:
        """What the last key that was pressed commands; silence without one, None to quit."""
        command: Command = silence
        for key in self._terminal.pressed():
            if key in QUIT:
                return None
            command = self._press(ARROWS.get(key, key)) or command
        return command

    def _press(self, key: str) -> Command | None:
        """What a key commands; None for one that changes what others do, or nothing."""
        if key in TWISTS:
            axis, sign = TWISTS[key]
            return self.twist(sign * np.eye(6)[axis])
        if key in (",", "."):
            return self.jog(1.0 if key == "." else -1.0)
        if key == "h":
            return self.home
        if key == " ":
            return stop
        if key == "t":
            self.switch_frame()
        elif key in ("+", "="):
            self.change_speed(1)
        elif key in ("-", "_"):
            self.change_speed(-1)
        elif key in "123456789":
            self.select(int(key) - 1)
        return None
