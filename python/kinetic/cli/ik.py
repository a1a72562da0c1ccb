"""``kinetic ik``: inverse kinematics from the command line: classify, build, add-arm, test."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from .. import Manipulator, Robot, add_arm
from .output import CliError, add_json_flag, duration, facts, length, print_json, table
from .plan import load_robot

EXAMPLES = """\
examples:
  kinetic ik classify ur5e
  kinetic ik classify my_robot.urdf --base base_link --tip tool0 --json
  kinetic ik build my_robot.urdf --base base_link --tip tool0 --out solver.rs
  kinetic ik add-arm my_robot.urdf --base base_link --tip tool0 --name my_arm --out my_arm
  kinetic ik test my_arm --count 2000
"""

ROBOT_HELP = "name of a built-in robot, a robot file, or a folder with kinetic.toml"


def add_parser(commands: Any) -> None:
    """Adds the command and those below it."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "ik",
        help="inverse kinematics: classify an arm, write a stand-alone solver, register an arm, test",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    below = parser.add_subparsers(title="commands", dest="ik_command", required=True, metavar="COMMAND")
    add_classify(below)
    add_build(below)
    add_add_arm(below)
    add_test(below)


def add_chain_options(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Adds ``--base`` and ``--tip``."""
    parser.add_argument("--base", required=required, help="first link of the arm (default: that of the robot's group)")
    parser.add_argument("--tip", "--ee", required=required, help="last link of the arm (default: that of the group)")


def add_classify(commands: Any) -> None:
    """Adds ``kinetic ik classify``."""
    parser = commands.add_parser("classify", help="say which axes are parallel or meet, and which solver follows")
    parser.add_argument("robot", help=ROBOT_HELP)
    add_chain_options(parser)
    add_json_flag(parser)
    parser.set_defaults(run=run_classify)


def run_classify(args: argparse.Namespace) -> int:
    """Prints the report; an arm without closed form is an answer, too."""
    report = load_robot(args.robot).classify(base=args.base, ee=args.tip)
    if args.json:
        print_json(report)
        return 0
    solver = report["solver"] or "none in closed form"
    tier = "" if report["tier"] is None else f" (tier {report['tier']})"
    print(facts([("chain", report["chain"]), ("joints", ", ".join(report["joints"])), ("solver", solver + tier)]))
    rows = [pair_row(pair) for pair in report["pairs"]] + [point_row(point) for point in report["common_points"]]
    print("\n" + table(("axes", "relation", "where", "residual"), rows, left=3))
    print(f"\n{report['reason'].splitlines()[0]}")
    return 0


def pair_row(pair: dict[str, Any]) -> list[str]:
    """A line of the table for two consecutive axes."""
    where = {
        "parallel": lambda: f"{length(pair['distance'])} apart",
        "intersecting": lambda: coordinates(pair["point"]),
        "skew": lambda: f"{length(pair['distance'])}, {math.degrees(pair['angle']):.3f}°",
        "sliding": lambda: f"{math.degrees(pair['angle']):.3f}°",
    }[pair["relation"]]()
    residual = "" if pair["relation"] in ("skew", "sliding") else f"{pair['residual']:.1e}"
    return [" ".join(map(str, pair["axes"])), pair["relation"], where, residual]


def point_row(point: dict[str, Any]) -> list[str]:
    """A line of the table for three axes through one point."""
    axes = " ".join(map(str, point["axes"]))
    return [axes, "common point", coordinates(point["point"]), f"{point['residual']:.1e}"]


def coordinates(point: list[float]) -> str:
    """A point in millimetres."""
    return "(" + ", ".join(f"{value * 1e3 + 0.0:.1f}" for value in point) + ") mm"


def add_build(commands: Any) -> None:
    """Adds ``kinetic ik build``."""
    parser = commands.add_parser("build", help="write a stand-alone solver of one arm: one file of Rust or Python")
    parser.add_argument("robot", help=ROBOT_HELP)
    add_chain_options(parser)
    parser.add_argument("--out", required=True, help="the file; its ending, .rs or .py, says the language")
    add_json_flag(parser)
    parser.set_defaults(run=run_build)


def run_build(args: argparse.Namespace) -> int:
    """Writes the file."""
    robot = load_robot(args.robot)
    arm = Manipulator.from_chain(robot, base=args.base, ee=args.tip)
    arm.write_solver(args.out, robot=robot.name)
    facts_of_file = {"file": args.out, "robot": robot.name, "solver": arm.solver_name, "joints": arm.joint_names}
    if args.json:
        print_json(facts_of_file)
    else:
        print(f"{args.out}: {arm.solver_name} for {robot.name}, joints {', '.join(arm.joint_names)}")
    return 0


def add_add_arm(commands: Any) -> None:
    """Adds ``kinetic ik add-arm``."""
    parser = commands.add_parser("add-arm", help="register an arm of a URDF: write a robot's folder with its group")
    parser.add_argument("urdf", help="the URDF file")
    add_chain_options(parser, required=True)
    parser.add_argument("--name", required=True, help="name that the robot gets")
    parser.add_argument("--out", required=True, help="folder for kinetic.toml and the URDF")
    add_json_flag(parser)
    parser.set_defaults(run=run_add_arm)


def run_add_arm(args: argparse.Namespace) -> int:
    """Writes the folder, reads it back and says how the arm is solved."""
    if (Path(args.out) / "kinetic.toml").exists():
        raise CliError(f"--out: {args.out} holds a robot already")
    report = Robot.from_urdf(args.urdf, base=args.base, tip=args.tip).classify(base=args.base, ee=args.tip)
    remarks = [f"Solver: {report['solver'] or 'numerical'}", *report["reason"].splitlines()]
    file = add_arm(args.urdf, base=args.base, tip=args.tip, name=args.name, out=args.out, remarks=remarks)
    robot = Robot.from_path(args.out)
    if args.json:
        print_json({"file": file, "robot": robot.name, "groups": robot.groups, "solver": report["solver"]})
    else:
        solver = report["solver"] or "no closed form, solved numerically"
        print(f"{file}: {robot.name}, {robot.dof} joints, {solver}")
    return 0


def add_test(commands: Any) -> None:
    """Adds ``kinetic ik test``."""
    parser = commands.add_parser("test", help="solve random reachable poses: success, times, branches")
    parser.add_argument("robot", help=ROBOT_HELP)
    parser.add_argument("--count", type=int, default=1000, help="number of poses (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the poses (default 0)")
    add_json_flag(parser)
    parser.set_defaults(run=run_test)


def run_test(args: argparse.Namespace) -> int:
    """Prints the figures; 1 when a pose was not solved."""
    for option, value, least in (("--count", args.count, 1), ("--seed", args.seed, 0)):
        if value < least:
            raise CliError(f"{option}: {value} is less than {least}")
    robot = load_robot(args.robot)
    report = {"robot": robot.name, "group": robot.group, **robot.test_ik(count=args.count, rng_seed=args.seed)}
    if args.json:
        print_json(report)
    else:
        print(trial_text(report))
    return 0 if report["solved"] == report["poses"] else 1


def trial_text(report: dict[str, Any]) -> str:
    """The report for people."""
    times = ", ".join(f"{name} {duration(seconds)}" for name, seconds in report["seconds"].items())
    solved = f"{report['solved']} of {report['poses']} poses ({report['solved'] / report['poses']:.2%})"
    lines = [
        ("robot", f"{report['robot']}, group {report['group']}"),
        ("solver", report["solver"]),
        ("solved", solved),
        ("time", times),
        ("largest error", f"{report['position_error']:.1e} m, {report['orientation_error']:.1e} rad"),
    ]
    if report["branches"] is None:
        return facts(lines)
    counts = sorted((int(count), poses) for count, poses in report["branches"].items())
    mean = sum(count * poses for count, poses in counts) / report["poses"]
    lines.append(("branches", f"{mean:.2f} inside the limits on average"))
    rows = [[str(count), str(poses), f"{poses / report['poses']:.1%}"] for count, poses in counts]
    return facts(lines) + "\n\n" + table(("branches", "poses", "share"), rows)
