"""Plans among points by kinetic and by VAMP, whose collision-affording point tree takes clouds, in one run.

    python benches/cloud_peers.py --data DIR           # prints the table
    python benches/cloud_peers.py --data DIR --write   # writes docs-site/benchmarks.md

The obstacles of MotionBenchMaker's Panda problems become points on their surfaces, with balls that close the surface,
and the goals configurations that are free among them (see `clouds.py`). Both plan for the same spheres around the
links. VAMP gets the points once as its own evaluation does, thinned until no two are nearer than 2 cm, and once all of
them. Its times are those of its own clock: filter and tree in *to add*, search and simplification in *to plan*.
kinetic's are those of whole calls from Python, with the proof of every motion. The two take turns. Paths are judged in
NumPy against the true shapes every 0.002 rad. VAMP's environment is that of `vamp_peers.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kinetic import Planner, PlanningError, Robot, Scene
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from clouds import CLOSING, reachable_goal, surfaces  # noqa: E402
from constraints import scene_of  # noqa: E402
from figures import PAGE, replace_section  # noqa: E402
from planning_peers import FOLDER, lines_of, problems_of, write_srdf, write_urdf  # noqa: E402

Json = dict[str, Any]

DISTRIBUTION = "vamp-planner"
NAME = "panda"
SPACINGS = (0.03, 0.01)
"""Distances of neighbouring points, m."""
REPEATS = 3
OWN, FILTERED, ALL = "kinetic", "VAMP, 2 cm apart", "VAMP, all points"
HEADER = (
    "| spacing | points | planner | kept | ms to add | solved | ms to plan | 95 % | length | touching |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def sphere_robot(model: Json) -> Robot:
    """The robot of the spheres that VAMP was generated from."""
    files = FOLDER / "spheres.urdf", FOLDER / "spheres.srdf"
    write_urdf(model, files[0])
    write_srdf(model, files[1])
    return Robot.from_urdf_srdf(*files)


def own(robot: Robot, case: Json) -> Json:
    """A cloud and a plan by kinetic; the quickest of some calls."""
    answers = []
    for _ in range(REPEATS):
        cloud, began = Scene(robot), time.perf_counter()
        report = cloud.add_pointcloud("cloud", case["points"], sphere_radius=case["radius"], max_points=None)
        added = time.perf_counter()
        asked = Planner(robot, cloud, collision_margin=0.0, timeout=10.0)
        planning = time.perf_counter()
        try:
            path = asked.plan(case["start"], case["goal"], time_parameterize=False)
        except PlanningError as refused:
            return {"kept": report["kept"], "add": 1e3 * (added - began), "note": refused.code}
        times = {"add": 1e3 * (added - began), "plan": 1e3 * (time.perf_counter() - planning)}
        answers.append({"kept": report["kept"], **times, "path": path.positions()})
    return min(answers, key=lambda answer: answer["plan"])


def cases_of(robot: Robot, problems: list[Json], spacing: float) -> list[Json]:
    """The problems with a goal that is free among the points."""
    cases = []
    for problem in problems:
        scene, cloud = scene_of(robot, problem), Scene(robot)
        points, radius = surfaces(scene, spacing), CLOSING * spacing
        cloud.add_pointcloud("cloud", points, sphere_radius=radius, max_points=None)
        goal = reachable_goal(robot, scene, cloud, (problem["start"], problem["goals"][0]))
        if goal is not None:
            key = {"family": problem["family"], "index": problem["index"]}
            ends = {"start": problem["start"], "goal": np.asarray(goal).tolist()}
            cases.append({**key, **ends, "points": points, "radius": radius})
    return cases


def others(case: Json) -> dict[str, Json]:
    """The same by VAMP, with filtered points and with all."""
    file = FOLDER / "cloud.npy"
    np.save(file, case["points"])
    job = {**case, "points": str(file), "robot": NAME, "repeats": REPEATS}
    lines = lines_of(DISTRIBUTION, ROOT / "benches" / "cloud_peers_worker.py", job)
    return {line["planner"]: line for line in lines}


def line(data: str, label: tuple[str, str, str], rows: list[tuple[Json, Json]]) -> str:
    """A row of the table, of cases and answers."""
    solved = [(case, answer) for case, answer in rows if "path" in answer]
    paths = [{"family": case["family"], "index": case["index"], "path": answer["path"]} for case, answer in solved]
    plans = [answer["plan"] for _, answer in solved]
    lengths = [np.linalg.norm(np.diff(answer["path"], axis=0), axis=1).sum() for _, answer in solved]
    median = {key: statistics.median(answer[key] for _, answer in rows) for key in ("kept", "add")}
    cells = (
        f"{median['kept']:,.0f}",
        f"{median['add']:.1f}",
        f"{len(solved)} of {len(rows)}",
        f"{statistics.median(plans):.2f}",
        f"{np.percentile(plans, 95):.2f}",
        f"{statistics.mean(lengths):.2f}",
        f"{len(touching(data, paths))}",
    )
    return "| " + " | ".join((*label, *cells)) + " |"


def touching(data: str, paths: list[Json]) -> list[Any]:
    """The paths that penetrate a true shape, by the judge in NumPy; goals are elsewhere than in the problems."""
    return list(mbm_judge.judge(data, NAME, "exact", paths)["touching"])


def main() -> None:
    """Measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--every", type=int, default=10, help="every so many problems of a family (default 10)")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    model = mbm_judge.read_json(Path(arguments.data, "models", NAME, "model.json"))
    robot, lines = sphere_robot(model), [HEADER]
    problems = problems_of(Path(arguments.data), NAME, arguments.every)
    for spacing in SPACINGS:
        cases = cases_of(robot, problems, spacing)
        answers: dict[str, list[Json]] = {OWN: [], FILTERED: [], ALL: []}
        for case in cases:
            answers[OWN].append(own(robot, case))
            for name, answer in others(case).items():
                answers[name].append(answer)
        points = f"{statistics.median(len(case['points']) for case in cases):,.0f}"
        for name, found in answers.items():
            lines.append(line(arguments.data, (f"{1e3 * spacing:g} mm", points, name), list(zip(cases, found))))
            print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cloud_peers", "\n".join(lines)))


if __name__ == "__main__":
    main()
