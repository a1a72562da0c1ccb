"""Compares collision checks of kinetic and of other libraries on the same robot among the same boxes in one run.

    python benches/collision_peers.py               # prints the table
    python benches/collision_peers.py --write       # writes it into docs-site/benchmarks.md

Robots are the built-in ones; every library gets the convex hulls that kinetic decides with, and the pairs of links that
kinetic checks. Coal takes the rounding of the hulls too; roboplan takes the hulls as meshes without it, which makes its
robot up to 1.2 mm thinner. Configurations are uniform inside the limits; edges are 1 rad long (Euclidean) between
configurations that are free. kinetic *proves* an edge; the others sample it every 1/32 rad. Times are those of one call
from Python, over all questions of a kind: the median over rounds of the mean, with the libraries taking turns. roboplan
gets an environment of its own under ``target/collision_peers``, because its pins are not ours; so it runs after the
others. How many verdicts differ from kinetic's is counted and printed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from importlib import metadata
from pathlib import Path
from typing import Any, Callable

import coal
import numpy as np
import pinocchio as pin

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from oracles import FOLDERS, random_pose  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
FOLDER = ROOT / "target" / "collision_peers"
ROBOTS = ["ur5e", "kuka_iiwa14"]
ROUNDS = 5
STEP = 1.0 / 32.0
"""Distance of samples on an edge, rad."""
Answers = dict[str, list]


def hull_of(shape: kinetic.Shape) -> tuple[Any, float]:
    """A convex shape in Coal, and its rounding."""
    size = shape.dimensions
    if shape.kind == "convex":
        points = coal.StdVec_Vec3s()
        for vertex in size["vertices"]:
            points.append(np.array(vertex))
        return coal.Convex.convexHull(points, True, "Qt"), size["radius"]
    if shape.kind == "cylinder":
        return coal.Cylinder(size["radius"], 2.0 * size["half_height"]), 0.0
    if shape.kind == "sphere":
        return coal.Sphere(size["radius"]), 0.0
    if shape.kind == "cuboid":
        return coal.Box(*(2.0 * np.array(size["half_extents"]))), 0.0
    raise SystemExit(f"no double of a {shape.kind}")


class Pinocchio:
    """Pinocchio's collision queries with the shapes of Coal."""

    def __init__(self, robot: kinetic.Robot, pairs: list, boxes: list) -> None:
        self.model = pin.buildModelFromUrdf(str(FOLDERS[robot.name] / "robot.urdf"))
        self.geometry = pin.GeometryModel()
        links: dict[str, list[int]] = {}
        for link in robot.link_names:
            for index, (shape, pose) in enumerate(robot.collision_shapes(link)):
                hull, radius = hull_of(shape)
                hull.setSweptSphereRadius(radius)
                links.setdefault(link, []).append(self.add(f"{link}.{index}", link, pose, hull))
        objects = [self.add(f"box{i}", None, pose, coal.Box(*size)) for i, (size, pose) in enumerate(boxes)]
        moving = [link for link in links if self.model.frames[self.model.getFrameId(link)].parentJoint != 0]
        own = [(x, y) for a, b in pairs for x in links[a] for y in links[b]]
        for first, second in own + [(x, y) for link in moving for x in links[link] for y in objects]:
            self.geometry.addCollisionPair(pin.CollisionPair(first, second))
        self.data, self.found = self.model.createData(), pin.GeometryData(self.geometry)

    def add(self, name: str, link: str | None, pose: np.ndarray, shape: Any) -> int:
        """A shape on a link, or in the world."""
        if link is None:
            return self.geometry.addGeometryObject(pin.GeometryObject(name, 0, pin.SE3(pose), shape))
        frame = self.model.frames[self.model.getFrameId(link)]
        placed = frame.placement * pin.SE3(pose)
        return self.geometry.addGeometryObject(pin.GeometryObject(name, frame.parentJoint, placed, shape))

    def collides(self, q: np.ndarray) -> bool:
        """Whether anything touches; stops at the first pair."""
        return pin.computeCollisions(self.model, self.data, self.geometry, self.found, q, True)

    def distance(self, q: np.ndarray) -> float:
        """The least distance."""
        nearest = pin.computeDistances(self.model, self.data, self.geometry, self.found, q)
        return self.found.distanceResults[nearest].min_distance

    def edge_collides(self, ends: tuple[np.ndarray, np.ndarray]) -> bool:
        """Whether a sample of an edge touches."""
        steps = int(np.ceil(np.linalg.norm(ends[1] - ends[0]) / STEP))
        return any(self.collides(ends[0] + t * (ends[1] - ends[0])) for t in np.linspace(0.0, 1.0, steps + 1))


def scene_of(robot: kinetic.Robot, rng: np.random.Generator, count: int) -> tuple[kinetic.Scene, list]:
    """Boxes within reach but away from the base, in a scene and as sizes with poses."""
    scene, boxes = kinetic.Scene(robot), []
    while len(boxes) < count:
        size, pose = rng.uniform(0.05, 0.3, 3), random_pose(rng)
        if 0.35 < np.linalg.norm(pose[:3, 3]) < 1.0:
            boxes.append((size, pose))
            scene.add(f"box{len(boxes)}", kinetic.Shape.box(*size), pose)
    return scene, boxes


def questions(robot: kinetic.Robot, scene: kinetic.Scene, rng: np.random.Generator, count: int) -> tuple[list, list]:
    """Configurations, and edges of 1 rad between free ones."""
    limits = robot.joint_limits
    random = lambda: rng.uniform(limits[:, 0], limits[:, 1])  # noqa: E731
    configurations, edges = [random() for _ in range(count)], []
    while len(edges) < count // 5:
        start, direction = random(), rng.normal(size=robot.dof)
        end = robot.clip(start + direction / np.linalg.norm(direction))
        if not scene.check_collision(start) and not scene.check_collision(end):
            edges.append((start, end))
    return configurations, edges


def timed(ask: Callable, about: list) -> tuple[float, list]:
    """Mean microseconds of a question, and the answers."""
    began = time.perf_counter()
    answers = [ask(item) for item in about]
    return 1e6 * (time.perf_counter() - began) / len(about), answers


def take_turns(askers: dict[str, dict[str, Callable]], about: dict[str, list]) -> dict[str, dict[str, Any]]:
    """Per kind of question and library the median time and the answers."""
    results: dict[str, dict[str, Any]] = {kind: {} for kind in about}
    for _ in range(ROUNDS):
        for kind, items in about.items():
            for name, asker in askers.items():
                if kind in asker:
                    microseconds, answers = timed(asker[kind], items)
                    mine = results[kind].setdefault(name, {"times": [], "answers": answers})
                    mine["times"].append(microseconds)
    return results


def urdf_with_hulls(robot: kinetic.Robot) -> tuple[Path, dict[str, list]]:
    """The robot's file with hulls as collision meshes, and nothing to look at; and the corners of each mesh file."""
    tree = ElementTree.parse(FOLDERS[robot.name] / "robot.urdf")
    meshes = {}
    for link in tree.getroot().iter("link"):
        for kind in ("visual", "collision"):
            for element in link.findall(kind):
                link.remove(element)
        for index, (shape, pose) in enumerate(robot.collision_shapes(link.get("name"))):
            assert np.array_equal(pose, np.eye(4)), "hulls stand in the frames of their links"
            file = str(FOLDER / f"{robot.name}.{link.get('name')}.{index}.obj")
            meshes[file] = np.array(shape.dimensions["vertices"]).tolist()
            geometry = ElementTree.SubElement(ElementTree.SubElement(link, "collision"), "geometry")
            ElementTree.SubElement(geometry, "mesh", filename=f"file://{file}")
    file = FOLDER / f"{robot.name}.urdf"
    tree.write(file)
    return file, meshes


def ask_roboplan(robot: kinetic.Robot, pairs: list, boxes: list, about: dict[str, list]) -> dict[str, Any]:
    """What roboplan's worker says, or a note."""
    folder = FOLDER / "roboplan"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "roboplan", "scipy"]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            return {"note": "cannot be installed"}
        (folder / "ready").touch()
    links = [link for link in robot.link_names if robot.collision_shapes(link)]
    urdf, meshes = urdf_with_hulls(robot)
    job = {
        "urdf": str(urdf),
        "meshes": meshes,
        "links": links,
        "checked": pairs,
        "boxes": [(list(size), pose.tolist()) for size, pose in boxes],
        "configurations": [q.tolist() for q in about["configuration"]],
        "edges": [[end.tolist() for end in edge] for edge in about["edge"]],
        "fixed": fixed_links(robot, links),
        "rounds": ROUNDS,
        "step": STEP,
    }
    files = [FOLDER / f"{kind}.json" for kind in ("job", "answer")]
    files[0].write_text(json.dumps(job), "utf-8")
    command = [str(python), str(ROOT / "benches" / "collision_peers_worker.py"), *map(str, files)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=FOLDER)
    if done.returncode != 0:
        return {"note": f"failed: {done.stderr.strip().splitlines()[-1:]}"}
    return json.loads(files[1].read_text("utf-8"))


def fixed_links(robot: kinetic.Robot, links: list[str]) -> list[str]:
    """Links that stand whatever the joints do."""
    poses = [robot.fk_all(robot.random_configuration(rng_seed=seed)) for seed in range(2)]
    return [link for link in links if np.array_equal(poses[0][link], poses[1][link])]


def measure(name: str, count: int, obstacles: int) -> list[str]:
    """The rows of a robot."""
    robot, rng = kinetic.Robot(name), np.random.default_rng(0)
    scene, boxes = scene_of(robot, rng, obstacles)
    configurations, edges = questions(robot, scene, rng, count)
    about = {"configuration": configurations, "distance": configurations, "edge": edges}
    looked_at = ("checked", "never")
    pairs = [pair["links"] for pair in robot.self_collision_pairs() if pair["class"] in looked_at]
    peer = Pinocchio(robot, pairs, boxes)
    askers = {
        "kinetic": {
            "configuration": scene.check_collision,
            "distance": lambda q: scene.distance_gradient(q)[0],
            "edge": lambda ends: scene.check_motion(*ends) is not None,
        },
        "Coal and Pinocchio": {
            "configuration": peer.collides,
            "distance": peer.distance,
            "edge": peer.edge_collides,
        },
    }
    results = take_turns(askers, about)
    matrix = np.array(configurations)
    batch = [timed(lambda all_: scene.are_free(all_), [matrix])[0] / len(matrix) for _ in range(ROUNDS)]
    results["configuration"]["kinetic, all in one call"] = {"times": batch, "answers": list(~scene.are_free(matrix))}
    other = ask_roboplan(robot, pairs, boxes, about)
    for kind in ("configuration", "edge"):
        results[kind]["roboplan"] = other if "note" in other else other[kind]
    rows = []
    for kind, answers in results.items():
        rows += [row(name, kind, library, found, answers["kinetic"]) for library, found in answers.items()]
    return rows


def row(robot: str, kind: str, library: str, found: dict[str, Any], own: dict[str, Any]) -> str:
    """One line of the table."""
    if "note" in found:
        return f"| {robot} | {kind} | {library} | {found['note']} |  |  |"
    microseconds = statistics.median(found["times"])
    ratio = microseconds / statistics.median(own["times"])
    if kind == "distance":
        apart = [abs(a - b) for a, b in zip(found["answers"], own["answers"]) if min(a, b) > 0.0]
        differs = f"up to {1e6 * max(apart):.1f} µm"
    else:
        differs = str(sum(bool(a) != bool(b) for a, b in zip(found["answers"], own["answers"])))
    return f"| {robot} | {kind} | {library} | {microseconds:.2f} | {ratio:.2f} | {differs} |"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, help="only these")
    parser.add_argument("--count", type=int, default=1000, help="configurations per robot; a fifth as many edges")
    parser.add_argument("--obstacles", type=int, default=10, help="boxes around the robot")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    versions = f"coal {metadata.version('coal')}, pin {metadata.version('pin')}"
    table = [
        f"{arguments.count} configurations and {arguments.count // 5} edges per robot, {arguments.obstacles} boxes; "
        f"kinetic {kinetic.__version__}, {versions}, roboplan in an environment of its own.",
        "",
        "| robot | question | library | µs | / kinetic | differs from kinetic |",
        "|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        rows = measure(name, arguments.count, arguments.obstacles)
        print("\n".join(rows), flush=True)
        table += rows
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "collision_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
