"""Paths through convex regions by Drake, in its own environment, for gcs_peers.py: a job file in, an answer file out.

python gcs_peers_worker.py job.json answer.json
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.geometry.optimization import GraphOfConvexSetsOptions, HPolyhedron, Point
from pydrake.planning import GcsTrajectoryOptimization

ROUNDED_PATHS = 10


def solve(regions: list[HPolyhedron], start: list[float], goal: list[float]) -> tuple[Any, Any, float]:
    """Straight pieces, one in each region that is passed, of least length; and the cost of the relaxation."""
    problem = GcsTrajectoryOptimization(len(start))
    through = problem.AddRegions(regions, order=1, h_min=0.0, h_max=100.0)
    source, target = (problem.AddRegions([Point(np.array(end))], order=0) for end in (start, goal))
    problem.AddEdges(source, through)
    problem.AddEdges(through, target)
    problem.AddPathLengthCost()
    options = GraphOfConvexSetsOptions()
    options.convex_relaxation = True
    options.preprocessing = True
    options.max_rounded_paths = 0
    ends = (source.Vertices()[0], target.Vertices()[0])
    relaxed = problem.graph_of_convex_sets().SolveShortestPath(*ends, options)
    bound = relaxed.get_optimal_cost() if relaxed.is_success() else float("nan")
    options.max_rounded_paths = ROUNDED_PATHS
    began = time.process_time()
    trajectory, result = problem.SolvePath(source, target, options)
    seconds = time.process_time() - began
    return (trajectory if result.is_success() else None), bound, seconds


def points_of(trajectory: Any) -> list[list[float]]:
    """The ends of its pieces."""
    count = trajectory.get_number_of_segments()
    times = [trajectory.segment(index).start_time() for index in range(count)] + [trajectory.end_time()]
    return [trajectory.value(at).ravel().tolist() for at in times]


def main() -> None:
    """Answers every query of a job."""
    job = json.loads(Path(sys.argv[1]).read_text())
    regions = [HPolyhedron(np.array(it["normals"]), np.array(it["offsets"])) for it in job["regions"]]
    regions = [region.ReduceInequalities() for region in regions]
    answers = []
    for query in job["queries"]:
        trajectory, bound, seconds = solve(regions, query["start"], query["goal"])
        path = points_of(trajectory) if trajectory else []
        answers.append({"seconds": seconds, "bound": bound, "path": path})
    Path(sys.argv[2]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
