"""An independent judge of the paths that ``kinetic bench mbm`` finds: NumPy in double precision, nothing of kinetic.

Robots are the spheres of ``models/<robot>/model.json``. Paths are looked at every `STEP` of joint-space length, which
is no proof, but another program's word on what was proven. Where spheres are farther from everything than they can move
before the next samples, those samples need no look: the verdict is the one that looking at all of them gives.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kinetic import _read_file

STEP = 0.002
"""Distance of the configurations looked at, rad or m."""
BATCH = 250
"""Configurations at once: what fits into memory for robots of some hundred spheres."""
COARSE = 64
"""Samples that the first look at a piece of a path stands for, at most."""
TOUCHES = 1e-6
"""Penetration that counts, m: rounding of poses of a metre is far below."""
ENDS = 1e-6
"""How well ends and limits are met, rad or m; files in single precision put goals some 3e-6 beyond limits."""
LIMITS = 1e-5

Floats = NDArray[np.float64]
Places = NDArray[np.int_]
Json = dict[str, Any]


def read_json(path: Path) -> Any:
    """A JSON file, plain or compressed."""
    data = _read_file(path)
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def rotation_of_quaternion(xyzw: list[float]) -> Floats:
    """Rotation matrix of a unit quaternion."""
    x, y, z, w = np.array(xyzw) / np.linalg.norm(xyzw)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def turns(axis: Floats, angles: Floats) -> Floats:
    """Rotation matrices (N, 3, 3) about one axis, by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sines, cosines = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    rotations: Floats = np.eye(3) + sines * cross + (1.0 - cosines) * (cross @ cross)
    return rotations


class Spheres:
    """A robot of spheres."""

    def __init__(self, model: Json) -> None:
        self.model = model
        spheres = model["spheres"]
        self.radii = np.array([sphere["radius"] for sphere in spheres])
        self.links = [sphere["link"] for sphere in spheres]
        pairs = {frozenset(pair) for pair in model["self_collision_link_pairs"]}
        together = [
            (i, j) for i in range(len(spheres)) for j in range(i) if frozenset((self.links[i], self.links[j])) in pairs
        ]
        self.pairs = np.array(together, dtype=int).reshape(-1, 2)
        limits = (model["lower"], model["upper"])
        self.lower, self.upper = (np.array(bound) for bound in limits)
        self.origins = [origin(joint) for joint in model["joints"]]
        self.reach = self.reaches()
        first, second = self.reach[:, self.pairs[:, 0]], self.reach[:, self.pairs[:, 1]]
        # A joint below both spheres of a pair moves them as one.
        self.pair_reach = np.where((first > 0.0) ^ (second > 0.0), first + second, 0.0)

    def reaches(self) -> Floats:
        """How far a centre moves at most per unit of a joint, (dof, spheres); 0 for joints that do not move it.

        A turning joint moves a point by its distance from the axis: at most the way along the links to it.
        """
        active: list[str] = self.model["active_joints"]
        incoming = {joint["child"]: joint for joint in self.model["joints"]}
        most = np.maximum(np.abs(self.lower), np.abs(self.upper))
        reach = np.zeros((len(active), len(self.links)))
        for index, sphere in enumerate(self.model["spheres"]):
            link, way = sphere["link"], float(np.linalg.norm(sphere["center"]))
            while link in incoming:
                joint = incoming[link]
                slides = joint["type"] == "prismatic"
                if joint["name"] in active and joint["type"] != "fixed":
                    column = active.index(joint["name"])
                    # A point on the axis moves with the joint too, by nothing: the least number says "is moved".
                    reach[column, index] = 1.0 if slides else max(way, np.finfo(float).tiny)
                    way += float(most[column]) if slides else 0.0
                way += float(np.linalg.norm(joint["origin_xyz"]))
                link = joint["parent"]
        return reach

    def centres(self, q: Floats) -> Floats:
        """Centres (N, spheres, 3) in the root frame at configurations (N, dof)."""
        values = dict(zip(self.model["active_joints"], q.T))
        poses = {self.model["root"]: (np.tile(np.eye(3), (len(q), 1, 1)), np.zeros((len(q), 3)))}
        for joint, fixed in zip(self.model["joints"], self.origins):
            rotation, position = poses[joint["parent"]]
            position = position + rotation @ np.array(joint["origin_xyz"])
            rotation = rotation @ fixed
            axis, value = np.array(joint["axis"]), values.get(joint["name"], np.zeros(len(q)))
            if joint["type"] == "prismatic":
                position = position + np.einsum("nij,j,n->ni", rotation, axis, value)
            elif joint["type"] != "fixed":
                rotation = rotation @ turns(axis, value)
            poses[joint["child"]] = (rotation, position)
        placed = [(poses[sphere["link"]], np.array(sphere["center"])) for sphere in self.model["spheres"]]
        return np.stack([position + rotation @ centre for (rotation, position), centre in placed], axis=1)

    def gaps(self, q: Floats, away: list[Any], own: Places, pairs: Places) -> tuple[Floats, Floats]:
        """Least signed distances at configurations (N, dof): of some spheres to obstacles, and of some pairs."""
        centres = self.centres(q)
        moving = centres[:, own].reshape(-1, 3)
        world = np.full(len(moving), np.inf)
        for distance in away:
            world = np.minimum(world, distance(moving))
        first, second = self.pairs[pairs].T
        offset = centres[:, first] - centres[:, second]
        apart = np.sqrt(np.einsum("npi,npi->np", offset, offset))
        return world.reshape(len(q), -1) - self.radii[own], apart - self.radii[first] - self.radii[second]

    def clearance(self, q: Floats, obstacles: Json, family: str, cylinders: str) -> float:
        """Least signed distance of a sphere to obstacles and spheres of other links, over configurations (N, dof)."""
        everything = (np.arange(len(self.radii)), np.arange(len(self.pairs)))
        return min(
            float(gap.min(initial=np.inf))
            for some in np.array_split(q, -(-len(q) // BATCH))
            for gap in self.gaps(some, distances(obstacles, family, cylinders), *everything)
        )

    def least_below(self, q: Floats, away: list[Any]) -> float:
        """As `clearance` over samples (N, dof) of a path where that is negative; else a number that is not negative.

        From coarse to fine: a run of samples is looked at in its middle, and left alone when no sphere can come to
        touch on the way to its ends; otherwise its halves are next, with the spheres and pairs still in question.
        """
        cuts = np.unique(np.r_[0 : len(q) : COARSE, len(q)])
        runs, least = np.stack([cuts[:-1], cuts[1:]], axis=1), np.inf
        spheres, pairs = np.arange(len(self.radii)), np.arange(len(self.pairs))
        steps = np.vstack([np.zeros((1, q.shape[1])), np.cumsum(np.abs(np.diff(q, axis=0)), axis=0)])
        while len(runs):
            halves, near, close = [], np.zeros(len(spheres), dtype=bool), np.zeros(len(pairs), dtype=bool)
            for some in np.array_split(runs, -(-len(runs) // BATCH)):
                middle = some.sum(axis=1) // 2
                world, own = self.gaps(q[middle], away, spheres, pairs)
                least = min(least, float(world.min(initial=np.inf)), float(own.min(initial=np.inf)))
                # How far each joint is at most from its value in the middle.
                way = np.maximum(steps[middle] - steps[some[:, 0]], steps[some[:, 1] - 1] - steps[middle])
                may_touch = world <= way @ self.reach[:, spheres]
                may_meet = own <= way @ self.pair_reach[:, pairs]
                near |= may_touch.any(axis=0)
                close |= may_meet.any(axis=0)
                open_ = may_touch.any(axis=1) | may_meet.any(axis=1)
                some, middle = some[open_], middle[open_]
                halves += [np.stack([some[:, 0], middle], axis=1), np.stack([middle + 1, some[:, 1]], axis=1)]
            runs = np.concatenate(halves)
            runs = runs[runs[:, 0] < runs[:, 1]]
            spheres, pairs = spheres[near], pairs[close]
        return least


def origin(joint: Json) -> Floats:
    """The rotation of a joint's origin."""
    roll, pitch, yaw = joint["origin_rpy"]
    ex, ey, ez = np.eye(3)
    first, second, third = (turns(axis, np.array([angle]))[0] for axis, angle in ((ez, yaw), (ey, pitch), (ex, roll)))
    rotation: Floats = first @ second @ third
    return rotation


def distances(obstacles: Json, family: str, cylinders: str) -> list[Any]:
    """A function per obstacle: signed distances of points (N, 3)."""
    found: list[Any] = []
    for box in obstacles["boxes"]:
        found.append(box_distance(box, np.array(box["half_extents"])))
    for cylinder in obstacles["cylinders"]:
        radius, half = cylinder["radius"], cylinder["length"] / 2.0
        if cylinders == "exact":
            found.append(cylinder_distance(cylinder, radius, half))
        elif family == "box":
            found.append(box_distance(cylinder, np.array([radius, radius, half])))
        else:
            found.append(capsule_distance(cylinder, radius, half))
    for sphere in obstacles["spheres"]:
        centre, radius = np.array(sphere["position"]), sphere["radius"]
        found.append(lambda points, c=centre, r=radius: np.linalg.norm(points - c, axis=1) - r)
    return found


def local(obstacle: Json, points: Floats) -> Floats:
    """Points in the frame of an obstacle."""
    moved: Floats = (points - np.array(obstacle["position"])) @ rotation_of_quaternion(obstacle["quat_xyzw"])
    return moved


def box_distance(obstacle: Json, half: Floats) -> Any:
    """Signed distance to a box."""

    def distance(points: Floats) -> Floats:
        beyond = np.abs(local(obstacle, points)) - half
        outside: Floats = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
        return outside

    return distance


def cylinder_distance(obstacle: Json, radius: float, half: float) -> Any:
    """Signed distance to a cylinder with flat ends."""

    def distance(points: Floats) -> Floats:
        at = local(obstacle, points)
        beyond = np.stack([np.hypot(at[:, 0], at[:, 1]) - radius, np.abs(at[:, 2]) - half], axis=1)
        outside: Floats = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
        return outside

    return distance


def capsule_distance(obstacle: Json, radius: float, half: float) -> Any:
    """Signed distance to a capsule whose segment is `2 half` long."""

    def distance(points: Floats) -> Floats:
        at = local(obstacle, points)
        at[:, 2] -= np.clip(at[:, 2], -half, half)
        gap: Floats = np.linalg.norm(at, axis=1) - radius
        return gap

    return distance


def samples(path: Floats) -> Floats:
    """Configurations along a path, waypoints included."""
    pieces = []
    for a, b in zip(path, path[1:]):
        steps = max(1, int(np.ceil(np.linalg.norm(b - a) / STEP)))
        pieces.append(a + np.linspace(0.0, 1.0, steps + 1)[:-1, None] * (b - a))
    return np.vstack([*pieces, path[-1:]])


def judge(data: str | Path, robot: str, cylinders: str, paths: list[Json]) -> Json:
    """Counts the paths that touch, miss their ends or leave the limits; `deepest` is the largest penetration, m."""
    folder = Path(data)
    spheres = Spheres(read_json(folder / "models" / robot / "model.json"))
    families = [read_json(file) for file in sorted((folder / "problems" / robot).iterdir()) if ".json" in file.name]
    problems = {(family["family"], problem["index"]): problem for family in families for problem in family["problems"]}
    verdict: Json = {"judged": len(paths), "touching": [], "ends_missed": [], "limits_left": [], "deepest": 0.0}
    for entry in paths:
        name, problem = [entry["family"], entry["index"]], problems[entry["family"], entry["index"]]
        path = np.array(entry["path"])
        ends = np.abs(path[[0, -1]] - [problem["start"], problem["goals"][0]])
        if ends.max() > ENDS:
            verdict["ends_missed"].append(name)
        if (path < spheres.lower - LIMITS).any() or (path > spheres.upper + LIMITS).any():
            verdict["limits_left"].append(name)
        along = samples(path)
        least = spheres.least_below(along, distances(problem["obstacles"], entry["family"], cylinders))
        if least < -TOUCHES:
            verdict["touching"].append(name)
        verdict["deepest"] = max(verdict["deepest"], -least)
    return verdict


def text(verdict: Json) -> str:
    """The verdict for people."""
    lines = [f"judge (NumPy, every {STEP} rad): {verdict['judged']} paths"]
    for key, words in (
        ("touching", "touch"),
        ("ends_missed", "miss start or goal"),
        ("limits_left", "leave the limits"),
    ):
        shown = ", ".join(f"{family} {index}" for family, index in verdict[key][:10])
        lines.append(f"  {len(verdict[key])} {words}{': ' + shown if shown else ''}")
    lines.append(f"  deepest penetration {1000.0 * verdict['deepest']:.4f} mm")
    return "\n".join(lines)
