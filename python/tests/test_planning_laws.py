"""Laws that every planner and every planning method keeps. A new one joins by a row of ``METHODS``.

Distances are judged by Coal at samples of the timed motion, with what the robot carries; planners prove them at every
instant.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetic
from kinetic import (
    CartesianConfig,
    CartesianPath,
    Constraint,
    DualArmPlanner,
    Planner,
    PlanningError,
    Pose,
    Problem,
    Robot,
    Scene,
    Shape,
    Trajectory,
)

START = np.array([1.2, -1.0, 1.0, -1.57, -1.0, 0.0])
GOAL = np.array([-0.2, -1.0, 1.0, -1.57, -1.0, 0.0])
ARMS = ["left_arm", "right_arm"]
SEES = 1e-5
"""How far below a proven distance GJK of another library may see bodies, m."""
SAMPLES = 40


class OneAfterAnother:
    """A planner of the caller's own: joint by joint along seeded detours, each motion asked for."""

    def plan(self, start, goals, validity):
        rng = np.random.default_rng(0)
        for _ in range(4000):
            # A way over two random configurations.
            via = [rng.uniform(-2.0, 2.0, len(start)) * [1, 1, 1, 1, 0.1, 0.1] for _ in range(2)]
            path = [start, *via, goals[0]]
            if all(validity.is_motion_valid(a, b) for a, b in zip(path, path[1:])):
                return np.array(path)
        return None


kinetic.register_planner("laws_own", OneAfterAnother)


@dataclass
class World:
    """A robot that carries a stick, its scene, and what stands there as Coal has it."""

    robot: Robot
    scene: Scene
    objects: list[tuple[Any, np.ndarray]]


@dataclass(frozen=True)
class Method:
    """A planner with a planning method."""

    name: str
    solve: Callable[..., Trajectory]
    """A timed motion of the scene from START, under options of ``Planner``; raises where there is none."""
    robot: str = "ur5e"
    ends_at: np.ndarray | None = None
    """Where it has to end; None for the methods whose end is not stated in joint space."""
    planner: dict[str, Any] | None = None
    """Options that make it ``Planner.plan``, whose problems are saved and replayed."""
    finds_ways: bool = True
    """Whether it goes around what stands between start and goal."""


def planning(name: str, **own: Any) -> Method:
    """``Planner.plan`` with options."""

    def solve(world: World, **options: Any) -> Trajectory:
        return Planner(world.robot, world.scene, **{**own, **options}).plan(START, GOAL)

    return Method(name, solve, ends_at=GOAL, planner=own)


def constrained(world: World, **options: Any) -> Trajectory:
    """All of the way with the last joint in a band."""
    band = Constraint.joint(5, -0.5, 0.5)
    return Planner(world.robot, world.scene, **options).plan_constrained(START, GOAL, [band])


def line(world: World, **options: Any) -> Trajectory:
    """A straight line of the tool to where nothing is."""
    result = Planner(world.robot, world.scene, **options).plan_cartesian(
        START, CartesianPath().move_by([0.0, 0.0, 0.1]), cartesian(options)
    )
    return complete(result)


def through(world: World, **options: Any) -> Trajectory:
    """A straight line of the tool across the pillar, where there is one."""
    across = Robot("ur5e").fk(GOAL)[:3, 3] - Robot("ur5e").fk(START)[:3, 3]
    result = Planner(world.robot, world.scene, **options).plan_cartesian(
        START, CartesianPath().move_by(across), cartesian(options)
    )
    return complete(result)


def cartesian(options: dict[str, Any]) -> CartesianConfig:
    """The margin of a planner for a Cartesian path."""
    return CartesianConfig(collision_margin=options.get("collision_margin", 0.02))


def complete(result: Any) -> Trajectory:
    """All of a Cartesian path, or the reason why it ends early."""
    if result.fraction < 1.0:
        raise PlanningError(f"ends at {result.fraction}: {result.reason}")
    return result.trajectory


def sequence(world: World, **options: Any) -> Trajectory:
    """To the goal, and up from there."""
    up = CartesianPath().move_by([0.0, 0.0, 0.05])
    return Planner(world.robot, world.scene, **options).plan_sequence(START, [kinetic.Goal.joints(GOAL), up]).trajectory


def in_regions(world: World, **options: Any) -> Trajectory:
    """Through convex regions that were grown in the world."""
    planner = Planner(world.robot, world.scene, **options)
    try:
        regions = planner.convex_decomposition([START, GOAL], 12, collision_fraction=0.05)
    except kinetic.InputError as refused:
        # A start or goal that is not valid is no seed.
        raise PlanningError(str(refused)) from refused
    return planner.with_regions(regions).plan(START, GOAL)


def both_arms(mode: str) -> Callable[..., Trajectory]:
    """Both arms of a baxter, from one configuration to another."""

    def solve(world: World, **options: Any) -> Trajectory:
        start, goal = arm_ends()
        arms = DualArmPlanner(world.robot, *ARMS, mode, world.scene, **options)
        return arms.plan(start[:7], start[7:], goal[:7], goal[7:])["trajectory"]

    return solve


def carry(world: World, **options: Any) -> Trajectory:
    """What both arms hold, up by 5 cm."""
    left = Robot("baxter_left")
    ready = [Robot("baxter_left", group=arm).named_pose("ready") for arm in ARMS]
    arms = DualArmPlanner(world.robot, *ARMS, "coordinated", world.scene, **options)
    lifted = Pose.from_xyz(0.0, 0.0, 0.05) * Pose(left.fk(ready[0])) * Pose(world.scene.attached_body("stick")[1])
    return arms.plan_object(*ready, "stick", lifted)["trajectory"]


def arm_ends() -> list[np.ndarray]:
    """Start and goal of both arms."""
    ready = np.concatenate([Robot("baxter_left", group=arm).named_pose("ready") for arm in ARMS])
    home = np.concatenate([Robot("baxter_left", group=arm).named_pose("home") for arm in ARMS])
    return [ready, home]


METHODS = [
    planning("rrt_connect", planner_type="rrt_connect"),
    planning("aorrtc", planner_type="aorrtc", max_iterations=100),
    planning("cbirrt", planner_type="cbirrt"),
    # One tree from the start does not find its way through the crowd.
    planning("rrt_star", planner_type="rrt_star", fallback=["bi_rrt_star"], max_iterations=3000),
    planning("bi_rrt_star", planner_type="bi_rrt_star", max_iterations=3000),
    planning("est", planner_type="est"),
    planning("kpiece", planner_type="kpiece"),
    planning("bitrrt", planner_type="bitrrt"),
    planning("chomp", planner_type="chomp"),
    planning("trajopt", planner_type="trajopt"),
    planning("stomp", planner_type="stomp"),
    planning("prm", planner_type="prm"),
    planning("prm_star", planner_type="prm_star", max_iterations=1000),
    Method("gcs", in_regions, ends_at=GOAL),
    planning("own planner", planner_type="laws_own"),
    planning("fallback", planner_type="laws_own", fallback=["rrt_connect"]),
    planning("race", planner_type="rrt_connect", fallback=["aorrtc"], race=True, max_iterations=100),
    planning("preferred goal", prefer="distance"),
    Method("plan_constrained", constrained, ends_at=GOAL),
    Method("plan_cartesian", line, finds_ways=False),
    Method("plan_cartesian across", through, finds_ways=False),
    Method("plan_sequence", sequence),
    Method("two arms, synchronized", both_arms("synchronized"), robot="baxter_left"),
    Method("two arms, independent", both_arms("independent"), robot="baxter_left"),
    Method("two arms, one object", carry, robot="baxter_left", finds_ways=False),
]
OF_REGISTRY = {"gcs"} | {
    method.planner["planner_type"] for method in METHODS if method.planner and "planner_type" in method.planner
}
EVERY_METHOD = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)

STICK = Pose.from_xyz(0.0, 0.0, 0.13)
# Height and centre of a pillar, and the corner of a block of voxels, between start and goal.
CROWD = {
    "ur5e": (1.0, [0.45, 0.25, 0.5], [0.3, -0.5, 0.75]),
    "baxter_left": (0.2, [0.9, 0.0, 1.3], [0.75, 0.0, 0.9]),
}
CELLS = np.array([[x, y, z] for x in range(3) for y in range(3) for z in range(4)])


def world_of(method: Method, crowded: bool = True) -> World:
    """The world of a method; where it is crowded with a pillar and voxels."""
    coal = pytest.importorskip("coal", reason="laws are judged by a library of distances")
    robot = Robot(method.robot)
    world = World(robot, Scene(robot), [])
    world.scene.attach("stick", Shape.cylinder(0.01, 0.1), STICK, robot.tip, touch_links=[robot.tip])
    if not crowded:
        return world
    height, centre, corner = CROWD[method.robot]
    world.scene.add("pillar", Shape.box(0.1, 0.1, height), Pose.from_xyz(*centre))
    world.scene.add("voxels", Shape.voxels(CELLS, 0.04), Pose.from_xyz(*corner))
    world.objects.append((coal.Box(0.1, 0.1, height), Pose.from_xyz(*centre).matrix))
    for cell in CELLS:
        world.objects.append((coal.Box(0.04, 0.04, 0.04), Pose.from_xyz(*(corner + 0.04 * (cell + 0.5))).matrix))
    return world


def least_distances(robot: Robot, motion: Trajectory, objects: list[tuple[Any, np.ndarray]]) -> tuple[float, float]:
    """Least distances of robot and stick towards the world, and of the stick alone, in the eyes of Coal."""
    import coal
    from test_second_opinions import SecondChecker, distance

    second = SecondChecker(robot.name)
    moved = {link for link in second.pieces if link in below(robot, motion.joint_names)}
    least, of_stick = np.inf, np.inf
    for t in np.linspace(0.0, motion.duration, SAMPLES):
        values = dict(zip(motion.joint_names, motion.sample(t)))
        poses = robot.fk_all(np.array([values.get(name, 0.0) for name in robot.active_joints]))
        stick = (coal.Cylinder(0.01, 0.2), poses[robot.tip] @ STICK.matrix, 0.0)
        pieces = [(g, poses[link] @ local, r) for link in moved for g, local, r in second.pieces[link]]
        for geometry, pose in objects:
            placed = (geometry, pose, 0.0)
            of_stick = min(of_stick, distance(stick, placed))
            # Balls about the pieces rule out most pairs.
            least = min(least, of_stick, *(distance(piece, placed) for piece in pieces), np.inf)
    return least, of_stick


def below(robot: Robot, joints: list[str]) -> set[str]:
    """Links below some joints."""
    found: set[str] = set()
    for joint in robot.joints:
        if joint["name"] in joints or joint["parent"] in found:
            found.add(joint["child"])
    return found


def test_every_planner_of_the_registry_has_a_row() -> None:
    source = Path(__file__).parents[2] / "crates" / "kinetic-planning" / "src" / "registry.rs"
    rows = re.findall(r"^    \w+ => (\w+)::SPEC,$", source.read_text("utf-8"), flags=re.MULTILINE)
    assert len(rows) >= 3
    assert set(rows) <= OF_REGISTRY
    page = (source.parents[3] / "docs-site" / "concepts" / "planning.md").read_text("utf-8")
    assert set(rows) <= set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))


@EVERY_METHOD
@pytest.mark.parametrize("margin", [0.02, 0.04])
def test_carried_bodies_voxels_and_margins_are_kept(method: Method, margin: float) -> None:
    world = world_of(method)
    try:
        motion = method.solve(world, collision_margin=margin)
    except PlanningError:
        assert not method.finds_ways
        return
    least, of_stick = least_distances(world.robot, motion, world.objects)
    assert least >= margin - SEES
    assert of_stick >= margin - SEES
    assert motion.certificate is not None
    assert motion.certificate.margin == margin


def test_what_stands_in_the_scene_matters() -> None:
    """Without the pillar the same methods move through where it stands."""
    hit = {}
    for method in METHODS:
        empty, crowded = world_of(method, crowded=False), world_of(method)
        hit[method.name] = least_distances(empty.robot, method.solve(empty), crowded.objects)[0] < 0.02
    across = [method.name for method in METHODS if method.robot == "ur5e" and method.name != "plan_cartesian"]
    assert [name for name in across if not hit[name]] == []


@EVERY_METHOD
def test_a_pair_that_may_touch_blocks_nothing(method: Method) -> None:
    world = world_of(method)
    for name in [*world.robot.link_names, "stick"]:
        for other in ("pillar", "voxels"):
            world.scene.allow_collision(name, other)
    allowed, free = method.solve(world), method.solve(world_of(method, crowded=False))
    assert allowed.hash == free.hash


@EVERY_METHOD
def test_limits_are_kept_and_ends_are_exact(method: Method) -> None:
    world = world_of(method, crowded=False)
    motion = method.solve(world)
    robot = world.robot
    names = robot.active_joints
    places = [names.index(name) for name in motion.joint_names]
    whole = Robot(method.robot, group=ARMS) if method.robot != "ur5e" else robot
    limits = whole.joint_limits
    velocity, acceleration = whole.velocity_limits, whole.acceleration_limits
    assert len(places) == len(limits)
    for t in np.linspace(0.0, motion.duration, 400):
        q = motion.sample(t)
        assert (q >= limits[:, 0] - 1e-5).all()
        assert (q <= limits[:, 1] + 1e-5).all()
        assert (np.abs(motion.sample_velocity(t)) <= velocity * (1.0 + 1e-6)).all()
        assert (np.abs(motion.sample_acceleration(t)) <= acceleration * (1.0 + 1e-6)).all()
    start = START if method.robot == "ur5e" else arm_ends()[0]
    np.testing.assert_array_equal(motion.sample(0.0), start)
    if method.ends_at is not None:
        np.testing.assert_allclose(motion.sample(motion.duration), method.ends_at, atol=1e-9)


@EVERY_METHOD
def test_a_deadline_that_is_over_ends_the_call(method: Method) -> None:
    world = world_of(method)
    with pytest.raises(PlanningError) as caught:
        method.solve(world, timeout=1e-9)
    # A sequence says which item it was, with the error of that item.
    assert caught.value.code in ("PlanningTimeout", "SequenceItemFailed")
    assert "no plan after" in str(caught.value)


@EVERY_METHOD
@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
def test_ctrl_c_ends_the_call(method: Method) -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread alone")
    world = world_of(method)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main, is_over = threading.main_thread().ident, threading.Event()

    def interrupt() -> None:
        # Runs only while a call has released the GIL: the signal comes when one is under way.
        while "again_and_again" not in names_of(sys._current_frames()[main]) and not is_over.is_set():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    def again_and_again() -> None:
        while True:
            with contextlib.suppress(PlanningError):
                method.solve(world, timeout=600.0)

    helper = threading.Thread(target=interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            helper.start()
            again_and_again()
    finally:
        is_over.set()
        helper.join()
        signal.signal(signal.SIGINT, before)


def names_of(frame: Any) -> list[str]:
    """Names of the functions that a thread is in."""
    found = []
    while frame is not None:
        found.append(frame.f_code.co_name)
        frame = frame.f_back
    return found


@EVERY_METHOD
def test_the_same_call_gives_the_same_bytes_on_any_number_of_threads(method: Method) -> None:
    hashes = set()
    for _ in range(2):
        world = world_of(method, crowded=method.finds_ways)
        hashes.add(method.solve(world, rng_seed=3, timeout=600.0).hash)
    if method.planner is not None:
        world = world_of(method)
        planner = Planner(world.robot, world.scene, **{**method.planner, "rng_seed": 3, "timeout": 600.0})
        for threads in (1, 3):
            batch = planner.plan_batch([START] * 2, [GOAL] * 2, threads=threads)
            hashes |= {motion.hash for motion in batch}
    assert len(hashes) == 1


@pytest.mark.parametrize("method", [method for method in METHODS if method.planner is not None], ids=lambda m: m.name)
def test_a_saved_problem_is_replayed(method: Method, tmp_path) -> None:
    world = world_of(method)
    planner = Planner(
        world.robot, world.scene, **{"max_iterations": 20_000, **(method.planner or {}), "timeout": 600.0}
    )
    motion = planner.plan(START, GOAL)
    planner.problem(START, GOAL).save(tmp_path / "problem.toml")
    assert Problem.load(tmp_path / "problem.toml").solve().hash == motion.hash


@pytest.mark.parametrize("method", [method for method in METHODS if method.planner is not None], ids=lambda m: m.name)
def test_a_failure_has_a_report_with_a_suggestion(method: Method) -> None:
    world = world_of(method)
    world.scene.add("at the goal", Shape.sphere(0.03), world.robot.fk(GOAL))
    with pytest.raises(PlanningError) as caught:
        method.solve(world)
    assert caught.value.code == "GoalInCollision"
    # As the property `report`, whose seconds per try a busy machine may use up.
    suggestions = caught.value._failure.report(timeout=600.0)["suggestions"]
    assert any(suggestion["solved"] for suggestion in suggestions), suggestions
