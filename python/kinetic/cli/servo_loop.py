"""The loop of ``kinetic servo``: one command per period, on an absolute schedule, from a source to a driver."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Optional

import numpy as np

from .. import MonotonicClock, SafetyWatchdog, Servo, SimulatedClock
from ..drivers import functions
from .output import CliError
from .servo_commands import Answer, Command, stop

# As of `RealTimeExecutor`: rad or m, and the time after which the second channel stops the arm.
POSITION_TOLERANCE = 0.1
WATCHDOG_MS = 100.0
# Every stop ends: a joint that needed longer would be slower than any limit makes it.
LONGEST_STOP_S = 30.0
AT_REST = 1e-9


class DriverError(CliError):
    """A driver that failed; no command was sent after it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


Observer = Callable[[float, Answer, Optional[np.ndarray]], None]
"""Looks at every period: its time, s, the command that was sent, and what was measured before it."""


class Loop:
    """A servo on a clock, with a driver that takes its commands.

    Args:
        servo: A servo with a state.
        driver: An object with `send`, and `read`, `on_stop`, as those of `kinetic.drivers`.
        clock: The wall clock, or simulated time.
        observers: Called in every period.
    """

    def __init__(
        self, servo: Servo, driver: object, clock: MonotonicClock | SimulatedClock, observers: list[Observer]
    ) -> None:
        self._servo, self._functions, self._clock, self._observers = servo, functions(driver), clock, observers
        self._period, self._cycle, self._begin = 1.0 / servo.rate_hz, 0, clock.now
        self._watchdog: SafetyWatchdog | None = None
        self._commanded = servo.state()["joint_positions"]
        self.missed_cycles = 0
        self.max_deviation: float | None = None

    @property
    def time(self) -> float:
        """When the present period began, s since the first one."""
        return self._cycle * self._period

    def run(self, commands: Callable[[float], Command | None]) -> None:
        """Carries commands out until there is none, and stops the arm, as it does when anything is raised.

        Raises:
            DriverError: The driver failed, or the arm is not where it was commanded to.
            KeyboardInterrupt: After the stop. A second one ends at once, by `on_stop` of the driver.
        """
        with ExitStack() as stack:
            self._watchdog = self._watch(stack)
            self._begin = self._clock.now
            try:
                while (command := commands(self.time)) is not None:
                    self._step(command)
            except DriverError:
                self._stop_by_driver()
                raise
            except BaseException:
                self._come_to_rest()
                raise
            self._come_to_rest()

    def _watch(self, stack: ExitStack) -> SafetyWatchdog | None:
        """On the wall clock, a driver with a second channel is stopped when commands do not get through."""
        on_stop = self._functions.get("on_stop")
        if on_stop is None or isinstance(self._clock, SimulatedClock):
            return None
        return stack.enter_context(SafetyWatchdog(WATCHDOG_MS, on_stop))

    def _come_to_rest(self) -> None:
        try:
            last = self._cycle + math.ceil(LONGEST_STOP_S / self._period)
            while self._cycle < last and np.abs(self._step(stop)["velocities"]).max() > AT_REST:
                pass
        except BaseException:
            self._stop_by_driver()
            raise

    def _stop_by_driver(self) -> None:
        on_stop = self._functions.get("on_stop")
        has_fired = self._watchdog is not None and self._watchdog.has_fired
        if on_stop is not None and not has_fired:
            on_stop("zero_velocity", self._commanded)

    def _step(self, command: Command) -> Answer:
        """One period: measures, commands, waits for the next one."""
        measured = self._measure()
        answer = command(self._servo)
        if self._watchdog is not None and not self._watchdog.feed(answer["positions"]):
            raise DriverError("CommandTimeout", f"no command was taken for {WATCHDOG_MS:g} ms")
        try:
            self._functions["command_callback"](answer["positions"], answer["velocities"])
        except Exception as error:
            raise DriverError("CommandFailed", f"the driver failed: {type(error).__name__}: {error}") from error
        self._commanded = answer["positions"]
        for observer in self._observers:
            observer(self.time, answer, measured)
        self._wait()
        return answer

    def _wait(self) -> None:
        """Waits for the next period of the schedule; those that have passed are left out and counted."""
        due = math.ceil((self._clock.now - self._begin) / self._period - 1e-6)
        following = max(self._cycle + 1, due)
        self.missed_cycles += following - self._cycle - 1
        self._cycle = following
        self._clock.wait_until(self._begin + self.time)

    def _measure(self) -> np.ndarray | None:
        """Positions (dof,) of the arm, which may not be far from the last command; None when nothing is known."""
        read = self._functions.get("feedback")
        measured = None if read is None else measured_positions(read)
        if measured is None:
            return None
        if measured.shape != self._commanded.shape:
            said = f"the driver measures {measured.shape}, and the arm has {len(self._commanded)} joints"
            raise DriverError("DimensionMismatch", said)
        deviation = float(np.abs(measured - self._commanded).max())
        if not deviation <= POSITION_TOLERANCE:
            said = f"the arm is {deviation:.3f} rad or m away from its command, more than {POSITION_TOLERANCE:g}"
            raise DriverError("DeviationExceeded", said)
        self.max_deviation = max(deviation, self.max_deviation or 0.0)
        return measured


def measured_positions(read: Callable[[], Any]) -> np.ndarray | None:
    """The positions that a driver measures: it answers with them, with positions and velocities, or with None."""
    try:
        found = read()
    except Exception as error:
        raise DriverError("FeedbackLost", f"the driver failed: {type(error).__name__}: {error}") from error
    return None if found is None else np.asarray(found[0] if isinstance(found, tuple) else found, dtype=float)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Has SIGTERM and SIGHUP raise SystemExit, so that the arm is stopped and the terminal is restored."""
    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = [signal.signal(number, end) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before):
            signal.signal(number, handler)
