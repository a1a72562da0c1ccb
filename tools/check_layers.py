"""Checks that crates use lower layers only, that ARCHITECTURE.md shows the same layers, that files form no circles,
that private types of a crate have names of their own, and that a constant's name has one value in a crate.

The table below is the one place that decides. Run from anywhere: ``python tools/check_layers.py``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from module_circles import Crate
from type_names import constants_of_several_values, shared_names

ROOT = Path(__file__).resolve().parent.parent

# From the bottom up. A crate uses crates of lower rows, never its neighbours.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("kinetic-core",),
    ("kinetic-robot", "kinetic-trajectory", "kinetic-perception"),
    ("kinetic-kinematics", "kinetic-execution"),
    ("kinetic-collision", "kinetic-dynamics", "kinetic-ik"),
    ("kinetic-collision-simd", "kinetic-ik-codegen"),
    ("kinetic-scene",),
    ("kinetic-gpu",),
    ("kinetic-planning",),
    ("kinetic-reactive",),
    ("kinetic",),
    ("kinetic-python",),
)

# Dependencies that one crate alone may have, so that replacing them touches one crate.
CONFINED = {
    "parry3d-f64": "kinetic-collision",
    "pyo3": "kinetic-python",
    "numpy": "kinetic-python",
    "wgpu": "kinetic-gpu",
}


def layer_of() -> dict[str, int]:
    """Crate name → number of its layer."""
    return {crate: number for number, crates in enumerate(LAYERS) for crate in crates}


def dependency_complaints(metadata: dict[str, Any]) -> list[str]:
    """What in ``cargo metadata --no-deps`` breaks the table, one sentence each."""
    layers = layer_of()
    complaints = []
    for package in metadata["packages"]:
        name = package["name"]
        if name not in layers:
            complaints.append(f"{name} stands in no layer; add it to LAYERS in tools/check_layers.py")
            continue
        for used in sorted({dependency["name"] for dependency in package["dependencies"]}):
            owner = CONFINED.get(used, name)
            if owner != name:
                complaints.append(f"{name} uses {used}, which only {owner} may use")
            if used in layers and layers[used] >= layers[name]:
                complaints.append(
                    f"{name} (layer {layers[name]}) uses {used} (layer {layers[used]}), not a lower layer"
                )
    return complaints


def picture_complaints(text: str) -> list[str]:
    """Where the picture in ARCHITECTURE.md (lines ``layer N   crate   crate``) differs from the table."""
    drawn = {
        int(number): set(re.findall(r"kinetic[a-z-]*", crates))
        for number, crates in re.findall(r"^ *layer (\d+) +(.*)$", text, flags=re.MULTILINE)
    }
    wanted = {number: set(crates) for number, crates in enumerate(LAYERS)}
    return [
        f"layer {number}: ARCHITECTURE.md shows {sorted(drawn.get(number, set()))}, "
        f"the table has {sorted(wanted.get(number, set()))}"
        for number in sorted(drawn.keys() | wanted.keys())
        if drawn.get(number) != wanted.get(number)
    ]


def circle_complaints(crates: dict[str, Path]) -> list[str]:
    """Files of a crate that use each other in a loop, one sentence per loop."""
    return [
        f"{name} has a circle of files: {', '.join(circle)}"
        for name, root in sorted(crates.items())
        for circle in Crate(root).circles()
    ]


def type_name_complaints(crates: dict[str, Path]) -> list[str]:
    """Private types of a crate that are called like another type of it, one sentence per name."""
    return [
        f"{name} has several types {shared}: {', '.join(files)}; name those that are not public after their owner"
        for name, root in sorted(crates.items())
        for shared, files in shared_names(root).items()
    ]


def constant_complaints(crates: dict[str, Path]) -> list[str]:
    """Names of constants with several values, one sentence each."""
    return [
        f"{name} has several values of {constant}: {', '.join(places)}; name them by what each of them bounds"
        for name, root in sorted(crates.items())
        for constant, places in constants_of_several_values(root).items()
    ]


def main() -> int:
    """Prints every complaint; 1 when there is one."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    complaints = dependency_complaints(metadata) + picture_complaints((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    crates = {package["name"]: Path(package["manifest_path"]).parent / "src" for package in metadata["packages"]}
    complaints += circle_complaints(crates) + type_name_complaints(crates) + constant_complaints(crates)
    for complaint in complaints:
        print(f"check_layers: {complaint}", file=sys.stderr)
    print(f"{len(metadata['packages'])} crates in {len(LAYERS)} layers, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
