"""Executions that end from outside: Ctrl-C, and the end of Python."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from kinetic import RealTimeExecutor, SimulatedClock, Trajectory

FORTH = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("jerk_limited", 1.0, 4.0, 40.0)


@pytest.fixture
def handler_of_ctrl_c() -> Iterator[None]:
    """The handler of an interactive Python: processes in the background of a shell begin with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handler_of_ctrl_c")
@pytest.mark.parametrize("waits", ["wait", "execute"])
def test_ctrl_c_stops_the_arm_along_its_path_and_is_raised_after_that(waits: str) -> None:
    started, told, handles = threading.Event(), [], []

    def send(positions: np.ndarray, velocities: np.ndarray) -> None:
        if waits == "wait":
            started.wait()
        if len(told) == 50:
            # The main thread hears of it while it waits; until then the clock, which waits for nobody, is held back.
            signal.raise_signal(signal.SIGINT)
            for handle in handles:
                handle.pause()

    clock = SimulatedClock() if waits == "wait" else None
    executor = RealTimeExecutor(allow_unverified=True, clock=clock, command_timeout_ms=1e4)
    with pytest.raises(KeyboardInterrupt):
        if waits == "wait":
            handles.append(executor.start(FORTH, send, progress=told.append))
            started.set()
            handles[0].wait()
        else:
            executor.execute(FORTH, send, progress=told.append)
    assert told[-1]["state"] == "Stopping" and 0.0 < told[-1]["fraction"] < 1.0
    positions = np.array([now["positions"][0] for now in told])
    np.testing.assert_allclose(positions[-1], FORTH.sample(told[-1]["fraction"] * FORTH.duration), atol=1e-12)
    # Nothing is left running: the executor is free.
    executor.start(FORTH, lambda q, qd: None).stop("hard")


RUNNING = """
import threading
from kinetic import RealTimeExecutor, Trajectory

motion = Trajectory.from_waypoints([[0.0], [50.0]]).time_parameterize("jerk_limited", 1.0, 20.0, 400.0)
begun = threading.Event()

def send(positions, velocities):
    print(positions[0], velocities[0], flush=True)
    begun.set()
    {then}

executor = RealTimeExecutor(rate_hz=100.0, command_timeout_ms={timeout}, allow_unverified=True)
handle = executor.start(motion, send)
begun.wait()
print("end", flush=True)
"""


def lines_of(then: str, timeout: float) -> list[str]:
    script = RUNNING.format(then=then, timeout=timeout)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def test_python_ends_after_the_arm_has_stopped() -> None:
    lines = lines_of("pass", 1e4)
    assert "end" in lines and lines[-1] != "end"
    position, velocity = map(float, lines[-1].split())
    assert velocity == 0.0 and position < 49.0


def test_python_ends_although_a_driver_never_returns() -> None:
    assert [line for line in lines_of("threading.Event().wait()", 20.0) if line != "end"] == ["0.0 0.0"]


def test_python_ends_after_a_call_that_the_watchdog_gave_up_has_returned() -> None:
    # A thread that is inside of Python when it ends takes the process with it.
    lines = lines_of("threading.Event().wait(0.1), print('returned', flush=True)", 20.0)
    assert [line for line in lines if line != "end"] == ["0.0 0.0", "returned"]
