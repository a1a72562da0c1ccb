"""``kinetic demo``: plans the motion of the README and draws it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..demo import run as run_demo
from .output import add_json_flag, print_json
from .plan import draw, draw_curves, figures, text


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo", help="a UR5e reaches around a pillar into a shelf: plan, verify, draw"
    )
    parser.add_argument("--out", default=".", help="folder for demo.json, demo.png and demo_curves.png (default: here)")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default 1)")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plans, writes ``demo.json``, ``demo.png`` and ``demo_curves.png``, prints the figures."""
    folder = Path(args.out)
    folder.mkdir(parents=True, exist_ok=True)
    result = run_demo(args.seed)
    trajectory_path, plot_path = str(folder / "demo.json"), str(folder / "demo.png")
    result.trajectory.to_json(trajectory_path)
    curves_path = str(folder / "demo_curves.png")
    draw(plot_path, result.robot, result.scene, result.trajectory)
    draw_curves(curves_path, result.robot, result.trajectory)
    report = figures(result.robot, result.trajectory, result.stats)
    report["files"] = {"trajectory": trajectory_path, "plot": plot_path, "curves": curves_path}
    if args.json:
        print_json(report)
    else:
        print("A UR5e reaches around a pillar into a shelf.\n")
        print(text(report))
    return 0
