"""Straight lines of the tool by kinetic, by stepping as MoveIt's computeCartesianPath does, and by roboplan.

    python benches/cartesian_peers.py               # prints the table
    python benches/cartesian_peers.py --write       # writes docs-site/benchmarks.md

Lines, worlds and stepping are those of `cartesian.py`, with margins of 0. roboplan's `CartesianPathPlanner` solves
differential inverse kinematics along the line and times the result with TOPP-RA, in an environment of its own under
``target/planning_peers``, with the limits of the robot, with its default tolerances and with those of kinetic. It does
not know obstacles, and gives the whole line or nothing. Planners are made once; a time is that of one call from Python,
with the time law of kinetic and of roboplan, and with the proof of kinetic.

What comes back is judged the same for all: configurations at most 2e-3 rad apart, between those that are returned too;
kinetic's motion is taken every millisecond, in between is a straight line of joint space. A line counts as far as each
of them is inside the limits (to 1e-5 rad) and free, and has the tool within 1e-4 m and 1e-3 rad of the line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from cartesian import Array, line, obstacles, stepped  # noqa: E402
from figures import replace_section  # noqa: E402

Json = dict[str, Any]

PAGE = ROOT / "docs-site" / "benchmarks.md"
ROBOTS = ("ur5e", "franka_panda")
POSITION, ANGLE = 1e-4, 1e-3
"""Largest distance from a line, m, and angle, rad."""
LIMIT = 1e-5
"""What a joint may be outside its limits, rad."""
STEP = 2e-3
"""Distance of configurations that are judged, rad."""
CONFIG = kinetic.CartesianConfig(collision_margin=0.0, position_tolerance=POSITION, orientation_tolerance=ANGLE)
ROBOPLAN: dict[str, Json] = {
    "roboplan": {},
    "roboplan, 0.1 mm": {
        "max_position_error": POSITION,
        "max_orientation_error": ANGLE,
        "toppra_blend_deviation": POSITION,
    },
}
"""Options of its planner; its rounding of corners counts in joint space."""


class Answer(NamedTuple):
    """What a method made of a line."""

    start: Array
    seconds: float
    says_whole: bool
    rows: Array
    """Configurations from the start on."""


class Verdict(NamedTuple):
    """What the judge says of it."""

    is_whole: bool
    fraction: float
    deviation: float
    """Largest distance from the line, m."""


# --- roboplan, in its own environment ---


def roboplan_scene(name: str) -> Any:
    """The robot without shapes, with its limits of acceleration."""
    from roboplan import core

    robot = kinetic.Robot(name)
    tree = ElementTree.fromstring(robot.to_urdf())
    for link in tree.iter("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)
    text = ElementTree.tostring(tree, encoding="unicode")
    scene = core.Scene(name, core.loadUrdfSceneDescriptionFromXml(text, []))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        limits = zip(robot.joint_names, robot.acceleration_limits)
        rows = [f"  {joint}:\n    max_acceleration: [{float(limit)}]\n" for joint, limit in limits]
        file.write("joint_limits:\n" + "".join(rows))
        file.flush()
        scene.importJointLimitsFromConfig(core.loadJointLimitsConfig(file.name))
    scene.addGroupFromChain("arm", robot.base, robot.tip)
    return scene


def worker(job: Json) -> None:
    """Prints roboplan's answers, one a line."""
    from roboplan import cartesian_planning, core

    print(json.dumps({"version": metadata.version("roboplan")}), flush=True)
    scene, robot = roboplan_scene(job["robot"]), kinetic.Robot(job["robot"])
    options = cartesian_planning.CartesianPlannerOptions(group_name="arm", **job["options"])
    planner = cartesian_planning.CartesianPathPlanner(scene, options)
    for start, goal in job["lines"]:
        full = scene.toFullJointPositions("arm", np.array(start))
        poses = [np.asfortranarray(pose) for pose in (robot.fk(start), np.array(goal))]
        path = core.CartesianPath([robot.base], [robot.tip], [poses])
        begin = core.JointConfiguration(list(scene.getJointNames()), full)
        began, rows = time.perf_counter(), []
        try:
            rows = planner.plan(path, begin).positions
        except RuntimeError as error:
            print(error, file=sys.stderr)
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "rows": [list(map(float, q)) for q in rows]}), flush=True)


def of_roboplan(name: str, label: str, lines: list[tuple[Array, Array]]) -> tuple[str, list[Answer]]:
    """roboplan's version, and what it answers."""
    from planning_peers import lines_of

    asked = [[start.tolist(), goal.tolist()] for start, goal in lines]
    job = {"robot": name, "options": ROBOPLAN[label], "lines": asked}
    first, *answers = lines_of("roboplan", Path(__file__), job)
    if len(answers) < len(lines):
        raise SystemExit(f"roboplan ended after {len(answers)} of {len(lines)} lines")
    return first["version"], [
        Answer(start, answer["seconds"], bool(answer["rows"]), np.array(answer["rows"] or [start]))
        for (start, _), answer in zip(lines, answers)
    ]


# --- kinetic ---


def followed(planner: kinetic.Planner, start: Array, goal: Array) -> tuple[float, Any]:
    """Part of the line that `plan_cartesian` gets through, and its motion."""
    try:
        result = planner.plan_cartesian(start, goal, CONFIG)
    except kinetic.PlanningError:
        return 0.0, start[None]
    return result.fraction, result.trajectory


def timed(start: Array, call: Callable[[], tuple[float, Any]]) -> Answer:
    """What a call answers; sampling of a motion does not count."""
    began = time.perf_counter()
    fraction, rows = call()
    seconds = time.perf_counter() - began
    if isinstance(rows, kinetic.Trajectory):
        times = np.linspace(0.0, rows.duration, max(int(np.ceil(1e3 * rows.duration)), 1) + 1)
        rows = [rows.sample(t) for t in times]
    return Answer(start, seconds, fraction == 1.0, np.array(rows))


# --- the judge ---


def dense(rows: Array) -> Array:
    """Configurations at most a step apart on the polyline through rows."""
    parts = [rows[:1]]
    for begin, end in zip(rows[:-1], rows[1:]):
        count = max(int(np.ceil(np.abs(end - begin).max() / STEP)), 1)
        parts.append(begin + np.linspace(0.0, 1.0, count + 1)[1:, None] * (end - begin))
    return np.concatenate(parts)


def skew_part(matrices: Array) -> Array:
    """Twice the sine of the angle of rotation matrices, along their axes."""
    return np.stack([matrices[..., i, j] - matrices[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)


def angle_of(matrices: Array) -> Array:
    """Angles of rotation matrices."""
    sines = np.linalg.norm(skew_part(matrices), axis=-1)
    return np.arctan2(sines, np.trace(matrices, axis1=-2, axis2=-1) - 1.0)


def oriented(begin: Array, end: Array, along: Array) -> Array:
    """Rotation matrices at parts of the turn from one to another about one axis (Rodrigues)."""
    turn = begin.T @ end
    axis, angles = skew_part(turn), float(angle_of(turn)) * along[:, None, None]
    x, y, z = axis / max(float(np.linalg.norm(axis)), 1e-12)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return begin @ (np.eye(3) + np.sin(angles) * cross + (1.0 - np.cos(angles)) * cross @ cross)


def judge(robot: kinetic.Robot, planner: kinetic.Planner, goal: Array, answer: Answer) -> Verdict:
    """How much of a line is followed."""
    q, begin, end = dense(answer.rows), robot.fk(answer.start), goal[:3, 3]
    tips = robot.batch_fk(q)
    origin, way, places = begin[:3, 3], end - begin[:3, 3], tips[:, :3, 3]
    along = np.clip((places - origin) @ way / (way @ way), 0.0, 1.0)
    off = np.linalg.norm(places - origin - along[:, None] * way, axis=1)
    wanted = oriented(begin[:3, :3], goal[:3, :3], along)
    lean = angle_of(np.swapaxes(wanted, 1, 2) @ tips[:, :3, :3])
    low, high = robot.joint_limits.T
    good = (off <= POSITION) & (lean <= ANGLE) & ((q >= low - LIMIT) & (q <= high + LIMIT)).all(axis=1)
    good &= ~np.array([planner.is_in_collision(row) for row in q])
    until = len(q) if good.all() else int(np.argmin(good))
    is_whole = until == len(q) and np.linalg.norm(places[-1] - end) <= POSITION
    return Verdict(bool(is_whole), float(along[until - 1]) if until else 0.0, float(off.max()))


def row(name: str, world: str, label: str, answers: list[Answer], verdicts: list[Verdict]) -> str:
    """A line of the table."""
    said = [verdict.deviation for answer, verdict in zip(answers, verdicts) if answer.says_whole]
    whole = 100.0 * sum(verdict.is_whole for verdict in verdicts) / len(verdicts)
    milliseconds = [1e3 * answer.seconds for answer in answers]
    cells = [name, world, label, f"{100.0 * len(said) / len(answers):.1f} %", f"{whole:.1f} %"]
    cells.append(f"{statistics.fmean(verdict.fraction for verdict in verdicts):.3f}")
    cells.append(f"{1e3 * statistics.median(said):.3f} / {1e3 * max(said):.3f}" if said else "–")
    return "| " + " | ".join([*cells, f"{statistics.median(milliseconds):.2f}", f"{max(milliseconds):.1f}"]) + " |"


def compare(name: str, count: int) -> list[str]:
    """Rows of the table for one robot."""
    robot, rows = kinetic.Robot(name), []
    for world, scene in (("empty", kinetic.Scene(robot)), ("ten balls", obstacles(robot, 0))):
        planner = kinetic.Planner(robot, scene, collision_margin=0.0)
        lines = [line(robot, planner, seed) for seed in range(count)]
        found = {
            "kinetic": [timed(start, partial(followed, planner, start, goal)) for start, goal in lines],
            "stepping": [timed(start, partial(stepped, robot, planner, start, goal)) for start, goal in lines],
        }
        for label in ROBOPLAN:
            version, answers = of_roboplan(name, label, lines)
            found[label.replace("roboplan", f"roboplan {version}")] = answers
        for label, answers in found.items():
            verdicts = [judge(robot, planner, goal, answer) for (_, goal), answer in zip(lines, answers)]
            rows.append(row(name, world, label, answers, verdicts))
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--lines", type=int, default=500, help="lines per robot and world")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(json.loads(Path(arguments.worker).read_text()))
        return
    table = [
        f"{arguments.lines} lines per robot and world.",
        "",
        "| robot | world | method | says whole | whole | mean fraction | deviation, mm | median, ms | worst, ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        table += compare(name, arguments.lines)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cartesian_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
