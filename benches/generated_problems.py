"""Robots and worlds for benches, in the form of the MotionBenchMaker data that `kinetic bench mbm` reads.

A robot is a chain of balls: turning joints about z, y, z, … with links of equal length, 1 m in all, on a post. A
world is a few plates, or posts and balls, around it. Starts and goals are uniform inside the limits and free by the
judge of the bench, which shares nothing with kinetic. Everything is seeded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from kinetic.cli import mbm_judge

Json = dict[str, Any]

LENGTH = 1.0
"""All links together, m."""
RADIUS = 0.045
"""Of a ball, m."""
SPACING = 0.04
"""Of the balls on a link at most, m: so near that no gap opens between them."""
HEIGHT = 0.4
"""Of the first joint, m."""
CLEAR_APART = 0.2
"""Links with this much chain between them are checked against each other, m."""
LIMIT = 2.8
"""Of every joint, rad."""


def chain(dof: int) -> Json:
    """A model of so many joints."""
    step = LENGTH / dof
    links = ["base", *(f"link{index + 1}" for index in range(dof))]
    joints, spheres = [], []
    for index in range(dof):
        joints.append(
            {
                "name": f"joint{index + 1}",
                "type": "revolute",
                "parent": links[index],
                "child": links[index + 1],
                "origin_xyz": [0.0, 0.0, HEIGHT if index == 0 else step],
                "origin_rpy": [0.0, 0.0, 0.0],
                "axis": [0.0, 0.0, 1.0] if index % 2 == 0 else [0.0, 1.0, 0.0],
            }
        )
        count = max(2, int(np.ceil(step / SPACING)) + 1)
        for at in np.linspace(0.0, step, count):
            spheres.append({"link": links[index + 1], "center": [0.0, 0.0, float(at)], "radius": RADIUS})
    spheres.append({"link": "base", "center": [0.0, 0.0, 0.5 * HEIGHT], "radius": 0.1})
    # Between the near ends of links i and j lie j - i - 1 links; the base ends at the first joint.
    apart = [(a, b) for a in range(dof + 1) for b in range(a + 1, dof + 1) if (b - a - 1) * step > CLEAR_APART]
    return {
        "robot": f"chain{dof}",
        "root": "base",
        "end_effector": links[-1],
        "active_joints": [joint["name"] for joint in joints],
        "lower": [-LIMIT] * dof,
        "upper": [LIMIT] * dof,
        "links": links,
        "joints": joints,
        "spheres": spheres,
        "self_collision_link_pairs": [[links[a], links[b]] for a, b in apart],
    }


def unit_quaternion(rng: np.random.Generator) -> list[float]:
    """A uniform rotation (Shoemake 1992), x, y, z, w."""
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def around(rng: np.random.Generator, near: float, far: float) -> list[float]:
    """A point between two distances of the first joint."""
    direction = rng.normal(size=3)
    point = rng.uniform(near, far) * direction / np.linalg.norm(direction)
    return [float(point[0]), float(point[1]), float(point[2] + HEIGHT)]


def plates(rng: np.random.Generator, count: int = 6) -> Json:
    """Thin boxes between a third of a metre and a metre from the first joint."""
    boxes = [
        {
            "name": f"plate{index}",
            "position": around(rng, 0.4, 0.9),
            "quat_xyzw": unit_quaternion(rng),
            "half_extents": [float(rng.uniform(0.1, 0.25)), float(rng.uniform(0.1, 0.25)), 0.01],
        }
        for index in range(count)
    ]
    return {"boxes": boxes, "cylinders": [], "spheres": []}


def posts(rng: np.random.Generator, count: int = 6) -> Json:
    """Cylinders and balls at the same distances."""
    cylinders, spheres = [], []
    for index in range(count):
        radius, length = float(rng.uniform(0.02, 0.05)), float(rng.uniform(0.3, 0.8))
        place = {"name": f"post{index}", "position": around(rng, 0.4, 0.9), "quat_xyzw": unit_quaternion(rng)}
        cylinders.append({**place, "radius": radius, "length": length})
        spheres.append({"name": f"ball{index}", "position": around(rng, 0.5, 1.0), "radius": 2.0 * radius})
    return {"boxes": [], "cylinders": cylinders, "spheres": spheres}


WORLDS = {"plates": plates, "posts": posts}


def free_configuration(spheres: mbm_judge.Spheres, obstacles: Json, rng: np.random.Generator) -> list[float] | None:
    """A configuration that keeps a millimetre from everything; None where a hundred tries find none."""
    tries = rng.uniform(spheres.lower, spheres.upper, (100, len(spheres.lower)))
    away, everything = mbm_judge.distances(obstacles, "", "exact"), (spheres.radii, spheres.pairs)
    world, own = spheres.gaps(tries, away, *(np.arange(len(all_)) for all_ in everything))
    least = np.minimum(world.min(axis=1), own.min(axis=1, initial=np.inf))
    free = tries[least > 1e-3]
    return free[0].tolist() if len(free) else None


def problems(model: Json, family: str, count: int) -> Json:
    """So many problems, one world each, in the form of a family of MotionBenchMaker."""
    spheres = mbm_judge.Spheres(model)
    rng = np.random.default_rng([len(model["active_joints"]), list(WORLDS).index(family)])
    found: list[Json] = []
    while len(found) < count:
        obstacles = WORLDS[family](rng)
        start, goal = (free_configuration(spheres, obstacles, rng) for _ in range(2))
        if start is None or goal is None:
            continue
        about = {"index": len(found) + 1, "start": start, "goals": [goal], "obstacles": obstacles}
        found.append({**about, "valid_vamp": True, "valid_exact": True})
    return {"robot": model["robot"], "family": family, "joints": model["active_joints"], "problems": found}


def write(folder: Path, dofs: list[int], count: int) -> list[str]:
    """Writes models and problems of chains into a folder; the names of the robots."""
    names = []
    for dof in dofs:
        model = chain(dof)
        name = model["robot"]
        for kind in ("models", "problems"):
            (folder / kind / name).mkdir(parents=True, exist_ok=True)
        (folder / "models" / name / "model.json").write_text(json.dumps(model), "utf-8")
        for family in WORLDS:
            text = json.dumps(problems(model, family, count))
            (folder / "problems" / name / f"{family}.json").write_text(text, "utf-8")
        names.append(name)
    return names
