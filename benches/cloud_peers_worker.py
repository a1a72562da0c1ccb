"""Plans among points with VAMP, in its own environment, for cloud_peers.py: a JSON line per way to take the points.

    python cloud_peers_worker.py --worker job.json

The settings are those of VAMP's own evaluation of clouds: points 2 cm apart that are within the arm's reach, and
RRT-Connect on a Halton sequence with its simplification.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import vamp
from vamp import pointcloud

Json = dict[str, Any]

SPACING = 0.02
"""Least distance of points that are kept, m."""


def filtered(job: Json, points: list[list[float]]) -> tuple[list[Any], float]:
    """What is kept of the points, and the milliseconds that the filter took."""
    origin, reach = pointcloud.ROBOT_FIRST_JOINT_LOCATIONS[job["robot"]], pointcloud.ROBOT_MAX_RADII[job["robot"]]
    low, high = (np.asarray(origin) + sign * reach for sign in (-1.0, 1.0))
    kept, nanoseconds = vamp.filter_pointcloud(points, SPACING, reach, origin, low, high, True)
    return kept, 1e-6 * nanoseconds


def answer_of(job: Json, points: list[Any], filter_time: float) -> Json:
    """A tree and the quickest of some plans, ms by VAMP's own clock."""
    robot, planner, plan_settings, simplify_settings = vamp.configure_robot_and_planner_with_kwargs(
        job["robot"], "rrtc"
    )
    environment = vamp.Environment()
    built = 1e-6 * environment.add_pointcloud(points, *robot.min_max_radii(), job["radius"])
    base = {"kept": len(points), "add": filter_time + built}
    answers = []
    for _ in range(job["repeats"]):
        sampler = robot.halton()
        found = planner(job["start"], [job["goal"]], environment, plan_settings, sampler)
        if not found.solved:
            return {**base, "note": "no path"}
        simple = robot.simplify(found.path, environment, simplify_settings, sampler)
        path = np.array(simple.path.numpy(), dtype=float).tolist()
        answers.append({**base, "plan": 1e-6 * (found.nanoseconds + simple.nanoseconds), "path": path})
    return min(answers, key=lambda answer: answer["plan"])


def main() -> None:
    """Answers one problem."""
    job = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    points = np.load(job["points"]).tolist()
    kept, filter_time = filtered(job, points)
    for planner, answer in (
        ("VAMP, 2 cm apart", answer_of(job, kept, filter_time)),
        ("VAMP, all points", answer_of(job, points, 0.0)),
    ):
        print(json.dumps({"planner": planner, **answer}), flush=True)


if __name__ == "__main__":
    main()
