"""Plans that keep the tool upright: kinetic beside the constrained state spaces of OMPL, on the same problems.

    python benches/constraint_peers.py --data DIR           # prints the table
    python benches/constraint_peers.py --data DIR --write   # writes docs-site/benchmarks.md

The problems are those of `constraints.py`, but that both ends are projected until the tool is exactly upright, since an
equation knows no tolerance; the tilt along a path may be 5 degrees for all. The goal is any of the same configurations
for all, with the pose of the tool at the projected end: itself, and up to 32 that are nearest to the start. Paths have
no time: kinetic searches, simplifies and proves; OMPL searches with RRT-Connect in a `ProjectedStateSpace` or an
`AtlasStateSpace` with their default settings, simplifies, and interpolates on the manifold. OMPL asks kinetic about
collisions, forward kinematics and Jacobians. Its constraint is an `ompl.base.Constraint` in Python, either "cone",
max(0, tilt - 4.95 degrees) = 0, or "vertical": both stereographic coordinates of the tool's z axis vanish. The Jacobian
of the cone vanishes inside, where an atlas finds no tangent space, so that it takes the second only.

Callbacks through Python slow OMPL down: it gets ten seconds, those solved within one are counted too, and so are checks
of configurations and evaluations of the constraint. All paths are sampled every 2e-3 rad with the same forward
kinematics and the same collision check. OMPL has an environment of its own under ``target/planning_peers``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Constraint, Goal, Planner, PlanningError, Robot

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from constraints import ROBOTS, TOLERANCE, problems, scene_of, upright  # noqa: E402
from figures import replace_section  # noqa: E402

Json = dict[str, Any]

PAGE = ROOT / "docs-site" / "benchmarks.md"
TIMEOUT = 1.0
"""Seconds for kinetic."""
OMPL_TIMEOUT = 10.0
CONE = np.deg2rad(4.95)
"""The cone that OMPL keeps at states: chords between them leave it by up to 0.02 degrees."""
EXACT = 1e-5
"""Largest tilt of the ends, rad."""
MOST_GOALS = 32
"""Configurations of the goal beside the projected one."""
STEP = 2e-3
"""Distance of samples of a path, rad or m in the joint that moves farthest."""
METHODS = {
    "OMPL, projected, cone": ("ProjectedStateSpace", "cone"),
    "OMPL, projected, vertical": ("ProjectedStateSpace", "vertical"),
    "OMPL, atlas, vertical": ("AtlasStateSpace", "vertical"),
}
HEADER = (
    "| robot | planner | problems | solved in 1 s | solved in 10 s | median, ms | checks | constraint evaluations "
    "| length | largest tilt, ° | over 5° | in collision |\n" + "|---" * 12 + "|"
)


def cases(data: str, name: str, per_family: int) -> list[Json]:
    """Problems with both ends exactly upright and free; the others are left out."""
    robot, rng, found = Robot(*ROBOTS[name]), np.random.default_rng(0), []
    for problem in problems(data, name, per_family):
        scene = scene_of(robot, problem)
        up = float(np.sign((robot.fk(np.array(problem["start"])) @ np.linalg.inv(robot.tcp))[2, 2]) or 1.0)
        exact = Constraint.orientation(robot.tip, [0.0, 0.0, up], EXACT)
        planner = Planner(robot, scene, collision_margin=0.0, constraints=[exact])
        start, end = (upright(planner, np.array(q), rng) for q in (problem["start"], problem["goals"][0]))
        if start is not None and end is not None:
            goals = goals_of(planner, start, end)
            found.append({"problem": problem, "up": up, "start": start.tolist(), "goals": [q.tolist() for q in goals]})
    return found


def goals_of(planner: Planner, start: np.ndarray, end: np.ndarray) -> list[np.ndarray]:
    """Free configurations with the pose of the tool at `end`, on all turns; of many those nearest to the start."""
    robot, whole = planner.robot, 2.0 * np.pi
    ranges = np.diff(robot.joint_limits)[:, 0]
    turns = [(-whole, 0.0, whole) if whole <= width < np.inf else (0.0,) for width in ranges]
    rows = robot.ik_all(robot.fk(end), seed=start)
    rows = np.concatenate([rows + turn for turn in itertools.product(*turns)])
    low, high = robot.joint_limits.T
    rows = rows[((rows >= low) & (rows <= high)).all(axis=1)]
    nearest = rows[np.argsort(np.linalg.norm(rows - start, axis=1))]
    return [end, *itertools.islice((q for q in nearest if not planner.is_in_collision(q)), MOST_GOALS)]


# --- OMPL, in its own environment ---


def cone(z: np.ndarray, up: float) -> tuple[np.ndarray, np.ndarray]:
    """How far an axis is outside the cone, rad, and the gradient of that."""
    cosine = min(max(up * z[2], -1.0), 1.0)
    tilt = math.acos(cosine)
    if tilt <= CONE:
        return np.zeros(1), np.zeros((1, 3))
    return np.array([tilt - CONE]), np.array([[0.0, 0.0, -up / math.sqrt(max(1.0 - cosine**2, 1e-12))]])


def vertical(z: np.ndarray, up: float) -> tuple[np.ndarray, np.ndarray]:
    """The stereographic projection of an axis, which is zero at the vertical alone, and its derivative."""
    below = max(1.0 + up * z[2], 1e-6)
    return z[:2] / below, np.eye(2, 3) / below - np.outer(z[:2], [0.0, 0.0, up]) / below**2


def constraint_of(robot: Robot, up: float, form: str) -> Any:
    """The constraint in the terms of OMPL; it counts how often it is asked."""
    from ompl import base as ob

    equation, rows = {"cone": (cone, 1), "vertical": (vertical, 2)}[form]
    axis = np.linalg.inv(robot.tcp)[:3, 2]

    class Upright(ob.Constraint):  # type: ignore[misc]
        """The tool points up, or down."""

        def __init__(self) -> None:
            super().__init__(robot.dof, rows)
            self.asked = 0

        def function(self, q: Any, out: Any) -> None:
            self.asked += 1
            out[:] = equation(robot.fk(q)[:3, :3] @ axis, up)[0]

        def jacobian(self, q: Any, out: Any) -> None:
            self.asked += 1
            z = robot.fk(q)[:3, :3] @ axis
            x, y, height = z
            cross = np.array([[0.0, height, -y], [-height, 0.0, x], [y, -x, 0.0]])
            out[:, :] = equation(z, up)[1] @ cross @ robot.jacobian(q)[3:]

    return Upright()


def ambient(robot: Robot, ends: list[Any]) -> Any:
    """The joint space; a joint without limits may turn half a turn beyond the ends."""
    from ompl import base as ob

    space, bounds = ob.RealVectorStateSpace(robot.dof), ob.RealVectorBounds(robot.dof)
    for joint, (low, high) in enumerate(robot.joint_limits):
        values = [end[joint] for end in ends]
        bounds.setLow(joint, float(low) if np.isfinite(low) else min(values) - np.pi)
        bounds.setHigh(joint, float(high) if np.isfinite(high) else max(values) + np.pi)
    space.setBounds(bounds)
    return space


def setup_of(robot: Robot, case: Json, method: str, planner: Planner) -> tuple[Any, Any, list[int]]:
    """OMPL's problem, its constraint, and the count of checks."""
    from ompl import base as ob
    from ompl import geometric as og

    kind, form = METHODS[method]
    constraint, asked = constraint_of(robot, case["up"], form), [0]
    space = getattr(ob, kind)(ambient(robot, [case["start"], *case["goals"]]), constraint)
    information = ob.ConstrainedSpaceInformation(space)
    setup, (low, high) = og.SimpleSetup(information), robot.joint_limits.T

    def is_valid(state: Any) -> bool:
        asked[0] += 1
        q = np.array([state[joint] for joint in range(robot.dof)])
        return bool((q >= low).all() and (q <= high).all()) and not planner.is_in_collision(q)

    setup.setStateValidityChecker(is_valid)
    goal, ends = ob.GoalStates(information), []
    for values in (case["start"], *case["goals"]):
        ends.append(space.allocState())
        ends[-1].copy(np.array(values))
        if kind == "AtlasStateSpace":
            space.anchorChart(ends[-1])
    setup.setStartState(ends[0])
    for end in ends[1:]:
        goal.addState(end)
    setup.setGoal(goal)
    setup.setPlanner(og.RRTConnect(information))
    return setup, constraint, asked


def ompl_plan(robot: Robot, case: Json, method: str) -> Json:
    """OMPL's answer to a problem."""
    planner = Planner(robot, scene_of(robot, case["problem"]), collision_margin=0.0)
    setup, constraint, asked = setup_of(robot, case, method, planner)
    setup.setup()
    began = time.perf_counter()
    setup.solve(OMPL_TIMEOUT)
    if not setup.haveExactSolutionPath():
        return {"checks": asked[0], "evaluations": constraint.asked}
    setup.simplifySolution()
    path = setup.getSolutionPath()
    path.interpolate()
    seconds = time.perf_counter() - began
    states = [[state[joint] for joint in range(robot.dof)] for state in path.getStates()]
    return {"seconds": seconds, "path": states, "checks": asked[0], "evaluations": constraint.asked}


def worker(job: Json) -> None:
    """Prints OMPL's answers, one a line."""
    from ompl import util

    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(1)
    print(json.dumps({"version": metadata.version("ompl")}), flush=True)
    robot = Robot(*ROBOTS[job["robot"]])
    for case in job["cases"]:
        try:
            answer = ompl_plan(robot, case, job["method"])
        except Exception as error:
            answer = {"note": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def of_ompl(name: str, found: list[Json], method: str) -> tuple[str, list[Json]]:
    """OMPL's version, and what it answers; problems after one that ended its process have no answer."""
    from planning_peers import lines_of

    job = {"robot": name, "cases": found, "method": method}
    first, *answers = lines_of("ompl", Path(__file__), job)
    notes = {answer["note"] for answer in answers if "note" in answer}
    if len(answers) < len(found):
        notes.add(f"ended after {len(answers)} of {len(found)}")
    for note in notes:
        print(f"{name}, {method}: {note}", file=sys.stderr, flush=True)
    return first["version"], answers + [{}] * (len(found) - len(answers))


# --- kinetic ---


def own(robot: Robot, case: Json) -> Json:
    """kinetic's answer to a problem."""
    cup = Constraint.orientation(robot.tip, [0.0, 0.0, case["up"]], TOLERANCE)
    scene = scene_of(robot, case["problem"])
    planner = Planner(robot, scene, collision_margin=0.0, timeout=TIMEOUT, constraints=[cup])
    goal = Goal.any([Goal.joints(q) for q in case["goals"]])
    began = time.perf_counter()
    try:
        motion = planner.plan(np.array(case["start"]), goal, time_parameterize=False)
    except PlanningError:
        return {"checks": planner.last_stats["checks"]} if planner.last_stats else {}
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "path": motion.positions(), "checks": planner.last_stats["checks"]}


# --- the judge ---


def judged(robot: Robot, case: Json, path: np.ndarray) -> tuple[float, bool]:
    """The largest tilt of a polyline at fine samples, rad, and whether one of them collides."""
    planner = Planner(robot, scene_of(robot, case["problem"]), collision_margin=0.0)
    parts = []
    for begin, end in zip(path[:-1], path[1:]):
        count = max(int(np.ceil(np.abs(end - begin).max() / STEP)), 1)
        parts.append(begin + np.linspace(0.0, 1.0, count + 1)[:, None] * (end - begin))
    samples = np.concatenate(parts)
    z = (robot.batch_fk(samples) @ np.linalg.inv(robot.tcp))[:, :3, 2]
    tilts = np.arctan2(np.linalg.norm(z[:, :2], axis=1), case["up"] * z[:, 2])
    return float(tilts.max()), any(planner.is_in_collision(q) for q in samples)


def middle(values: list[float], form: str) -> str:
    """The median, or a dash."""
    return format(statistics.median(values), form) if values else "–"


def row(name: str, label: str, found: list[Json], answers: list[Json]) -> str:
    """A line of the table."""
    robot = Robot(*ROBOTS[name])
    solved = [(case, answer) for case, answer in zip(found, answers) if "path" in answer]
    paths = [np.array(answer["path"]) for _, answer in solved]
    verdicts = [judged(robot, case, path) for (case, _), path in zip(solved, paths)]
    seconds = [answer["seconds"] for _, answer in solved]
    lengths = [float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) for path in paths]
    cells = [ROBOTS[name][0], label, str(len(found)), str(sum(value <= TIMEOUT for value in seconds))]
    cells += ["–" if label == "kinetic" else str(len(solved)), middle([1e3 * value for value in seconds], ".1f")]
    for key in ("checks", "evaluations"):
        cells.append(middle([answer[key] for _, answer in solved if key in answer], ",.0f"))
    cells.append(middle(lengths, ".2f"))
    cells.append(f"{np.rad2deg(max(tilt for tilt, _ in verdicts)):.3f}" if verdicts else "–")
    cells.append(str(sum(tilt > TOLERANCE for tilt, _ in verdicts)))
    return "| " + " | ".join([*cells, str(sum(hit for _, hit in verdicts))]) + " |"


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=list(ROBOTS), help="only these")
    parser.add_argument("--per-family", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(json.loads(Path(arguments.worker).read_text()))
        return
    table = [HEADER]
    for name in arguments.robots:
        found, robot = cases(arguments.data, name, arguments.per_family), Robot(*ROBOTS[name])
        table.append(row(name, "kinetic", found, [own(robot, case) for case in found]))
        print(table[-1], flush=True)
        for method in METHODS:
            version, answers = of_ompl(name, found, method)
            table.append(row(name, method.replace("OMPL", f"OMPL {version}"), found, answers))
            print(table[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "constraint_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
