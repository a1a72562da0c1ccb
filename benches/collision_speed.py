"""Measures collision queries from Python and Rust beside Pinocchio's forward kinematics, in one run.

    python benches/collision_speed.py DATA             # prints the table
    python benches/collision_speed.py DATA --write     # writes it into docs-site/benchmarks.md

``DATA`` is the folder that ``kinetic bench mbm`` takes: sphere models and problems of MotionBenchMaker. Times of two
machines are compared by way of the first line printed: Pinocchio's Python ``forwardKinematics`` on the panda. Figures
of Rust come from ``cargo bench -p kinetic --bench collision``, which this script starts.
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
import pinocchio

from kinetic import _kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402

ROBOTS = ("panda", "ur5", "fetch")
REFERENCE_US = 0.41
"""What Pinocchio took on the machine of the published figures that these are compared with."""
VAMP_NS = {
    "8 valid configurations": (749, 527, 685),
    "valid 1-rad edge, sampled": (2170, 1268, 1530),
    "the same edge, proven": (2170, 1268, 1530),
    "one valid configuration": (581, 294, 338),
    "one configuration from Python": (1224, 948, 1380),
}
"""VAMP 0.6.4 for panda, ur5 and fetch in the same scene; of the proven edge, its time for the sampled one."""
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


def pinocchio_us(data: Path) -> float:
    """Time of one forward kinematics of the panda."""
    model = pinocchio.buildModelFromUrdf(str(data / "models" / "panda" / "panda_spherized.urdf"))
    state, q = model.createData(), pinocchio.neutral(model)
    return best(lambda q: pinocchio.forwardKinematics(model, state, q), [q] * 2000) / 1e3


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


def table(figures: dict[str, dict[str, float]], scale: float) -> list[str]:
    """One row per figure; behind each robot's the peer's, scaled to this machine, and the ratio."""
    lines = ["| ns | " + " | ".join(f"{robot} | VAMP | ratio" for robot in ROBOTS) + " |", "|---" * 10 + "|"]
    for name in figures[ROBOTS[0]]:
        cells = [name]
        for index, robot in enumerate(ROBOTS):
            ours, peer = figures[robot][name], VAMP_NS.get(name, (None,) * 3)[index]
            cells += [f"{ours:.0f}"]
            cells += [f"{peer * scale:.0f}", f"{ours / (peer * scale):.2f}"] if peer else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    data = arguments.data.resolve()
    reference = pinocchio_us(data)
    figures = from_rust(data)
    for robot in ROBOTS:
        figures[robot] |= from_python(data, robot)
    lines = [
        f"Pinocchio's `forwardKinematics` of the panda takes {reference:.2f} µs from Python; where VAMP ran it "
        f"took {REFERENCE_US} µs, and VAMP's times are scaled by that.",
        "",
        *table(figures, reference / REFERENCE_US),
    ]
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "collision_speed", "\n".join(lines)))


if __name__ == "__main__":
    main()
