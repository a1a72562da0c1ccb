"""``kinetic replay``: solves a saved problem again and compares the answers."""

from __future__ import annotations

import argparse
from typing import Any

from .. import Problem, Trajectory
from .output import add_json_flag, facts, print_json

EXAMPLES = """\
examples:
  kinetic plan ur5e --start home --goal ready --save problem.toml
  kinetic replay problem.toml
"""


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "replay",
        help="solve a saved problem again and compare the answers",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("problem", help="problem file (TOML)")
    parser.add_argument("--out", help="write the trajectory here (.json, .csv or .npz)")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Solves the problem; 1 when its answer is not the stored one."""
    if args.out is not None:
        Trajectory._format_of(args.out)
    problem = Problem.load(args.problem)
    replay = problem.replay()
    if args.out is not None:
        replay["trajectory"].save(args.out)
    figures = {key: replay[key] for key in ("same", "found", "expected")} | {"problem": problem.hash}
    if args.json:
        print_json(figures)
    else:
        print(text(problem, figures))
    return 1 if figures["same"] is False else 0


def text(problem: Problem, figures: dict[str, Any]) -> str:
    """The hashes for people."""
    verdicts = {True: "the same to the last bit", False: "different", None: "nothing stored to compare with"}
    lines = [("robot", problem.robot.name), ("problem", figures["problem"]), ("answer", figures["found"])]
    if figures["expected"] is not None:
        lines.append(("stored answer", figures["expected"]))
    return facts([*lines, ("verdict", verdicts[figures["same"]])])
