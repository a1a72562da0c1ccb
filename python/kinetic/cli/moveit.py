"""``kinetic import-moveit``: a kinetic.toml from a MoveIt configuration."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import Robot, import_moveit
from ..descriptions import expand_xacro
from .output import add_json_flag, print_json


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "import-moveit", help="write a kinetic.toml from a MoveIt configuration"
    )
    parser.add_argument("folder", help="folder with the .srdf, joint_limits.yaml and kinematics.yaml, or with config/")
    parser.add_argument("--urdf", required=True, help="the robot's .urdf, or a .xacro, which is expanded")
    parser.add_argument("--out", required=True, help="folder for kinetic.toml")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the file, reads it back, and says what has no counterpart."""
    out = Path(args.out)
    notes = import_moveit(args.folder, urdf=expanded(Path(args.urdf), out), out=out)
    robot = Robot.from_path(out)
    file = str(out / "kinetic.toml")
    if args.json:
        print_json({"file": file, "robot": robot.name, "groups": robot.groups, "notes": notes})
    else:
        print(f"{file}: {robot.name}, groups {', '.join(robot.groups)}")
        for note in notes:
            print(f"  not carried over: {note}")
    return 0


def expanded(urdf: Path, out: Path) -> Path:
    """The URDF itself; a xacro file expanded into the folder ``out``."""
    if urdf.suffix.lower() != ".xacro":
        return urdf
    text = expand_xacro(urdf, {})
    out.mkdir(parents=True, exist_ok=True)
    file = out / "robot.urdf"
    file.write_text(text, "utf-8")
    return file
