"""Plans MotionBenchMaker's problems with VAMP, in its own environment, for vamp_peers.py: a JSON line per problem.

    python vamp_peers_worker.py --worker job.json

The settings are those of VAMP's own evaluation: RRT-Connect on a Halton sequence, 10⁶ iterations, its simplification. A
seed is a number of samples that the sequence begins after.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import vamp
from scipy.spatial.transform import Rotation

Json = dict[str, Any]

SKIPPED_PER_SEED = 1000
"""Samples between the beginnings of two seeds."""


def environment_of(problem: Json, family: str) -> Any:
    """The obstacles as VAMP takes them: cylinders are capsules, in family ``box`` the enclosing cuboids."""
    environment = vamp.Environment()
    for sphere in problem["obstacles"]["spheres"]:
        environment.add_sphere(vamp.Sphere(sphere["position"], sphere["radius"]))
    for cylinder in problem["obstacles"]["cylinders"]:
        place = (cylinder["position"], Rotation.from_quat(cylinder["quat_xyzw"]).as_euler("xyz"))
        radius, length = cylinder["radius"], cylinder["length"]
        if family == "box":
            environment.add_cuboid(vamp.Cuboid(*place, [radius, radius, length / 2.0]))
        else:
            environment.add_capsule(vamp.Cylinder(*place, radius, length))
    for box in problem["obstacles"]["boxes"]:
        angles = Rotation.from_quat(box["quat_xyzw"]).as_euler("xyz")
        environment.add_cuboid(vamp.Cuboid(box["position"], angles, box["half_extents"]))
    return environment


def answer_of(problem: Json, environment: Any, setup: Any, skipped: int) -> Json:
    """A plan: µs of search and simplification by VAMP's own clock, the length and the path."""
    robot, planner, plan_settings, simplify_settings = setup
    sampler = robot.halton()
    sampler.skip(skipped)
    found = planner(problem["start"], problem["goals"], environment, plan_settings, sampler)
    if not found.solved:
        return {"note": "no path"}
    simple = robot.simplify(found.path, environment, simplify_settings, sampler)
    total = 1e-3 * (found.nanoseconds + simple.nanoseconds)
    waypoints = np.array(simple.path.numpy(), dtype=float)
    length = float(np.linalg.norm(np.diff(waypoints, axis=0), axis=1).sum())
    return {"total": total, "length": length, "path": waypoints.tolist()}


def main() -> None:
    """Answers the problems of one robot."""
    job = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    setup = vamp.configure_robot_and_planner_with_kwargs(job["robot"], "rrtc")
    for file in sorted(Path(job["data"], "problems", job["robot"]).iterdir()):
        family = json.loads(gzip.decompress(file.read_bytes()))
        for problem in (problem for problem in family["problems"] if problem["valid_vamp"]):
            environment = environment_of(problem, family["family"])
            skipped = SKIPPED_PER_SEED * job["seed"]
            answer = answer_of(problem, environment, setup, skipped)
            print(json.dumps({"family": family["family"], "index": problem["index"], **answer}), flush=True)


if __name__ == "__main__":
    main()
