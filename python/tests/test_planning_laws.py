"""Laws that every planner and every planning method keeps.

A new one joins by a row of ``planning_methods.py``, or of ``tool_methods.py``. Distances are judged by Coal at
samples of the timed motion, with what the robot carries; planners prove them at every instant.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planning_methods import ARMS, Method, World, constraints, goals, planners, poses
from tool_methods import paths, sequences, two_arms

from kinetic import Planner, PlanningError, Pose, Problem, Robot, Scene, Shape, Trajectory

SEES = 1e-5
"""How far below a proven distance GJK of another library may see bodies, m."""
SAMPLES = 40
COMPOSED = ("any", "region", "groups")
"""Kinds of goals with members: the error of one that is blocked says that none of them can be met."""
METHODS = [*planners(), *goals(), *constraints(), *paths(), *sequences(), *two_arms()]
OF_REGISTRY = {"gcs"} | {
    method.planner["planner_type"] for method in METHODS if method.planner and "planner_type" in method.planner
}
EVERY_METHOD = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
EVERY_PLANNER = pytest.mark.parametrize(
    "method", [method for method in METHODS if method.planner is not None], ids=lambda method: method.name
)
EVERY_MARGIN = pytest.mark.parametrize(
    ("margin", "method"),
    [pytest.param(margin, method, id=f"{margin}-{method.name}") for method in METHODS for margin in method.margins],
)

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
        at = poses_at(robot, motion, t)
        stick = (coal.Cylinder(0.01, 0.2), at[robot.tip] @ STICK.matrix, 0.0)
        pieces = [(g, at[link] @ local, r) for link in moved for g, local, r in second.pieces[link]]
        for geometry, pose in objects:
            placed = (geometry, pose, 0.0)
            of_stick = min(of_stick, distance(stick, placed))
            # Balls about the pieces rule out most pairs.
            least = min(least, of_stick, *(distance(piece, placed) for piece in pieces), np.inf)
    return least, of_stick


def poses_at(robot: Robot, motion: Trajectory, t: float) -> dict[str, np.ndarray]:
    """Poses of all links at an instant; joints that the motion does not have stand at 0."""
    values = dict(zip(motion.joint_names, motion.sample(t)))
    return robot.fk_all(np.array([values.get(name, 0.0) for name in robot.active_joints]))


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


@EVERY_MARGIN
def test_carried_bodies_voxels_and_margins_are_kept(method: Method, margin: float) -> None:
    world = world_of(method)
    motion = method.solve(world, collision_margin=margin)
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
    across = [method.name for method in METHODS if method.robot == "ur5e" and method.crosses]
    assert [name for name in across if not hit[name]] == []


@EVERY_METHOD
def test_a_pair_that_may_touch_blocks_nothing(method: Method) -> None:
    world = world_of(method)
    for name in [*world.robot.link_names, "stick"]:
        for other in ("pillar", "voxels"):
            world.scene.allow_collision(name, other)
    assert method.solve(world).hash in answers(method, world_of(method, crowded=False))


def answers(method: Method, world: World, **options: Any) -> set[str]:
    """Hashes of what may come out: of one motion, but where the clock chooses among those of several planners."""
    if not method.racers:
        return {method.solve(world, **options).hash}
    own = {**(method.planner or {}), **options, "fallback": None, "race": None}
    alone = [Planner(world.robot, world.scene, **{**own, "planner_type": name}) for name in method.racers]
    return {planner.plan(method.start, method.goal).hash for planner in alone}


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
    np.testing.assert_array_equal(motion.sample(0.0), method.start)
    assert method.ends_at is not None or method.ends_with is not None
    if method.ends_at is not None:
        assert np.abs(np.atleast_2d(method.ends_at) - motion.sample(motion.duration)).max(axis=1).min() <= 1e-9
    ends = poses_at(robot, motion, motion.duration)
    base = np.linalg.inv(ends[method.seen_from]) if method.seen_from is not None else np.eye(4)
    for link, goal in (method.ends_with or {}).items():
        off = np.linalg.inv(goal) @ base @ ends[link] - np.eye(4)
        assert (np.abs(off[:3, 3]) <= method.within[0]).all()
        assert np.linalg.norm(off[:3, :3], axis=0).max() <= method.within[1]


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
    """Where the clock chooses, the bytes are those of one of the planners alone, and the figures say that it chose."""
    options = {"rng_seed": 3, "timeout": 600.0}
    expected = answers(method, world_of(method), **options)
    hashes = {method.solve(world_of(method), **options).hash}
    if method.planner is not None:
        world = world_of(method)
        planner = Planner(world.robot, world.scene, **{**method.planner, **options})
        for threads in (1, 3):
            batch = planner.plan_batch([method.start] * 2, [method.goal] * 2, threads=threads)
            hashes |= {motion.hash for motion in batch}
        hashes.add(planner.plan(method.start, method.goal).hash)
        assert planner.last_stats["chosen_by_clock"] == bool(method.racers)
    assert hashes <= expected
    assert len(expected) == max(len(method.racers), 1)


@EVERY_PLANNER
def test_a_saved_problem_is_replayed(method: Method, tmp_path) -> None:
    world = world_of(method)
    options = {"max_iterations": 20_000, **(method.planner or {}), "timeout": 600.0}
    planner = Planner(world.robot, world.scene, **options)
    motion = planner.plan(method.start, method.goal)
    problem = planner.problem(method.start, method.goal)
    problem.save(tmp_path / "problem.toml")
    replayed = Problem.load(tmp_path / "problem.toml").solve()
    expected = answers(method, world, **options) if method.racers else {motion.hash}
    assert {motion.hash, replayed.hash} <= expected
    for _ in method.racers:
        problem.save(tmp_path / "solved.toml", problem.solve())
        assert Problem.load(tmp_path / "solved.toml").replay()["same"]


@EVERY_PLANNER
def test_a_failure_has_a_report_with_a_suggestion(method: Method) -> None:
    world = world_of(method)
    tip = world.robot.tip
    world.scene.add("at the goal", Shape.sphere(0.03), poses(method.robot, method.target, tip)[tip])
    with pytest.raises(PlanningError) as caught:
        method.solve(world)
    is_composed = getattr(method.goal, "kind", None) in COMPOSED
    assert caught.value.code == ("GoalUnreachable" if is_composed else "GoalInCollision")
    # As the property `report`, whose seconds per try a busy machine may use up.
    report = caught.value._failure.report(timeout=600.0)
    suggestions = report["suggestions"]
    assert "at the goal" in report["evidence"].get("pair", ()), report
    assert any(suggestion["solved"] for suggestion in suggestions), suggestions
