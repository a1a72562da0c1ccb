"""Judges paths of built-in robots on MotionBenchMaker: convex hulls by Coal, kinematics by Pinocchio.

Looked at every `STEP` of joint-space length. Joints that a problem does not move stand as the bench of kinetic holds
them: open grippers, the rest neutral. The pairs of links are those that kinetic checks; that it leaves out none that
can meet is tested elsewhere. Penetrations that are no deeper than rounding of poses do not count.
"""

from __future__ import annotations

from typing import Any

import coal
import numpy as np
import pinocchio as pin
from collision_peers import hull_of
from oracles import FOLDERS, urdf, with_followers

import kinetic
from kinetic.cli import mbm_judge

Json = dict[str, Any]
ROBOTS = {
    "panda": ("franka_panda", "arm"),
    "fetch": ("fetch", "arm_with_torso"),
    "baxter": ("baxter_left", "both_arms"),
}
"""Built-in robots and groups by their name in the bench."""
STEP = 0.01
"""Distance of the configurations looked at, rad or m."""
TOUCHES = 1e-6
"""Penetration that counts, m."""


class Hulls:
    """A built-in robot in Pinocchio, to be put among obstacles."""

    def __init__(self, bench: str) -> None:
        name, group = ROBOTS[bench]
        self.robot = kinetic.Robot(name, group)
        folder = FOLDERS[self.robot.name] if self.robot.name in FOLDERS else FOLDERS[name]
        self.model = pin.buildModelFromUrdf(str(folder / "robot.urdf"))
        self.data = self.model.createData()
        self.places = [self.model.joints[self.model.getJointId(joint)].idx_q for joint in self.robot.joint_names]
        self.held = self.standing(name)
        moving = self.moving_links()
        self.parts: dict[str, list[tuple[Any, Any]]] = {}
        for link in self.robot.link_names:
            for shape, pose in self.robot.collision_shapes(link):
                hull, radius = hull_of(shape)
                hull.setSweptSphereRadius(radius)
                self.parts.setdefault(link, []).append((pin.SE3(pose), hull))
        looked_at = ("checked", "never")
        pairs = [pair["links"] for pair in self.robot.self_collision_pairs() if pair["class"] in looked_at]
        self.pairs = [pair for pair in pairs if set(pair) & moving and all(link in self.parts for link in pair)]
        self.moving = [link for link in self.parts if link in moving]

    def standing(self, name: str) -> np.ndarray:
        """Pinocchio's configuration with open grippers."""
        values: dict[str, float] = {}
        for group in self.robot.groups:
            robot = kinetic.Robot(name, group)
            if "open" in robot.named_poses:
                values |= dict(zip(robot.joint_names, robot.named_pose("open")))
        q = pin.neutral(self.model)
        for joint, value in with_followers(urdf(name), values).items():
            q[self.model.joints[self.model.getJointId(joint)].idx_q] = value
        return q

    def moving_links(self) -> set[str]:
        """Links that the group moves."""
        poses = [self.robot.fk_all(self.robot.random_configuration(rng_seed=seed)) for seed in range(2)]
        return {link for link in poses[0] if not np.allclose(poses[0][link], poses[1][link], rtol=0.0, atol=1e-12)}

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """The group's values among those that stand."""
        full = self.held.copy()
        for joint, value in zip(self.robot.joint_names, q):
            place = self.model.joints[self.model.getJointId(joint)]
            # A joint without end is a point on the circle.
            full[place.idx_q : place.idx_q + place.nq] = [np.cos(value), np.sin(value)] if place.nq == 2 else value
        return full

    def among(self, obstacles: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Geometry with pairs, and its data."""
        geometry, numbers = pin.GeometryModel(), {}
        for link, parts in self.parts.items():
            frame = self.model.frames[self.model.getFrameId(link, pin.BODY)]
            for index, (pose, hull) in enumerate(parts):
                thing = pin.GeometryObject(f"{link}.{index}", frame.parentJoint, frame.placement * pose, hull)
                numbers.setdefault(link, []).append(geometry.addGeometryObject(thing))
        things = [
            geometry.addGeometryObject(pin.GeometryObject(f"obstacle{index}", 0, pose, shape))
            for index, (pose, shape) in enumerate(obstacles)
        ]
        met = [(x, y) for a, b in self.pairs for x in numbers[a] for y in numbers[b]]
        for first, second in met + [(x, y) for link in self.moving for x in numbers[link] for y in things]:
            geometry.addCollisionPair(pin.CollisionPair(first, second))
        return geometry, pin.GeometryData(geometry)

    def depth(self, geometry: Any, found: Any, q: np.ndarray) -> float:
        """How deep anything penetrates, m; 0 where nothing touches."""
        full = self.configuration(q)
        if not pin.computeCollisions(self.model, self.data, geometry, found, full, True):
            return 0.0
        pin.computeDistances(self.model, self.data, geometry, found, full)
        return max(0.0, -min(result.min_distance for result in found.distanceResults))


def shapes_of(problem: Json, family: str, cylinders: str) -> list[tuple[Any, Any]]:
    """Poses and shapes of the obstacles of a problem."""

    def pose(obstacle: Json) -> Any:
        rotation = mbm_judge.rotation_of_quaternion(obstacle.get("quat_xyzw", [0.0, 0.0, 0.0, 1.0]))
        return pin.SE3(rotation, np.array(obstacle["position"]))

    found = [(pose(box), coal.Box(*(2.0 * np.array(box["half_extents"])))) for box in problem["obstacles"]["boxes"]]
    for cylinder in problem["obstacles"]["cylinders"]:
        radius, length = cylinder["radius"], cylinder["length"]
        if cylinders == "exact":
            shape: Any = coal.Cylinder(radius, length)
        elif family == "box":
            shape = coal.Box(2.0 * radius, 2.0 * radius, length)
        else:
            shape = coal.Capsule(radius, length)
        found.append((pose(cylinder), shape))
    found += [(pose(ball), coal.Sphere(ball["radius"])) for ball in problem["obstacles"]["spheres"]]
    return found


def samples(path: np.ndarray) -> np.ndarray:
    """Configurations along a path, waypoints included."""
    pieces = [np.linspace(a, b, max(2, int(np.ceil(np.linalg.norm(b - a) / STEP)) + 1)) for a, b in zip(path, path[1:])]
    return np.vstack(pieces)


def judge(bench: str, problems: dict[tuple[str, int], Json], cylinders: str, paths: list[Json]) -> tuple[int, float]:
    """How many paths touch, and how deep at most, m."""
    hulls, touching, deepest = Hulls(bench), 0, 0.0
    for entry in paths:
        problem = problems[entry["family"], entry["index"]]
        geometry, found = hulls.among(shapes_of(problem, entry["family"], cylinders))
        depth = max(hulls.depth(geometry, found, q) for q in samples(np.array(entry["path"])))
        touching += depth > TOUCHES
        deepest = max(deepest, depth)
    return touching, deepest
