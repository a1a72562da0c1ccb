"""Check ``robot_configs/`` with independent programs: Pinocchio for kinematics and masses, Coal for distances.

    python -m pip install pin coal numpy        (and tomli below Python 3.11)
    python tools/robots/verify.py [--samples 2000] [ROBOT ...]

Per robot: the URDF loads and its forward kinematics equal the golden rows; masses are carried over and tensors are
physical; every vendor pose is there or has a reason not to be; poses have the right size, lie inside the limits and
are free of self-contact (joints of other groups as in the home pose); home and ready stand clear of the floor, and
the straight motion between them is free at its sampled points. Then random configurations: how many touch
themselves, which pairs do so most often, and which always do (those must stand in ``skip_pairs``).

The exit status is 1 if anything fails. Seeded: the same data give the same figures.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Mapping
from math import pi
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
from decisions import load, names
from derive import TENSOR_TOLERANCE, fault_of, group_joints, rotation, vendor_poses, vendor_values
from tree import Json, Pair, Tree, pair
from urdf_text import TENSOR

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CONFIGS = Path(__file__).resolve().parents[2] / "robot_configs"
FK_TOLERANCE = 1e-9
"""Both programs compute in double precision from the same numbers; they differ by rounding, some 1e-15."""
MASS_TOLERANCE = 1e-9
"""kg; sums of at most thirty masses in double precision."""
FLOOR_CLEARANCE = 0.02
"""m; links that a group raises or lowers stay this far above the plane on which the robot stands, in home and ready."""
VERTICAL = 1e-9
"""An axis is vertical up to this cosine error: quarter turns are printed with five digits in some sources."""
MOTION_POINTS = 101
"""Points on the straight joint motion from home to ready that are checked."""
SEED = 20261121

Values = Mapping[str, float]
Shape = tuple[coal.CollisionGeometry, np.ndarray, np.ndarray, float]
"""A piece, its pose in the link (position, rotation), and the radius of a ball about its position that holds it."""


def convex(piece: Json) -> Shape:
    """A rounded convex hull; its position is the middle of its bounding box."""
    points = np.array(piece["vertices"])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    vertices = coal.StdVec_Vec3s()
    vertices.extend(list(points - middle))
    geometry = coal.ConvexBase.convexHull(vertices, True, "Qt")
    geometry.setSweptSphereRadius(piece["radius"])
    ball = float(np.linalg.norm(points - middle, axis=1).max()) + float(piece["radius"])
    return geometry, middle, np.eye(3), ball


def shape(piece: Json) -> Shape:
    """A collision piece of ``hulls.json`` for Coal."""
    if piece["type"] == "convex":
        return convex(piece)
    position, turn = np.array(piece["origin_xyz"]), rotation(piece["origin_rpy"])
    if piece["type"] == "box":
        half = np.array(piece["half_extents"])
        return coal.Box(*(2.0 * half)), position, turn, float(np.linalg.norm(half))
    if piece["type"] == "cylinder":
        radius, half_height = piece["radius"], piece["half_height"]
        return coal.Cylinder(radius, 2.0 * half_height), position, turn, float(np.hypot(radius, half_height))
    return coal.Sphere(piece["radius"]), position, turn, float(piece["radius"])


def keeps_its_height(tree: Tree, link: str) -> bool:
    """True when no joint can raise or lower a link: it turns about vertical axes only, like a turntable on a table."""
    turned = np.eye(3)
    for joint in reversed(tree.path_up(link)):
        turned = turned @ rotation(joint["rpy"])
        turns = joint["type"] in ("revolute", "continuous") and abs((turned @ joint["axis"])[2]) > 1.0 - VERTICAL
        if not (joint["type"] == "fixed" or turns):
            return False
    return True


def nearest_to_zero(joint: Json) -> float:
    """Where a joint stands when nobody says where."""
    return min(max(0.0, joint.get("lower", -np.inf)), joint.get("upper", np.inf))


class Model:
    """A robot as ``robot_configs/<name>/`` describes it, in Pinocchio and Coal."""

    def __init__(self, name: str) -> None:
        """Load everything of the robot ``name``."""
        self.name = name
        self.folder = CONFIGS / name
        self.tree = Tree.load(name)
        self.choices = load(name)
        self.config: Json = tomllib.loads((self.folder / "kinetic.toml").read_text(encoding="utf-8"))
        self.pin = pin.buildModelFromUrdf(str(self.folder / "robot.urdf"))
        self.data = self.pin.createData()
        self.urdf = ET.parse(self.folder / "robot.urdf").getroot()
        pieces: dict[str, list[Json]] = json.loads((self.folder / "hulls.json").read_text(encoding="utf-8"))["links"]
        self.shapes = {link: [shape(piece) for piece in rows] for link, rows in pieces.items()}
        skipped = {pair(a, b): reason for a, b, reason in self.config["collision"]["skip_pairs"]}
        pairs = [
            pair(a, b) for a, b in itertools.combinations(self.shapes, 2) if not self.tree.is_rigid_or_adjacent(a, b)
        ]
        self.checked = [ab for ab in pairs if ab not in skipped]
        self.skipped = {ab: skipped[ab] for ab in pairs if ab in skipped}
        self.default_group: str = self.config["robot"]["default_group"]
        self.rest = self.neutral()
        """Where the other joints are while a group is posed."""

    def neutral(self) -> dict[str, float]:
        """Home of every group, the default group's last, else as near to zero as limits allow: as in the library."""
        groups = [*(group for group in self.choices.groups if group != self.default_group), self.default_group]
        values = {joint["name"]: nearest_to_zero(joint) for joint in self.tree.joints}
        for group in groups:
            values.update(zip(self.joints(group), self.config["named_poses"].get(group, {}).get("home", [])))
        return values

    def joints(self, group: str) -> list[str]:
        """The joints of a group, in order."""
        return group_joints(self.tree, self.choices, group)

    def moved_by(self, group: str) -> list[str]:
        """Links with shapes that a joint of the group raises or lowers."""
        joints = set(self.joints(group))
        moved = [link for link in self.shapes if joints & {joint["name"] for joint in self.tree.path_up(link)}]
        return [link for link in moved if not keeps_its_height(self.tree, link)]

    def place(self, values: Values) -> None:
        """Set joint values by name, the others to where they rest, and compute all frames."""
        q = pin.neutral(self.pin)
        for name, index in zip(self.pin.names[1:], range(1, self.pin.njoints)):
            joint = self.tree.joint[name]
            mimic = joint.get("mimic")
            value = values.get(name, self.rest[name])
            if mimic is not None:
                leader = mimic["joint"]
                value = mimic["multiplier"] * values.get(leader, self.rest[leader]) + mimic["offset"]
            first = self.pin.joints[index].idx_q
            if self.pin.joints[index].nq == 2:
                q[first : first + 2] = np.cos(value), np.sin(value)
            else:
                q[first] = value
        pin.framesForwardKinematics(self.pin, self.data, q)

    def frame(self, link: str) -> pin.SE3:
        """The pose of a link in the root frame, after :meth:`place`."""
        return self.data.oMf[self.pin.getFrameId(link, pin.BODY)]

    def placed(self, link: str) -> list[tuple[coal.CollisionGeometry, coal.Transform3s, np.ndarray, float]]:
        """The pieces of a link in the root frame."""
        pose = self.frame(link)
        turn, origin = pose.rotation, pose.translation
        return [
            (geometry, coal.Transform3s(turn @ own, origin + turn @ at), origin + turn @ at, ball)
            for geometry, at, own, ball in self.shapes[link]
        ]

    def distances(self, pairs: Iterable[Pair], beyond: float) -> dict[Pair, float]:
        """Distance of each pair, negative for depth; pairs further apart than ``beyond`` may be left out."""
        placed = {link: self.placed(link) for link in self.shapes}
        found: dict[Pair, float] = {}
        for a, b in pairs:
            for one, two in itertools.product(placed[a], placed[b]):
                if np.linalg.norm(one[2] - two[2]) > one[3] + two[3] + beyond:
                    continue
                gap = coal.distance(one[0], one[1], two[0], two[1], coal.DistanceRequest(), coal.DistanceResult())
                found[a, b] = min(gap, found.get((a, b), gap))
        return found

    def nearest(self, values: Values) -> tuple[float, str]:
        """The least self-distance of the checked pairs, and the pair."""
        self.place(values)
        found = self.distances(self.checked, beyond=1.0)
        ab = min(found, key=lambda key: found[key])
        return found[ab], "–".join(ab)

    def above_floor(self, values: Values, links: list[str]) -> float:
        """The least height of links above the plane z = 0 of the root."""
        self.place(values)
        floor, at = coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), coal.Transform3s.Identity()
        rows = [row for link in links for row in self.placed(link)]
        request = coal.DistanceRequest()
        heights = (float(coal.distance(row[0], row[1], floor, at, request, coal.DistanceResult())) for row in rows)
        return min(heights, default=np.inf)


def check_kinematics(model: Model) -> list[str]:
    """Forward kinematics against the golden rows."""
    rows = [(golden, row) for golden in model.tree.goldens() for row in golden["configs"]]
    worst = 0.0
    for golden, row in rows:
        model.place(dict(zip(golden["joint_order"], row["q"])))
        tip = model.frame(golden["base"]).actInv(model.frame(golden["tip"])).homogeneous
        worst = max(worst, float(np.abs(tip - np.array(row["T"])).max()))
    print(f"  forward kinematics: {len(rows)} golden rows, largest difference {worst:.1e}")
    return [] if worst <= FK_TOLERANCE else [f"forward kinematics differ by {worst}"]


def urdf_tensors(model: Model) -> dict[str, np.ndarray]:
    """Inertia tensors by link, as the URDF has them."""
    tensors = {}
    for link in model.urdf.iter("link"):
        for inertia in link.iter("inertia"):
            xx, xy, xz, yy, yz, zz = (float(inertia.get(key, "nan")) for key in TENSOR)
            tensors[str(link.get("name"))] = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return tensors


def check_masses(model: Model) -> list[str]:
    """Total mass as Pinocchio reads it, and the principal moments of every tensor."""
    tree = model.tree
    masses = {link["name"]: link["inertial"]["mass"] for link in tree.facts["links"] if link["inertial"]}
    base = tree.rigid_root(tree.root)
    total, moving = sum(masses.values()), sum(mass for link, mass in masses.items() if tree.rigid_root(link) != base)
    read = float(pin.computeTotalMass(model.pin))
    whole = sum(float(mass.get("value", "nan")) for mass in model.urdf.iter("mass"))
    print(f"  mass: {total:.4f} kg, of which {moving:.4f} kg move")
    faults = []
    if not (abs(read - moving) <= MASS_TOLERANCE and abs(whole - total) <= MASS_TOLERANCE):
        faults.append(f"masses differ: {read} and {moving} moving, {whole} and {total} in total")
    for link, tensor in urdf_tensors(model).items():
        small, middle, large = np.linalg.eigvalsh(tensor)
        if not (small > 0.0 and large <= small + middle + TENSOR_TOLERANCE * large):
            faults.append(f"the tensor of {link} is not physical: principal moments {small}, {middle}, {large}")
    return faults


def outside(model: Model, group: str, values: list[float]) -> list[str]:
    """Joints of a group that a pose puts outside their range."""
    joints = [model.tree.joint[name] for name in model.joints(group)]
    return [
        joint["name"]
        for joint, value in zip(joints, values)
        if not joint.get("lower", -np.inf) <= value <= joint.get("upper", np.inf)
    ]


def check_pose(model: Model, group: str, pose: str, values: list[float]) -> list[str]:
    """Size, limits, self-contact and, for home and ready, the floor."""
    label = f"pose {group}.{pose}"
    names = model.joints(group)
    if len(names) != len(values):
        return [f"{label} has {len(values)} values for {len(names)} joints"]
    faults = [f"{label}: {name} is outside its limits" for name in outside(model, group, values)]
    by_name = {**model.rest, **dict(zip(names, values))}
    gap, ab = model.nearest(by_name)
    if gap <= 0.0:
        faults.append(f"{label}: {ab} overlap by {-gap:.4f} m")
    height = model.above_floor(by_name, model.moved_by(group))
    if pose in ("home", "ready") and height < FLOOR_CLEARANCE:
        faults.append(f"{label}: only {height:.4f} m above the floor")
    print(f"  {label}: nearest {ab} {gap * 1e3:.1f} mm, {height * 1e3:.0f} mm above the floor")
    return faults


def check_poses(model: Model) -> list[str]:
    """All named poses, and the straight motion from home to ready of every group that has both."""
    faults: list[str] = []
    poses: dict[str, dict[str, list[float]]] = model.config["named_poses"]
    if "ready" not in poses[model.default_group]:
        faults.append("the default group has no ready pose")
    for group, table in poses.items():
        for pose, values in table.items():
            faults += check_pose(model, group, pose, values)
        if {"home", "ready"} <= set(table):
            faults += check_motion(model, group, np.array(table["home"]), np.array(table["ready"]))
    return faults


def check_motion(model: Model, group: str, home: np.ndarray, ready: np.ndarray, quiet: bool = False) -> list[str]:
    """The straight joint motion between two poses at evenly spaced points."""
    names = model.joints(group)
    if np.allclose(home, ready):
        return [f"home and ready of {group} are the same"]
    steps = np.linspace(0.0, 1.0, MOTION_POINTS)
    points = [{**model.rest, **dict(zip(names, home + (ready - home) * u))} for u in steps]
    gap, ab = min(model.nearest(point) for point in points)
    height = min(model.above_floor(point, model.moved_by(group)) for point in points)
    if not quiet:
        print(f"  {group}: straight from home to ready, nearest {ab} {gap * 1e3:.1f} mm, {height * 1e3:.0f} mm high")
    free = gap > 0.0 and height >= FLOOR_CLEARANCE
    return [] if free else [f"{group}: the straight motion from home to ready is not free ({ab}, {gap}, {height})"]


def check_vendor_poses(model: Model) -> list[str]:
    """Every pose of the SRDF is there with the vendor's values, or has a reason."""
    faults = []
    for name in model.choices.groups:
        for pose in vendor_poses(model.tree, model.choices, name):
            if fault_of(model.tree, model.choices, name, pose):
                continue
            values = vendor_values(model.choices, pose)
            wanted = [values[joint] for joint in model.joints(name)]
            if pose["name"] in model.choices.poses.get(name, {}):
                wanted = model.choices.poses[name][pose["name"]]
            if model.config["named_poses"][name].get(pose["name"]) != wanted:
                faults.append(f"vendor pose {name}.{pose['name']} is missing or changed")
    return faults


def sample(model: Model, joints: list[str], rng: np.random.Generator) -> dict[str, float]:
    """Values inside the limits; a continuous joint gets one turn."""
    limits = [model.tree.joint[name] for name in joints]
    values = [rng.uniform(joint.get("lower", -pi), joint.get("upper", pi)) for joint in limits]
    return dict(zip(joints, values))


def always_in_contact(model: Model, pairs: list[Pair], samples: int, rng: np.random.Generator) -> list[Pair]:
    """The pairs that stay in contact when every joint of the robot moves at random."""
    joints = [joint["name"] for joint in model.tree.joints if joint["type"] != "fixed" and "mimic" not in joint]
    for _ in range(samples if pairs else 0):
        model.place(sample(model, joints, rng))
        found = model.distances(pairs, beyond=0.0)
        pairs = [ab for ab in pairs if found.get(ab, 1.0) <= 0.0]
    return pairs


def check_contacts(model: Model, samples: int) -> list[str]:
    """Self-contact of random configurations of the default group, the other joints at rest."""
    rng = np.random.default_rng(SEED)
    joints = model.joints(model.default_group)
    touching, touching_without_skips = 0, 0
    counts: Counter[Pair] = Counter()
    for _ in range(samples):
        model.place({**model.rest, **sample(model, joints, rng)})
        found = model.distances([*model.checked, *model.skipped], beyond=0.0)
        hits = [ab for ab, gap in found.items() if gap <= 0.0]
        counts.update(hits)
        touching_without_skips += bool(hits)
        touching += any(ab not in model.skipped for ab in hits)
    print(f"  self-contact: {touching / samples:.1%} of {samples} random configurations of {model.default_group}")
    print(f"    {touching_without_skips / samples:.1%} when only rigid and adjacent pairs are left out")
    for ab, count in counts.most_common(8):
        reason = f" (skipped: {model.skipped[ab]})" if ab in model.skipped else ""
        print(f"    {'–'.join(ab)} {count / samples:.1%}{reason}")
    measured = always_in_contact(model, [ab for ab, count in counts.items() if count == samples], samples, rng)
    listed = [ab for ab, reason in model.skipped.items() if reason == "always"]
    faults = [f"{'–'.join(ab)} always touch and are not in skip_pairs" for ab in measured if ab not in model.skipped]
    return faults + [f"{'–'.join(ab)} do not always touch" for ab in listed if ab not in measured]


def verify(name: str, samples: int) -> list[str]:
    """All checks of one robot; returns what failed."""
    print(name)
    model = Model(name)
    faults = check_kinematics(model) + check_masses(model) + check_vendor_poses(model) + check_poses(model)
    return faults + (check_contacts(model, samples) if samples else [])


def main(arguments: list[str] | None = None) -> int:
    """Verify the robots asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=2000, help="random configurations per robot; 0 for none")
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    options = parser.parse_args(arguments)
    failed = False
    for name in options.robots:
        for fault in verify(name, options.samples):
            failed = True
            print(f"  FAIL {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
