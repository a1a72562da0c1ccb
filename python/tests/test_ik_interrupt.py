"""Ctrl-C ends every call of inverse kinematics that may be long, and batches of questions about collisions."""

from __future__ import annotations

import subprocess
import sys

import pytest

# What would run for ages. The signal comes from a thread that runs only where the call has released the GIL.
PROGRAM = """
import os, signal, sys, threading
import numpy as np
from kinetic import IkCache, KineticError, Manipulator, Robot, Scene, Shape

signal.signal(signal.SIGINT, signal.default_int_handler)
robot = Robot("ur5e")
target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
tip = [0.4, 0.1, 0.4]
endless = {"max_iterations": 10**15, "num_restarts": 10**9}
strict = {**endless, "position_tolerance": 1e-300, "orientation_tolerance": 1e-300}
baxter = Manipulator.from_robot("baxter_left")
cache = IkCache(robot)
blocked = Scene(robot)
blocked.add("ball", Shape.sphere(0.2), target)
calls = {
    **{
        name: (lambda name=name: robot.ik_config(target, solver=name, **strict))
        for name in ("dls", "sqp", "fabrik", "ccd", "bio_ik", "cached")
    },
    "nearest": lambda: robot.ik_config(target, solver="dls", raise_on_failure=False, **strict),
    "distinct": lambda: robot.ik_distinct(target, **strict),
    "several by descent": lambda: robot.ccd([{"position": tip, "atol": 1e-300}], rtol=0.0, maxiter=10**15),
    "several by evolution": lambda: robot.bio_ik([{"position": tip, "atol": 1e-300}], **endless),
    "cache": lambda: cache.solve(target, **strict),
    "keeping away": lambda: blocked.inverse_kinematics(target, distance=0.5, attempts=10**9),
    "batch of questions": lambda: blocked.are_free(np.zeros((40_000_000, 6))),
    "sweep": lambda: baxter.solve(baxter.fk([0.3] * 7), samples=100_000),
}
call = calls[sys.argv[1]]
main = threading.main_thread().ident


def stop_when_searching():
    while "endless_search" not in (sys._current_frames()[main].f_code.co_name, above(sys._current_frames()[main])):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def above(frame):
    return frame.f_back.f_code.co_name if frame.f_back else ""


def endless_search():
    call()


helper = threading.Thread(target=stop_when_searching)
helper.start()
try:
    endless_search()
except KeyboardInterrupt:
    print("interrupted")
helper.join()
"""

CALLS = ["dls", "sqp", "fabrik", "bio_ik", "cached", "nearest", "distinct", "several by evolution", "cache", "sweep"]
CALLS += ["keeping away", "batch of questions"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
def test_ctrl_c_ends_the_call(call: str) -> None:
    command = [sys.executable, "-c", PROGRAM, call]
    # Whoever waits that long was not interrupted.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "interrupted\n", done.stderr
