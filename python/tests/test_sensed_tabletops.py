"""Plans on what two cameras have seen of random tabletops: MuJoCo holds the truth, its rays and its contacts."""

from __future__ import annotations

import os
import sys

import pytest
from oracles import ROOT

import kinetic

pytest.importorskip("mujoco", reason="the truth about the tabletops")
sys.path.insert(0, str(ROOT / "benches"))

import tabletops

FULL = os.environ.get("KINETIC_FULL") == "1"


def test_no_plan_on_what_was_seen_touches_what_is_there() -> None:
    counts, robot = tabletops.Counts(), kinetic.Robot.from_urdf(tabletops.urdf())
    for seed in range(1000, 1200 if FULL else 1004):
        tabletops.run(seed, robot, counts)
    # Space that nobody saw is an obstacle, so that nothing can be touched; what was seen covers what faces a camera.
    assert counts.touching["unseen"] == 0, counts
    assert counts.deepest["seen"] < 0.01, counts
    assert counts.solved["seen"] >= 0.95 * counts.asked, counts
    assert counts.solved["unseen"] >= 0.8 * counts.asked, counts
    assert counts.deep > 10, counts
    for kind, refused in counts.refused.items():
        assert refused >= 0.99 * counts.deep, (kind, counts)
