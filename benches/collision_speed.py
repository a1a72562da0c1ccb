"""Measures collision queries from Python and Rust beside Pinocchio's forward kinematics, in one run.

    python benches/collision_speed.py DATA

``DATA`` is the folder that ``kinetic bench mbm`` takes: sphere models and problems of MotionBenchMaker. Times of two
machines are compared by way of the first line printed: Pinocchio's Python ``forwardKinematics`` on the panda. Figures
of Rust come from ``cargo bench -p kinetic --bench collision``, which this script starts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

from kinetic import _kinetic

ROOT = Path(__file__).resolve().parent.parent
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


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data.resolve()
    reference = pinocchio_us(data)
    scale = reference / REFERENCE_US
    print(f"Pinocchio forwardKinematics, panda: {reference:.2f} us, {scale:.2f} of {REFERENCE_US} us")
    figures = from_rust(data)
    for robot in ROBOTS:
        figures[robot] |= from_python(data, robot)
    print(f"{'ns':<44}" + "".join(f"{robot:>10}{'VAMP':>8}{'ratio':>7}" for robot in ROBOTS))
    for name in figures[ROBOTS[0]]:
        line = f"{name:<44}"
        for index, robot in enumerate(ROBOTS):
            ours, peer = figures[robot][name], VAMP_NS.get(name, (None,) * 3)[index]
            line += f"{ours:>10.0f}"
            line += f"{peer * scale:>8.0f}{ours / (peer * scale):>7.2f}" if peer else " " * 15
        print(line)


if __name__ == "__main__":
    main()
