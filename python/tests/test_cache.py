"""What is kept between processes: found again, cleared, and of no harm where it cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TETRAHEDRON = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
COVERS = """
import json, sys, kinetic
robot = kinetic.Robot.from_urdf(sys.argv[1])
kinetic.Planner(robot).is_in_collision([0.1, 0.1, 0.1])
"""


def robot_file(folder: Path) -> Path:
    """An arm of three links, each a mesh."""
    (folder / "part.obj").write_text(TETRAHEDRON)
    mesh = '<collision><geometry><mesh filename="part.obj"/></geometry></collision>'
    links = "".join(f'<link name="l{index}">{mesh}</link>' for index in range(4))
    joints = "".join(
        f'<joint name="j{index}" type="revolute"><parent link="l{index}"/><child link="l{index + 1}"/>'
        '<origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        for index in range(3)
    )
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{joints}</robot>')
    return path


def run(arguments: list[str], cache: str) -> subprocess.CompletedProcess[str]:
    """Another process with a cache folder of its own."""
    environment = {**os.environ, "KINETIC_CACHE_DIR": cache}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True)


def entries(cache: Path, *flags: str) -> dict[str, object]:
    return dict(json.loads(run(["-m", "kinetic", "cache", "--json", *flags], str(cache)).stdout))


def test_a_robot_of_ones_own_is_kept_listed_and_cleared(tmp_path: Path) -> None:
    urdf, cache = robot_file(tmp_path), tmp_path / "cache"
    assert entries(cache)["entries"] == []
    run(["-c", COVERS, str(urdf)], str(cache))
    listed = entries(cache)
    names = sorted(str(row["name"]).split("-")[0] for row in listed["entries"])  # type: ignore[index,attr-defined]
    assert names == ["cover", "far", "pairs", "pieces"]
    assert listed["bytes"] == sum(path.stat().st_size for path in cache.iterdir())
    before = {path.name: path.read_bytes() for path in cache.iterdir()}
    run(["-c", COVERS, str(urdf)], str(cache))
    assert {path.name: path.read_bytes() for path in cache.iterdir()} == before
    assert entries(cache, "--clear")["entries"] == []


def test_damaged_entries_are_written_anew(tmp_path: Path) -> None:
    urdf, cache = robot_file(tmp_path), tmp_path / "cache"
    run(["-c", COVERS, str(urdf)], str(cache))
    before = {path: path.read_bytes() for path in cache.iterdir()}
    rng = np.random.default_rng(3)
    for path, whole in before.items():
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 0x20
        path.write_bytes(damaged)
    run(["-c", COVERS, str(urdf)], str(cache))
    assert {path: path.read_bytes() for path in cache.iterdir()} == before


@pytest.mark.parametrize("name", ["", "file/below"])
def test_without_a_folder_that_can_be_used_nothing_is_kept_and_everything_works(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("no folder")
    cache = str(tmp_path / name) if name else ""
    run(["-c", COVERS, str(robot_file(tmp_path))], cache)
    told = json.loads(run(["-m", "kinetic", "cache", "--json"], cache).stdout)
    assert told["folder"] is None and told["reason"]
    assert run(["-m", "kinetic", "cache"], cache).stdout.startswith("nothing is kept: ")
