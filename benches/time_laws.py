"""Compares the time laws of kinetic with each other: which is faster, by how much, and what each costs.

    python benches/time_laws.py            # prints the table
    python benches/time_laws.py --write    # also writes it into docs-site/benchmarks.md

Paths are seeded, of 2 to 14 joints with limits of their own; corners stay within 0.01 rad. ``sharp`` paths turn
anywhere at every waypoint, ``walks`` keep most of their direction, ``noisy`` ones are sines with noise of 0.004 rad.
The columns say the least and the mean ratio of durations over all paths of a row: no law with fewer limits should be
slower than one with more, and no corner slower than a stop. Jerk limits are 10, 100 and 1000 times those of
acceleration (a). Computing is the processor time of one call from Python, the least of three, as median and worst.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import replace_section  # noqa: E402

from kinetic import Trajectory  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
ROWS = (("sharp", 5), ("sharp", 20), ("sharp", 50), ("sharp", 200))
ROWS += (("walks", 20), ("walks", 50), ("walks", 200), ("noisy", 200))
JERKS = (10, 100, 1000)
DEVIATION = 0.01
REPEATS = 3


def waypoints_of(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Waypoints of a path, one per row."""
    dof = int(rng.integers(2, 15))
    if kind == "sharp":
        return np.cumsum(rng.uniform(-0.5, 0.5, (count, dof)), axis=0)
    if kind == "noisy":
        sines = np.sin(np.linspace(0.0, 1.0, count)[:, None] * rng.uniform(0.5, 9.0, dof))
        return sines + rng.uniform(-0.004, 0.004, (count, dof))
    q, step, rows = np.zeros(dof), rng.normal(size=dof), []
    for _ in range(count):
        rows.append(q)
        step = 0.7 * step + 0.3 * rng.normal(size=dof)
        q = q + rng.uniform(0.5, 1.5) * (4.0 / count) * step / np.linalg.norm(step)
    return np.array(rows)


def timed(path: Trajectory, law: str, *limits: np.ndarray, max_deviation: float = DEVIATION) -> tuple[float, float]:
    """Duration of the motion, and processor time of a call, µs."""
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        motion = path.time_parameterize(law, *limits, max_deviation=max_deviation)
        seconds.append(time.process_time() - begin)
    return motion.duration, 1e6 * min(seconds)


def row_of(kind: str, count: int, paths: int) -> str:
    """One row of the table."""
    ratios: dict[str, list[float]] = {name: [] for name in ("trapezoidal", *map(str, JERKS), "stops")}
    computing: dict[str, list[float]] = {"totp": [], "jerk": []}
    for seed in range(paths):
        rng = np.random.default_rng(seed)
        path = Trajectory.from_waypoints(waypoints_of(kind, count, rng))
        velocity, acceleration = rng.uniform(0.5, 5.0, path.dof), rng.uniform(1.0, 20.0, path.dof)
        optimal, micro = timed(path, "totp", velocity, acceleration)
        computing["totp"].append(micro)
        ratios["trapezoidal"].append(timed(path, "trapezoidal", velocity, acceleration)[0] / optimal)
        for factor in JERKS:
            limits = velocity, acceleration, factor * acceleration
            rounded, micro = timed(path, "jerk_limited", *limits)
            computing["jerk"].append(micro)
            ratios[str(factor)].append(rounded / optimal)
            ratios["stops"].append(timed(path, "jerk_limited", *limits, max_deviation=0.0)[0] / rounded)
    cells = [f"{min(values):.4f} / {statistics.mean(values):.3f}" for values in ratios.values()]
    cells += [f"{statistics.median(values):.0f} / {max(values):.0f}" for values in computing.values()]
    return f"| {kind} | {count} | {paths} | " + " | ".join(cells) + " |"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", type=int, default=40, help="paths per row")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    table = [
        "| paths | waypoints | number | trapezoidal / totp | jerk-limited, 10 a / totp | 100 a | 1000 a "
        "| stops / jerk-limited | totp, µs | jerk-limited, µs |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, count in ROWS:
        table.append(row_of(kind, count, arguments.paths))
        print(table[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "time_laws", "\n".join(table)))


if __name__ == "__main__":
    main()
