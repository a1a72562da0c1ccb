"""Asks roboplan, in its own environment, what collision_peers.py asks the others: a job file in, an answer file out."""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
from roboplan import core
from scipy.spatial import ConvexHull


def write_hull(file: str, corners: list) -> None:
    """A mesh file of the hull of points, faces outwards."""
    hull = ConvexHull(np.array(corners))
    lines = ["v " + " ".join(map(repr, map(float, point))) for point in hull.points]
    for (a, b, c), equation in zip(hull.simplices, hull.equations):
        normal = np.cross(hull.points[b] - hull.points[a], hull.points[c] - hull.points[a])
        face = (a, b, c) if normal @ equation[:3] > 0.0 else (a, c, b)
        lines.append("f " + " ".join(str(corner + 1) for corner in face))
    Path(file).write_text("\n".join(lines) + "\n", "utf-8")


def scene_of(job: dict[str, Any]) -> Any:
    """The robot among the boxes, with the pairs that kinetic checks and no others."""
    scene = core.Scene("peers", core.loadUrdfSceneDescription(job["urdf"]))
    checked = {frozenset(pair) for pair in job["checked"]}
    for a, b in itertools.combinations(job["links"], 2):
        scene.setCollisions(a, b, frozenset((a, b)) in checked)
    color = np.array([0.5, 0.5, 0.5, 1.0])
    names = []
    for index, (size, pose) in enumerate(job["boxes"]):
        names.append(f"box{index}")
        scene.addBoxGeometry(names[-1], "universe", core.Box(*size), np.asfortranarray(pose), color)
        for link in job["fixed"]:
            scene.setCollisions(names[-1], link, False)
    for a, b in itertools.combinations(names, 2):
        scene.setCollisions(a, b, False)
    return scene


def repeated(ask: Callable, about: list, rounds: int) -> dict[str, Any]:
    """Mean microseconds of each round, and the answers."""
    times, answers = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        answers = [ask(item) for item in about]
        times.append(1e6 * (time.perf_counter() - began) / len(about))
    return {"times": times, "answers": answers}


def main() -> None:
    """Read, ask, write."""
    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for file, corners in job["meshes"].items():
        write_hull(file, corners)
    scene, step = scene_of(job), job["step"]
    configurations = [np.array(q) for q in job["configurations"]]
    edges = [tuple(np.array(end) for end in edge) for edge in job["edges"]]
    answer = {
        "configuration": repeated(scene.hasCollisions, configurations, job["rounds"]),
        "edge": repeated(lambda ends: core.hasCollisionsAlongPath(scene, *ends, step), edges, job["rounds"]),
    }
    Path(sys.argv[2]).write_text(json.dumps(answer), "utf-8")


if __name__ == "__main__":
    main()
