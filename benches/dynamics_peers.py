"""How long kinetic and Pinocchio take for the dynamics of arms, in one run.

    python benches/dynamics_peers.py [--robots ur5e franka_panda kuka_iiwa14] [--rounds 30]

Both are called from Python, one state per call, in turns, so that what else the machine does meets both; time is that
of the processor (`time.process_time_ns`), in which waiting does not count. The cost of a call itself is measured with
an attribute of each binding and subtracted: what is left is the algorithm with the conversion of its arguments. The C++
functions of Pinocchio are the same; `dynamics_peers_cpp.py` measures both libraries without a binding.

Printed are medians over the rounds, ns per call.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Callable

import numpy as np
import pinocchio as pin

import kinetic

STATES = 512
CONFIGS = Path(__file__).resolve().parents[1] / "robot_configs"

Call = Callable[[int], object]


def time_of(call: Call) -> float:
    """Nanoseconds per call over all states."""
    start = time.process_time_ns()
    for state in range(STATES):
        call(state)
    return (time.process_time_ns() - start) / STATES


def medians(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Median time of each call; rounds go through all of them in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(time_of(call))
    return {name: statistics.median(values) for name, values in times.items()}


def calls_of(name: str) -> dict[str, Call]:
    """The algorithms of both libraries on the joints of the robot's group, and empty calls."""
    robot = kinetic.Robot(name)
    dynamics = kinetic.Dynamics(robot, friction=False)
    whole = pin.buildModelFromUrdf(str(CONFIGS / name / "robot.urdf"))
    locked = [index for index in range(1, whole.njoints) if whole.names[index] not in robot.joint_names]
    model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
    data = model.createData()
    assert list(model.names)[1:] == robot.joint_names
    rng = np.random.default_rng(0)
    q, v, a = (list(rows) for rows in rng.uniform(-2, 2, (3, STATES, model.nv)))
    out, matrix = np.empty(model.nv), np.empty((model.nv, model.nv))
    expected = pin.rnea(model, data, q[0], v[0], a[0])
    np.testing.assert_allclose(dynamics.inverse_dynamics(q[0], v[0], a[0]), expected, rtol=1e-9, atol=1e-9)
    return {
        "empty kinetic": lambda _: dynamics.dof,
        "empty pinocchio": lambda _: model.nv,
        "inverse_dynamics kinetic": lambda k: dynamics.inverse_dynamics(q[k], v[k], a[k], out=out),
        "inverse_dynamics pinocchio": lambda k: pin.rnea(model, data, q[k], v[k], a[k]),
        "mass_matrix kinetic": lambda k: dynamics.mass_matrix(q[k], out=matrix),
        "mass_matrix pinocchio": lambda k: pin.crba(model, data, q[k]),
        "forward_dynamics kinetic": lambda k: dynamics.forward_dynamics(q[k], v[k], a[k], out=out),
        "forward_dynamics pinocchio": lambda k: pin.aba(model, data, q[k], v[k], a[k]),
        "gravity kinetic": lambda k: dynamics.gravity_compensation(q[k], out=out),
        "gravity pinocchio": lambda k: pin.computeGeneralizedGravity(model, data, q[k]),
    }


def batch_of(name: str, rounds: int) -> float:
    """Nanoseconds per state of a batch of inverse dynamics, on all processors."""
    dynamics = kinetic.Dynamics(name)
    q, v, a = np.random.default_rng(0).uniform(-2, 2, (3, 16384, dynamics.dof))
    out, times = np.empty_like(q), []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        dynamics.inverse_dynamics(q, v, a, out=out)
        times.append((time.perf_counter_ns() - start) / len(q))
    return statistics.median(times)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", default=["ur5e", "franka_panda", "kuka_iiwa14"])
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    print(f"Pinocchio {pin.__version__}, kinetic {kinetic.__version__}, Python {sys.version.split()[0]}")
    print(f"{'':<30} {'kinetic':>9} {'Pinocchio':>9} {'ratio':>6}")
    for name in arguments.robots:
        found = medians(calls_of(name), arguments.rounds)
        for quantity in ("inverse_dynamics", "mass_matrix", "forward_dynamics", "gravity"):
            ours = found[f"{quantity} kinetic"] - found["empty kinetic"]
            theirs = found[f"{quantity} pinocchio"] - found["empty pinocchio"]
            print(f"{name + ' ' + quantity:<30} {ours:9.0f} {theirs:9.0f} {ours / theirs:6.2f}")
        print(f"{name + ' batch of states':<30} {batch_of(name, arguments.rounds):9.0f}")


if __name__ == "__main__":
    main()
