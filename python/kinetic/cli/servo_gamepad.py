"""A gamepad that steers a servo: the joystick interface of Linux, and what sticks and buttons command.

Events are those of `Documentation/input/joydev/joystick-api.rst` of the kernel; numbers of axes and buttons are those
of its driver `xpad`, whose layout most gamepads have.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

import numpy as np

from .. import Robot
from .output import CliError
from .servo_commands import Command, stop
from .servo_steering import Steering

DEFAULT_DEVICE = "/dev/input/js0"
HELP = """\
hold a stick to move; nothing held stops the arm
  left stick   x, y                 A  towards the start    left, right  move the joint back, on
  triggers     down, up             B  stop                 up, down     select a joint
  right stick  turn about x, y      X  axes of the base or the tool
  bumpers      turn about z         back, start  slower, faster          mode  quit
"""

# Time in ms, value, kind and number of the axis or button.
EVENT = struct.Struct("=IhBB")
# Kinds; what the device says of its state when it is opened is marked beside.
BUTTON, AXIS, INITIAL = 0x01, 0x02, 0x80
LARGEST = 32767.0
# Sticks at rest are this near to their middle, as a part of their range; beyond it they begin at 0.
DEAD_ZONE = 0.1

LEFT_X, LEFT_Y, LEFT_TRIGGER, RIGHT_X, RIGHT_Y, RIGHT_TRIGGER, CROSS_X, CROSS_Y = range(8)
TRIGGERS = frozenset({LEFT_TRIGGER, RIGHT_TRIGGER})
A, B, X, Y, LEFT_BUMPER, RIGHT_BUMPER, BACK, START, MODE = range(9)


class Event(NamedTuple):
    """A button that is pressed or let go, or an axis that moves."""

    value: int
    kind: int
    number: int


class Gamepad:
    """Events of a joystick device as they come; the file is closed when the block ends."""

    def __init__(self, path: str) -> None:
        try:
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            raise CliError(
                f"--gamepad: {path}: {error.strerror}; wanted a joystick of Linux, as {DEFAULT_DEVICE}"
            ) from None
        self._rest = b""

    def __enter__(self) -> Gamepad:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def events(self) -> list[Event]:
        """What came since the last call.

        Raises:
            CliError: The gamepad has gone.
        """
        read = self._rest
        try:
            new = os.read(self._fd, 64 * EVENT.size)
        except BlockingIOError:
            return []
        except OSError as error:
            raise CliError(f"the gamepad has gone: {error.strerror}") from None
        if not new:
            raise CliError("the gamepad has gone")
        read += new
        whole = len(read) - len(read) % EVENT.size
        self._rest = read[whole:]
        return [Event(value, kind, number) for _, value, kind, number in EVENT.iter_unpack(read[:whole])]


class Sticks(Steering):
    """What sticks and buttons command, for as long as they are held.

    An axis acts once it has been at rest: some drivers say of triggers that are let go that they are half pressed,
    until they are touched.

    Args:
        robot: The robot that is steered.
        start: Positions (dof,) that the button A leads to.
        gamepad: Where events come from, or anything else with `events`.
    """

    def __init__(self, robot: Robot, start: np.ndarray, gamepad: Gamepad) -> None:
        super().__init__(robot, start)
        self._gamepad = gamepad
        self._axes: dict[int, float] = {}
        self._held: set[int] = set()

    def command(self, _time: float) -> Command | None:
        """What is held now; a stop where nothing is, None to quit."""
        for event in self._gamepad.events():
            kind = event.kind & ~INITIAL
            if kind == AXIS:
                self._move(event)
            elif kind == BUTTON and event.value == 0:
                self._held.discard(event.number)
            elif kind == BUTTON and not event.kind & INITIAL:
                self._held.add(event.number)
                self._press(event.number)
        return None if MODE in self._held else self._commanded()

    def _commanded(self) -> Command:
        if B in self._held:
            return stop
        if A in self._held:
            return self.home
        if self._part(CROSS_X):
            return self.jog(self._part(CROSS_X))
        parts = self._parts()
        return self.twist(parts) if parts.any() else stop

    def _move(self, event: Event) -> None:
        """An axis moved."""
        part = deflection(event)
        before = self._axes.get(event.number)
        if before is None and part != 0.0:
            return
        self._axes[event.number] = part
        if event.number == CROSS_Y and part != 0.0 and before == 0.0:
            self.select(self.joint + int(np.sign(part)))

    def _press(self, button: int) -> None:
        """A button was pressed."""
        if button == X:
            self.switch_frame()
        elif button in (BACK, START):
            self.change_speed(1 if button == START else -1)

    def _part(self, axis: int) -> float:
        return self._axes.get(axis, 0.0)

    def _parts(self) -> np.ndarray:
        """The velocity of the tool that is held, in parts of the largest one. Sticks say -1 up and to the left."""
        bumpers = float(LEFT_BUMPER in self._held) - float(RIGHT_BUMPER in self._held)
        along = [-self._part(LEFT_Y), -self._part(LEFT_X), self._part(RIGHT_TRIGGER) - self._part(LEFT_TRIGGER)]
        return np.array([*along, self._part(RIGHT_X), -self._part(RIGHT_Y), bumpers])


def deflection(event: Event) -> float:
    """How far an axis is from rest, -1 to 1: triggers from where they are let go, all else from the middle."""
    value = max(-1.0, event.value / LARGEST)
    if event.number in TRIGGERS:
        value = 0.5 * (value + 1.0)
    beyond = max(0.0, abs(value) - DEAD_ZONE) / (1.0 - DEAD_ZONE)
    return float(np.copysign(beyond, value)) if beyond > 0.0 else 0.0
