"""Measure the figures of docs-site/benchmarks.md and write them into it.

    python benches/figures.py --data DIR     # MotionBenchMaker and criterion
    python benches/figures.py                # criterion alone; the rest stays
    python benches/figures.py --data DIR --crates kinetic-scene
    python benches/figures.py --robots --crates        # loading of the built-in robots alone
    python benches/figures.py --scenes --crates        # scenes and checkers alone
    python benches/figures.py --edits --crates         # edits of scenes alone

Run it on a quiet machine, from a checkout with `make setup` done. Every number on the page comes from here.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs-site" / "benchmarks.md"
ROBOTS = ("panda", "ur5", "fetch", "baxter")
CRATES = (
    "kinetic-robot",
    "kinetic-kinematics",
    "kinetic-ik",
    "kinetic-collision",
    "kinetic-scene",
    "kinetic-planning",
    "kinetic-trajectory",
    "kinetic-dynamics",
    "kinetic-reactive",
)
# There are some hundreds of benches: a median needs no more than this.
SHORT = ("--warm-up-time", "0.3", "--measurement-time", "1", "--noplot")


def run_bench(data: str, robot: str, *options: str) -> dict:
    """Run the MotionBenchMaker command for one robot and return its report."""
    command = [sys.executable, "-m", "kinetic", "bench", "mbm", "--data", data, "--robot", robot, "--json", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def triple(values: list[float]) -> str:
    """Mean, median and 95th percentile of microseconds, as milliseconds; a dash where nothing was solved."""
    if not values:
        return "–"
    ordered = sorted(values)
    figures = (statistics.mean(ordered), statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))])
    return " / ".join(f"{figure / 1000:.2f}" for figure in figures)


def mbm_rows(data: str, robot: str) -> list[str]:
    """One row per family and one for all of a robot."""
    report = run_bench(data, robot)
    families = sorted({row["family"] for row in report["rows"]})
    rows = []
    for family in [*families, "all"]:
        mine = [row for row in report["rows"] if family in ("all", row["family"])]
        solved = [row for row in mine if row["solved"]]
        valid = sum(row["valid"] for row in mine)
        cells = [robot, family, str(valid), str(len(solved))]
        cells += [triple([row[key] for row in solved]) for key in ("plan_us", "simplify_us", "verify_us", "total_us")]
        lengths = [[row[key] for row in solved] for key in ("length_raw", "length")]
        cells += [f"{statistics.mean(values):.2f}" if values else "–" for values in lengths]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def mbm_section(data: str) -> str:
    """The table of all robots."""
    lines = [
        "| robot | family | valid | solved | search, ms | simplification, ms | proof, ms | total, ms | raw | length |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for robot in ROBOTS:
        if (Path(data) / "problems" / robot).is_dir():
            lines += mbm_rows(data, robot)
    lines += [
        "",
        "Times are mean / median / 95th percentile over solved problems; lengths are means, in rad. What is worked out",
        "once per robot and process is worked out before: *first checker of a process* under",
        "[scenes and checkers](#scenes-and-checkers).",
    ]
    return "\n".join(lines)


def criterion_section(crate: str) -> str:
    """Run the criterion benches of a crate and tabulate their medians."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    results = target / "criterion-figures" / crate
    # Benches that are gone would stay in the table.
    shutil.rmtree(results, ignore_errors=True)
    command = ["cargo", "bench", "--profile", "release", "-p", crate, "--bench", "*", "--", *SHORT]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "CRITERION_HOME": str(results)})
    lines = ["| bench | median |", "|---|---|"]
    for file in sorted(results.glob("**/new/estimates.json")):
        name = json.loads((file.parent / "benchmark.json").read_text())["full_id"]
        nanoseconds = json.loads(file.read_text())["median"]["point_estimate"]
        lines.append(f"| `{name}` | {readable(nanoseconds)} |")
    return "\n".join(lines)


def robots_section() -> str:
    """Load time and memory of every built-in robot, alone and with what collision checks need."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "kinetic", "--example", "loaded_robots"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    lines = ["| robot | links | load | memory | scene | memory |", "|---|---|---|---|---|---|"]
    for line in done.stdout.splitlines():
        row = json.loads(line)
        cells = [row["robot"], str(row["links"])]
        for part in ("robot", "scene"):
            cells += [readable(row[f"{part}_ns"]), f"{row[f'{part}_bytes'] / 1024:.0f} KiB"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def scenes_section() -> str:
    """What scenes and checkers cost: time and memory by what they hold."""
    command = ["cargo", "bench", "--quiet", "--profile", "release", "-p", "kinetic-scene", "--bench", "tiers"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    lines = ["| what | time | kept |", "|---|---|---|"]
    for line in done.stdout.splitlines():
        if row := re.fullmatch(r"(.*\S) +(\d+) ns(?: +(\d+) B)?", line):
            lines.append(f"| {row[1]} | {readable(float(row[2]))} | {size(int(row[3])) if row[3] else ''} |")
    return "\n".join(lines)


EDITS = {
    "clone of a scene": "clone",
    "`update_pose`": "update_pose/alone",
    "`update_pose`, a clone in use": "update_pose/clone_in_use",
    "`update_pose` and one check": "update_pose_and_check/alone",
    "`update_pose` and one check, a clone in use": "update_pose_and_check/clone_in_use",
    "snapshot of a live scene": "live/snapshot",
    "`update_pose` of a live scene": "live/update_pose",
    "the same and one check, the last snapshot in use": "live/update_pose_and_check",
}
"""What the bench of edits measures, and what it calls that."""


def edits_section() -> str:
    """What edits of a scene cost, by the number of objects."""
    command = ["cargo", "bench", "--profile", "release", "-p", "kinetic-scene", "--bench", "editing", "--", *SHORT]
    subprocess.run(command, check=True, cwd=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    medians = {}
    for file in target.glob("criterion/edits*/**/new/estimates.json"):
        name = json.loads((file.parent / "benchmark.json").read_text())["full_id"]
        medians[name] = json.loads(file.read_text())["median"]["point_estimate"]
    counts = (10, 1_000, 10_000)
    lines = ["| objects | " + " | ".join(f"{count:,}" for count in counts) + " |", "|---|" + "---|" * len(counts)]
    for what, name in EDITS.items():
        cells = [readable(medians[f"edits/{count}_objects/{name}"]) for count in counts]
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def size(count: int) -> str:
    """Bytes with the unit that fits."""
    for unit, one in (("MiB", 1024**2), ("KiB", 1024)):
        if count >= one:
            return f"{count / one:.3g} {unit}"
    return f"{count} B"


def readable(nanoseconds: float) -> str:
    """Three digits with the unit that fits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def machine() -> str:
    """Processor name and number of cores."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = re.findall(r"model name\s*: (.*)", info)
    return f"{names[0] if names else 'unknown processor'}, {len(names)} cores"


def replace_section(page: str, name: str, content: str) -> str:
    """Put content between the markers of a section."""
    stamp = f"{machine()}, {datetime.date.today().isoformat()}."
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE} has no markers for {name}")
    return pattern.sub(lambda _: f"{begin}\n{stamp}\n\n{content}\n{end}", page)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of MotionBenchMaker problems and models")
    parser.add_argument(
        "--crates", nargs="*", default=CRATES, help="crates whose criterion benches run; none: no table"
    )
    parser.add_argument("--robots", action="store_true", help="measure the loading of the built-in robots")
    parser.add_argument("--scenes", action="store_true", help="measure scenes and checkers by what they hold")
    parser.add_argument("--edits", action="store_true", help="measure edits of scenes")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    if arguments.data:
        page = replace_section(page, "mbm", mbm_section(arguments.data))
    if arguments.robots:
        page = replace_section(page, "robots", robots_section())
    if arguments.scenes:
        page = replace_section(page, "scenes", scenes_section())
    if arguments.edits:
        page = replace_section(page, "edits", edits_section())
    for crate in arguments.crates:
        page = replace_section(page, crate, criterion_section(crate))
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
