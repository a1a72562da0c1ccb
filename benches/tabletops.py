"""Plans on what cameras have seen of random tabletops, judged against what is there.

    python benches/tabletops.py                       # 200 tabletops; prints the table
    python benches/tabletops.py --count 20 --write    # fewer; writes docs-site/benchmarks.md

MuJoCo holds the truth: an arm of boxes, cylinders and a sphere in front of a table with four to eight objects, in a
room. Its rays are the depth images of two cameras, with noise, holes and whole millimetres, while the arm moves
through them. The pictures are registered between two states of the joints and go through a `PerceptionPipeline` into
one map with a margin; plans go to random configurations that are 5 cm away from everything that is there. Every motion
is judged by MuJoCo's contacts along it. `unseen` means that space which no camera saw is an obstacle, too. Recall: of
random configurations that are more than 1 cm deep in something, the part that the sensed scene refuses.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kinetic
from kinetic import FrameTree, PerceptionPipeline, PlanningError, Pose, Robot, Scene, Shape

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

SIZE, FOCAL = (120, 160), 110.0
RESOLUTION = 0.02
MARGIN = 0.01
NOISE = 0.002
"""Standard deviation of a depth, m."""
HOLES = 0.02
"""Part of the pixels without a measurement."""
BOX = ([-0.8, -0.8, -0.2], [1.2, 0.8, 1.3])
"""Where space that no camera saw is an obstacle."""
CAMERAS = {"left": ([1.3, 0.9, 0.9], [0.5, 0.0, 0.1]), "right": ([1.2, -1.0, 1.0], [0.5, 0.0, 0.1])}
ROOM = 2.2
"""Distance of the walls, m."""
RANGE = 2.0
"""How far the map looks, m."""
GOALS = 2
STEP = 0.02
"""Longest step of a joint between judged configurations, rad."""

LINKS = [
    # joint axis, offset from the joint before, shape, middle of the shape
    ("0 0 1", "0 0 0.12", '<cylinder radius="0.07" length="0.12"/>', "0 0 0.05"),
    ("0 1 0", "0 0 0.10", '<box size="0.09 0.09 0.36"/>', "0 0 0.18"),
    ("0 1 0", "0 0 0.36", '<box size="0.07 0.07 0.34"/>', "0 0 0.17"),
    ("0 1 0", "0 0 0.34", '<sphere radius="0.045"/>', "0 0 0.02"),
    ("0 0 1", "0 0 0.06", '<cylinder radius="0.035" length="0.08"/>', "0 0 0.03"),
    ("0 1 0", "0 0 0.08", '<box size="0.03 0.08 0.12"/>', "0 0 0.07"),
]


def urdf() -> str:
    """The arm: six joints, about 1.1 m long."""
    parts = [
        '<robot name="tabletop_arm"><link name="base">',
        collision('<cylinder radius="0.08" length="0.12"/>', "0 0 0.06"),
    ]
    parts.append("</link>")
    for index, (axis, offset, shape, middle) in enumerate(LINKS):
        parent = "base" if index == 0 else f"link_{index - 1}"
        limit = 3.0 if axis == "0 0 1" else 2.2
        parts.append(f'<link name="link_{index}">{collision(shape, middle)}</link>')
        parts.append(
            f'<joint name="joint_{index}" type="revolute"><parent link="{parent}"/><child link="link_{index}"/>'
            f'<origin xyz="{offset}"/><axis xyz="{axis}"/>'
            f'<limit lower="{-limit}" upper="{limit}" velocity="2" effort="100"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def collision(shape: str, middle: str) -> str:
    """A shape of a link, with the inertia that MuJoCo wants."""
    inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    return (
        f'<inertial><mass value="1"/>{inertia}</inertial>'
        f'<collision><origin xyz="{middle}"/><geometry>{shape}</geometry></collision>'
    )


@dataclass
class Thing:
    """Something that stands there: its kind, its half sizes as MuJoCo has them, its middle and its turn about z."""

    kind: str
    size: list[float]
    middle: list[float]
    turn: float = 0.0

    def pose(self) -> Pose:
        """Pose of the middle."""
        return Pose.from_xyz_rpy(self.middle, [0.0, 0.0, self.turn])

    def shape(self) -> Shape:
        """The same for kinetic."""
        if self.kind == "box":
            return Shape.box(*(2.0 * np.array(self.size)))
        return Shape.sphere(self.size[0]) if self.kind == "sphere" else Shape.cylinder(self.size[0], self.size[1])


def tabletop(rng: np.random.Generator) -> list[Thing]:
    """A table and what stands on it."""
    things = [Thing("box", [0.4, 0.6, 0.02], [0.65, 0.0, -0.02])]
    for _ in range(rng.integers(4, 9)):
        x, y = rng.uniform([0.35, -0.45], [0.85, 0.45])
        kind = rng.choice(["box", "cylinder", "sphere"])
        half = rng.uniform(0.03, 0.16)
        width = rng.uniform(0.025, 0.09, 2)
        if kind == "sphere":
            things.append(Thing("sphere", [width[0]], [x, y, width[0]]))
        elif kind == "cylinder":
            things.append(Thing("cylinder", [width[0], half], [x, y, half]))
        else:
            things.append(Thing("box", [width[0], width[1], half], [x, y, half], rng.uniform(0.0, np.pi)))
    return things


class Truth:
    """The world as MuJoCo has it."""

    def __init__(self, things: list[Thing]) -> None:
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec.from_string(urdf())
        kinds = {"box": mujoco.mjtGeom.mjGEOM_BOX, "sphere": mujoco.mjtGeom.mjGEOM_SPHERE}
        for index, thing in enumerate(things):
            kind = kinds.get(thing.kind, mujoco.mjtGeom.mjGEOM_CYLINDER)
            size = [*thing.size, 0.0, 0.0][:3]
            turn = [np.cos(thing.turn / 2.0), 0.0, 0.0, np.sin(thing.turn / 2.0)]
            spec.worldbody.add_geom(name=f"thing_{index}", type=kind, size=size, pos=thing.middle, quat=turn)
        box = mujoco.mjtGeom.mjGEOM_BOX
        spec.worldbody.add_geom(name="floor", type=box, size=[ROOM, ROOM, 0.05], pos=[0.0, 0.0, -0.8])
        for axis, side in ((0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)):
            size, middle = [ROOM, ROOM, 2.0], [0.0, 0.0, 1.0]
            size[axis], middle[axis] = 0.05, side * ROOM
            spec.worldbody.add_geom(name=f"wall_{axis}_{side}", type=box, size=size, pos=middle)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.things = {self.model.geom(f"thing_{index}").id for index in range(len(things))}

    def place(self, q: np.ndarray) -> None:
        """Moves the arm."""
        self.data.qpos[:] = q
        self.mujoco.mj_forward(self.model, self.data)

    def depth(self, q: np.ndarray) -> float:
        """How deep the arm is in a thing at a configuration, m; 0 where it touches none."""
        self.place(q)
        depths = [
            -float(contact.dist)
            for contact in self.data.contact[: self.data.ncon]
            if (contact.geom[0] in self.things) != (contact.geom[1] in self.things)
        ]
        return max(depths, default=0.0)

    def picture(self, root_from_camera: Pose, q: np.ndarray) -> np.ndarray:
        """Depths (H, W) of a camera, m; 0 where there is nothing."""
        self.place(q)
        v, u = np.mgrid[: SIZE[0], : SIZE[1]]
        rays = np.stack([(u - 79.5) / FOCAL, (v - 59.5) / FOCAL, np.ones(SIZE)], axis=-1).reshape(-1, 3)
        lengths = np.linalg.norm(rays, axis=1)
        ways = (rays / lengths[:, None]) @ root_from_camera.rotation_matrix.T
        distances = np.zeros(len(ways))
        geoms = np.zeros(len(ways), dtype=np.int32)
        origin = np.array(root_from_camera.xyz)
        self.mujoco.mj_multiRay(
            self.model, self.data, origin, ways.ravel(), None, True, -1, geoms, distances, None, len(ways), 10.0
        )
        return np.where(distances > 0.0, distances / lengths, 0.0).reshape(SIZE)


def noisy(rng: np.random.Generator, depth: np.ndarray) -> np.ndarray:
    """What a camera makes of it: noise, holes, whole millimetres."""
    measured = depth + rng.normal(0.0, NOISE, depth.shape)
    measured[rng.uniform(size=depth.shape) < HOLES] = 0.0
    return np.where(depth > 0.0, np.round(np.clip(measured, 0.0, 60.0) * 1000.0), 0.0).astype(np.uint16)


@dataclass
class Counts:
    """What came out."""

    asked: int = 0
    solved: dict[str, int] = field(default_factory=lambda: {"seen": 0, "unseen": 0})
    touching: dict[str, int] = field(default_factory=lambda: {"seen": 0, "unseen": 0})
    deepest: dict[str, float] = field(default_factory=lambda: {"seen": 0.0, "unseen": 0.0})
    deep: int = 0
    refused: dict[str, int] = field(default_factory=lambda: {"seen": 0, "unseen": 0})
    milliseconds: dict[str, list[float]] = field(default_factory=lambda: {"picture": [], "seen": [], "unseen": []})


def sensed(robot: Robot, truth: Truth, rng: np.random.Generator, counts: Counts) -> Scene:
    """The scene that two cameras make, which see the arm move from a configuration to its upright one."""
    scene, frames = Scene(robot), FrameTree(history=10.0)
    pipeline = PerceptionPipeline(scene, frames)
    for name, (eye, target) in CAMERAS.items():
        frames.set_static("base", name, Pose.look_at(eye, target, [0.0, 0.0, 1.0]))
        pipeline.add_sensor(
            name,
            frame=name,
            object="map",
            camera=[FOCAL, FOCAL, 79.5, 59.5],
            output="octree",
            resolution=RESOLUTION,
            max_range=RANGE,
            margin=MARGIN,
            robot_padding=0.04,
        )
    begin = np.array([rng.uniform(-1.0, 1.0), -0.5, 0.4, 0.3, 0.0, 0.2])
    for number, share in enumerate(np.linspace(0.0, 1.0, 6)):
        q = (1.0 - share) * begin
        stamp = 100.0 + 0.1 * number
        # The joints are known before and after the picture, as a bus at another rate has them.
        for side in (-0.02, 0.02):
            pipeline.update_robot(np.clip(q - side * begin * 2.0, -2.2, 2.2), timestamp=stamp + side)
        for name, (eye, target) in CAMERAS.items():
            camera = Pose.look_at(eye, target, [0.0, 0.0, 1.0])
            pipeline.push_depth(name, noisy(rng, truth.picture(camera, q)), timestamp=stamp)
        done = pipeline.process()
        assert done == list(CAMERAS), (done, pipeline.statistics("left"))
        counts.milliseconds["picture"] += [1e3 * pipeline.statistics(name)["last_duration"] for name in CAMERAS]
    return scene


def goals(robot: Robot, things: list[Thing], rng: np.random.Generator) -> list[np.ndarray]:
    """Configurations over the table that are away from everything."""
    true_scene = Scene(robot)
    for index, thing in enumerate(things):
        true_scene.add(f"thing_{index}", thing.shape(), thing.pose())
    found: list[np.ndarray] = []
    while len(found) < GOALS:
        q = rng.uniform(-2.0, 2.0, 6)
        tool = robot.fk(q)[:3, 3]
        is_over_table = 0.3 < tool[0] < 0.95 and 0.05 < tool[2] < 0.45
        if is_over_table and not true_scene.check_collision(q) and true_scene.min_distance(q) > 0.05:
            found.append(q)
    return found


def judged(truth: Truth, motion: Any) -> float:
    """How deep a motion is in something, m."""
    waypoints = np.asarray(motion.positions())
    deepest = 0.0
    for first, second in zip(waypoints[:-1], waypoints[1:], strict=True):
        steps = max(1, int(np.ceil(np.abs(second - first).max() / STEP)))
        for share in np.linspace(0.0, 1.0, steps + 1):
            deepest = max(deepest, truth.depth((1.0 - share) * first + share * second))
    return deepest


def run(seed: int, robot: Robot, counts: Counts) -> None:
    """One tabletop."""
    rng = np.random.default_rng(seed)
    things = tabletop(rng)
    truth, wanted = Truth(things), goals(robot, things, rng)
    scene = sensed(robot, truth, rng, counts)
    careful = scene.snapshot()
    start = np.zeros(6)
    careful.add_unknown_space("unseen", "map", *BOX, robot_at=start, robot_padding=0.05)
    counts.asked += len(wanted)
    for kind, sensed_scene in (("seen", scene), ("unseen", careful)):
        for goal in wanted:
            began = time.perf_counter()
            try:
                motion = kinetic.plan(robot, start, goal, scene=sensed_scene, rng_seed=seed)
            except PlanningError:
                continue
            counts.milliseconds[kind].append(1e3 * (time.perf_counter() - began))
            counts.solved[kind] += 1
            depth = judged(truth, motion)
            counts.touching[kind] += depth > 0.0
            counts.deepest[kind] = max(counts.deepest[kind], depth)
    for q in rng.uniform(-2.0, 2.0, (200, 6)):
        if truth.depth(q) > 0.01:
            counts.deep += 1
            for kind, sensed_scene in (("seen", scene), ("unseen", careful)):
                counts.refused[kind] += sensed_scene.check_collision(q)


def table(counts: Counts, tabletops: int) -> str:
    """The rows."""
    pictures = counts.milliseconds["picture"]
    lines = [
        f"{tabletops} tabletops, two cameras with six pictures each; a picture takes "
        f"{statistics.median(pictures):.1f} ms, at most {max(pictures):.1f}.",
        "",
        "| obstacles | solved | touching something | deepest, mm | ms to plan | recall |",
        "|---|---|---|---|---|---|",
    ]
    for kind, title in (("seen", "what was seen"), ("unseen", "and what was not")):
        taken = statistics.median(counts.milliseconds[kind] or [float("nan")])
        recall = 100.0 * counts.refused[kind] / counts.deep
        lines.append(
            f"| {title} | {counts.solved[kind]} of {counts.asked} | {counts.touching[kind]} "
            f"| {1e3 * counts.deepest[kind]:.1f} | {taken:.1f} | {recall:.2f} % of {counts.deep} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Prints the table, or writes it into the page."""
    from figures import PAGE, replace_section

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    counts, robot = Counts(), Robot.from_urdf(urdf())
    for seed in range(arguments.count):
        run(seed, robot, counts)
    text = table(counts, arguments.count)
    print(text)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "tabletops", text))


if __name__ == "__main__":
    main()
