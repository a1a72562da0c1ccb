"""Times paths with one library, in the environment that has it: ``timing_peers_worker.py NAME JOB ANSWER``."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

RATE = 1000.0
"""Samples per second."""
DEVIATION = 0.01
"""Largest distance from the polyline where a library takes one, rad."""
REPEATS = 3
"""The least processor time of so many calls counts."""

Timed = Callable[[float], np.ndarray]
Maker = Callable[[dict[str, Any]], Callable[[], tuple[float, Timed]]]


def kinetic(law: str) -> Maker:
    """A time law of kinetic with corners rounded within the deviation."""

    def make(job: dict[str, Any]) -> Callable[[], tuple[float, Timed]]:
        from kinetic import Trajectory

        path = Trajectory.from_waypoints(job["waypoints"])

        def run() -> tuple[float, Timed]:
            limits = job["velocity"], job["acceleration"], job["jerk"]
            timed = path.time_parameterize(law, *limits, max_deviation=DEVIATION)
            return timed.duration, timed.sample

        return run

    return make


def toppra(job: dict[str, Any]) -> Callable[[], tuple[float, Timed]]:
    """TOPP-RA on a cubic spline through the waypoints over the length of the polyline, automatic grid."""
    from toppra import SplineInterpolator, algorithm, constraint

    waypoints = np.array(job["waypoints"])
    stations = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(waypoints, axis=0), axis=1))])
    velocity, acceleration = np.array(job["velocity"]), np.array(job["acceleration"])

    def run() -> tuple[float, Timed]:
        path = SplineInterpolator(stations, waypoints)
        limits = [
            constraint.JointVelocityConstraint(np.column_stack([-velocity, velocity])),
            constraint.JointAccelerationConstraint(np.column_stack([-acceleration, acceleration])),
        ]
        timed = algorithm.TOPPRA(limits, path, parametrizer="ParametrizeConstAccel").compute_trajectory(0, 0)
        return float(timed.duration), timed

    return run


def ruckig(job: dict[str, Any]) -> Callable[[], tuple[float, Timed]]:
    """A stop at every waypoint, phase-synchronised, jerk bounded if asked: the open version knows no waypoints."""
    import ruckig as library

    waypoints = job["waypoints"]
    dof = len(waypoints[0])

    def run() -> tuple[float, Timed]:
        planner, parts = library.Ruckig(dof), []
        for begin, end in zip(waypoints[:-1], waypoints[1:]):
            given, part = library.InputParameter(dof), library.Trajectory(dof)
            given.current_position, given.target_position = begin, end
            given.max_velocity, given.max_acceleration = job["velocity"], job["acceleration"]
            if job["jerk"] is not None:
                given.max_jerk = job["jerk"]
            given.synchronization = library.Synchronization.Phase
            planner.calculate(given, part)
            parts.append(part)
        ends = np.cumsum([part.duration for part in parts])

        def sample(t: float) -> np.ndarray:
            index = min(int(np.searchsorted(ends, t, side="right")), len(parts) - 1)
            begin = ends[index] - parts[index].duration
            return np.array(parts[index].at_time(max(t - begin, 0.0))[0])

        return float(ends[-1]), sample

    return run


def roboplan(job: dict[str, Any]) -> Callable[[], tuple[float, Timed]]:
    """TOPP-RA in C++ with corner blends of the deviation, sampled at the rate of the comparison."""
    from roboplan import core
    from roboplan import toppra as library

    names = [f"joint{index}" for index in range(len(job["waypoints"][0]))]
    scene = core.Scene("chain", core.loadUrdfSceneDescriptionFromXml(chain(names, job["velocity"]), []))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        rows = [f"  {name}:\n    max_acceleration: [{limit}]\n" for name, limit in zip(names, job["acceleration"])]
        file.write("joint_limits:\n" + "".join(rows))
        file.flush()
        scene.importJointLimitsFromConfig(core.loadJointLimitsConfig(file.name))
    scene.addGroup("chain", names)
    taken = np.array(scene.getAccelerationLimitVectors("chain")).max(axis=0)
    if not np.allclose(taken, job["acceleration"]):
        raise ValueError(f"acceleration limits were not taken: {taken}")
    timer = library.PathParameterizerTOPPRA(scene, "chain")
    options = library.TOPPRAOptions()
    options.dt, options.mode = 1.0 / RATE, library.SplineFittingMode.LinearBlend
    options.max_blend_deviation = DEVIATION
    path = core.JointPath()
    path.joint_names, path.positions = names, [np.array(q) for q in job["waypoints"]]

    def run() -> tuple[float, Timed]:
        timed = timer.generate(path, options)
        times, positions = np.array(timed.times), np.array(timed.positions)
        if len(times) < 2:
            raise ValueError("no trajectory")

        def sample(t: float) -> np.ndarray:
            return positions[int(np.argmin(np.abs(times - t)))]

        return float(times[-1]), sample

    return run


def chain(names: list[str], velocity: list[float]) -> str:
    """A URDF of revolute joints in a row."""
    links = "".join(
        f'<link name="link{index}"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for index in range(len(names) + 1)
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="link{index}"/><child link="link{index + 1}"/>'
        f'<axis xyz="0 0 1"/><limit lower="-100" upper="100" effort="1" velocity="{limit}"/></joint>'
        for index, (name, limit) in enumerate(zip(names, velocity))
    )
    return f'<robot name="chain">{links}{joints}</robot>'


PEERS: dict[str, tuple[str, Maker]] = {
    "kinetic totp": ("kinetic", kinetic("totp")),
    "kinetic trapezoidal": ("kinetic", kinetic("trapezoidal")),
    "kinetic cubic_spline": ("kinetic", kinetic("cubic_spline")),
    "kinetic jerk_limited": ("kinetic", kinetic("jerk_limited")),
    "kinetic jerk_limited, 10 a": ("kinetic", kinetic("jerk_limited")),
    "toppra": ("toppra", toppra),
    "ruckig": ("ruckig", ruckig),
    "ruckig, jerk": ("ruckig", ruckig),
    "ruckig, jerk 10 a": ("ruckig", ruckig),
    "roboplan": ("roboplan", roboplan),
}
"""Distribution and maker of each row."""

OWN_JERK = ("kinetic jerk_limited", "ruckig, jerk")
"""Rows under the jerk limits of the paths."""
TEN_TIMES = ("kinetic jerk_limited, 10 a", "ruckig, jerk 10 a")
"""Rows under jerk limits of ten times those of acceleration."""


def jerk_limits(name: str, job: dict[str, Any]) -> list[float] | None:
    """Jerk limits of a row on a path; None where it bounds no jerk."""
    if name in TEN_TIMES:
        return [10.0 * limit for limit in job["acceleration"]]
    return job["jerk"] if name in OWN_JERK else None


def answer(make: Maker, job: dict[str, Any]) -> dict[str, Any]:
    """Duration, seconds of computing and samples of one path, or why there are none."""
    try:
        run = make(job)
        seconds = []
        for _ in range(REPEATS):
            begin = time.process_time()
            duration, sample = run()
            seconds.append(time.process_time() - begin)
        times = np.arange(0.0, duration, 1.0 / RATE)
        samples = [np.asarray(sample(t), dtype=float).tolist() for t in times]
    except Exception as error:
        return {"note": f"{type(error).__name__}: {error}"}
    return {"duration": duration, "seconds": min(seconds), "samples": samples}


def main() -> None:
    """Times all paths of a job."""
    name, job_file, answer_file = sys.argv[1:]
    distribution, make = PEERS[name]
    jobs = json.loads(Path(job_file).read_text("utf-8"))
    answers = [answer(make, {**job, "jerk": jerk_limits(name, job)}) for job in jobs]
    Path(answer_file).write_text(json.dumps({"version": metadata.version(distribution), "answers": answers}), "utf-8")


if __name__ == "__main__":
    main()
