"""``kinetic check-robot``: what may be wrong with a robot."""

from __future__ import annotations

import argparse
from typing import Any

from .. import Robot
from .output import CliError, add_json_flag, facts, length, print_json, table
from .plan import check_picture, drawing_module, load_robot

EXAMPLES = """\
examples:
  kinetic check-robot ur5e
  kinetic check-robot my_robot.urdf --picture my_robot.png
  kinetic check-robot my_robot_folder --json
"""

# Pairs and links listed at most; --json has all.
LISTED = 8


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check-robot",
        help="look a robot over: limits, inertia, shapes, pairs, poses, inverse kinematics",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", help="name of a built-in robot, a robot file, or a folder with kinetic.toml")
    parser.add_argument("--picture", help="draw spheres over collision shapes into this file (needs matplotlib)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random configurations (default 0)")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the report; 1 when it has errors."""
    if args.picture is not None:
        check_picture("--picture", args.picture)
    if args.seed < 0:
        raise CliError(f"--seed: {args.seed} is negative")
    robot = load_robot(args.robot)
    report = robot.check(rng_seed=args.seed)
    if args.picture is not None:
        draw(robot, report, args.picture)
    if args.json:
        print_json(report)
    else:
        print(text(report))
    return 1 if any(finding["level"] == "error" for finding in report["findings"]) else 0


def draw(robot: Robot, report: dict[str, Any], path: str) -> None:
    """Draws the picture, unless the shapes cannot be loaded, which the report says."""
    module = drawing_module("covers")
    if report["links"]:
        module.plot_covers(robot, path)


def text(report: dict[str, Any]) -> str:
    """The report for people."""
    parts = [facts(summary(report)), findings(report["findings"])]
    if report["links"]:
        parts.append(links(report["links"]))
    pairs_with_contact = [pair for pair in report["pairs"] if pair["touching"] or pair["spheres_alone"]]
    if pairs_with_contact:
        parts.append(pairs(pairs_with_contact))
    return "\n\n".join(parts)


def summary(report: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures in short."""
    levels = [finding["level"] for finding in report["findings"]]
    counts = (f"{levels.count(level)} {level}s" for level in ("error", "warning", "note"))
    lines = [("robot", report["robot"]), ("findings", ", ".join(counts))]
    sampled, solver = report["self_collision"], report["ik"]
    if sampled is not None:
        share = f"{sampled['colliding']:.1%} of {sampled['configurations']} random configurations"
        lines += [("self-collision", share), ("spheres alone", f"{sampled['spheres_alone']:.1%} more")]
    if solver is not None:
        lines.append(("inverse kinematics", f"{solver['solved']} of {solver['poses']} reachable poses"))
    return lines


def findings(given: list[dict[str, Any]]) -> str:
    """One line per finding."""
    if not given:
        return "nothing to remark"
    return "\n".join(
        f"{entry['level']:7}  {entry['subject']}: {entry['message']} [{entry['check']}]" for entry in given
    )


def links(given: list[dict[str, Any]]) -> str:
    """The table of links."""
    header = ("link", "size", "pieces", "spheres", "excess")
    rows = [
        [row["link"], length(row["size"]), str(row["pieces"]), str(row["spheres"]), length(row["excess"])]
        for row in given
    ]
    return table(header, rows)


def pairs(given: list[dict[str, Any]]) -> str:
    """The table of the pairs that touch most often."""
    header = ("pair", "class", "touching", "spheres alone")
    worst = sorted(given, key=lambda pair: (pair["touching"], pair["spheres_alone"]), reverse=True)
    rows = [
        [" – ".join(pair["links"]), pair["class"], f"{pair['touching']:.1%}", f"{pair['spheres_alone']:.1%}"]
        for pair in worst[:LISTED]
    ]
    more = len(given) - len(rows)
    return table(header, rows, left=2) + (f"\n… and {more} more (--json lists all)" if more else "")
