"""``kinetic robots``: the built-in robots."""

from __future__ import annotations

import argparse
from typing import Any

from .. import Robot, list_robots
from .output import add_json_flag, print_json, table


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser("robots", help="list the built-in robots")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints name, degrees of freedom, groups and named poses of every built-in robot."""
    rows = [describe(name) for name in list_robots()]
    if args.json:
        print_json({"robots": rows})
        return 0
    header = ("robot", "DOF", "links", "groups", "named poses")
    print(table(header, [text_row(row) for row in rows], left=len(header)))
    return 0


def describe(name: str) -> dict[str, Any]:
    """The facts of one robot."""
    robot = Robot(name)
    return {
        "name": name,
        "dof": robot.dof,
        "num_links": robot.num_links,
        "groups": robot.groups,
        "joints": robot.joint_names,
        "named_poses": robot.named_poses,
    }


def text_row(row: dict[str, Any]) -> list[str]:
    """One line of the table."""
    return [
        row["name"],
        str(row["dof"]),
        str(row["num_links"]),
        ", ".join(row["groups"]),
        ", ".join(row["named_poses"]),
    ]
