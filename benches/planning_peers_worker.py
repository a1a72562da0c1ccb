"""Plans problems with one library, in its own environment, for planning_peers.py: a job file in, an answer file out.

    python planning_peers_worker.py NAME job.json answer.json

Every library gets the robot of spheres, the pairs of links that are checked, the obstacles, and its default settings
but for the longest step of the search and, where it has one, the distance of samples on an edge.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any, Callable

import numpy as np

Json = dict[str, Any]
Answer = dict[str, Any]

RANGE = 1.0
"""Longest step of a search, rad."""
STEP = 1.0 / 32.0
"""Distance of samples on an edge, rad."""


class NoDoubleError(Exception):
    """The library has no way to say this problem."""


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its seconds of processor time."""
    began = time.process_time()
    result = call()
    return result, time.process_time() - began


def pose_of(obstacle: Json) -> np.ndarray:
    """4×4 matrix of an obstacle."""
    x, y, z, w = obstacle.get("quat_xyzw", (0.0, 0.0, 0.0, 1.0))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, 3] = obstacle["position"]
    return matrix


# --- OMPL ---


def ompl_with(proofs: bool) -> Callable[[Json], Callable[[Json], Answer]]:
    """OMPL's RRT-Connect and its simplification, asking kinetic for states, or for states and motions."""

    def prepare(job: Json) -> Callable[[Json], Answer]:
        from ompl import base as ob
        from ompl import geometric as og
        from ompl import util

        from kinetic import _kinetic

        util.setLogLevel(util.LOG_NONE)
        util.RNG.setSeed(1)
        dof = len(job["model"]["active_joints"])

        class Proofs(ob.MotionValidator):  # type: ignore[misc]
            """Motions that kinetic proves."""

            def __init__(self, information: Any, scene: Any) -> None:
                super().__init__(information)
                self.scene = scene

            def checkMotion(self, a: Any, b: Any, _last: Any = None) -> bool:  # noqa: N802
                return self.scene.check_motion([a[i] for i in range(dof)], [b[i] for i in range(dof)]) is None

        def plan(problem: Json) -> Answer:
            scene, lower, upper = _kinetic._bench_scene(
                job["data"], job["model"]["robot"], problem["family"], problem["index"], "exact"
            )
            space, bounds = ob.RealVectorStateSpace(dof), ob.RealVectorBounds(dof)
            for joint in range(dof):
                bounds.setLow(joint, lower[joint])
                bounds.setHigh(joint, upper[joint])
            space.setBounds(bounds)
            setup = og.SimpleSetup(space)
            setup.setStateValidityChecker(lambda state: not scene.check_collision([state[i] for i in range(dof)]))
            information = setup.getSpaceInformation()
            if proofs:
                validator = Proofs(information, scene)
                information.setMotionValidator(validator)
            else:
                information.setStateValidityCheckingResolution(STEP / space.getMaximumExtent())
            ends = [space.allocState() for _ in range(2)]
            for end, values in zip(ends, (problem["start"], problem["goals"][0])):
                for joint in range(dof):
                    end[joint] = float(np.clip(values[joint], lower[joint], upper[joint]))
            setup.setStartAndGoalStates(*ends)
            planner = og.RRTConnect(information)
            planner.setRange(RANGE)
            setup.setPlanner(planner)
            _, searched = timed(lambda: setup.solve(job["timeout"]))
            if not setup.haveExactSolutionPath():
                return {"note": "no path"}
            _, simplified = timed(setup.simplifySolution)
            states = setup.getSolutionPath().getStates()
            path = [[state[i] for i in range(dof)] for state in states]
            return {"search": searched, "simplification": simplified, "path": path}

        return plan

    return prepare


# --- roboplan ---


def roboplan(job: Json) -> Callable[[Json], Answer]:
    """roboplan's RRT-Connect and its shortcuts."""
    import itertools

    from roboplan import core, rrt

    description = core.loadUrdfSceneDescription(job["urdf"])
    checked = {frozenset(pair) for pair in job["model"]["self_collision_link_pairs"]}
    links = sorted({sphere["link"] for sphere in job["model"]["spheres"]})
    color = np.array([0.5, 0.5, 0.5, 1.0])

    def scene_of(problem: Json) -> Any:
        scene = core.Scene("peers", description)
        for a, b in itertools.combinations(links, 2):
            scene.setCollisions(a, b, frozenset((a, b)) in checked)
        names = []
        for kind, obstacles in problem["obstacles"].items():
            for obstacle in obstacles:
                names.append(f"obstacle{len(names)}")
                place = ("universe", np.asfortranarray(pose_of(obstacle)), color)
                if kind == "boxes":
                    shape = core.Box(*(2.0 * np.array(obstacle["half_extents"])))
                    scene.addBoxGeometry(names[-1], place[0], shape, *place[1:])
                elif kind == "cylinders":
                    shape = core.Cylinder(obstacle["radius"], obstacle["length"])
                    scene.addCylinderGeometry(names[-1], place[0], shape, *place[1:])
                else:
                    scene.addSphereGeometry(names[-1], place[0], core.Sphere(obstacle["radius"]), *place[1:])
        for a, b in itertools.combinations(names, 2):
            scene.setCollisions(a, b, False)
        for name, link in itertools.product(names, job["fixed"]):
            scene.setCollisions(name, link, False)
        return scene

    def plan(problem: Json) -> Answer:
        scene = scene_of(problem)
        names, joints = list(scene.getJointNames()), job["model"]["active_joints"]
        order = [joints.index(name) for name in names]
        options = rrt.RRTOptions(rrt_connect=True, max_nodes=1_000_000, max_connection_distance=RANGE)
        options.collision_check_step_size, options.max_planning_time = STEP, job["timeout"]
        planner = rrt.RRT(scene, options)
        planner.setRngSeed(1)
        ends = [
            core.JointConfiguration(names, np.array(values)[order])
            for values in (problem["start"], problem["goals"][0])
        ]
        try:
            path, searched = timed(lambda: planner.plan(*ends))
        except RuntimeError as error:
            return {"note": str(error)}
        cutter_options = core.PathShortcuttingOptions()
        cutter_options.max_step_size, cutter_options.seed = STEP, 1
        cutter = core.PathShortcutter(scene, cutter_options)
        path, simplified = timed(lambda: cutter.shortcut(path))
        rows = np.array(path.positions)[:, np.argsort(order)]
        return {"search": searched, "simplification": simplified, "path": rows.tolist()}

    return plan


# --- mplib ---


def mplib(job: Json) -> Callable[[Json], Answer]:
    """mplib's RRT-Connect with its simplification, in one call."""
    import mplib as library
    from mplib.collision_detection import fcl

    tips = {joint["child"] for joint in job["model"]["joints"] if joint["name"] in job["model"]["active_joints"]}
    parents = {joint["child"]: joint["parent"] for joint in job["model"]["joints"]}
    above, link = set(), job["model"]["end_effector"]
    while link in parents:
        above.add(link)
        link = parents[link]
    if not tips <= above:
        raise NoDoubleError("plans for one chain only")
    library.set_global_seed(1)

    def shape_of(kind: str, obstacle: Json) -> Any:
        if kind == "boxes":
            return fcl.Box(2.0 * np.array(obstacle["half_extents"]))
        if kind == "cylinders":
            return fcl.Cylinder(obstacle["radius"], obstacle["length"])
        return fcl.Sphere(obstacle["radius"])

    def plan(problem: Json) -> Answer:
        planner = library.Planner(urdf=job["urdf"], srdf=job["srdf"], move_group=job["model"]["end_effector"])
        names = [planner.user_joint_names[index] for index in planner.move_group_joint_indices]
        order = [job["model"]["active_joints"].index(name) for name in names]
        for kind, obstacles in problem["obstacles"].items():
            for index, obstacle in enumerate(obstacles):
                place = library.Pose(pose_of(obstacle))
                planner.planning_world.add_object(
                    f"{kind}{index}", fcl.CollisionObject(shape_of(kind, obstacle), place)
                )
        limits = planner.joint_limits[planner.move_group_joint_indices]
        start, goal = (
            np.clip(np.array(values)[order], limits[:, 0], limits[:, 1])
            for values in (problem["start"], problem["goals"][0])
        )
        (status, path), seconds = timed(
            lambda: planner.planner.plan(start, [goal], time=job["timeout"], range=RANGE, simplify=True)
        )
        if status != "Exact solution":
            return {"note": status}
        rows = np.array(path)[:, np.argsort(order)]
        return {"search": seconds, "simplification": None, "path": rows.tolist()}

    return plan


PEERS: dict[str, tuple[str, Callable[[Json], Callable[[Json], Answer]]]] = {
    "OMPL, states by kinetic": ("ompl", ompl_with(proofs=False)),
    "OMPL, motions by kinetic": ("ompl", ompl_with(proofs=True)),
    "roboplan": ("roboplan", roboplan),
    "mplib": ("mplib", mplib),
}
"""Name in the table, distribution, and what makes a planner of a job."""


def main() -> None:
    """Read, plan, write."""
    name, job_file, answer_file = sys.argv[1:]
    distribution, prepare = PEERS[name]
    job = json.loads(Path(job_file).read_text("utf-8"))
    answer: Json = {"version": metadata.version(distribution)}
    try:
        plan = prepare(job)
        answer["answers"] = [plan(problem) for problem in job["problems"]]
    except NoDoubleError as error:
        answer["note"] = str(error)
    Path(answer_file).write_text(json.dumps(answer), "utf-8")


if __name__ == "__main__":
    main()
