"""How `Planner.plan_batch` grows with threads.

    python benches/batch_scaling.py --data DIR            # prints the table
    python benches/batch_scaling.py --data DIR --write    # and writes it into docs-site/benchmarks.md

Problems of MotionBenchMaker, each in its scene, planned and timed in one call with one thread and with one per core, in
turns. Beside that stand as many processes as there are cores, each with all of the problems on one thread: what the
machine gives to programs that share nothing but its memory. The slowest plan bounds what more cores bring: a batch
takes no less time than it. Plans are of one seed, so that the slowest is the same in all rounds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from kinetic import KineticError, Planner

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import PAGE, replace_section  # noqa: E402
from planners import model_of, problems  # noqa: E402

ROBOTS = ("panda", "ur5")
ROUNDS = 9
HEADER = (
    "| robot | plans | plans/s, 1 thread | plans/s, {cores} threads | ratio | {cores} processes, ratio | "
    "slowest plan, part of all |\n|---|---|---|---|---|---|---|"
)


class Batch:
    """A planner and what it is asked for."""

    def __init__(self, data: str, robot: str, every: int) -> None:
        cases = problems(data, robot, every)
        self.scenes: list[Any] = [scene for scene, _, _ in cases]
        self.starts, self.goals = [start for _, start, _ in cases], [goal for _, _, goal in cases]
        self.planner = Planner(model_of(robot), self.scenes[0], collision_margin=0.0, timeout=10.0)

    def seconds(self, threads: int) -> float:
        """What all plans take."""
        began = time.perf_counter()
        found = self.planner.plan_batch(self.starts, self.goals, threads, scenes=self.scenes)
        taken = time.perf_counter() - began
        if any(isinstance(plan, KineticError) for plan in found):
            raise SystemExit("a problem has no plan; its time-out would be measured")
        return taken

    def slowest(self) -> float:
        """What the slowest plan takes, the quickest of its calls."""
        cases = list(zip(self.scenes, self.starts, self.goals))
        calls = [[self._seconds_of_one(*case) for case in cases] for _ in range(ROUNDS)]
        return max(min(times) for times in zip(*calls))

    def _seconds_of_one(self, scene: Any, start: Any, goal: Any) -> float:
        began = time.perf_counter()
        self.planner.plan_batch([start], [goal], 1, scenes=[scene])
        return time.perf_counter() - began


def worker(batch: Batch) -> None:
    """Says that it is ready, waits for a line, and prints the seconds of the whole batch."""
    batch.seconds(1)
    print("ready", flush=True)
    sys.stdin.readline()
    print(batch.seconds(1), flush=True)


def beside_each_other(options: list[str], cores: int) -> float:
    """The mean of the seconds that processes take which begin together."""
    command = [sys.executable, str(Path(__file__)), *options]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(cores)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    taken = []
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        taken.append(float(process.communicate()[0]))
    return statistics.mean(taken)


def line(data: str, robot: str, every: int, cores: int) -> str:
    """A row of the table."""
    batch = Batch(data, robot, every)
    batch.seconds(cores)
    options = ["--data", data, "--every", str(every), "--worker", robot]
    # In turns, and ratios within a round: the speed of a machine drifts.
    rounds = [(batch.seconds(1), batch.seconds(cores), beside_each_other(options, cores)) for _ in range(ROUNDS)]
    count, (alone, together, _) = len(batch.starts), (statistics.median(times) for times in zip(*rounds))
    threads = statistics.median(one / all_cores for one, all_cores, _ in rounds)
    processes = statistics.median(cores * one / beside for one, _, beside in rounds)
    cells = (f"{count / alone:,.0f}", f"{count / together:,.0f}", f"{threads:.2f}", f"{processes:.2f}")
    bounds = (f"{100.0 * batch.slowest() / alone:.1f} %",)
    return "| " + " | ".join((robot, str(count), *cells, *bounds)) + " |"


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--every", type=int, default=4, help="every so many problems of a family (default 4)")
    parser.add_argument("--worker", choices=ROBOTS, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    if arguments.worker:
        worker(Batch(arguments.data, arguments.worker, arguments.every))
        return
    cores = os.cpu_count() or 1
    lines = [HEADER.format(cores=cores)]
    lines += [line(arguments.data, robot, arguments.every, cores) for robot in ROBOTS]
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "batch_scaling", "\n".join(lines)))


if __name__ == "__main__":
    main()
