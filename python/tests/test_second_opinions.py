"""Coal and Pinocchio asked the same questions: random scenes, planned motions, and URDFs nobody wrote by hand."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from oracles import FOLDERS, ROBOTS, WHOLE_ROBOTS, chain_of, origin_pose, pose_of, random_pose, urdf

from kinetic import Planner, PlanningError, Robot, Scene, Shape

coal = pytest.importorskip("coal", reason="test_scene.py works distances out by hand; this is a second opinion")

UNDECIDED = 1e-4
"""Verdicts are compared where both programs must agree: farther than this, m, from the margin. GJK ends within 1e-6."""
KEPT = 1e-6
"""How far below its margin GJK may see a distance that is proven, m."""
LIMIT_SLACK = 1e-6
"""Second differences of angles of 1 rad at 1 kHz round at some 1e-9 rad/s², limits are about 1."""

# Links that a planning group does not move are not compared with each other; see the page on margins.
ARMS = [name for name in ROBOTS if name not in WHOLE_ROBOTS]


class SecondChecker:
    """Distances of a robot's hulls, by Coal, over the poses of links that the robot says."""

    def __init__(self, name: str) -> None:
        folder = FOLDERS[name]
        hulls = json.loads((folder / "hulls.json").read_text("utf-8"))["links"]
        self.pieces = {link: [self.piece(piece) for piece in pieces] for link, pieces in hulls.items()}
        toml = (folder / "kinetic.toml").read_text("utf-8")
        skipped = {frozenset(pair) for pair in re.findall(r'^  \["(.*?)", "(.*?)", ".*"\],$', toml, flags=re.MULTILINE)}
        self.joints = {joint.find("child").get("link"): joint for joint in urdf(name).findall("joint")}
        self.pairs = [
            pair
            for pair in itertools.combinations(self.pieces, 2)
            if frozenset(pair) not in skipped and not self.are_neighbours(*pair)
        ]

    @staticmethod
    def piece(data: dict) -> tuple:
        """Geometry, pose in the link and rounding."""
        if data["type"] == "convex":
            points = coal.StdVec_Vec3s()
            for vertex in data["vertices"]:
                points.append(np.array(vertex))
            return coal.Convex.convexHull(points, False, "Qt"), np.eye(4), data["radius"]
        placed = origin_pose(data["origin_xyz"], data["origin_rpy"])
        if data["type"] == "cylinder":
            return coal.Cylinder(data["radius"], 2.0 * data["half_height"]), placed, 0.0
        if data["type"] == "sphere":
            return coal.Sphere(data["radius"]), placed, 0.0
        assert data["type"] == "box"
        return coal.Box(*(2.0 * np.array(data["half_extents"]))), placed, 0.0

    def body(self, link: str) -> str:
        """The link, or its ancestor, below the nearest joint that moves."""
        while link in self.joints and self.joints[link].get("type") == "fixed":
            link = self.joints[link].find("parent").get("link")
        return link

    def are_neighbours(self, a: str, b: str) -> bool:
        """Links of one body, or of bodies that one joint connects."""
        a, b = self.body(a), self.body(b)
        above = [self.body(self.joints[x].find("parent").get("link")) if x in self.joints else None for x in (a, b)]
        return a == b or above[0] == b or above[1] == a

    def clearances(self, poses: dict, objects: list, attached: list) -> tuple[float, float]:
        """Least distances towards the world and between own links; `attached` holds (link, geometry, grasp)."""
        placed = {link: [(g, poses[link] @ local, r) for g, local, r in pieces] for link, pieces in self.pieces.items()}
        moving = [piece for link, pieces in placed.items() if self.body(link) in self.joints for piece in pieces]
        carried = [(link, (g, poses[link] @ grasp, 0.0)) for link, g, grasp in attached]
        moving += [piece for _, piece in carried]
        own = [(x, y) for a, b in self.pairs for x in placed[a] for y in placed[b]]
        own += [
            (x, piece)
            for carrier, piece in carried
            for link, pieces in placed.items()
            if self.body(link) != self.body(carrier) and "finger" not in link
            for x in pieces
        ]
        world = [distance(piece, (g, pose, 0.0)) for piece in moving for g, pose in objects]
        return min(world, default=np.inf), min((distance(x, y) for x, y in own), default=np.inf)


def distance(a: tuple, b: tuple) -> float:
    """Distance of two placed geometries less their roundings."""
    result = coal.DistanceResult()
    at = [coal.Transform3s(pose[:3, :3].copy(), pose[:3, 3].copy()) for _, pose, _ in (a, b)]
    coal.distance(a[0], at[0], b[0], at[1], coal.DistanceRequest(), result)
    return result.min_distance - a[2] - b[2]


def random_solid(rng: np.random.Generator) -> tuple[Shape, object]:
    """A shape, and the same in Coal, whose lengths are full lengths."""
    x, y, z = rng.uniform(0.03, 0.2, 3)
    return [
        lambda: (Shape.sphere(x), coal.Sphere(x)),
        lambda: (Shape.cuboid(x, y, z), coal.Box(2 * x, 2 * y, 2 * z)),
        lambda: (Shape.cylinder(x, z), coal.Cylinder(x, 2 * z)),
        lambda: (Shape.capsule(x, z), coal.Capsule(x, 2 * z)),
    ][rng.integers(4)]()


def random_scene(robot: Robot, rng: np.random.Generator, most: int = 5) -> tuple[Scene, list, list]:
    """Up to `most` solids, sometimes a floor, sometimes a bar at the tip; with their doubles for Coal."""
    scene, objects, attached = Scene(robot), [], []
    for index in range(rng.integers(1, most + 1)):
        shape, double = random_solid(rng)
        pose = random_pose(rng)
        pose[:3, 3] *= 0.7  # within reach
        scene.add(f"object {index}", shape, pose)
        objects.append((double, pose))
    if rng.random() < 0.3:
        scene.add("floor", Shape.half_space([0.0, 0.1, 1.0], -0.3), np.eye(4))
        normal = np.array([0.0, 0.1, 1.0]) / np.hypot(0.1, 1.0)
        objects.append((coal.Halfspace(normal, -0.3), np.eye(4)))
    if rng.random() < 0.4:
        _, tip = chain_of(robot.name, robot.group)
        fingers = [link for link in robot.link_names if "finger" in link]
        grasp = pose_of(np.eye(3), np.array([0.0, 0.0, 0.2]))
        scene.attach("bar", Shape.cylinder(0.03, 0.12), grasp, tip, fingers)
        attached.append((tip, coal.Cylinder(0.03, 0.24), grasp))
    return scene, objects, attached


@pytest.mark.parametrize("name", ARMS)
def test_verdicts_in_random_scenes_are_those_of_coal(name: str) -> None:
    robot, second, rng = Robot(name), SecondChecker(name), np.random.default_rng(11)
    free = 0
    cases = 30
    for case in range(cases):
        scene, objects, attached = random_scene(robot, rng)
        q = robot.random_configuration(rng_seed=case)
        world, own = second.clearances(robot.fk_all(q), objects, attached)
        margin, self_margin = rng.choice([0.0, 0.02, 0.1]), rng.choice([0.0, 0.005, 0.03])
        if min(abs(world - margin), abs(own - self_margin)) < UNDECIDED:
            continue
        wanted = bool(world > margin and own > self_margin)
        free += wanted
        assert bool(scene.are_free([q], margin, self_margin)[0]) == wanted, f"case {case}: {world}, {own}"
        if min(abs(world), abs(own)) > UNDECIDED:
            assert scene.check_collision(q) == (world < 0.0 or own < 0.0), f"case {case}: {world}, {own}"
            assert scene.self_collision(q)[0] == (own < 0.0), f"case {case}: {own}"
    assert 0 < free < cases, "the scenes must show both answers"


@pytest.mark.parametrize("name", ["ur10e", "franka_panda", "xarm7"])
def test_planned_motions_keep_margins_and_limits_in_the_eyes_of_coal_and_of_differences(name: str) -> None:
    robot, second, rng = Robot(name), SecondChecker(name), np.random.default_rng(5)
    searched = 0
    for case in range(8):
        scene, objects, attached = random_scene(robot, rng, most=15)
        planner = Planner(robot, scene, timeout=60.0, max_iterations=2000, collision_margin=0.01, rng_seed=case)
        # Around one pose: the joints of the UR arms turn twice, and not every turn can be reached from every other.
        shifts = (rng.uniform(-2.0, 2.0, robot.dof) for _ in range(100))
        ends = (robot.clip(robot.named_pose("ready") + shift) for shift in shifts)
        start, goal, *_ = [*itertools.islice((q for q in ends if not planner.is_in_collision(q)), 2), None, None]
        if goal is None:
            continue
        try:
            motion = planner.plan(start, goal)
        except PlanningError:
            continue  # some of these scenes have no way through
        searched += planner.last_stats["iterations"] > 0
        for t in np.linspace(0.0, motion.duration, 40):
            world, own = second.clearances(robot.fk_all(motion.sample(t)), objects, attached)
            assert world > 0.01 - KEPT, f"case {case} at {t} s"
            assert own > -KEPT, f"case {case} at {t} s"
        step = 1e-3
        positions = np.array([motion.sample(t) for t in np.arange(0.0, motion.duration, step)])
        speeds, accelerations = np.diff(positions, axis=0) / step, np.diff(positions, 2, axis=0) / step**2
        assert np.all(np.abs(speeds) <= robot.velocity_limits * (1.0 + LIMIT_SLACK)), f"case {case}"
        assert np.all(np.abs(accelerations) <= robot.acceleration_limits * (1.0 + LIMIT_SLACK)), f"case {case}"
        # Rest at the start: the first step is at most half an acceleration long.
        assert np.all(np.abs(speeds[0]) <= 0.5 * step * robot.acceleration_limits * (1.0 + LIMIT_SLACK)), f"case {case}"
        assert np.array_equal(positions[0], start)
    assert searched, "at least one scene must need a search"


def random_urdf(rng: np.random.Generator) -> tuple[str, list[tuple]]:
    """A random tree with every type of joint and mimics, its elements in random order; with (type, mimic) per joint."""
    joints: list[tuple] = []
    parts = ['<link name="l0"/>']
    for child in range(1, rng.integers(3, 12)):
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed"], p=[0.4, 0.2, 0.2, 0.2]))
        bounded = kind in ("revolute", "prismatic")
        masters = [k for k, (other, mimic) in enumerate(joints, 1) if other in ("revolute", "prismatic") and not mimic]
        mimic = None
        if bounded and masters and rng.random() < 0.3:
            mimic = (int(rng.choice(masters)), rng.uniform(-1.5, 1.5), rng.uniform(-0.2, 0.2))
        joints.append((kind, mimic))
        words = (" ".join(map(str, numbers)) for numbers in rng.uniform(-1.0, 1.0, (3, 3)))
        limit = '<limit lower="-1.5" upper="2" velocity="1" effort="1"/>' if bounded else ""
        follow = f'<mimic joint="j{mimic[0]}" multiplier="{mimic[1]}" offset="{mimic[2]}"/>' if mimic else ""
        parts.append(f'<link name="l{child}"/>')
        parts.append(
            f'<joint name="j{child}" type="{kind}"><origin xyz="{next(words)}" rpy="{next(words)}"/>'
            f'<parent link="l{rng.integers(max(0, child - 3), child)}"/><child link="l{child}"/>'
            f'<axis xyz="{next(words)}"/>{limit}{follow}</joint>'
        )
    return f'<robot name="tree">{"".join(rng.permutation(parts))}</robot>', joints


def test_random_trees_stand_where_pinocchio_says() -> None:
    pin = pytest.importorskip("pinocchio", reason="test_robot.py computes FK from the specification as well")
    rng = np.random.default_rng(2)
    for case in range(40):
        text, joints = random_urdf(rng)
        robot = Robot.from_urdf(text)
        q = robot.random_configuration(rng_seed=case)
        values = dict(zip(robot.joint_names, q))
        model = pin.buildModelFromXML(text)
        data, full = model.createData(), pin.neutral(model)
        for index, (_, mimic) in enumerate(joints, 1):
            joint = model.joints[model.getJointId(f"j{index}")] if model.existJointName(f"j{index}") else None
            master, factor, offset = mimic or (index, 1.0, 0.0)
            value = factor * values.get(f"j{master}", 0.0) + offset
            if joint is not None:
                full[joint.idx_q : joint.idx_q + joint.nq] = (
                    [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
                )
        pin.framesForwardKinematics(model, data, full)
        for link, pose in robot.fk_all(q).items():
            wanted = data.oMf[model.getFrameId(link)].homogeneous
            assert np.allclose(pose, wanted, rtol=0.0, atol=1e-12), f"case {case}: {link}"
