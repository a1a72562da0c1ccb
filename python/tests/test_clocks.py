"""Clocks for loops of one's own. Oracle: Python's own monotonic clock."""

from __future__ import annotations

import math
import subprocess
import sys
import time

import pytest

from kinetic import InputError, MonotonicClock, SimulatedClock


def test_a_wait_ends_no_earlier_than_it_says_and_time_never_goes_back() -> None:
    clock = MonotonicClock()
    python_begin = time.monotonic()
    begin = clock.now
    for cycle in range(20):
        clock.wait_until(begin + 0.002 * cycle)
        assert clock.now >= begin + 0.002 * cycle
    # Read within the same seconds of Python's clock.
    assert 0.038 <= clock.now - begin <= time.monotonic() - python_begin
    clock.wait_until(begin - 1.0)
    clock.wait_until(-1e300)


def test_simulated_time_is_where_it_was_waited_for() -> None:
    clock = SimulatedClock()
    for until, found in [(0.5, 0.5), (3600.0, 3600.0), (10.0, 3600.0)]:
        clock.wait_until(until)
        assert clock.now == found


@pytest.mark.parametrize("clock", [MonotonicClock(), SimulatedClock()], ids=["monotonic", "simulated"])
@pytest.mark.parametrize("never", [math.inf, math.nan, -math.inf])
def test_times_that_are_none_are_refused(clock, never: float) -> None:
    with pytest.raises(InputError, match="time"):
        clock.wait_until(never)


PROGRAM = """
import os, signal, threading
from kinetic import MonotonicClock

signal.signal(signal.SIGINT, signal.default_int_handler)
clock = MonotonicClock()
# It runs only while the wait has released the GIL.
helper = threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    helper.start()
    clock.wait_until(clock.now + 1e6)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_wait() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
