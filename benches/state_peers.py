"""Compares motions between states by kinetic with those of Ruckig: durations, one by one.

    python benches/state_peers.py --cases 100000

Cases are seeded: one to seven joints, limits of any size, every second one from rest to rest. Ruckig has the
environment of ``timing_peers.py``. Prints the largest difference of durations and the processor time of one call
from Python, and fails when a difference exceeds 1e-6 s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1e-6
"""Largest difference of durations, s."""


def case(rng: np.random.Generator, index: int) -> dict[str, Any]:
    """Limits, and two states inside them from which, and into which, they can be held."""
    dof = int(rng.integers(1, 8))
    velocity, acceleration = rng.uniform(0.5, 5.0, dof), rng.uniform(1.0, 10.0, dof)
    jerk = 10.0 ** rng.uniform(0.0, 2.3, dof)

    def state() -> list[list[float]]:
        if index % 2 == 0:
            return [rng.uniform(-3.0, 3.0, dof).tolist(), [0.0] * dof, [0.0] * dof]
        v = rng.uniform(-0.8, 0.8, dof) * velocity
        a = rng.uniform(-0.8, 0.8, dof) * acceleration
        # Full jerk takes the acceleration back before the velocity leaves its limit.
        room = 0.9 * np.sqrt(2.0 * jerk * (velocity - np.abs(v)))
        return [rng.uniform(-3.0, 3.0, dof).tolist(), v.tolist(), np.clip(a, -room, room).tolist()]

    limits = [velocity.tolist(), acceleration.tolist(), jerk.tolist()]
    return {"limits": limits, "start": state(), "target": state()}


def by_kinetic(given: dict[str, Any]) -> float:
    """Duration of kinetic's motion, s."""
    from kinetic import state_to_state

    (start, target), (velocity, acceleration, jerk) = (given["start"], given["target"]), given["limits"]
    return state_to_state(
        start[0],
        target[0],
        velocity,
        acceleration,
        jerk,
        start_velocity=start[1],
        start_acceleration=start[2],
        target_velocity=target[1],
        target_acceleration=target[2],
    ).duration


def by_ruckig(given: dict[str, Any]) -> float:
    """Duration of Ruckig's motion, s."""
    import ruckig

    dof = len(given["limits"][0])
    job, motion = ruckig.InputParameter(dof), ruckig.Trajectory(dof)
    job.max_velocity, job.max_acceleration, job.max_jerk = given["limits"]
    job.current_position, job.current_velocity, job.current_acceleration = given["start"]
    job.target_position, job.target_velocity, job.target_acceleration = given["target"]
    ruckig.Ruckig(dof).calculate(job, motion)
    return motion.duration


def durations(name: str, cases: int) -> dict[str, Any]:
    """Durations of all cases, and the seconds that they took."""
    rng = np.random.default_rng(0)
    given = [case(rng, index) for index in range(cases)]
    plan = {"kinetic": by_kinetic, "ruckig": by_ruckig}[name]
    plan(given[0])
    begin = time.process_time()
    found = [plan(one) for one in given]
    return {"durations": found, "seconds": time.process_time() - begin}


def compare(cases: int) -> None:
    """Asks both and prints what they say."""
    from timing_peers import environment

    command = [environment("ruckig"), __file__, "--cases", str(cases), "--worker"]
    theirs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ours = durations("kinetic", cases)
    off = np.abs(np.array(ours["durations"]) - np.array(theirs["durations"]))
    over = int((off > TOLERANCE).sum())
    print(f"{cases} motions: durations differ by at most {off.max():.1e} s, {over} by more than {TOLERANCE}")
    for name, answer in (("kinetic", ours), ("ruckig", theirs)):
        print(f"{name}: {1e6 * answer['seconds'] / cases:.1f} µs per call from Python")
    if off.max() > TOLERANCE:
        sys.exit(f"case {int(off.argmax())} of seed 0 differs")


def main() -> None:
    """Compares, or answers for Ruckig in its own environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        print(json.dumps(durations("ruckig", arguments.cases)))
    else:
        sys.path.insert(0, str(ROOT / "benches"))
        compare(arguments.cases)


if __name__ == "__main__":
    main()
