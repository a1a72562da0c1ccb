"""The judge of benchmark paths, on a robot of two balls whose distances can be told without a computer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kinetic.cli import mbm_judge

EXACT = 1e-12


def joint(name: str, parent: str, child: str, xyz: list, rpy: list, kind: str = "revolute") -> dict:
    return {
        "name": name,
        "type": kind,
        "parent": parent,
        "child": child,
        "origin_xyz": xyz,
        "origin_rpy": rpy,
        "axis": [0.0, 0.0, 1.0],
    }


MODEL = {
    "robot": "two",
    "root": "base",
    "active_joints": ["turn", "slide"],
    "lower": [-3.0, -1.0],
    "upper": [3.0, 1.0],
    # The slider moves along the x-axis of the arm: its frame is turned by a quarter about y.
    "joints": [
        joint("turn", "base", "arm", [0.0, 0.0, 0.1], [0.0, 0.0, 0.0]),
        joint("mount", "arm", "rail", [0.5, 0.0, 0.0], [0.0, np.pi / 2.0, 0.0], "fixed"),
        joint("slide", "rail", "hand", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], "prismatic"),
    ],
    "spheres": [
        {"link": "base", "center": [0.0, 0.0, 0.1], "radius": 0.1},
        {"link": "hand", "center": [0.0, 0.0, 0.0], "radius": 0.05},
    ],
    "self_collision_link_pairs": [["base", "hand"]],
}
NOTHING: dict = {"boxes": [], "cylinders": [], "spheres": []}
LEVEL = {"position": [1.0, 0.0, 0.1], "quat_xyzw": [0.0, 0.0, 0.0, 1.0]}
# Its z-axis lies along x of the root.
LYING = {"position": [1.0, 0.0, 0.1], "quat_xyzw": [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]}


def clearance(q: list, obstacles: dict, family: str = "f", cylinders: str = "exact") -> float:
    return mbm_judge.Spheres(MODEL).clearance(np.array([q]), obstacles, family, cylinders)


def test_centres_are_where_joints_bring_them() -> None:
    centres = mbm_judge.Spheres(MODEL).centres(np.array([[0.0, 0.0], [np.pi / 2.0, 0.25]]))
    assert np.allclose(centres[:, 0], [[0.0, 0.0, 0.1]] * 2, rtol=0.0, atol=EXACT)
    assert np.allclose(centres[:, 1], [[0.5, 0.0, 0.1], [0.0, 0.75, 0.1]], rtol=0.0, atol=EXACT)


def test_spheres_of_checked_pairs_are_compared() -> None:
    assert clearance([0.0, 0.0], NOTHING) == pytest.approx(0.5 - 0.15, abs=EXACT)
    assert clearance([0.3, -0.4], NOTHING) == pytest.approx(0.1 - 0.15, abs=EXACT)


@pytest.mark.parametrize(
    ("obstacle", "family", "cylinders", "expected"),
    [
        ({"boxes": [LEVEL | {"half_extents": [0.1, 0.2, 0.3]}]}, "f", "exact", 0.4 - 0.05),
        ({"boxes": [LYING | {"half_extents": [0.1, 0.2, 0.3]}]}, "f", "exact", 0.2 - 0.05),
        ({"cylinders": [LYING | {"radius": 0.1, "length": 0.4}]}, "f", "exact", 0.3 - 0.05),
        # A capsule sticks out by its radius; the cuboid around the cylinder ends where it ends.
        ({"cylinders": [LYING | {"radius": 0.1, "length": 0.4}]}, "f", "vamp", 0.2 - 0.05),
        ({"cylinders": [LYING | {"radius": 0.1, "length": 0.4}]}, "box", "vamp", 0.3 - 0.05),
        ({"spheres": [{"position": [0.5, 0.3, 0.1], "radius": 0.2}]}, "f", "exact", 0.1 - 0.05),
        # Inside: the way out is the nearest face.
        (
            {"boxes": [{**LEVEL, "position": [0.52, 0.0, 0.1], "half_extents": [0.1, 0.1, 0.3]}]},
            "f",
            "exact",
            -0.08 - 0.05,
        ),
    ],
)
def test_distances_to_obstacles_are_those_worked_out_by_hand(obstacle, family, cylinders, expected: float) -> None:
    assert clearance([0.0, 0.0], NOTHING | obstacle, family, cylinders) == pytest.approx(expected, abs=EXACT)


# A chain of balls that fold onto each other, with a slider: every sample of a path, and as few as decide it.
FOLDING: dict = {
    "robot": "folding",
    "root": "base",
    "active_joints": ["a", "slide", "b", "c"],
    "lower": [-3.0, 0.0, -3.0, -3.0],
    "upper": [3.0, 0.3, 3.0, 3.0],
    "joints": [
        joint("a", "base", "one", [0.0, 0.0, 0.1], [0.0, 0.0, 0.0]),
        joint("slide", "one", "two", [0.3, 0.0, 0.0], [0.0, np.pi / 2.0, 0.0], "prismatic"),
        joint("b", "two", "three", [0.0, 0.0, 0.2], [0.3, 0.0, 0.2]),
        joint("c", "three", "four", [0.2, 0.1, 0.0], [1.0, 0.0, 0.0]),
    ],
    "spheres": [
        {"link": "base", "center": [0.1, 0.0, 0.1], "radius": 0.1},
        {"link": "one", "center": [0.2, 0.0, 0.0], "radius": 0.05},
        {"link": "three", "center": [0.1, 0.05, 0.0], "radius": 0.06},
        {"link": "four", "center": [0.25, 0.0, 0.05], "radius": 0.05},
        {"link": "four", "center": [0.0, 0.0, 0.0], "radius": 0.04},
    ],
    "self_collision_link_pairs": [["base", "three"], ["base", "four"], ["one", "four"]],
}


@pytest.mark.parametrize("seed", range(30))
def test_looking_from_coarse_to_fine_gives_the_verdict_of_all_samples(seed: int, monkeypatch) -> None:
    rng, robot = np.random.default_rng(seed), mbm_judge.Spheres(FOLDING)
    obstacles = NOTHING | {
        "boxes": [LYING | {"position": rng.uniform(-0.9, 0.9, 3).tolist(), "half_extents": [0.05, 0.1, 0.1]}],
        "spheres": [{"position": rng.uniform(-0.9, 0.9, 3).tolist(), "radius": 0.1} for _ in range(2)],
    }
    path = rng.uniform(robot.lower, robot.upper, (4, 4)) * rng.choice([0.2, 1.0])
    along = mbm_judge.samples(path)
    dense = robot.clearance(along, obstacles, "f", "exact")
    looks: list[int] = []
    centres = robot.centres
    monkeypatch.setattr(robot, "centres", lambda q: looks.append(len(q)) or centres(q))
    quick = robot.least_below(along, mbm_judge.distances(obstacles, "f", "exact"))
    if dense < 0.0:
        assert quick == pytest.approx(dense, abs=EXACT)
    else:
        assert quick >= 0.0
        assert sum(looks) < 0.5 * len(along)


def test_paths_that_touch_miss_their_ends_or_leave_the_limits_are_counted(tmp_path: Path) -> None:
    for folder in ("models/two", "problems/two"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "models/two/model.json").write_text(json.dumps(MODEL))
    obstacles = NOTHING | {"spheres": [{"position": [0.5, 0.0, 0.1], "radius": 0.05}]}
    problem = {"index": 1, "start": [-1.0, 0.0], "goals": [[1.0, 0.0]], "obstacles": obstacles}
    (tmp_path / "problems/two/posts.json").write_text(json.dumps({"family": "posts", "problems": [problem]}))

    def judge(path: list) -> tuple:
        verdict = mbm_judge.judge(tmp_path, "two", "exact", [{"family": "posts", "index": 1, "path": path}])
        return *(len(verdict[key]) for key in ("touching", "ends_missed", "limits_left")), verdict["deepest"]

    # Around the ball: drawn out by 0.2 it passes 0.1 beyond its skin; straight through it goes to its centre.
    assert judge([[-1.0, 0.0], [-1.0, 0.2], [1.0, 0.2], [1.0, 0.0]])[:3] == (0, 0, 0)
    *counts, deepest = judge([[-1.0, 0.0], [1.0, 0.0]])
    assert counts == [1, 0, 0]
    assert deepest == pytest.approx(0.1, abs=mbm_judge.STEP)
    assert judge([[-1.0, 0.0], [-1.0, 1.1], [0.9, 1.1]])[:3] == (0, 1, 1)
