"""Compares the timing of paths by kinetic, TOPP-RA, Ruckig and roboplan in one run.

    python benches/timing_peers.py                 # prints the table
    python benches/timing_peers.py FOLDER --write  # also the paths of a folder; writes docs-site/benchmarks.md

Generated paths are seeded walks of 6 joints. A folder holds JSON files, plain or compressed with gzip, with a list
under "paths" of objects with "waypoints", "vmax", "amax" and "jmax". Every library gets an environment of its own under
``target/timing_peers``. Velocities and accelerations are finite differences of positions at 1 kHz, never what a library
says of itself, and so is jerk where a row bounds it; they see spikes shorter than a millisecond as their mean.
Computing is the processor time of one call from Python, the least of three: what else the machine does matters little.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import replace_section  # noqa: E402
from timing_peers_worker import PEERS, RATE, jerk_limits  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
FOLDER = ROOT / "target" / "timing_peers"
COUNTS = (5, 20, 50, 200)
"""Waypoints of generated paths."""
OWN = "kinetic totp"
"""The row that the others are compared with."""


def environment(distribution: str) -> str:
    """The interpreter for a library; made when it is missing."""
    if distribution == "kinetic":
        return sys.executable
    folder = FOLDER / distribution
    python = str(folder / "bin" / "python")
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy", "scipy", distribution], check=True)
        (folder / "ready").touch()
    return python


def generated(per_count: int) -> list[dict[str, Any]]:
    """Persistent random walks: each step keeps most of the direction of the last."""
    rng, paths = np.random.default_rng(0), []
    for count in COUNTS:
        for _ in range(per_count):
            q, step, rows = np.zeros(6), rng.normal(size=6), []
            for _ in range(count):
                rows.append(q.tolist())
                step = 0.7 * step + 0.3 * rng.normal(size=6)
                q = q + rng.uniform(0.5, 1.5) * (4.0 / count) * step / np.linalg.norm(step)
            limits = {"velocity": [3.0] * 3 + [4.0] * 3, "acceleration": [8.0] * 3 + [12.0] * 3}
            paths.append({"source": "generated", "waypoints": rows, "jerk": [500.0] * 6, **limits})
    return paths


def given(folder: Path) -> list[dict[str, Any]]:
    """All paths of the files of a folder."""
    paths = []
    for file in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for path in json.loads(data)["paths"]:
            limits = {"velocity": path["vmax"], "acceleration": path["amax"], "jerk": path["jmax"]}
            paths.append({"source": "given", "waypoints": path["waypoints"], **limits})
    return paths


def judged(name: str, path: dict[str, Any], answer: dict[str, Any]) -> dict[str, float]:
    """Largest part of a limit that is used and largest distance from the polyline, at 1 kHz."""
    q = np.array(answer["samples"])
    velocity = np.abs(np.diff(q, axis=0)) * RATE / np.array(path["velocity"])
    acceleration = np.abs(np.diff(q, 2, axis=0)) * RATE**2 / np.array(path["acceleration"])
    limits = jerk_limits(name, path)
    jerk = np.abs(np.diff(q, 3, axis=0)) * RATE**3 / np.array(limits or np.inf)
    return {
        "duration": answer["duration"],
        "seconds": answer["seconds"],
        "velocity": float(velocity.max(initial=0.0)),
        "acceleration": float(acceleration.max(initial=0.0)),
        "jerk": float(jerk.max(initial=0.0)) if limits else np.nan,
        "deviation": float(distances(q, np.array(path["waypoints"])).max()),
    }


def distances(points: np.ndarray, waypoints: np.ndarray) -> np.ndarray:
    """Distance of points (n, dof) from the polyline through waypoints, Euclidean."""
    best = np.full(len(points), np.inf)
    for begin, end in zip(waypoints[:-1], waypoints[1:]):
        step = end - begin
        along = np.clip((points - begin) @ step / max(step @ step, 1e-300), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(points - begin - along[:, None] * step, axis=1))
    return best


def run(name: str, paths: list[dict[str, Any]]) -> tuple[str, list[dict[str, float] | None]]:
    """Version of a library, and its verdict per path; None where it gave no trajectory."""
    files = [FOLDER / f"{kind}.json" for kind in ("job", "answer")]
    files[0].write_text(json.dumps(paths), "utf-8")
    command = [environment(PEERS[name][0]), str(ROOT / "benches" / "timing_peers_worker.py"), name, *map(str, files)]
    # What a library prints about its solver is no answer.
    subprocess.run(command, check=True, cwd=FOLDER, stderr=subprocess.DEVNULL)
    data = json.loads(files[1].read_text("utf-8"))
    for note in {answer["note"] for answer in data["answers"] if "note" in answer}:
        print(f"{name}: {note}", flush=True)
    return data["version"], [
        None if "note" in answer else judged(name, path, answer) for path, answer in zip(paths, data["answers"])
    ]


def lines_of(name: str, version: str, paths: list, own: list, found: list) -> list[str]:
    """One row per source and number of waypoints; ratios to kinetic over the paths that both timed."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for index, path in enumerate(paths):
        groups[path["source"], len(path["waypoints"])].append(index)
    lines = []
    for (source, count), indices in groups.items():
        both = [(own[index], found[index]) for index in indices if own[index] and found[index]]
        cells = [source, str(count), f"{name} {version}", f"{len(both)}/{len(indices)}"]
        if both:
            ratio = sum(peer["duration"] for _, peer in both) / sum(mine["duration"] for mine, _ in both)
            compute = statistics.median(peer["seconds"] / mine["seconds"] for mine, peer in both)
            worst = [max(peer[key] for _, peer in both) for key in ("velocity", "acceleration", "jerk", "deviation")]
            micro = 1e6 * statistics.median(peer["seconds"] for _, peer in both)
            cells += [
                f"{ratio:.3f}",
                f"{micro:.0f}",
                f"{compute:.2f}",
                *("–" if np.isnan(value) else f"{value:.4f}" for value in worst),
            ]
        else:
            cells += ["–"] * 7
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of given paths")
    parser.add_argument("--paths", type=int, default=10, help="generated paths per number of waypoints")
    parser.add_argument("--only", nargs="+", choices=PEERS, help=f"rows beside {OWN}; the page takes all rows")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    if arguments.only and arguments.write:
        parser.error("--write takes all rows")
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = generated(arguments.paths) + (given(arguments.folder) if arguments.folder else [])
    table = [
        "| paths | waypoints | law | timed | duration / totp | computing, µs | computing / totp "
        "| velocity / limit | acceleration / limit | jerk / limit | deviation, rad |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    own: list[Any] = []
    for name in [name for name in PEERS if not arguments.only or name in (OWN, *arguments.only)]:
        version, found = run(name, paths)
        own = found if name == OWN else own
        lines = lines_of(name, version, paths, own, found)
        print("\n".join(lines), flush=True)
        table += lines
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "timing_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
