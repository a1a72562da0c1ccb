"""``kinetic demo``: plans the motion of the README and draws it, or plans in every picture of a simulated camera."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..demo import run as run_demo
from ..demo_sensors import run as run_sensor_demo
from .output import CliError, add_json_flag, print_json
from .plan import draw, draw_curves, drawing_module, figures, text

MOST_SECONDS = 600.0
"""Simulated time of the sensors at most, s."""


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo",
        help="a UR5e reaches around a pillar into a shelf: plan, verify, draw; or around a crate that a camera sees",
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=["shelf", "sensors"],
        default="shelf",
        help="shelf: the motion of the README (default); sensors: a plan in every picture of a simulated depth camera",
    )
    parser.add_argument("--out", default=".", help="folder for the files that it writes (default: here)")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default 1)")
    parser.add_argument("--seconds", type=float, default=6.0, help="simulated time of the sensors (default 6)")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plans, writes files into the folder, prints the figures."""
    folder = Path(args.out)
    folder.mkdir(parents=True, exist_ok=True)
    return run_sensors(args, folder) if args.what == "sensors" else run_shelf(args, folder)


def run_shelf(args: argparse.Namespace, folder: Path) -> int:
    """Writes ``demo.json``, ``demo.png`` and ``demo_curves.png``."""
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


def run_sensors(args: argparse.Namespace, folder: Path) -> int:
    """Writes ``sensors.png`` and ``sensors.gif``."""
    if not 0.1 <= args.seconds <= MOST_SECONDS:
        raise CliError(f"--seconds: {args.seconds} is not between 0.1 and {MOST_SECONDS}")
    demo = run_sensor_demo(args.seconds, args.seed)
    plot_path, movie_path = str(folder / "sensors.png"), str(folder / "sensors.gif")
    drawing = drawing_module("sensing")
    drawing.plot_sensors(demo, plot_path)
    drawing.animate_sensors(demo, movie_path)
    milliseconds = {
        "picture_to_scene": percentiles(demo.to_scene),
        "scene_to_plan": percentiles(demo.to_plan),
        "picture_to_plan": percentiles(np.add(demo.to_scene, demo.to_plan)),
    }
    report = {
        "pictures": len(demo.times),
        "planned": sum(demo.is_planned),
        "ends_reached": demo.reached,
        "least_distance": min(demo.distances),
        "milliseconds": milliseconds,
        "files": {"plot": plot_path, "animation": movie_path},
    }
    if args.json:
        print_json(report)
        return 0
    print("A UR5e plans anew in every picture of a depth camera, around a crate that moves through its way.\n")
    print(f"  pictures             {report['pictures']}, {report['planned']} with a plan, {demo.reached} ends reached")
    print(f"  least true distance  {report['least_distance']:.3f} m")
    for name, values in milliseconds.items():
        print(f"  {name.replace('_', ' '):20} {values['p50']:.1f} ms median, {values['p99']:.1f} ms in 99 of 100")
    print(f"  files                {plot_path}, {movie_path}")
    return 0


def percentiles(values: Any) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"p50": float(np.percentile(values, 50)), "p99": float(np.percentile(values, 99))}
