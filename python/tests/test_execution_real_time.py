"""Real-time privileges on request. Oracle: what the operating system says of the thread that calls the driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from kinetic import InputError, RealTimeExecutor, SimulatedClock, Trajectory

PRIORITY = 20

SCRIPT = """
import json, os, resource, sys, threading
from kinetic import RealTimeExecutor, SimulatedClock, Trajectory

if sys.argv[1] == "nobody":
    for limit in (resource.RLIMIT_RTPRIO, resource.RLIMIT_MEMLOCK):
        resource.setrlimit(limit, (0, 0))
    os.setuid(65534)

def scheduling():
    return [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority]

def may_be_real_time():
    allowed = []
    def ask():
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except PermissionError:
            return
        allowed.append(True)
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return bool(allowed)

def locked():
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmLck"))

motion = Trajectory.from_waypoints([[0.0], [0.1]]).time_parameterize("trapezoidal", 1.0, 1.0)
executor = RealTimeExecutor(real_time_priority=int(sys.argv[2]), allow_unverified=True, clock=SimulatedClock())
seen, before = [], scheduling()
result = executor.execute(motion, lambda q, qd: seen.append((scheduling(), locked())))
print(json.dumps({"granted": result["realtime"], "seen": seen, "before": before, "after": scheduling(),
                  "may": may_be_real_time()}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="requested on Linux alone")
@pytest.mark.parametrize("user", ["same", "nobody"])
def test_what_is_granted_or_refused_is_what_the_system_says(user: str) -> None:
    if user == "nobody" and os.geteuid() != 0:
        pytest.skip("only root becomes somebody else; what this user may is tested")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, user, str(PRIORITY)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    granted, before = found["granted"], found["before"]
    scheduling, locked = found["seen"][0]
    assert all(seen[0] == scheduling for seen in found["seen"])
    wanted = [os.SCHED_FIFO, PRIORITY] if found["may"] else before
    assert scheduling == wanted
    assert (granted["scheduling"] == "fifo", granted["priority"]) == (scheduling[0] == os.SCHED_FIFO, scheduling[1])
    # Memory that threads get later is locked with what it adds to.
    assert (granted["locked_memory"] > 0) == (locked > 0)
    refused = {reason.split(":")[0].split(" at ")[0] for reason in granted["refused"]}
    assert ("SCHED_FIFO" in refused) == (not found["may"])
    assert ("locked memory" in refused) == (locked == 0)
    assert all(name in reason for reason in granted["refused"] for name in ("CAP_", "RLIMIT_"))
    if user == "nobody":
        assert refused == {"SCHED_FIFO", "locked memory"}
    assert found["after"] == before


def test_priorities_outside_the_domain_are_refused_by_name() -> None:
    for bad in (0, 99, 2**40):
        with pytest.raises(InputError, match="real_time_priority"):
            RealTimeExecutor(real_time_priority=bad)
    assert RealTimeExecutor.safe("ur5e", real_time_priority=5).config["real_time_priority"] == 5


def test_nothing_is_requested_without_a_priority() -> None:
    motion = Trajectory.from_waypoints([[0.0], [0.1]]).time_parameterize("trapezoidal", 1.0, 1.0)
    executor = RealTimeExecutor(allow_unverified=True, clock=SimulatedClock())
    assert executor.execute(motion, lambda q, qd: None)["realtime"]["refused"] == []
