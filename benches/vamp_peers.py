"""Plans of kinetic and of VAMP on the problems of MotionBenchMaker, in one run.

    python benches/vamp_peers.py --data DIR           # prints the table
    python benches/vamp_peers.py --data DIR --write   # writes docs-site/benchmarks.md
    KINETIC_SIMD=avx2 python benches/vamp_peers.py --data DIR --write   # all of each robot, with these instructions

VAMP comes from PyPI as source, compiled for this processor into an environment of its own under
``target/planning_peers``; that takes CMake, a C++ compiler, Eigen (Debian's ``libeigen3-dev``) and some minutes. It
plans for its own four robots, whose kinematics and spheres are code that is generated and compiled; kinetic reads the
same spheres at run time. Both plan against capsules in place of cylinders. The two take turns, and either plan is the
quickest of three; a seed of VAMP is a place in its Halton sequence. VAMP's time is what its own clock says about search
and simplification: it leaves out the set-up of the scene and the memory that a call takes and clears. kinetic's is that
of the whole call, with the set-up of the checker and the proof of every motion. Ratios are of geometric means over
problems and seeds that both solve.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import sys
from pathlib import Path
from typing import Any

from kinetic import _kinetic
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planning_peers import FOLDER, REPEATS, environment, lines_of  # noqa: E402

Json = dict[str, Any]
Answers = dict[tuple[str, int, int], Json]
"""By family, index and seed."""

DISTRIBUTION = "vamp-planner"
TIER = os.environ.get("KINETIC_SIMD", "")
SECTION = f"vamp_peers_{TIER}" if TIER else "vamp_peers"
HEADER = (
    "| robot | family | plans | kinetic, µs | VAMP, µs | kinetic / VAMP | lengths | solved | touching |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def own(data: Path, robot: str, seed: int) -> Answers:
    """kinetic's plans of all problems of a robot, with one seed."""
    report = json.loads(_kinetic.bench_mbm(str(data), robot, "given", "vamp", seed + 1, "auto", 10.0))
    paths = {(path["family"], path["index"]): path["path"] for path in report["paths"]}
    found: Answers = {}
    for row in (row for row in report["rows"] if row["solved"]):
        path = paths[row["family"], row["index"]]
        total = row["setup_us"] + row["total_us"]
        found[row["family"], row["index"], seed] = {"total": total, "length": row["length"], "path": path}
    return found


def others(data: Path, robot: str, seed: int) -> Answers:
    """Those of VAMP."""
    job = {"data": str(data), "robot": robot, "seed": seed}
    lines = lines_of(DISTRIBUTION, ROOT / "benches" / "vamp_peers_worker.py", job)
    return {(line["family"], line["index"], seed): line for line in lines if "total" in line}


def keep_quicker(kept: Answers, answers: Answers) -> None:
    """Takes answers that are quicker than what is kept."""
    for key, answer in answers.items():
        if key not in kept or answer["total"] < kept[key]["total"]:
            kept[key] = answer


def touching(data: Path, robot: str, answers: Answers) -> int:
    """How many paths penetrate, by the judge in NumPy."""
    entries = [{"family": key[0], "index": key[1], "path": answer["path"]} for key, answer in answers.items()]
    return len(mbm_judge.judge(str(data), robot, "vamp", entries)["touching"])


def times(answers: list[Json]) -> str:
    """Mean and median."""
    totals = [answer["total"] for answer in answers]
    return f"{statistics.mean(totals):.0f} / {statistics.median(totals):.0f}"


def row(robot: str, family: str, both: tuple[Answers, Answers], judged: str) -> str:
    """One line: a family, or all of a robot."""
    keys = [key for key in both[0] if family in ("all", key[0])]
    common = [key for key in keys if key in both[1]]
    solved = f"{len(keys)} / {sum(family in ('all', key[0]) for key in both[1])}"
    if not common:
        return f"| {robot} | {family} | 0 | – | – | – | – | {solved} | {judged} |"
    mine, other = ([answers[key] for key in common] for answers in both)
    ratio = math.exp(statistics.mean(math.log(a["total"] / b["total"]) for a, b in zip(mine, other)))
    lengths = " / ".join(f"{statistics.mean(answer['length'] for answer in answers):.2f}" for answers in (mine, other))
    cells = [robot, family, str(len(common)), times(mine), times(other), f"{ratio:.2f}", lengths, solved, judged]
    return "| " + " | ".join(cells) + " |"


def measure(data: Path, robot: str, seeds: int) -> list[str]:
    """The lines of a robot. The two take turns, so that what else the machine does meets both."""
    both: tuple[Answers, Answers] = ({}, {})
    for seed, _ in itertools.product(range(seeds), range(REPEATS)):
        keep_quicker(both[0], own(data, robot, seed))
        keep_quicker(both[1], others(data, robot, seed))
    first = [{key: answer for key, answer in answers.items() if key[2] == 0} for answers in both]
    judged = " / ".join(f"{touching(data, robot, answers)} of {len(answers)}" for answers in first)
    families = [] if TIER else sorted({key[0] for key in both[0]})
    lines = [row(robot, family, both, "") for family in families if len(families) > 1]
    return [*lines, row(robot, "all", both, judged)]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda", "ur5", "fetch", "baxter"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    environment(DISTRIBUTION)
    table = [HEADER]
    for robot in arguments.robots:
        lines = measure(arguments.data.resolve(), robot, arguments.seeds)
        print("\n".join(lines), flush=True)
        table += lines
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), SECTION, "\n".join(table)))


if __name__ == "__main__":
    main()
