"""One library on one list of motions towards poses; `tracking_peers.py` runs it in the environment of each library.

    python tracking_peers_worker.py LIBRARY JOB.json ANSWER.json

A job names the robot with its files, joints, limits and tip, the period, and the motions: a start, the pose of the tip
that is wanted, in the frame of the robot's root and of its group's base, and a ball that is in the way, or none. The
answer holds joint values after every period, the seconds of the processor in each, and the version of the library.
Nothing but NumPy and the library is imported.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

Step = Callable[[], Any]
"""Moves on for a period, and returns the joint values."""
Begin = Callable[[dict[str, Any]], Step]
FAR = [100.0, 0.0, 0.0]


def kinetic_servo(job: dict[str, Any]) -> Begin:
    """`Servo.track_pose` among the objects of a scene."""
    import kinetic

    robot = kinetic.Robot(job["robot"])

    def begin(motion: dict[str, Any]) -> Step:
        scene = kinetic.Scene(robot)
        if motion["ball"] is not None:
            pose = kinetic.Pose.from_xyz(*motion["ball"])
            scene.add("ball", kinetic.Shape.sphere(job["radius"]), pose)
        servo = kinetic.Servo(robot, scene, rate_hz=1.0 / job["period"], **job["servo"])
        servo.set_state(motion["start"])
        target = np.array(motion["base_from_tip"])
        return lambda: servo.track_pose(target)["positions"]

    return begin


def kinetic_differential(job: dict[str, Any]) -> Begin:
    """`DifferentialIK.twist` towards the pose, a part of what is left of it per second, with acceleration limits."""
    import kinetic

    robot = kinetic.Robot(job["robot"])
    ik = kinetic.DifferentialIK(robot, period=job["period"])

    def begin(motion: dict[str, Any]) -> Step:
        q, velocities, target = np.array(motion["start"]), np.zeros(len(motion["start"])), motion["base_from_tip"]
        target = np.array(target)

        def step() -> Any:
            nonlocal q, velocities
            pose = robot.fk(q)
            twist = np.concatenate([target[:3, 3] - pose[:3, 3], rotation_vector(target[:3, :3] @ pose[:3, :3].T)])
            velocities = ik.twist(q, job["gain"] * twist, previous=velocities)["velocities"]
            q = q + job["period"] * velocities
            return q

        return step

    return begin


def mink(job: dict[str, Any]) -> Begin:
    """A frame task with limits of positions, velocities and collisions, as in its examples of arms."""
    import mink as library
    import mujoco

    model = mujoco.MjModel.from_xml_path(job["mjcf"])
    model.jnt_range[:], model.jnt_limited[:] = job["limits"], 1
    ball = model.geom("ball").id
    links = [geom for geom in range(model.ngeom) if geom != ball]
    task = library.FrameTask(job["tip"], "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
    velocities = {name: [limit] for name, limit in zip(job["joints"], job["velocity_limits"])}
    limits = [library.ConfigurationLimit(model), library.VelocityLimit(model, velocities)]
    avoidance = library.CollisionAvoidanceLimit(
        model,
        [(links, [ball])],
        minimum_distance_from_collisions=job["stop_distance"] + job["rounding"],
        collision_detection_distance=job["slowdown_distance"] + job["rounding"],
    )

    def begin(motion: dict[str, Any]) -> Step:
        model.geom_pos[ball] = FAR if motion["ball"] is None else motion["ball"]
        used = limits if motion["ball"] is None else [*limits, avoidance]
        configuration = library.Configuration(model, q=np.array(motion["start"]))
        task.set_target(library.SE3.from_matrix(np.array(motion["root_from_tip"])))

        def step() -> Any:
            velocity = library.solve_ik(configuration, [task], job["period"], "daqp", limits=used)
            configuration.integrate_inplace(velocity, job["period"])
            return configuration.q.copy()

        return step

    return begin


def placo(job: dict[str, Any]) -> Begin:
    """A frame task with limits of positions and velocities; it has none towards objects."""
    import placo as library

    robot = library.RobotWrapper(job["urdf"], library.Flags.ignore_collisions)
    for name, (low, high), ends, speed in zip(job["joints"], job["limits"], job["has_ends"], job["velocity_limits"]):
        if ends:
            robot.set_joint_limits(name, low, high)
        robot.set_velocity_limit(name, speed)

    def begin(motion: dict[str, Any]) -> Step:
        robot.reset()
        for name, value in zip(job["joints"], motion["start"]):
            robot.set_joint(name, value)
        robot.update_kinematics()
        solver = library.KinematicsSolver(robot)
        solver.mask_fbase(True)
        for name in set(robot.joint_names()) - set(job["joints"]):
            solver.mask_dof(name)
        solver.dt = job["period"]
        solver.enable_joint_limits(True)
        solver.enable_velocity_limits(True)
        task = solver.add_frame_task(job["tip"], np.array(motion["root_from_tip"]))
        task.configure("tip", "soft", 1.0, 1.0)
        solver.add_regularization_task(1e-4)

        def step() -> Any:
            solver.solve(True)
            robot.update_kinematics()
            return np.array([robot.get_joint(name) for name in job["joints"]])

        # The robot keeps no reference to the task.
        step.task = task  # type: ignore[attr-defined]
        return step

    return begin


def rotation_vector(rotation: Any) -> Any:
    """Axis times angle of a rotation matrix, below a half turn."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    sine, cosine = np.linalg.norm(axis) / 2.0, (np.trace(rotation) - 1.0) / 2.0
    return axis * (np.arctan2(sine, cosine) / (2.0 * sine) if sine > 1e-12 else 0.5)


LIBRARIES: dict[str, tuple[str, Callable[[dict[str, Any]], Begin]]] = {
    "kinetic, Servo": ("kinetic", kinetic_servo),
    "kinetic, DifferentialIK": ("kinetic", kinetic_differential),
    "mink": ("mink", mink),
    "placo": ("placo", placo),
}
"""Distribution and maker of each library."""


def main() -> None:
    """Carries a job out."""
    name, job_file, answer_file = sys.argv[1:]
    job = json.loads(Path(job_file).read_text("utf-8"))
    distribution, make = LIBRARIES[name]
    begin = make(job)
    answers = []
    for motion in job["motions"]:
        step, rows, seconds, error = begin(motion), [motion["start"]], [], None
        for _ in range(job["ticks"]):
            start = time.thread_time()
            try:
                q = step()
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"
                break
            seconds.append(time.thread_time() - start)
            rows.append(np.asarray(q, dtype=float).tolist())
        answers.append({"rows": rows, "seconds": seconds, "error": error})
    Path(answer_file).write_text(json.dumps({"motions": answers, "version": metadata.version(distribution)}), "utf-8")


if __name__ == "__main__":
    main()
