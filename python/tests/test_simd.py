"""The instructions of collision checks, and the variable that chooses them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import kinetic
robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)
scene.add("post", kinetic.Shape.cylinder(0.05, 1.0), kinetic.Pose.from_xyz(0.4, 0.25, 0.5))
planner = kinetic.Planner(robot, scene, rng_seed=3)
motion = planner.plan([-0.4, -1.2, 1.0, -1.4, -1.5, 0.0], [1.2, -1.2, 1.0, -1.4, -1.5, 0.3])
print(kinetic.simd_tier(), motion.hash, planner.last_stats["iterations"])
"""


def run(tier: str) -> subprocess.CompletedProcess[str]:
    """A plan in another process, with the instructions of a name."""
    environment = {**os.environ, "KINETIC_SIMD": tier}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)


def test_a_plan_has_the_same_bytes_with_the_instructions_of_every_name() -> None:
    refused = run("AVX2")
    assert refused.returncode == 1
    assert (
        "InputError: InvalidValue: the environment variable KINETIC_SIMD" in refused.stderr and "AVX2" in refused.stderr
    )
    names = refused.stderr.strip().rsplit(": ", 1)[1].split(", ")
    widest, *plan = run("").stdout.split()
    assert widest == names[0] and names[-1] in ("scalar", "neon")
    assert [run(name).stdout.split() for name in names] == [[name, *plan] for name in names]


@pytest.mark.parametrize("question", ["kinetic.simd_tier()", "kinetic.Scene('ur5e').check_collision([0.0] * 6)"])
def test_a_name_of_no_tier_is_an_error_before_anything_is_checked(question: str) -> None:
    environment = {**os.environ, "KINETIC_SIMD": "sse"}
    program = f"import kinetic\n{question}"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert "InputError: InvalidValue: the environment variable KINETIC_SIMD" in done.stderr
