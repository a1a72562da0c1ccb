"""Measures collision queries on sphere models from Python and Rust.

    python benches/collision_speed.py DATA             # prints the table
    python benches/collision_speed.py DATA --write     # writes it into docs-site/benchmarks.md

``DATA`` is the folder that ``kinetic bench mbm`` takes: sphere models and problems of MotionBenchMaker. Figures of Rust
come from ``cargo bench -p kinetic --bench collision``, which this script starts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import _kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402

ROBOTS = ("panda", "ur5", "fetch")
ROUNDS = 30
CASES = 512
BATCH = 10_000


def best(query: Callable[[Any], object], cases: Sequence[Any]) -> float:
    """Best mean time per case over all rounds, ns."""
    least = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for case in cases:
            query(case)
        least = min(least, time.perf_counter() - begin)
    return least * 1e9 / len(cases)


def from_python(data: Path, robot: str) -> dict[str, float]:
    """Queries of a scene from Python."""
    scene, lower, upper = _kinetic._bench_scene(data, robot, "bookshelf_small", 1, "vamp")
    rng = np.random.default_rng(0)
    configurations = rng.uniform(lower, upper, (20 * BATCH, len(lower)))
    free = configurations[scene.are_free(configurations)]
    many = np.resize(free, (BATCH, len(lower)))
    one = [np.ascontiguousarray(q) for q in free[:CASES]]
    return {
        "one configuration from Python": best(scene.check_collision, one),
        "batch of 10,000 from Python, each": best(scene.are_free, [many]) / BATCH,
    }


def from_rust(data: Path) -> dict[str, dict[str, float]]:
    """What the bench of Rust prints."""
    command = ["cargo", "bench", "-q", "-p", "kinetic", "--bench", "collision", "--", str(data), "--json"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def table(figures: dict[str, dict[str, float]]) -> list[str]:
    """One row per figure."""
    lines = ["| ns | " + " | ".join(ROBOTS) + " |", "|---" * (1 + len(ROBOTS)) + "|"]
    for name in figures[ROBOTS[0]]:
        lines.append("| " + " | ".join([name, *(f"{figures[robot][name]:.0f}" for robot in ROBOTS)]) + " |")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    data = arguments.data.resolve()
    figures = from_rust(data)
    for robot in ROBOTS:
        figures[robot] |= from_python(data, robot)
    lines = table(figures)
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "collision_speed", "\n".join(lines)))


if __name__ == "__main__":
    main()
