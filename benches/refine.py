"""What `refine="trajopt"` makes of timed motions: how long they take, over a lower bound, and what it costs.

    python benches/refine.py --data DIR             # prints the table
    python benches/refine.py --data DIR --write     # and writes it into docs-site/benchmarks.md

The problems are those of MotionBenchMaker around built-in robots, where both ends are free; seed 0, without margins,
the robot's limits and, with `jerk_limited`, 500 rad/s³ (or m/s³) where it has none of jerk. The bound is the time that
the slowest joint takes from end to end, from rest to rest, under the limits of velocity and acceleration alone,
whatever is in the way. Milliseconds are those of the refinement alone, as `last_stats` states them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Planner, PlanningError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planners import model_of, problems  # noqa: E402

JERK = 500.0
HEADER = (
    "| robot | time law | motions | over the bound, median | 90 % | refined, median | 90 % | shorter |"
    " ms, median | 90 % |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def bound(way: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> float:
    """The least time of the slowest joint, s."""
    ramps = 2.0 * np.sqrt(way / acceleration)
    full = way / velocity + velocity / acceleration
    return float(np.max(np.where(way > velocity**2 / acceleration, full, ramps)))


def line(robot: str, law: str, cases: list[tuple[Any, Any, Any]]) -> str:
    """A row of the table."""
    model = model_of(robot)
    own = Planner(model).limits
    velocity, acceleration = np.asarray(own["velocity"]), np.asarray(own["acceleration"])
    limits: dict[str, Any] = {}
    if law == "jerk_limited" and own["jerk"] is None:
        limits["jerk_limits"] = [JERK] * len(velocity)
    before, after, times = [], [], []
    for scene, start, goal in cases:
        planner = Planner(model, scene, collision_margin=0.0, timeout=1.0, rng_seed=0, refine="trajopt", **limits)
        try:
            duration = planner.plan(start, goal, time_parameterize=law).duration
        except PlanningError:
            continue
        least = bound(np.abs(np.subtract(goal, start)), velocity, acceleration)
        before.append((planner.last_stats["unrefined_duration"] or duration) / least)
        after.append(duration / least)
        times.append(1e3 * planner.last_stats["refinement_time"])
    shares = [f"{np.percentile(ratios, part):.3f}" for ratios in (before, after) for part in (50, 90)]
    shorter = 100.0 * np.mean(np.less(after, before))
    cost = f"{np.percentile(times, 50):.1f} | {np.percentile(times, 90):.1f}"
    return f"| {robot} | `{law}` | {len(times)} | " + " | ".join(shares) + f" | {shorter:.0f} % | {cost} |"


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda", "ur5", "fetch"], help="only these")
    parser.add_argument("--every", type=int, default=8, help="every so many problems of a family (default 8)")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    lines = [HEADER]
    for robot in arguments.robots:
        cases = problems(arguments.data, robot, arguments.every)
        for law in ("totp", "jerk_limited"):
            lines.append(line(robot, law, cases))
            print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "refine", "\n".join(lines)))


if __name__ == "__main__":
    main()
