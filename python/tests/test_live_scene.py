"""Scenes that some threads edit while others ask them and plan in them; edits as one, revisions, changes."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from oracles import SLIDER, translation

from kinetic import FrameTree, Goal, InputError, PerceptionPipeline, Planner, Robot, Scene, Shape

WORLD = (
    '<sdf version="1.9"><world name="w"><model name="m"><link name="l"><collision name="c">'
    "<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>"
)
LONGEST = 60.0
"""Far beyond what any of these tests takes, s; a deadlock ends here instead of never."""

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
TURNED = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]


@pytest.fixture
def scene() -> Scene:
    scene = Scene(Robot.from_urdf(SLIDER, tip="ball"))
    scene.add("a", Shape.sphere(0.1), translation(1.0, 2.0, 0.0))
    return scene


def in_threads(*works) -> None:
    """Runs functions side by side to their end; what one raises is raised here."""
    raised = []

    def run(work) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST)
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    if raised:
        raise raised[0]


# --- revisions and changes ---


def test_a_revision_is_counted_for_every_edit_that_changes_something(scene: Scene) -> None:
    assert scene.revision == 1
    scene.update_pose("a", translation(1.0, 2.0, 0.0))
    assert not scene.remove("nothing")
    assert scene.revision == 1
    scene.update_pose("a", translation(2.0, 2.0, 0.0))
    assert scene.revision == 2
    with pytest.raises(InputError, match="nothing"):
        scene.update_pose("nothing", translation(0.0, 0.0, 0.0))
    assert scene.revision == 2
    assert scene.snapshot().revision == 0


def test_changes_name_what_was_edited(scene: Scene) -> None:
    scene.add("gone", Shape.sphere(0.1), translation(3.0, 0.0, 0.0))
    scene.add("other", Shape.sphere(0.1), translation(4.0, 0.0, 0.0))
    seen = scene.revision
    assert scene.changes(since=seen).diff.is_empty
    scene.update_pose("a", translation(2.0, 2.0, 0.0))
    scene.add("other", Shape.sphere(0.2), translation(4.0, 0.0, 0.0))
    scene.remove("gone")
    scene.add("new", Shape.sphere(0.1), translation(5.0, 0.0, 0.0))
    scene.add("came and went", Shape.sphere(0.1), translation(5.0, 0.0, 0.0))
    scene.remove("came and went")
    scene.attach("tool", Shape.sphere(0.05), translation(0.0, 0.0, 0.3), "ball")
    changes = scene.changes(since=seen)
    diff = changes.diff
    assert (diff.added, diff.moved, diff.replaced, diff.removed) == (["new"], ["a"], ["other"], ["gone"])
    assert (diff.attached, diff.detached) == (["tool"], [])
    assert (diff.allowed, diff.margins, diff.held) == (False, False, False)
    assert (changes.revision, changes.scene.version) == (scene.revision, scene.version)
    assert repr(diff) == (
        'SceneDiff(added=["new"], moved=["a"], replaced=["other"], removed=["gone"], attached=["tool"])'
    )
    seen = changes.revision
    scene.allow_collision("a", "ball")
    scene.set_padding("ball", 0.01)
    scene.detach("tool", translation(6.0, 0.0, 0.0))
    diff = scene.changes(since=seen).diff
    assert (diff.allowed, diff.margins, diff.detached, diff.added) == (True, True, ["tool"], ["tool"])


def test_a_copy_that_follows_the_changes_has_the_same_content(scene: Scene) -> None:
    rng = random.Random(1)
    copy, seen = scene.snapshot(), scene.revision
    for _ in range(200):
        for _ in range(rng.randrange(4)):
            name, pose = rng.choice("abcd"), translation(rng.randrange(9), 2.0, 0.0)
            if rng.random() < 0.5 and name in scene.objects:
                scene.update_pose(name, pose)
            elif rng.random() < 0.3:
                scene.remove(name)
            else:
                scene.add(name, Shape.sphere(rng.choice([0.1, 0.2])), pose)
        changes = scene.changes(since=seen)
        seen = changes.revision
        for name in changes.diff.removed:
            assert copy.remove(name)
        for name in changes.diff.added + changes.diff.replaced:
            copy.add(name, *changes.scene.get(name))
        for name in changes.diff.moved:
            copy.update_pose(name, changes.scene.get(name)[1])
        assert copy.version == scene.version


def test_a_revision_that_is_too_old_or_unknown_has_no_diff(scene: Scene) -> None:
    for step in range(5_000):
        scene.update_pose("a", translation(0.001 * step, 2.0, 0.0))
    for since in (0, scene.revision + 1):
        changes = scene.changes(since=since)
        assert changes.diff is None
        assert (changes.revision, changes.scene.version) == (scene.revision, scene.version)
    assert scene.changes(since=scene.revision - 1_000).diff.moved == ["a"]
    with pytest.raises(InputError):
        scene.changes(since=-1)


# --- edits as one ---


def test_a_block_of_edits_is_seen_at_once(scene: Scene) -> None:
    before = scene.version
    with scene.edit() as draft:
        draft.add("b", Shape.sphere(0.1), translation(0.0, 2.0, 0.0))
        draft.update_pose("a", translation(5.0, 0.0, 0.0))
        assert (scene.version, scene.objects, draft.objects) == (before, ["a"], ["a", "b"])
    assert (scene.objects, scene.revision, scene.version) == (["a", "b"], 2, draft.version)
    # The draft is a scene of its own.
    draft.clear()
    assert scene.objects == ["a", "b"]


def test_a_block_that_raises_changes_nothing(scene: Scene) -> None:
    before = (scene.version, scene.revision)
    with pytest.raises(ZeroDivisionError), scene.edit() as draft:
        draft.clear()
        raise ZeroDivisionError
    assert (scene.version, scene.revision) == before
    scene.clear()
    assert scene.objects == []


def test_an_edit_of_the_scene_inside_its_block_is_refused_and_does_not_wait_for_ever(scene: Scene) -> None:
    with scene.edit() as draft:
        for edit in (scene.clear, lambda: scene.remove("a"), lambda: scene.edit().__enter__()):
            with pytest.raises(InputError, match="inside another"):
                edit()
        draft.remove("a")
    assert scene.objects == []
    # Regression 35: calls that edit on a thread of their own waited for the block of this one.
    points = np.random.default_rng(0).uniform(1.0, 2.0, (200_000, 3)).astype(np.float32)
    scene.update_octree("map", points[:10], [0.0, 0.0, 2.0])
    frames = FrameTree(history=1.0)
    pipeline = PerceptionPipeline(scene, frames)
    long_calls = [
        lambda: scene.add_pointcloud("cloud", points),
        lambda: scene.update_from_depth("cloud", np.ones((480, 640), np.float32), 500, 500, 320, 240, np.eye(4)),
        lambda: scene.update_octree("map", points, [0.0, 0.0, 2.0]),
        lambda: scene.add_unknown_space("unseen", "map", [0, 0, 0], [1, 1, 1]),
        lambda: scene.add_model("other", "ur5e"),
        lambda: scene.add_world(WORLD),
        pipeline.process,
        pipeline.reset,
    ]
    with scene.edit():
        for call in long_calls:
            with pytest.raises(InputError, match="inside another"):
                call()
    with pytest.raises(InputError, match="no edit"):
        scene.edit().__exit__(None, None, None)


def test_a_block_that_is_never_left_ends_with_its_object(scene: Scene) -> None:
    block = scene.edit()
    block.__enter__().clear()
    del block
    scene.remove("a")
    assert scene.objects == []


# --- threads ---


def test_threads_see_blocks_of_other_threads_whole() -> None:
    scene = Scene(Robot("ur5e"))
    for name in ("left", "right"):
        scene.add(name, Shape.sphere(0.1), translation(0.0, 0.0, 2.0))
    published = {scene.version}
    done = threading.Event()

    def edit(first: int) -> None:
        for step in range(first, 100, 2):
            with scene.edit() as draft:
                draft.update_pose("left", translation(0.01 * step, 0.5, 2.0))
                draft.update_pose("right", translation(-0.01 * step, 0.5, 2.0))
                published.add(draft.version)

    def edit_all() -> None:
        in_threads(lambda: edit(0), lambda: edit(1))
        done.set()

    seen = []

    def read() -> None:
        q = np.zeros(6)
        while not done.is_set():
            copy = scene.snapshot()
            assert copy.get("left")[1][0, 3] == -copy.get("right")[1][0, 3]
            assert scene.check_collision(q) == copy.check_collision(q)
            seen.append(copy.version)

    in_threads(edit_all, read, read)
    assert set(seen) <= published
    assert scene.revision == 102


def test_plans_beside_edits_name_a_content_that_was_published() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.6, 0.6), translation(0.0, 0.9, 0.3))
    published = {scene.version: scene.snapshot()}
    planner, done, motions = Planner(robot, scene), threading.Event(), []

    def edit() -> None:
        for step in range(1_000_000):
            with scene.edit() as draft:
                draft.update_pose("wall", translation(0.0, 0.9 + 1e-6 * step, 0.3))
                published[draft.version] = draft.snapshot()
            if done.is_set():
                break

    def plan() -> None:
        try:
            motions.extend(planner.plan(START, Goal.joints(TURNED)) for _ in range(5))
        finally:
            done.set()

    in_threads(edit, plan)
    for motion in motions:
        content = published[motion.certificate.scene]
        assert Planner(robot, content).plan(START, Goal.joints(TURNED)) == motion


def test_who_waits_hears_of_an_edit_of_another_thread(scene: Scene) -> None:
    heard, seen = [], scene.revision
    in_threads(
        lambda: heard.append(scene.wait_for_change(seen, timeout=LONGEST)),
        lambda: scene.remove("a"),
    )
    assert heard == [seen + 1]
    assert scene.wait_for_change(seen) == seen + 1
    assert scene.wait_for_change(seen + 1, timeout=0.0) is None
    for timeout in (-1.0, float("nan")):
        with pytest.raises(InputError, match="timeout"):
            scene.wait_for_change(seen, timeout=timeout)


INTERRUPTED = """
import os, signal, threading
from kinetic import Robot, Scene

# A child of a background process begins with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
scene, ready = Scene(Robot("ur5e")), threading.Event()

def interrupt():
    ready.wait()
    # Runs where the wait has released the GIL.
    os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
thread.start()
try:
    ready.set()
    scene.wait_for_change(0)
except KeyboardInterrupt:
    print("interrupted")
"""


EDITS = (
    'with scene.edit() as draft: draft.allow_collision("forearm_link", "base_link")',
    'scene.add_pointcloud("seen", [[1.0, 0.0, 0.0]])',
    'scene.update_octree("map", [[1.0, 0.0, 0.0]], [0.0, 0.0, 1.0])',
)
INTERRUPTED_EDIT = """
import os, signal, threading
from kinetic import Robot, Scene, Shape

signal.signal(signal.SIGINT, signal.default_int_handler)
scene, held, ready, done = Scene(Robot("ur5e")), threading.Event(), threading.Event(), threading.Event()
# Arrays are looked up in NumPy once: a signal meanwhile is not what is tried here.
Robot("ur5e").fk([0.0] * 6)

def edit():
    with scene.edit():
        held.set()
        ready.wait()
        os.kill(os.getpid(), signal.SIGINT)
        done.wait(timeout=20.0)

thread = threading.Thread(target=edit)
thread.start()
held.wait()
try:
    ready.set()
    EDIT
except KeyboardInterrupt:
    # A wait that went on to the end of the other edit would have edited the scene.
    print("interrupted", scene.revision)
done.set()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
@pytest.mark.parametrize(
    ("program", "said"),
    [(INTERRUPTED, "interrupted"), *((INTERRUPTED_EDIT.replace("EDIT", edit), "interrupted 0") for edit in EDITS)],
)
def test_ctrl_c_ends_a_wait(program: str, said: str) -> None:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.stdout.strip() == said, done.stderr


def test_pickle_keeps_what_is_stated_of_an_object_that_comes_and_goes(scene: Scene) -> None:
    scene.set_padding("a", 0.05)
    scene.remove("a")
    back = pickle.loads(pickle.dumps(scene))
    assert (back.version, back.margins) == (scene.version, scene.margins)
    assert back.margins["paddings"] == {"a": 0.05}


def test_pickle_takes_the_content_and_begins_to_count_anew(scene: Scene) -> None:
    scene.update_pose("a", translation(2.0, 0.0, 0.0))
    back = pickle.loads(pickle.dumps(scene))
    assert (back.version, back.revision) == (scene.version, 0)
