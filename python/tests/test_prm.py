"""Roadmaps that many queries share: what is known of them, for which scene, in files and on threads."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Planner, PlanningError, Pose, Roadmap, Robot, Scene, Shape, StopFlag

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
GOAL = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]
# The path as the search found it.
BARE = {"smooth": False, "shortcut_iterations": 0, "timeout": 60.0}


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def scene(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


@pytest.fixture
def planner(robot: Robot, scene: Scene) -> Planner:
    planner = Planner(robot, scene, planner_type="prm", lazy_roadmap=True, **BARE)
    return planner.with_roadmap(planner.build_roadmap(400))


def positions(planner: Planner, start: list[float] = START, goal: list[float] = GOAL) -> list[list[float]]:
    return np.array(planner.plan(start, goal, time_parameterize=False).positions()).tolist()


def free_configurations(planner: Planner, robot: Robot, count: int, seed: int) -> np.ndarray:
    """Configurations outside of collision, by the verdicts of the planner."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < count:
        q = rng.uniform(-np.pi, np.pi, robot.dof)
        if not planner.is_in_collision(q):
            found.append(q)
    return np.array(found)


def test_a_second_query_takes_fewer_checks_and_has_the_same_answer(planner: Planner) -> None:
    counts = planner.roadmap_counts()
    assert counts["vertices"] == len(planner.roadmap) == 400
    assert counts["edges"] == counts["unproven"] == planner.roadmap.edges
    first, checks = positions(planner), planner.last_stats["checks"]
    assert planner.planner_used == "prm"
    assert planner.roadmap_counts()["proven"] > 0
    assert planner.roadmap_counts()["refused"] > 0
    assert positions(planner) == first
    assert planner.last_stats["checks"] < checks
    assert len(planner.roadmap) == 400


def test_without_a_kept_roadmap_every_plan_begins_anew(robot: Robot, scene: Scene) -> None:
    planner = Planner(robot, scene, planner_type="prm", **BARE)
    assert planner.roadmap is None
    first, checks = positions(planner), planner.last_stats["checks"]
    assert positions(planner) == first
    assert planner.last_stats["checks"] == checks
    with pytest.raises(InputError, match="with_roadmap"):
        planner.roadmap_counts()


def test_a_claim_holds_for_the_scene_that_it_was_proven_for(planner: Planner, robot: Robot, scene: Scene) -> None:
    before = positions(planner)
    version = planner.roadmap.scene_version
    assert version == scene.version
    # A ball at the tool in the middle of the longest edge of the path.
    steps = np.linalg.norm(np.diff(before, axis=0), axis=1)
    place = int(steps.argmax())
    middle = (np.array(before[place]) + np.array(before[place + 1])) / 2.0
    scene.add("ball", Shape.sphere(0.05), robot.fk(middle))
    assert planner.is_in_collision(middle)
    assert planner.roadmap_counts()["proven"] == 0
    around = np.array(positions(planner))
    for a, b in zip(around, around[1:]):
        for part in np.linspace(0.0, 1.0, 101):
            assert not planner.is_in_collision(a + part * (b - a))
    scene.remove("ball")
    assert positions(planner) == before
    other = Planner(robot, scene, planner_type="prm", collision_margin=0.03, **BARE).with_roadmap(planner.roadmap)
    assert other.roadmap_counts()["proven"] == 0, "with another margin nothing is believed"


def test_all_edges_are_proven_on_request(robot: Robot, scene: Scene) -> None:
    lazy = Planner(robot, scene, planner_type="prm", lazy_roadmap=True, **BARE)
    lazy = lazy.with_roadmap(lazy.build_roadmap(60))
    assert lazy.roadmap_counts()["refused"] == 0
    proven = lazy.prove_roadmap()
    assert proven == lazy.roadmap_counts()
    assert proven["unproven"] == 0
    assert proven["proven"] + proven["refused"] == proven["edges"]
    eager = Planner(robot, scene, planner_type="prm", **BARE)
    eager = eager.with_roadmap(eager.build_roadmap(60))
    assert eager.roadmap_counts()["refused"] > 0
    assert eager.prove_roadmap() == proven


def test_batches_do_not_depend_on_threads(planner: Planner, robot: Robot) -> None:
    ends = free_configurations(planner, robot, 16, seed=3)
    roadmaps = [pickle.loads(pickle.dumps(planner.roadmap)) for _ in range(2)]
    answers = []
    for roadmap, threads in zip(roadmaps, (1, 4)):
        items = planner.with_roadmap(roadmap).plan_batch(ends[:8], ends[8:], threads=threads)
        answers.append([item.to_json() if hasattr(item, "to_json") else item.code for item in items])
    assert answers[0] == answers[1]
    assert roadmaps[0] == roadmaps[1], "what was learnt does not depend on threads either"
    assert planner.with_roadmap(roadmaps[0]).roadmap_counts()["proven"] > 0


def test_files_and_pickles_hold_what_is_known(planner: Planner, tmp_path: Path) -> None:
    positions(planner)
    planner.roadmap.save(tmp_path / "cell.roadmap")
    stored = Roadmap.load(tmp_path / "cell.roadmap")
    assert stored == planner.roadmap
    assert (stored.dof, stored.robot_name, stored.edges) == (6, "ur5e", planner.roadmap.edges)
    assert stored.positions().shape == (400, 6)
    again = pickle.loads(pickle.dumps(planner))
    assert again.roadmap == planner.roadmap
    asked = positions(planner), planner.last_stats["checks"]
    other = planner.with_roadmap(stored)
    assert (positions(other), other.last_stats["checks"]) == asked
    assert (positions(again), again.last_stats["checks"]) == asked


def test_damaged_and_foreign_files_are_refused(planner: Planner, robot: Robot, tmp_path: Path) -> None:
    file = tmp_path / "cell.roadmap"
    planner.roadmap.save(file)
    content = file.read_bytes()
    file.write_bytes(content[:1000] + bytes([content[1000] ^ 1]) + content[1001:])
    with pytest.raises(InputError, match="checksum"):
        Roadmap.load(file)
    file.write_bytes(b"solid cell")
    with pytest.raises(InputError, match="no roadmap"):
        Roadmap.load(file)
    with pytest.raises(OSError, match=r"missing\.roadmap"):
        Roadmap.load(tmp_path / "missing.roadmap")
    with pytest.raises(InputError, match="ur10e"):
        Planner("ur10e", planner_type="prm").with_roadmap(planner.roadmap)
    with pytest.raises(InputError, match="joint weights"):
        Planner(robot, joint_weights=[2, 1, 1, 1, 1, 1]).with_roadmap(planner.roadmap)
    for planner_type in ("rrt_connect", "aorrtc"):
        with pytest.raises(InputError, match="prm or prm_star"):
            Planner(robot, planner_type=planner_type).with_roadmap(planner.roadmap)
    fallback = Planner(robot, planner.scene, planner_type="prm", fallback=["rrt_connect"]).with_roadmap(planner.roadmap)
    fallback.plan(START, GOAL)
    assert fallback.planner_used == "prm"


def test_what_is_asked_of_a_roadmap_has_its_domain(planner: Planner) -> None:
    with pytest.raises(InputError, match="vertices"):
        planner.build_roadmap(0)
    with pytest.raises(InputError, match="timeout"):
        planner.build_roadmap(10, timeout=-1.0)
    with pytest.raises(TypeError, match="seconds"):
        planner.build_roadmap(10, seconds=1.0)
    few = planner.build_roadmap(4_000_000, timeout=0.2)
    assert 0 < len(few) < 4_000_000
    stop = StopFlag()
    stop.stop()
    for work in (planner.build_roadmap, planner.prove_roadmap):
        with pytest.raises(PlanningError) as raised:
            work(stop=stop)
        assert raised.value.code == "Cancelled"
    with pytest.raises(PlanningError) as raised:
        planner.prove_roadmap(timeout=1e-4)
    assert raised.value.code == "PlanningTimeout"


def test_ctrl_c_ends_building(planner: Planner) -> None:
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
            planner.build_roadmap(4_000_000)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_the_anytime_roadmap_shortens_its_path(robot: Robot, scene: Scene) -> None:
    options = {"planner_type": "prm_star", "max_iterations": 1500, **BARE}
    for planner in (Planner(robot, scene, **options), Planner(robot, scene, lazy_roadmap=True, **options)):
        lengths: list[float] = []
        planner.plan(
            START,
            GOAL,
            on_improvement=lambda path, lengths=lengths: lengths.append(
                float(np.linalg.norm(np.diff(path.positions(), axis=0), axis=1).sum())
            ),
        )
        assert planner.planner_used == "prm_star"
        assert len(lengths) > 1
        assert all(after < before for before, after in zip(lengths, lengths[1:]))
    with pytest.raises(InputError, match="minimise"):
        Planner(robot, planner_type="prm", minimise="length").plan(START, GOAL)
    with pytest.raises(InputError, match="minimise"):
        Planner(robot, planner_type="prm_star", minimise="time").plan(START, GOAL)


@pytest.mark.parametrize("name", ["franka_panda", "fetch", "tiago", "xarm6", "kuka_iiwa14", "kinova_gen3"])
def test_other_robots_plan_in_a_roadmap_too(name: str) -> None:
    robot = Robot(name)
    scene = Scene(robot)
    scene.add("post", Shape.box(0.05, 0.05, 1.2), Pose.from_xyz(0.45, 0.3, 0.6))
    planner = Planner(robot, scene, planner_type="prm", timeout=60.0)
    planner = planner.with_roadmap(planner.build_roadmap(300))
    home = robot.named_pose("home") if not planner.is_in_collision(robot.named_pose("home")) else None
    rng = np.random.default_rng(0)
    low, high = np.array(planner.roadmap.positions().min(axis=0)), np.array(planner.roadmap.positions().max(axis=0))
    found = 0
    for _ in range(6):
        ends = [q for q in rng.uniform(low, high, (40, planner.roadmap.dof)) if not planner.is_in_collision(q)]
        start = ends[0] if home is None else home
        first = planner.plan(start, ends[1])
        assert first.certificate is not None
        again = planner.plan(start, ends[1])
        # Certificates say how many checks there were.
        assert again.duration == first.duration
        assert np.array_equal(again.positions(), first.positions())
        found += 1
    assert found == 6
