"""One solver on one list of poses; `ik_peers.py` runs it in the environment of each solver.

    python ik_peers_worker.py SOLVER JOB.json ANSWER.json

A job names the robot's file, base and tip, its joints with limits, axes and points at zero in the base frame, `home`
(pose of the tip at zero), a neutral configuration with its pose, and the targets. The answer holds seconds and rows of
joint values per target, and the version of the solver. Nothing but NumPy and the solver is imported.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

Solve = Callable[[Any], Any]


def quaternion(rotation: Any) -> Any:
    """The quaternion (x, y, z, w) of a rotation matrix, by the eigenvector of Bar-Itzhack 2000."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    matrix = [[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g]]
    matrix += [[c + g, f + h, i - a - e, d - b], [h - f, c - g, d - b, a + e + i]]
    return np.linalg.eigh(np.array(matrix))[1][:, -1]


def kinetic_all(job: dict[str, Any]) -> Solve:
    """All branches."""
    import kinetic

    arm = kinetic.Manipulator.from_robot(job["robot"])
    return lambda target: [solution.q for solution in arm.solve(target)]


def kinetic_one(job: dict[str, Any]) -> Solve:
    """The nearest configuration to the neutral one."""
    import kinetic

    robot, neutral = kinetic.Robot(job["robot"]), np.array(job["neutral"])

    def solve(target: Any) -> Any:
        try:
            return [robot.ik(target, seed=neutral)]
        except kinetic.IKError:
            return []

    return solve


def eaik(job: dict[str, Any]) -> Solve:
    """All branches; least-squares answers, which do not reach the pose, are left out."""
    from eaik.IK_HP import HPRobot

    points = np.array([np.zeros(3), *job["points"], np.array(job["home"])[:3, 3]])
    robot = HPRobot(np.array(job["axes"]), np.diff(points, axis=0))
    turn = np.eye(4)
    turn[:3, :3] = np.array(job["home"])[:3, :3].T

    def solve(target: Any) -> Any:
        answer = robot.IK(target @ turn)
        return [q for q, is_least_squares in zip(answer.Q, answer.is_LS) if not is_least_squares]

    return solve


def meeting_point(job: dict[str, Any], first: int) -> Any:
    """Where the axes of two neighbouring joints meet, in the least-squares sense."""
    sides = [np.eye(3) - np.outer(axis, axis) for axis in job["axes"][first : first + 2]]
    points = job["points"][first : first + 2]
    return np.linalg.solve(sum(sides), sum(side @ point for side, point in zip(sides, points)))


def ik_geo(job: dict[str, Any]) -> Solve:
    """All branches; the class of the arm, and the points where its axes meet, are the user's to know."""
    from ik_geo import Robot

    points = [np.array(point) for point in job["points"]]
    points[5] = meeting_point(job, 4)
    make = Robot.three_parallel_two_intersecting
    if job["class"] == "spherical_two_parallel":
        points[3] = points[4] = points[5]
        make = Robot.spherical_two_parallel
    home = np.array(job["home"])
    steps = np.diff(np.array([np.zeros(3), *points, home[:3, 3]]), axis=0)
    robot = make(np.array(job["axes"]).tolist(), steps.tolist())

    def solve(target: Any) -> Any:
        # The rotation is wanted transposed.
        answers = robot.get_ik((target[:3, :3] @ home[:3, :3].T).T.tolist(), target[:3, 3].tolist())
        rows = [(np.array(answer[0]), bool(answer[1])) for answer in answers]
        return [q for q, is_least_squares in rows if not is_least_squares and np.isfinite(q).all()]

    return solve


def ssik(job: dict[str, Any]) -> Solve:
    """All branches, each on one turn; with the compiled solver of the arm where the library has one that fits."""
    from ssik import Manipulator, list_arms

    home, neutral = np.array(job["home"]), np.array(job["neutral"])
    arm, turn = Manipulator.from_urdf(job["urdf"], base=job["base"], ee=job["tip"]), np.eye(4)
    name = job["robot"].removeprefix("kuka_") + "_ik"
    if name in [prebuilt.name for prebuilt in list_arms()]:
        compiled = Manipulator.from_prebuilt(name)
        tip_from_theirs = np.linalg.inv(home) @ compiled.fk(np.zeros(len(neutral)))
        if np.abs(np.array(job["at_neutral"]) @ tip_from_theirs - compiled.fk(neutral)).max() < 1e-6:
            arm, turn = compiled, tip_from_theirs
    return lambda target: [solution.q for solution in arm.solve(target @ turn, enumerate_windings=False)]


def trac_ik(job: dict[str, Any]) -> Solve:
    """TRAC-IK: mode Speed, 20 ms, eps 1e-7."""
    import pytracik

    chain = (job["base"], job["tip"], Path(job["urdf"]).read_text("utf-8"))
    robot = pytracik.TRAC_IK(*chain, 0.02, 1e-7, pytracik.SolveType.Speed)
    neutral = np.array(job["neutral"])

    def solve(target: Any) -> Any:
        row = pytracik.ik(robot, neutral, *target[:3, 3], *quaternion(target[:3, :3]))
        # The first entry tells success.
        return [row[1:]] if row[0] > 0 else []

    return solve


def roboplan(job: dict[str, Any]) -> Solve:
    """SimpleIk: 20 restarts, 200 iterations, 100 ms, 1e-6."""
    from roboplan import core, simple_ik

    text = Path(job["urdf"]).read_text("utf-8")
    scene = core.Scene("robot", core.loadUrdfSceneDescriptionFromXml(text, []))
    scene.addGroupFromChain("chain", job["base"], job["tip"])
    options = simple_ik.SimpleIkOptions()
    options.group_name, options.max_restarts, options.max_iters, options.max_time = "chain", 20, 200, 0.1
    options.max_linear_error_norm = options.max_angular_error_norm = 1e-6
    options.step_size, options.check_collisions = 1.0, False
    solver = simple_ik.SimpleIk(scene, options)
    start = core.JointConfiguration(job["joints"], np.array(job["neutral"]))

    def solve(target: Any) -> Any:
        goal = core.CartesianConfiguration(job["base"], job["tip"], np.asfortranarray(target))
        answer = core.JointConfiguration(job["joints"], np.zeros(len(job["joints"])))
        return [np.array(answer.positions)] if solver.solveIk(goal, start, answer) else []

    return solve


def roboticstoolbox(job: dict[str, Any]) -> Solve:
    """`ets.ik_LM`, Chan's damping, tolerance 5e-13 on half the squared error."""
    from roboticstoolbox import Robot

    robot = Robot.URDF(job["urdf"])
    ets = robot.ets(start=job["base"], end=job["tip"])
    neutral = np.array(job["neutral"])

    def solve(target: Any) -> Any:
        answer = ets.ik_LM(target, q0=neutral, tol=5e-13, k=1.0, method="chan", joint_limits=True)
        return [answer.q] if answer.success else []

    return solve


SOLVERS: dict[str, tuple[str, Callable[[dict[str, Any]], Solve]]] = {
    "kinetic, all": ("kinetic", kinetic_all),
    "kinetic, one": ("kinetic", kinetic_one),
    "EAIK": ("EAIK", eaik),
    "ik-geo": ("ik-geo", ik_geo),
    "ssik": ("ssik", ssik),
    "TRAC-IK": ("pytracik", trac_ik),
    "roboplan": ("roboplan", roboplan),
    "roboticstoolbox": ("roboticstoolbox-python", roboticstoolbox),
}
"""Distribution and maker of each solver."""
WARM_UP = 20


def main() -> None:
    """Solves a job."""
    name, job_file, answer_file = sys.argv[1:]
    job = json.loads(Path(job_file).read_text("utf-8"))
    distribution, make = SOLVERS[name]
    solve = make(job)
    targets = [np.array(target) for target in job["targets"]]
    for target in targets[:WARM_UP]:
        solve(target)
    seconds, rows = [], []
    for target in targets:
        start = time.perf_counter()
        found = solve(target)
        seconds.append(time.perf_counter() - start)
        rows.append([np.asarray(q, dtype=float).tolist() for q in found])
    answer = {"seconds": seconds, "rows": rows, "version": metadata.version(distribution)}
    Path(answer_file).write_text(json.dumps(answer), "utf-8")


if __name__ == "__main__":
    main()
