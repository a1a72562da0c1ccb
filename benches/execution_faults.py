"""Faults of executions on the wall clock: what is done, and how long it takes; written into docs-site/execution.md.

    python benches/execution_faults.py
    python benches/execution_faults.py --dry-run

Each fault happens half-way through a motion of a second at 500 Hz. `make test-full` runs the same faults, through
python/tests/test_execution_faults.py, and looks at what is done. Run it on a quiet machine, from a checkout with
`make setup` done.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinetic import GroupDriver, Handle, KineticError, RealTimeExecutor, Trajectory

HALF_WAY = 0.3
"""Position of the first joint beyond which things go wrong."""

LIMITS = (1.0, 4.0, 40.0)
MOTION = Trajectory.from_waypoints([[0.0, 0.0], [0.6, -0.3]]).time_parameterize("jerk_limited", *LIMITS)
PATIENCE_S = 30.0


@dataclass
class Arm:
    """A driver that keeps its commands, with their times, and does something when the first one is half-way."""

    act: Callable[[Arm], object] = lambda _arm: None
    times: list[float] = field(default_factory=list)
    positions: list[np.ndarray] = field(default_factory=list)
    velocities: list[np.ndarray] = field(default_factory=list)
    stops: list[float] = field(default_factory=list)
    stopping: list[float] = field(default_factory=list)
    at_rest: threading.Event = field(default_factory=threading.Event)
    half_way: int | None = None
    """Number of the first command that is half-way."""
    fault: float = math.nan
    """When the fault happened, s of the monotonic clock."""

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Takes a command."""
        self.times.append(time.monotonic())
        self.positions.append(positions)
        self.velocities.append(velocities)
        if self.half_way is None and positions[0] >= HALF_WAY:
            self.half_way = len(self.times) - 1
            self.act(self)

    def since(self) -> int:
        """Commands since it was half-way; negative before."""
        return -1 if self.half_way is None else len(self.times) - 1 - self.half_way

    def is_wrong(self) -> bool:
        """Whether the fault has happened; the first answer is when."""
        wrong = self.since() >= 0
        if wrong and math.isnan(self.fault):
            self.mark()
        return wrong

    def mark(self) -> None:
        """The fault happens now."""
        self.fault = time.monotonic()

    def read(self) -> np.ndarray:
        """Where it was commanded to be."""
        return self.positions[-1] if self.positions else MOTION.sample(0.0)

    def on_stop(self, _action: str, _positions: np.ndarray) -> None:
        """Is stopped through the second channel."""
        self.stops.append(time.monotonic())

    def progress(self, now: dict) -> None:
        """Hears of the first command of a stop on the path."""
        if now["state"] == "Stopping":
            self.stopping.append(time.monotonic())
            if not self.velocities[-1].any():
                self.at_rest.set()


@dataclass
class Outcome:
    """How an execution ended."""

    code: str
    arm: Arm
    result: dict | None = None

    @property
    def begun(self) -> float | None:
        """From the fault to the stop, s."""
        stops = self.arm.stops or self.arm.stopping
        return stops[0] - self.arm.fault if stops else None

    @property
    def at_rest(self) -> float | None:
        """From the fault to the last command of a stop on the path, s."""
        return self.arm.times[-1] - self.arm.fault if self.arm.stopping else None


def executor(**options: object) -> RealTimeExecutor:
    """On the wall clock."""
    return RealTimeExecutor(500.0, allow_unverified=True, **options)


def end(arm: Arm, wait: Callable[[], dict]) -> Outcome:
    """What an execution comes to."""
    try:
        result = wait()
    except KineticError as error:
        return Outcome(error.code, arm, getattr(error, "result", None))
    except KeyboardInterrupt:
        return Outcome("KeyboardInterrupt", arm)
    return Outcome(result["state"], arm, result)


def run(
    arm: Arm, feedback: Callable | None = None, speed_scaling: Callable | None = None, **options: object
) -> Outcome:
    """Carries the motion out."""
    functions = {"on_stop": arm.on_stop, "progress": arm.progress, "speed_scaling": speed_scaling}
    return end(arm, lambda: executor(**options).execute(MOTION, arm.send, feedback, **functions))


# --- faults ---


def driver_raises() -> Outcome:
    """The command callback raises."""

    def act(arm: Arm) -> None:
        arm.mark()
        raise ConnectionError("no power")

    return run(Arm(act))


def driver_is_late_once() -> Outcome:
    """One call takes 30 ms."""
    return run(Arm(lambda _arm: time.sleep(0.03)))


class Slow(Arm):
    """Every call takes 5 ms, the period is 2 ms."""

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Takes a command."""
        super().send(positions, velocities)
        time.sleep(0.005)


def driver_is_always_slow() -> Outcome:
    """Every call takes longer than the period."""
    return run(Slow())


def driver_blocks() -> Outcome:
    """A call that does not return."""
    release = threading.Event()

    def act(arm: Arm) -> None:
        arm.mark()
        release.wait()

    arm = Arm(act)
    handle = executor().start(MOTION, arm.send, on_stop=arm.on_stop)
    outcome = end(arm, handle.wait)
    release.set()
    return outcome


def feedback_is_lost() -> Outcome:
    """No reading any more, where it is required."""
    arm = Arm()
    return run(arm, lambda: None if arm.is_wrong() else arm.read(), require_feedback=True)


def feedback_is_no_number() -> Outcome:
    """NaN."""
    arm = Arm()
    return run(arm, lambda: arm.read() * (math.nan if arm.is_wrong() else 1.0))


def feedback_jumps() -> Outcome:
    """The robot is elsewhere."""
    arm = Arm()
    return run(arm, lambda: arm.read() + (0.2 if arm.is_wrong() else 0.0))


def feedback_drifts() -> Outcome:
    """The robot is slower than it was commanded to be; the fault is where it is as far off as it may be."""
    arm = Arm()

    def feedback() -> np.ndarray:
        off = 0.0021 * max(0, arm.since())
        if off > 0.1 and math.isnan(arm.fault):
            arm.mark()
        return arm.read() - off

    return run(arm, feedback, velocity_tolerance=9.0)


def feedback_raises() -> Outcome:
    """The function raises."""
    arm = Arm()

    def feedback() -> np.ndarray:
        if arm.is_wrong():
            raise OSError("no answer")
        return arm.read()

    return run(arm, feedback)


def slider() -> Outcome:
    """The controller runs at 30 % for a while."""
    arm = Arm()
    return run(arm, arm.read, lambda: 0.3 if 0 <= arm.since() < 200 else 1.0)


def protective_stop() -> Outcome:
    """The controller stands for a while, and then goes on."""
    arm = Arm()
    return run(arm, arm.read, lambda: 0.0 if 0 <= arm.since() < 200 else 1.0)


def controller_stands() -> Outcome:
    """It stands for good; the fault is the end of the time that is allowed."""
    arm = Arm()

    def scaling() -> float:
        if arm.times and math.isnan(arm.fault) and time.monotonic() >= arm.times[0] + 1.5 * MOTION.duration:
            arm.mark()
        return 0.0

    return run(arm, arm.read, scaling, timeout_factor=1.5)


def stopped(mode: str) -> Outcome:
    """The handle is asked to stop."""
    handles: list[Handle] = []
    started = threading.Event()

    def act(arm: Arm) -> None:
        started.wait()
        arm.mark()
        handles[0].stop(mode)

    arm = Arm(act)
    handles.append(executor().start(MOTION, arm.send, progress=arm.progress))
    started.set()
    return end(arm, handles[0].wait)


def handle_is_dropped() -> Outcome:
    """Nothing refers to the handle any more."""
    arm = Arm(lambda _arm: half_way.set())
    half_way = threading.Event()
    handle = executor().start(MOTION, arm.send, progress=arm.progress)
    half_way.wait(PATIENCE_S)
    arm.mark()
    del handle
    arm.at_rest.wait(PATIENCE_S)
    return Outcome("Stopped", arm)


def ctrl_c() -> Outcome:
    """SIGINT."""

    def act(arm: Arm) -> None:
        arm.mark()
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run(Arm(act))
    finally:
        signal.signal(signal.SIGINT, before)


def second_execution() -> Outcome:
    """Another execution on a driver that is in use."""
    arm = Arm()
    handle = executor().start(MOTION, arm.send)
    refused = end(Arm(), lambda: executor().execute(MOTION, arm.send))
    handle.wait()
    return refused


def one_of_two_groups_raises() -> Outcome:
    """The driver of the first arm raises; the second one, whose times count, is moved as well."""
    first, second = Arm(), Arm()

    def act(_arm: Arm) -> None:
        second.mark()
        raise ConnectionError("no power")

    first.act = act
    both = Trajectory.stack([MOTION, MOTION], joint_names=["a", "b", "c", "d"])
    drivers = [
        GroupDriver(["a", "b"], first.send, on_stop=first.on_stop),
        GroupDriver(["c", "d"], second.send, on_stop=second.on_stop),
    ]
    return end(second, lambda: executor().execute_together(both, drivers, progress=second.progress))


# --- faults of a process ---


def child(name: str) -> subprocess.Popen[str]:
    """This script as a process that carries the motion out and says what happens."""
    return subprocess.Popen([sys.executable, __file__, "--child", name], stdout=subprocess.PIPE, text=True)


def run_child(name: str) -> None:
    """Carries the motion out; `ends` does not wait for the end."""
    arm = Arm(lambda _arm: print("half-way", flush=True))

    def progress(now: dict) -> None:
        arm.progress(now)
        if name == "ends":
            print(json.dumps(record(arm)), flush=True)

    handle = executor().start(MOTION, arm.send, on_stop=arm.on_stop, progress=progress)
    if name == "ends":
        while arm.half_way is None:
            time.sleep(0.001)
        print(json.dumps({"fault": time.monotonic()}), flush=True)
        return
    outcome = end(arm, handle.wait)
    print(json.dumps(record(arm) | {"code": outcome.code}), flush=True)


def record(arm: Arm) -> dict:
    """What a parent is told."""
    return {
        "time": arm.times[-1],
        "velocity": arm.velocities[-1].tolist(),
        "stops": arm.stops,
        "stopping": arm.stopping[:1],
    }


def told(lines: list[str]) -> tuple[dict, Arm]:
    """What a child said, all together, and an arm with its last command."""
    found: dict = {}
    for line in lines:
        if line.startswith("{"):
            found |= json.loads(line)
    arm = Arm(times=[found["time"]], velocities=[np.array(found["velocity"])])
    arm.stops, arm.stopping, arm.fault = found["stops"], found["stopping"], found.get("fault", math.nan)
    return found, arm


def process_is_paused() -> Outcome:
    """SIGSTOP for half a second; the fault is its end."""
    with child("paused") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        resumed = time.monotonic()
        process.send_signal(signal.SIGCONT)
        found, arm = told(process.stdout.read().splitlines())
    arm.fault = resumed
    return Outcome(found["code"] if process.returncode == 0 else f"exit {process.returncode}", arm)


def python_ends() -> Outcome:
    """The script ends while the arm moves."""
    with child("ends") as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
    _, arm = told(lines)
    return Outcome("Stopped" if process.returncode == 0 else f"exit {process.returncode}", arm)


@dataclass(frozen=True)
class Fault:
    """A row of the table."""

    name: str
    run: Callable[[], Outcome]
    code: str
    action: str
    counterpart: str = ""


ON_PATH, AT_ONCE, NONE = "stop along the path", "`on_stop`", "none"
DECELERATE = "test_cancel_decelerate_to_hold_position"
FAULTS = [
    Fault("`command_callback` raises", driver_raises, "CommandFailed", AT_ONCE),
    Fault("a call takes 30 ms once", driver_is_late_once, "Completed", NONE),
    Fault("every call takes 5 ms", driver_is_always_slow, "Completed", NONE),
    Fault("a call does not return (timeout 100 ms)", driver_blocks, "CommandTimeout", AT_ONCE),
    Fault("the process is paused, from its SIGCONT on", process_is_paused, "CommandTimeout", AT_ONCE),
    Fault("feedback is lost (timeout 100 ms)", feedback_is_lost, "FeedbackLost", ON_PATH),
    Fault("feedback is NaN", feedback_is_no_number, "DeviationExceeded", ON_PATH),
    Fault("feedback jumps", feedback_jumps, "DeviationExceeded", ON_PATH, "test_state_tolerances_fail"),
    Fault(
        "feedback drifts, from the tolerance on",
        feedback_drifts,
        "DeviationExceeded",
        ON_PATH,
        "test_state_tolerances_fail",
    ),
    Fault("`feedback` raises", feedback_raises, "Aborted", ON_PATH),
    Fault("the controller runs at 30 % for a while", slider, "Completed", NONE, "test_scaling_sampling_is_correct"),
    Fault(
        "the controller stands for a while", protective_stop, "Completed", NONE, "test_scaling_execution_time_succeeds"
    ),
    Fault(
        "the controller stands for good, from the timeout on",
        controller_stands,
        "ExecutionTimeout",
        ON_PATH,
        "test_goal_tolerances_fail",
    ),
    Fault('`stop("path")`', lambda: stopped("path"), "Stopped", ON_PATH, DECELERATE),
    Fault('`stop("jerk")`', lambda: stopped("jerk"), "Stopped", "jerk-limited stop", DECELERATE),
    Fault('`stop("hard")`', lambda: stopped("hard"), "Stopped", "no velocity", "test_cancel_hold_position"),
    Fault("the handle is dropped", handle_is_dropped, "Stopped", ON_PATH, "deactivate_controller_aborts_action"),
    Fault("Ctrl-C", ctrl_c, "KeyboardInterrupt", ON_PATH, DECELERATE),
    Fault("Python ends", python_ends, "Stopped", ON_PATH, "deactivate_controller_aborts_action"),
    Fault(
        "a second execution on the driver",
        second_execution,
        "InvalidValue",
        "refused",
        "preempted_goal_receives_aborted_result",
    ),
    Fault("one of two groups raises: the other one", one_of_two_groups_raises, "CommandFailed", ON_PATH),
]
"""The counterparts are tests of joint_trajectory_controller in ros2_controllers, at 94e74de (2026-08-18)."""


def milliseconds(seconds: float | None) -> str:
    """With one digit; a dash where nothing is measured."""
    return "–" if seconds is None or math.isnan(seconds) else f"{1e3 * seconds:.1f} ms"


def section() -> str:
    """The table."""
    lines = [
        "| fault | what is done | ends with | begun after | at rest after | joint_trajectory_controller |",
        "|---|---|---|---|---|---|",
    ]
    for fault in FAULTS:
        outcome = fault.run()
        if outcome.code != fault.code:
            raise SystemExit(f"{fault.name}: {outcome.code} instead of {fault.code}")
        cells = [
            fault.name,
            fault.action,
            f"`{outcome.code}`",
            milliseconds(outcome.begun),
            milliseconds(outcome.at_rest),
        ]
        cells.append(f"`{fault.counterpart}`" if fault.counterpart else "–")
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="print the table and leave the page as it is")
    parser.add_argument("--child", choices=("paused", "ends"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_child(arguments.child)
        return
    content = section()
    if not arguments.dry_run:
        from figures import ROOT, replace_section

        page: Path = ROOT / "docs-site" / "execution.md"
        page.write_text(replace_section(page.read_text(), "faults", content))


if __name__ == "__main__":
    main()
