"""Convex regions: their claim by Coal and SciPy, their files, and paths through them."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetic import (
    Constraint,
    ConvexDecomposition,
    ConvexRegion,
    InputError,
    Planner,
    PlanningError,
    Pose,
    Robot,
    Scene,
    Shape,
    StopFlag,
)

LEFT = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]
RIGHT = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
SQUARE = ([[1, 0], [0, 1], [-1, 0], [0, -1]], [1, 1, 1, 1])


def cell() -> Scene:
    """An arm beside a wall."""
    scene = Scene(Robot("ur5e"))
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), Pose.from_xyz(0.0, 0.7, 0.5))
    return scene


@pytest.fixture(scope="module")
def planner() -> Planner:
    return Planner("ur5e", cell())


@pytest.fixture(scope="module")
def regions(planner: Planner) -> ConvexDecomposition:
    return planner.convex_decomposition([LEFT, RIGHT], 8, collision_fraction=0.05)


def test_paths_through_regions_are_proven_and_not_longer(planner: Planner, regions: ConvexDecomposition) -> None:
    through = planner.with_regions(regions)
    assert through.regions == regions
    assert planner.regions is None
    for start, goal in ((LEFT, RIGHT), (RIGHT, LEFT)):
        motion = through.plan(start, goal)
        assert through.planner_used == "gcs"
        assert np.array_equal(motion.positions()[0], start)
        assert np.allclose(motion.positions()[-1], goal, rtol=0.0, atol=1e-12)
        through.certify(motion)
        planner.plan(start, goal)
        assert through.last_stats["path_length"] < 1.1 * planner.last_stats["path_length"]


def chains_of(regions: ConvexDecomposition, most: int) -> list[list[int]]:
    """Chains of overlapping regions, no region twice, from one with the start to one with the goal."""
    near = {place: {b for a, b in regions.overlaps.tolist() if a == place} for place in range(len(regions))}
    for a, b in regions.overlaps.tolist():
        near[b].add(a)
    found, open_chains = [], [[place] for place in near if regions.regions[place].contains(LEFT)]
    while open_chains:
        chain = open_chains.pop()
        if regions.regions[chain[-1]].contains(RIGHT):
            found.append(chain)
        if len(chain) < most:
            open_chains += [[*chain, place] for place in sorted(near[chain[-1]] - set(chain))]
    return found


def shortest_through(regions: ConvexDecomposition, chain: list[int]) -> float:
    """Length of the shortest path through a chain by SciPy, from the points that are deepest in its overlaps."""
    optimize = pytest.importorskip("scipy.optimize", reason="shortest paths through chains are convex programmes")
    faces = [[regions.regions[place] for place in pair] for pair in zip(chain, chain[1:])]
    count, dof = len(faces), len(LEFT)
    sizes = [sum(len(of.offsets) for of in pair) for pair in faces]
    normals, deep = np.zeros((sum(sizes), count * dof)), np.zeros(count * dof)
    offsets = np.concatenate([of.offsets for pair in faces for of in pair])
    for point, pair in enumerate(faces):
        rows, columns = slice(sum(sizes[:point]), sum(sizes[: point + 1])), slice(point * dof, (point + 1) * dof)
        normals[rows, columns] = np.vstack([of.normals for of in pair])
        inner = np.hstack([normals[rows, columns], np.ones((sizes[point], 1))])
        deepest = optimize.linprog(-np.eye(dof + 1)[-1], inner, offsets[rows], bounds=[(None, None)] * dof + [(0, 1)])
        deep[columns] = deepest.x[:dof]

    def length(points: np.ndarray) -> float:
        return float(np.linalg.norm(np.diff([LEFT, *points.reshape(count, dof), RIGHT], axis=0), axis=1).sum())

    inside = {"type": "ineq", "fun": lambda x: offsets - normals @ x, "jac": lambda _: -normals}
    found = optimize.minimize(length, deep, constraints=inside, method="SLSQP", options={"maxiter": 200})
    return float(found.fun) if np.all(normals @ found.x <= offsets + 1e-6) else length(deep)


def test_the_relaxation_bounds_the_length_from_below(planner: Planner, regions: ConvexDecomposition) -> None:
    """No chain has a shorter path than the bound says. Paths are longer than chains, of which a part may collide."""
    options: dict[str, Any] = {"planner_type": "gcs", "shortcut_iterations": 0, "smooth": False}
    plain = Planner(planner.robot, planner.scene, **options)
    relaxing = Planner(planner.robot, planner.scene, convex_relaxation=True, timeout=60.0, **options)
    assert relaxing.convex_relaxation
    assert not plain.convex_relaxation
    lengths = {}
    for name, of in (("plain", plain), ("relaxing", relaxing)):
        through = of.with_regions(regions)
        through.plan(LEFT, RIGHT, time_parameterize=False)
        lengths[name] = through.last_stats["raw_length"]
    assert plain.last_stats == {}
    bound, straight = through.last_stats["lower_bound"], np.linalg.norm(np.subtract(RIGHT, LEFT))
    chains = chains_of(regions, 5)
    assert chains
    shortest = min(shortest_through(regions, chain) for chain in chains)
    assert straight * 1.001 < bound <= shortest + 1e-5
    assert bound <= lengths["relaxing"] <= lengths["plain"]


def test_under_velocity_limits_the_bound_is_one_of_time(planner: Planner, regions: ConvexDecomposition) -> None:
    """The straight line takes less, the motion more; slower joints longer. Simplified paths may leave the regions."""
    bare: dict[str, Any] = {"planner_type": "gcs", "shortcut_iterations": 0, "smooth": False}
    bounds = []
    for scaling in (1.0, 0.25):
        options = {**bare, "minimise": "time", "velocity_scaling": scaling}
        quick = Planner(planner.robot, planner.scene, convex_relaxation=True, timeout=60.0, **options)
        through = quick.with_regions(regions)
        motion = through.plan(LEFT, RIGHT)
        limits = through.limits["velocity"]
        steps = np.abs(np.diff(through.plan(LEFT, RIGHT, time_parameterize=False).positions(), axis=0))
        bounds.append(through.last_stats["lower_bound"])
        straight = np.max(np.abs(np.subtract(RIGHT, LEFT)) / limits)
        assert straight < bounds[-1] <= np.max(steps / limits, axis=1).sum() + 1e-6 <= motion.duration
    assert bounds[1] == pytest.approx(4.0 * bounds[0], rel=1e-5)


def test_a_free_straight_line_is_its_own_bound(planner: Planner, regions: ConvexDecomposition) -> None:
    near = np.add(LEFT, 0.01)
    through = planner.with_regions(regions)
    through.plan(LEFT, near, time_parameterize=False)
    assert through.last_stats["lower_bound"] == pytest.approx(np.linalg.norm(near - LEFT), rel=1e-12)
    assert through.last_stats["raw_length"] == pytest.approx(through.last_stats["lower_bound"], rel=1e-12)


RAILS = """<robot name="rails"><link name="base"/><link name="a"/>
<link name="b"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


@pytest.mark.parametrize("weights", [[1.0, 1.0], [0.1, 0.1], [10.0, 10.0], [0.5, 0.2]])
def test_bounds_are_in_the_weights_of_the_joints(weights: list[float]) -> None:
    """Regression 37: bounds were in the weights that the search scales to a root mean square of 1."""
    robot = Robot.from_urdf(RAILS, base="base", tip="b")
    scene = Scene(robot)
    scene.add("box", Shape.box(0.4, 1.0, 2.0), np.eye(4))
    sides = [(-1.0, -0.3, -1.0, 1.0), (0.3, 1.0, -1.0, 1.0), (-1.0, 1.0, 0.6, 1.0), (-1.0, 1.0, -1.0, -0.6)]
    options: dict[str, Any] = {"planner_type": "gcs", "shortcut_iterations": 0, "smooth": False}
    planner = Planner(robot, scene, joint_weights=weights, convex_relaxation=True, **options)
    around = [ConvexRegion(*(SQUARE[0], [high_x, high_y, -x, -y])) for x, high_x, y, high_y in sides]
    planner = planner.with_regions(planner.decomposition_of(around))
    planner.plan([-0.8, 0.1], [0.8, 0.1], time_parameterize=False)
    # Over the upper corners of the box.
    corners = np.array([[-0.8, 0.1], [-0.3, 0.6], [0.3, 0.6], [0.8, 0.1]])
    shortest = np.linalg.norm(np.diff(corners, axis=0) * weights, axis=1).sum()
    assert planner.last_stats["raw_length"] == pytest.approx(shortest, rel=1e-3)
    assert 0.99 * shortest < planner.last_stats["lower_bound"] <= shortest * (1.0 + 1e-6)


TURNING = """<robot name="turning"><link name="base"/><link name="a"/>
<link name="b"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit velocity="1" effort="1"/></joint>
<joint name="reach" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<limit lower="0.3" upper="1" velocity="1" effort="1"/></joint></robot>"""


@pytest.mark.parametrize("goal", [4.283, 4.283 - 2.0 * np.pi])
def test_nothing_is_known_of_lengths_where_regions_may_overlap_a_turn_apart(goal: float) -> None:
    robot = Robot.from_urdf(TURNING, base="base", tip="b")
    scene = Scene(robot)
    scene.add("nub", Shape.box(0.2, 0.04, 2.0), Pose.from_xyz(0.45, 0.0, 0.0))
    options: dict[str, Any] = {"planner_type": "gcs", "shortcut_iterations": 0, "smooth": False}
    planner = Planner(robot, scene, convex_relaxation=True, **options)
    around = [ConvexRegion(*(SQUARE[0], [high, 1.0, -low, -0.3])) for low, high in ((-0.6, 2.7), (2.4, 5.9))]
    planner = planner.with_regions(planner.decomposition_of(around))
    planner.plan([0.5, 0.5], [goal, 0.5], time_parameterize=False)
    assert planner.last_stats["lower_bound"] is None


def test_few_samples_of_a_region_collide(planner: Planner, regions: ConvexDecomposition) -> None:
    """Uniform samples by rejection, not by the walk that grew the region."""
    optimize = pytest.importorskip("scipy.optimize", reason="bounding boxes are linear programmes")
    rng = np.random.default_rng(5)
    limits = planner.robot.joint_limits
    bounded = 0
    for region in regions.regions:
        sides = [
            [
                sign * optimize.linprog(sign * axis, region.normals, region.offsets, bounds=(None, None)).fun
                for sign in (1, -1)
            ]
            for axis in np.eye(region.dof)
        ]
        low, high = np.transpose(sides)
        assert np.all(low >= limits[:, 0] - 1e-6)
        assert np.all(high <= limits[:, 1] + 1e-6)
        inside = np.empty((0, region.dof))
        for _ in range(200):
            draws = rng.uniform(low, high, (20_000, region.dof))
            inside = np.vstack([inside, draws[np.all(draws @ region.normals.T <= region.offsets, axis=1)]])
            if len(inside) >= 600:
                break
        if len(inside) < 600:
            # Its share of its box is too small for rejection.
            continue
        bounded += 1
        colliding = np.mean([planner.is_in_collision(q) for q in inside[:600]])
        # Three standard errors above the claim.
        assert colliding <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600), region
    assert bounded >= 3


def test_samples_are_in_the_region_and_follow_from_their_seed(regions: ConvexDecomposition) -> None:
    region = regions.regions[0]
    samples = region.sample(200, rng_seed=3)
    assert samples.shape == (200, 6)
    assert np.all(samples @ region.normals.T <= region.offsets + 1e-9)
    assert np.allclose(np.linalg.norm(region.normals, axis=1), 1.0, atol=1e-12)
    assert np.array_equal(samples, region.sample(200, rng_seed=3))
    assert not np.array_equal(samples, region.sample(200, rng_seed=4))
    assert region.contains(region.seed)
    assert region.contains(region.center)
    assert all(regions.regions[a].dof == regions.regions[b].dof for a, b in regions.overlaps)


def test_the_same_seed_grows_the_same_regions(planner: Planner, regions: ConvexDecomposition) -> None:
    again = planner.convex_decomposition(np.array([LEFT, RIGHT]), 8, collision_fraction=0.05)
    assert again == regions
    assert again.scene_version == planner.scene.version
    other = Planner(planner.robot, planner.scene, rng_seed=5)
    assert other.convex_decomposition([LEFT, RIGHT], 8, collision_fraction=0.05) != regions


def test_files_and_pickles_keep_regions(planner: Planner, regions: ConvexDecomposition, tmp_path: Path) -> None:
    file = tmp_path / "cell.regions"
    regions.save(file)
    stored = ConvexDecomposition.load(file)
    assert stored == regions
    assert stored.options == regions.options
    assert stored.options["collision_fraction"] == 0.05
    assert np.array_equal(stored.overlaps, regions.overlaps)
    assert (stored.dof, stored.robot_name, len(stored)) == (6, "ur5e", 8)
    through = pickle.loads(pickle.dumps(planner.with_regions(stored)))
    assert through.regions == regions
    assert through.plan(LEFT, RIGHT).hash == planner.with_regions(regions).plan(LEFT, RIGHT).hash
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError, match="damaged|checksum"):
        ConvexDecomposition.load(file)
    file.write_bytes(b"no regions at all")
    with pytest.raises(InputError, match="no convex regions"):
        ConvexDecomposition.load(file)
    with pytest.raises(OSError, match=r"missing\.regions"):
        ConvexDecomposition.load(tmp_path / "missing.regions")


def test_regions_of_an_older_scene_lead_around_what_came_since(planner: Planner, regions: ConvexDecomposition) -> None:
    scene = cell()
    assert scene.version == regions.scene_version
    before = Planner(planner.robot, scene).with_regions(regions)
    motion = before.plan(LEFT, RIGHT)
    middle = motion.sample(0.5 * motion.duration)
    tool = planner.robot.fk(middle)[:3, 3]
    scene.add("ball", Shape.sphere(0.03), Pose.from_xyz(*tool))
    after = Planner(planner.robot, scene, fallback=["rrt_connect"]).with_regions(regions)
    around = after.plan(LEFT, RIGHT)
    after.certify(around)
    with pytest.raises(PlanningError):
        after.certify(motion)


def test_regions_from_elsewhere_carry_no_claim(planner: Planner) -> None:
    limits = planner.robot.joint_limits
    faces = np.vstack([np.eye(6), -np.eye(6)])
    around = np.minimum(np.abs(limits), 0.3).min(axis=1)
    boxes = [
        ConvexRegion(2.0 * faces, 2.0 * np.concatenate([q + around, around - q]))
        for q in (np.array(RIGHT), np.array(RIGHT) - 0.1)
    ]
    given = planner.decomposition_of(boxes)
    assert given.options is None
    assert given.scene_version is None
    assert given.overlaps.tolist() == [[0, 1]]
    goal = np.array(RIGHT) - 0.1
    through = planner.with_regions(given)
    through.plan(RIGHT, goal)
    assert through.planner_used == "gcs"


def test_what_is_asked_of_regions_has_its_domain(planner: Planner, regions: ConvexDecomposition) -> None:
    with pytest.raises(InputError, match="number of regions"):
        planner.convex_decomposition(regions=0)
    with pytest.raises(InputError, match="collision_fraction"):
        planner.convex_decomposition(collision_fraction=0.0)
    with pytest.raises(InputError, match="seed 0"):
        planner.convex_decomposition([[1.57, 0.0, 0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="seed 1"):
        planner.convex_decomposition([LEFT, [0.0] * 5 + [np.nan]])
    with pytest.raises(InputError, match="timeout"):
        planner.convex_decomposition(timeout=0.0)
    with pytest.raises(InputError, match="constraints"):
        Planner("ur5e", constraints=[Constraint.joint(5, -0.5, 0.5)]).convex_decomposition([LEFT])
    with pytest.raises(InputError, match="regions of the planner"):
        Planner("ur5e", planner_type="gcs").plan(LEFT, RIGHT)
    with pytest.raises(InputError, match="regions"):
        Planner("ur10e").with_regions(regions)
    with pytest.raises(InputError, match="planner_type"):
        Planner("ur5e", planner_type="est").with_regions(regions)
    with pytest.raises(InputError, match="faces of a region"):
        ConvexRegion(SQUARE[0][:2], SQUARE[1][:2])
    with pytest.raises(InputError, match="normals of a region"):
        ConvexRegion(SQUARE[0], SQUARE[1][:3])
    with pytest.raises(InputError, match="joints of region 0"):
        planner.decomposition_of([ConvexRegion(*SQUARE)])
    assert planner.with_regions(regions).with_regions(None).regions is None


def test_growth_ends_when_it_is_told_to(planner: Planner) -> None:
    with pytest.raises(PlanningError, match="Timeout"):
        planner.convex_decomposition([LEFT], 1000, timeout=1e-6)
    stop = StopFlag()
    stop.stop()
    with pytest.raises(PlanningError, match="cancelled|stopped"):
        planner.convex_decomposition([LEFT], 1000, stop=stop)


def test_overlaps_of_given_regions_are_looked_for_until_it_is_told_to_end(planner: Planner) -> None:
    faces = np.vstack([np.eye(6), -np.eye(6)])
    boxes = [ConvexRegion(faces, np.full(12, 0.5 + 0.001 * k)) for k in range(100)]
    with pytest.raises(PlanningError, match="Timeout"):
        planner.decomposition_of(boxes, timeout=1e-6)
    with pytest.raises(InputError, match="timeout"):
        planner.decomposition_of(boxes, timeout=-1.0)
    stop = StopFlag()
    stop.stop()
    with pytest.raises(PlanningError, match="cancelled|stopped"):
        planner.decomposition_of(boxes, stop=stop)


def test_ctrl_c_ends_growth(planner: Planner) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    began = threading.Event()

    def interrupt() -> None:
        began.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            began.set()
            planner.convex_decomposition([LEFT], 1000)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
