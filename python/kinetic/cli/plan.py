"""``kinetic plan``: one motion from the command line."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .. import Goal, KineticError, Planner, Robot, Scene, Trajectory, list_robots, robot_formats
from .numbers import parse_numbers
from .output import CliError, add_json_flag, duration, exit_code_of, facts, length, print_json
from .planner_options import add_planner_options, planner_options

# Words with these endings are files, also when there is none of that name.
ROBOT_ENDINGS = frozenset(ending for _, endings, _ in robot_formats() for ending in endings)

EXAMPLES = """\
examples:
  kinetic plan ur5e --start home --goal ready
  kinetic plan ur5e --start home --goal 0.5,-1.2,1.0,-1.4,-1.57,0 --scene scene.toml --out motion.json
  kinetic plan ur5e --start ready --goal pose:0.4,0.2,0.4,3.14159,0,0 --plot motion.png
  kinetic plan ur5e --start home --goal ready --velocity-scaling 0.3 --acceleration-scaling 0.1
  kinetic plan ur5e --start home --goal ready --velocity-limits 0.5,0.5,1,2,2,2 --acceleration-limits 1.5
  kinetic plan ur5e --start home --goal ready --minimise time --timeout 0.5
  kinetic plan ur5e --start home --goal ready --planner aorrtc --timeout 0.5 --joint-weights shoulder_pan_joint=5
"""


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "plan",
        help="plan one motion, verify it, write and draw it",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", help="name of a built-in robot, a robot file, or a folder with kinetic.toml")
    parser.add_argument("--group", help="planning group (default: that of the robot)")
    parser.add_argument("--start", required=True, help="joint values j1,j2,… (rad, m), or a named pose")
    parser.add_argument("--goal", required=True, help="as --start, or pose:x,y,z,roll,pitch,yaw (m, rad) of the tip")
    parser.add_argument("--scene", help="scene file (TOML, or .scene of MoveIt)")
    parser.add_argument("--out", help="write the trajectory here (.json, .csv or .npz)")
    parser.add_argument("--plot", help="draw the motion into this picture (needs matplotlib)")
    parser.add_argument(
        "--save", help="write the problem here (.toml), with the hash of its answer; see kinetic replay"
    )
    parser.add_argument("--explain", action="store_true", help="when there is no plan, say why and try what may help")
    parser.add_argument("--curves", help="draw joints over time with their limits into this picture (needs matplotlib)")
    parser.add_argument("--planner", default="auto", help='name of the planner (default "auto")')
    add_planner_options(parser)
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plans, writes the files, prints the figures."""
    if args.out is not None:
        Trajectory._format_of(args.out)
    if args.save is not None and Path(args.save).suffix.lower() != ".toml":
        raise CliError(f'--save: the ending of "{args.save}" says no known format; problems are written as .toml')
    if args.plot is not None:
        check_picture("--plot", args.plot)
    if args.curves is not None:
        check_picture("--curves", args.curves)
    robot = load_robot(args.robot)
    if args.group is not None:
        robot = robot.with_group(args.group)
    scene = Scene(robot) if args.scene is None else load_scene(robot, args.scene)
    planner = Planner(robot, scene, planner_type=args.planner, **planner_options(args))
    start, goal = parse_start(robot, args.start), parse_goal(args.goal)
    try:
        trajectory = planner.plan(start, goal)
    except KineticError as error:
        if args.save is not None:
            planner.problem(start, goal).save(args.save)
        if not args.explain:
            raise
        return explain(error, args)
    files = write_files(args, robot, scene, trajectory)
    report = figures(robot, trajectory, dict(planner.last_stats)) | {"files": files}
    if not args.json:
        print(text(report))
        return 0
    if args.out is None:
        report["trajectory"] = json.loads(trajectory.to_json())
    print_json(report)
    return 0


def load_robot(word: str) -> Robot:
    """A robot from a built-in name, a robot file or a folder with kinetic.toml; a name hides a file of that name."""
    if word in list_robots():
        return Robot(word)
    if Path(word).suffix.lower() in ROBOT_ENDINGS or Path(word).is_file():
        return Robot.from_file(word)
    if word and Path(word).is_dir():
        return Robot.from_path(word)
    return Robot(word)


def load_scene(robot: Robot, path: str) -> Scene:
    """The scene in the file ``path`` around ``robot``."""
    scene = Scene(robot)
    scene.load(path)
    return scene


def parse_start(robot: Robot, text: str) -> Any:
    """Joint values from numbers or from the name of a pose."""
    numbers = parse_numbers("--start", text)
    if numbers is not None:
        return numbers
    pose = robot.named_pose(text)
    if pose is None:
        known = ", ".join(f'"{name}"' for name in robot.named_poses)
        raise CliError(f'--start: no named pose "{text}" in robot "{robot.name}"; poses are {known}')
    return pose


def parse_goal(text: str) -> Goal:
    """A joint goal, a named goal, or after ``pose:`` a pose goal."""
    if not text.startswith("pose:"):
        numbers = parse_numbers("--goal", text)
        return Goal.named(text) if numbers is None else Goal.joints(numbers)
    numbers = parse_numbers("--goal", text.removeprefix("pose:"))
    if numbers is None or len(numbers) != 6:
        raise CliError(f'--goal: "{text}" needs six numbers: pose:x,y,z,roll,pitch,yaw (m, rad)')
    return Goal.pose(pose_from_xyz_rpy(numbers))


def pose_from_xyz_rpy(numbers: list[float]) -> np.ndarray:
    """The 4×4 pose at x, y, z, turned by roll, pitch and yaw about the fixed axes x, y, z (URDF's convention)."""
    x, y, z, roll, pitch, yaw = numbers
    cr, cp, cy = np.cos([roll, pitch, yaw])
    sr, sp, sy = np.sin([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def write_files(args: argparse.Namespace, robot: Robot, scene: Scene, trajectory: Trajectory) -> dict[str, str]:
    """Writes what ``--out``, ``--plot`` and ``--curves`` ask for; returns kind → path."""
    files = {}
    if args.out is not None:
        trajectory.save(args.out)
        files["trajectory"] = args.out
    if args.save is not None and trajectory.problem is not None:
        trajectory.problem.save(args.save, trajectory)
        files["problem"] = args.save
    if args.plot is not None:
        draw(args.plot, robot, scene, trajectory)
        files["plot"] = args.plot
    if args.curves is not None:
        draw_curves(args.curves, robot, trajectory)
        files["curves"] = args.curves
    return files


def explain(error: KineticError, args: argparse.Namespace) -> int:
    """Prints the report of a failure, draws it where a picture was asked for, and returns the exit code."""
    report = error.report
    if args.plot is not None:
        report.plot(args.plot)
    if args.json:
        code, message = error.code, " ".join(str(error).split())
        print(f"kinetic: {message}", file=sys.stderr)
        print_json({"error": {"code": code, "message": message}, "report": report_fields(report)})
    else:
        print(report)
    return exit_code_of(error)


def report_fields(report: Any) -> dict[str, Any]:
    """A report as JSON has it: trees as their sizes, changed problems left out."""
    evidence = dict(report.evidence)
    if "trees" in evidence:
        evidence["trees"] = [len(tree["parents"]) for tree in evidence["trees"]]
    suggestions = [
        {key: value for key, value in suggestion.items() if key != "problem"} for suggestion in report.suggestions
    ]
    return {"reason": report.reason, "evidence": plain(evidence), "suggestions": suggestions}


def plain(value: Any) -> Any:
    """The value with arrays as lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def check_picture(option: str, path: str) -> None:
    """Refuses a picture that cannot be drawn, before the work and not after it."""
    known = drawing_module("plot").picture_endings()
    if Path(path).suffix[1:].lower() not in known:
        raise CliError(f'{option}: the ending of "{path}" says no known format; known are {", ".join(known)}')


def draw(path: str, robot: Robot, scene: Scene, trajectory: Trajectory) -> None:
    """Draws the motion into the file ``path``."""
    drawing_module("plot").plot_motion(robot, scene, trajectory, path)


def draw_curves(path: str, robot: Robot, trajectory: Trajectory) -> None:
    """Draws positions and their derivatives over time, with the limits that they keep, into the file ``path``."""
    certificate = trajectory.certificate
    limits = None if certificate is None else certificate.limits
    velocity = robot.velocity_limits if limits is None else limits["velocity"]
    acceleration = robot.acceleration_limits if limits is None else limits["acceleration"]
    trajectory.plot(path, velocity_limits=velocity, acceleration_limits=acceleration)


def drawing_module(name: str) -> Any:
    """A module of ``kinetic.viz``; refused where matplotlib is missing."""
    try:
        return importlib.import_module(f"kinetic.viz.{name}")
    except ImportError as error:
        raise CliError(f'drawing needs matplotlib ({error}); install it with: pip install "kinetic[viz]"') from error


def figures(robot: Robot, trajectory: Trajectory, stats: dict[str, Any]) -> dict[str, Any]:
    """The figures of a plan as JSON has them; SI units."""
    certificate = trajectory.certificate
    return {
        "robot": robot.name,
        "planner": stats["planner_used"],
        "planning_time": stats["planning_time"],
        "iterations": stats["iterations"],
        "path_length": stats["path_length"],
        "duration": trajectory.duration,
        "num_waypoints": trajectory.num_waypoints,
        "certificate": None if certificate is None else certificate_fields(certificate),
    }


def certificate_fields(certificate: Any) -> dict[str, Any]:
    """A certificate as JSON has it."""
    names = (
        "checks",
        "unchecked_links",
        "ghosts",
        "time",
        "margin",
        "self_margin",
        "velocity_scaling",
        "acceleration_scaling",
        "max_velocity_ratio",
        "max_acceleration_ratio",
        "path_deviation",
        "max_torque_ratio",
        "dynamics",
    )
    pair = None if certificate.pair is None else list(certificate.pair)
    # JSON has no infinity.
    unbounded = {name: finite(getattr(certificate, name)) for name in ("min_clearance", "max_jerk_ratio")}
    approaches = {"closest_approaches": approach_fields(certificate.closest_approaches)}
    return {"pair": pair} | unbounded | approaches | {name: getattr(certificate, name) for name in names}


def approach_fields(approaches: dict[str, dict[str, Any]] | None) -> dict[str, dict[str, Any]] | None:
    """The closest approaches as JSON has them."""
    if approaches is None:
        return None
    return {name: one | {"distance": finite(one["distance"])} for name, one in approaches.items()}


def finite(value: float | None) -> float | str | None:
    """A number as JSON has it."""
    return "infinite" if value is not None and math.isinf(value) else value


def text(report: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [
        ("robot", report["robot"]),
        ("planner", f"{report['planner']}, {report['iterations']} iterations"),
        ("planning time", duration(report["planning_time"])),
        ("path length", f"{report['path_length']:.2f} rad, {report['num_waypoints']} waypoints"),
        ("duration", f"{report['duration']:.2f} s"),
    ]
    if report["certificate"] is not None:
        lines += certificate_lines(report["certificate"])
    lines += [(kind, path) for kind, path in report["files"].items()]
    return facts(lines)


def clearance_lines(approaches: dict[str, dict[str, Any]] | None) -> list[tuple[str, str]]:
    """How near the motion comes to the world and to itself."""
    if approaches is None:
        return [("least clearance", "not checked")]
    lines = []
    for name, partner in (("world", "to the world"), ("self", "to itself")):
        one = approaches[name]
        clearance = length(math.inf if one["distance"] == "infinite" else one["distance"])
        if one["pair"] is not None:
            link, other = one["pair"]
            clearance += f" ({link} – {other}, at {one['time']:.2f} s)"
        lines.append((f"clearance {partner}", clearance))
    return lines


def certificate_lines(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    """What the verifier proved, for people."""
    unchecked, torque = certificate["unchecked_links"], certificate["max_torque_ratio"]
    return [
        ("checks", f"{certificate['checks']} configurations, the motion between them proven"),
        *clearance_lines(certificate["closest_approaches"]),
        *([("not checked", f"{', '.join(unchecked)}: no collision shapes")] if unchecked else []),
        *([("ghosts", f"{', '.join(certificate['ghosts'])}: may be touched")] if certificate["ghosts"] else []),
        ("peak velocity", peak_text(certificate, "velocity")),
        ("peak acceleration", peak_text(certificate, "acceleration")),
        *([] if torque is None else [("peak torque", f"at most {torque:.1%} of the limit")]),
    ]


def peak_text(certificate: dict[str, Any], quantity: str) -> str:
    """How much of a limit is used, and which part of the robot's limit that is."""
    ratio, factor = certificate[f"max_{quantity}_ratio"], certificate[f"{quantity}_scaling"]
    return f"{ratio:.0%} of the limit" + ("" if factor == 1.0 else f", which is {factor:g} of the robot's")
