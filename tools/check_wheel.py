"""Checks that the wheel works alone: built, installed into an empty environment, used from another folder.

Also prints its size, and how long `import kinetic` takes there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

# What a download may weigh, bytes.
MAX_SIZE = 30_000_000
ROBOT_LINE = "import kinetic; r = kinetic.Robot('ur5e'); print(f'{r.name}: {r.dof} DOF')"
ROBOT_ANSWER = "ur5e: 6 DOF"
# The best of a few: an import is slowed down by anything else that runs, never sped up.
IMPORT_RUNS = 5
IMPORT_LINE = "import time; start = time.perf_counter(); import kinetic; print(time.perf_counter() - start)"


def build(folder: Path) -> Path:
    """Builds the wheel into ``folder``; the extension itself has been compiled by then."""
    options = ["--release", "--interpreter", sys.executable, "--quiet", "--out", str(folder)]
    subprocess.run([str(BIN / "maturin"), "build", *options], cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def wheel_complaints(name: str, size: int, files: list[str], metadata: str) -> list[str]:
    """What is wrong with a wheel of this file name, size (bytes), content and METADATA text."""
    complaints = []
    if "-cp39-abi3-" not in name:
        complaints.append(f"{name} is not for the stable ABI of CPython 3.9 and later")
    if size > MAX_SIZE:
        complaints.append(f"{name} has {size} bytes, more than {MAX_SIZE}")
    for wanted in ("kinetic/py.typed", "kinetic/_kinetic.pyi", "kinetic/exceptions.py"):
        if wanted not in files:
            complaints.append(f"{wanted} is missing")
    if not any(file.endswith("LICENSE") for file in files):
        complaints.append("LICENSE is missing")
    needed = {re.split(r"[^A-Za-z0-9_-]", line.split(": ", 1)[1])[0] for line in required(metadata)}
    if needed != {"numpy"}:
        complaints.append(f"needs {sorted(needed)}, wanted numpy alone")
    return complaints


def required(metadata: str) -> list[str]:
    """The lines that name what a plain install needs; extras are left out."""
    return [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ") and "extra ==" not in line]


def try_out(wheel: Path, folder: Path) -> tuple[str, float]:
    """What the robot line prints where nothing but the wheel is installed, and the import time there, s."""
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], cwd=folder, check=True)

    def ask(line: str) -> str:
        return subprocess.run([python, "-c", line], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout

    return ask(ROBOT_LINE).strip(), min(float(ask(IMPORT_LINE)) for _ in range(IMPORT_RUNS))


def main() -> int:
    """Prints every complaint; 1 when there is one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        with zipfile.ZipFile(wheel) as archive:
            files = archive.namelist()
            (metadata,) = (archive.read(file).decode() for file in files if file.endswith(".dist-info/METADATA"))
        size = wheel.stat().st_size
        complaints = wheel_complaints(wheel.name, size, files, metadata)
        answer, import_time = try_out(wheel, folder)
    if answer != ROBOT_ANSWER:
        complaints.append(f"printed {answer!r}, wanted {ROBOT_ANSWER!r}")
    for complaint in complaints:
        print(f"check_wheel: {complaint}", file=sys.stderr)
    print(f"{wheel.name}: {size / 1e6:.1f} MB, import {import_time * 1e3:.0f} ms, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
