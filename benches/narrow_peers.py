"""Compares the questions that kinetic's and OMPL's RRT-Connect ask in narrow passages; no clock is involved.

    python benches/narrow_peers.py [--seeds 40] [--write]      # with --write into docs-site/benchmarks.md

The worlds are boxes in joint space, whose answers are in closed form. kinetic's counts come from the Rust bench
``narrow``, OMPL's from an environment of its own, with its default range and with kinetic's. A question is about a
configuration or a whole motion.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KINETIC_RANGE = 1.0
LIMIT = 300_000
"""Questions after which OMPL is stopped."""


def main() -> None:
    """Prints the table, or as OMPL's worker its questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--write", action="store_true", help="put the table into docs-site/benchmarks.md")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        json.dump(worker(json.load(sys.stdin), arguments.seeds), sys.stdout)
        return
    command = ["cargo", "bench", "-q", "-p", "kinetic-planning", "--bench", "narrow", "--"]
    said = subprocess.run(
        [*command, "--seeds", str(arguments.seeds), "--json"], check=True, capture_output=True, cwd=ROOT
    )
    worlds = json.loads(said.stdout)
    from figures import PAGE, replace_section
    from planning_peers import environment

    peer = [environment("ompl"), __file__, "--worker", "--seeds", str(arguments.seeds)]
    said = subprocess.run(peer, input=json.dumps(worlds).encode(), check=True, stdout=subprocess.PIPE)
    rows = table(worlds, json.loads(said.stdout))
    print(rows)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "narrow_peers", rows))


def table(worlds: list[dict[str, Any]], peers: list[list[list[int]]]) -> str:
    """Questions: median, nine of ten, most."""
    lines = ["| world | kinetic | OMPL, its range | OMPL, range 1 |", "|---|---|---|---|"]
    for world, counts in zip(worlds, peers):
        cells = [world["name"], *(quantiles(sorted(row)) for row in [world["questions"], *counts])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def quantiles(counts: list[int]) -> str:
    """Median, nine of ten, most."""
    return " / ".join(f"{counts[int((len(counts) - 1) * part)]:,}" for part in (0.5, 0.9, 1.0))


def worker(worlds: list[dict[str, Any]], seeds: int) -> list[list[list[int]]]:
    """OMPL's questions per world, for both ranges, seed by seed."""
    from ompl import util

    util.setLogLevel(util.LOG_NONE)
    return [
        [[questions(world, reach, seed) for seed in range(seeds)] for reach in (None, KINETIC_RANGE)]
        for world in worlds
    ]


def questions(world: dict[str, Any], reach: float | None, seed: int) -> int:
    """How many questions one search asks."""
    from ompl import base as ob
    from ompl import geometric as og
    from ompl import util

    util.RNG.setSeed(seed + 1)
    dof, asked = len(world["start"]), 0
    space, bounds = ob.RealVectorStateSpace(dof), ob.RealVectorBounds(dof)
    bounds.setLow(-world["half"])
    bounds.setHigh(world["half"])
    space.setBounds(bounds)

    def is_free(first: Any, last: Any) -> bool:
        nonlocal asked
        asked += 1
        ends = [[state[joint] for joint in range(dof)] for state in (first, last)]
        return not any(meets(*ends, low, high) for low, high in world["boxes"])

    class Motions(ob.MotionValidator):  # type: ignore[misc]
        """Motions in closed form."""

        def checkMotion(self, first: Any, last: Any, _valid: Any = None) -> bool:  # noqa: N802
            return is_free(first, last)

    setup = og.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: is_free(state, state))
    information = setup.getSpaceInformation()
    motions = Motions(information)
    information.setMotionValidator(motions)
    ends = [space.allocState() for _ in range(2)]
    for state, values in zip(ends, (world["start"], world["goal"])):
        for joint in range(dof):
            state[joint] = values[joint]
    setup.setStartAndGoalStates(*ends)
    planner = og.RRTConnect(information)
    if reach is not None:
        planner.setRange(reach)
    setup.setPlanner(planner)
    setup.solve(ob.PlannerTerminationCondition(lambda: asked > LIMIT))
    return asked


def meets(first: list[float], last: list[float], low: list[float], high: list[float]) -> bool:
    """Whether a segment meets a box."""
    begin, end = 0.0, 1.0
    for here, there, least, most in zip(first, last, low, high):
        step = there - here
        if step == 0.0:
            if not least <= here <= most:
                return False
            continue
        entry, exit_ = sorted(((least - here) / step, (most - here) / step))
        begin, end = max(begin, entry), min(end, exit_)
    return begin <= end


if __name__ == "__main__":
    main()
