"""How late commands of RealTimeExecutor are begun, and what a cycle costs; written into docs-site/execution.md.

The histograms go into docs-site/assets/jitter.png.

    python benches/execution_jitter.py                  # 20 s per row, about six minutes
    python benches/execution_jitter.py --seconds 2 --dry-run

At 500 Hz and 1 kHz, from Rust and from Python, with and without a real-time priority, on an idle machine and beside one
busy process per core, which the script starts. Run it on a quiet machine, from a checkout with `make setup` done.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from figures import ROOT, readable, replace_section

PAGE = ROOT / "docs-site" / "execution.md"
RATES = (500, 1000)
PRIORITY = 80
JOINTS = 6
SPEED, ACCELERATION = 0.1, 1.0
PICTURE = ROOT / "docs-site" / "assets" / "jitter.png"
LATEST = 0.1
"""Right end of the histograms, s."""
COLOURS = {(False, False): "C0", (False, True): "C2", (True, False): "C1", (True, True): "C3"}
STRIDE = 256
"""As in crates/kinetic-execution/examples/jitter.rs."""


def measure_here(rate: float, seconds: float, priority: int, busy_thread: bool) -> dict:
    """One execution from this Python, of the same motion as the Rust example."""
    from kinetic import RealTimeExecutor, Trajectory

    distance = SPEED * (seconds - SPEED / ACCELERATION)
    path = Trajectory.from_waypoints([[0.0] * JOINTS, [distance] * JOINTS])
    motion = path.time_parameterize("trapezoidal", SPEED, ACCELERATION)
    readings: list[float] = []
    count = 0

    def send(_positions: object, _velocities: object) -> None:
        nonlocal count
        if count % STRIDE == 0:
            readings.append(time.thread_time())
        count += 1

    ended = threading.Event()

    def keep_busy() -> None:
        while not ended.is_set():
            sum(range(1000))

    if busy_thread:
        threading.Thread(target=keep_busy, daemon=True).start()
    executor = RealTimeExecutor(rate, real_time_priority=priority or None, allow_unverified=True)
    result = executor.execute(motion, send)
    ended.set()
    figures = {name: result["jitter"][name] for name in ("p50", "p99", "p999", "max")}
    figures |= {name: result["jitter"][name].tolist() for name in ("edges", "counts")}
    per_cycle = (readings[-1] - readings[0]) / (STRIDE * max(1, len(readings) - 1))
    fifo = result["realtime"]["scheduling"] == "fifo"
    return figures | {"missed": result["missed_cycles"], "per_cycle": per_cycle, "fifo": fifo}


def measure(language: str, rate: int, seconds: float, priority: int) -> dict:
    """One execution in a process of its own."""
    command = [str(rate), str(seconds), str(priority)]
    if language == "Rust":
        command = [
            "cargo",
            "run",
            "--quiet",
            "--release",
            "-p",
            "kinetic-execution",
            "--example",
            "jitter",
            "--",
            *command,
        ]
    else:
        busy = ["--busy-thread"] if "busy" in language else []
        command = [sys.executable, __file__, *busy, "--worker", *command]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return wanted_bins(json.loads(done.stdout))


@contextmanager
def load(is_loaded: bool) -> Iterator[None]:
    """One busy process per core."""
    count = os.cpu_count() or 1 if is_loaded else 0
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def rows(seconds: float) -> tuple[list[str], dict]:
    """All conditions: the lines of the table, and by condition what was found."""
    lines, all_found = [], {}
    for rate in RATES:
        for language in ("Rust", "Python", "Python, a busy thread beside it"):
            for is_loaded in (False, True):
                for priority in (0, PRIORITY):
                    with load(is_loaded):
                        found = measure(language, rate, seconds, priority)
                    lines.append(row(rate, language, is_loaded, priority, found))
                    print(lines[-1], flush=True)
                    all_found[rate, language, is_loaded, priority] = found
    return lines, all_found


def draw(all_found: dict) -> None:
    """Histograms of both rates, from Rust and from Python, on an idle and on a busy machine."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(10, 6), sharex=True, sharey=True, layout="constrained")
    for line, rate in zip(panels, RATES):
        for panel, language in zip(line, ("Rust", "Python")):
            for is_loaded in (False, True):
                for priority in (0, PRIORITY):
                    found = all_found[rate, language, is_loaded, priority]
                    counts, edges = np.array(found["counts"], dtype=float), 1e6 * np.array(found["edges"])
                    name = f"{'busy' if is_loaded else 'idle'}{', real time' if priority else ''}"
                    edges[0] = 0.5 * edges[1]
                    panel.stairs(counts / counts.sum(), edges, label=name, color=COLOURS[is_loaded, priority > 0])
            panel.set(xscale="log", yscale="log", title=f"{language}, {rate} Hz", xlim=(1, 1e5), ylim=(1e-5, 1))
            panel.grid(alpha=0.3)
    figure.supxlabel("lateness of a command, µs")
    figure.supylabel("part of the commands")
    panels[0, 1].legend(loc="upper right", fontsize="small")
    figure.savefig(PICTURE, dpi=110)


def wanted_bins(found: dict) -> dict:
    """What was measured without the bins at the end in which nothing lies, the open one among them."""
    last = int(np.nonzero(found["counts"])[0].max())
    edges = [min(edge, LATEST) for edge in found["edges"][: last + 2]]
    return found | {"counts": found["counts"][: last + 1], "edges": edges}


def row(rate: int, language: str, is_loaded: bool, priority: int, found: dict) -> str:
    """One line of the table."""
    granted = "no" if not priority else "yes" if found["fifo"] else "refused"
    times = [readable(1e9 * found[name]) for name in ("p50", "p99", "p999", "max")]
    cells = [f"{rate} Hz", language, "busy" if is_loaded else "idle", granted]
    return "| " + " | ".join([*cells, *times, str(found["missed"]), readable(1e9 * found["per_cycle"])]) + " |"


def section(seconds: float, lines_of_table: list[str]) -> str:
    """The table, and what it is of."""
    head = "| rate | from | machine | real time | p50 | p99 | p99.9 | largest | left out | per cycle |"
    lines = [
        f"{platform.system()} {platform.release()} ({platform.version()}), {seconds:g} s per row, {JOINTS} joints.",
        "",
        head,
        "|" + "---|" * (head.count("|") - 1),
        *lines_of_table,
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="duration of each execution")
    parser.add_argument("--dry-run", action="store_true", help="print the table and leave the page as it is")
    parser.add_argument("--worker", nargs=3, type=float, metavar=("HZ", "S", "PRIORITY"), help=argparse.SUPPRESS)
    parser.add_argument("--busy-thread", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        rate, seconds, priority = arguments.worker
        print(json.dumps(measure_here(rate, seconds, int(priority), arguments.busy_thread)))
        return
    lines, all_found = rows(arguments.seconds)
    content = section(arguments.seconds, lines)
    if not arguments.dry_run:
        draw(all_found)
        PAGE.write_text(replace_section(PAGE.read_text(), "jitter", content))


if __name__ == "__main__":
    main()
