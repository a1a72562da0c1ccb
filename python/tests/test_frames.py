"""Frame trees and cascaded frames: poses that the world says, edits from many threads."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from oracles import random_pose, relative_pose, translation, urdf
from scipy.spatial.transform import Rotation, Slerp

from kinetic import CascadedFrame, FrameTree, InputError, Pose, Robot

EPS = 1e-12
LONGEST = 60.0
"""Far beyond what a test takes, s; a deadlock ends here."""


def test_a_lookup_chains_and_inverts() -> None:
    rng = np.random.default_rng(1)
    world_from = {name: random_pose(rng) for name in "abcdef"}
    tree = FrameTree()
    for parent, child in ["ab", "cb", "cd", "ae", "fe"]:
        tree.set_transform(parent, child, np.linalg.inv(world_from[parent]) @ world_from[child], timestamp=1.0)
    for a in world_from:
        for b in world_from:
            wanted = np.linalg.inv(world_from[a]) @ world_from[b]
            np.testing.assert_allclose(tree.lookup(a, b), wanted, atol=1e-11)
            np.testing.assert_array_equal(tree.lookup_transform(a, b), tree.lookup(a, b))
            assert tree.has_transform(a, b)
    assert tree.list_frames() == sorted(world_from)
    assert tree.num_transforms == 5


def test_links_of_a_robot_are_where_the_urdf_says() -> None:
    robot = Robot("ur5e")
    q = robot.random_configuration(rng_seed=2)
    tree = FrameTree()
    tree.set_static("map", robot.link_names[0], Pose.from_xyz(1.0, 2.0, 0.0))
    tree.update_from_robot(robot, q, timestamp=3.5)
    tip = "tool0"
    wanted = relative_pose(urdf("ur5e"), robot.link_names[0], tip, dict(zip(robot.joint_names, q)))
    np.testing.assert_allclose(tree.lookup("map", tip), translation(1.0, 2.0, 0.0) @ wanted, atol=1e-9)
    stamps = {one["child"]: (one["timestamp"], one["is_static"]) for one in tree.transforms()}
    assert stamps[robot.link_names[0]] == (0.0, True)
    assert stamps[tip] == (3.5, False)
    tree.clear_dynamic()
    assert tree.list_frames() == sorted(["map", robot.link_names[0]])


def test_a_static_transform_survives_an_update_and_a_clearing() -> None:
    robot = Robot("ur5e")
    tree = FrameTree()
    tree.set_static_transform("forearm_link", "wrist_1_link", translation(0.0, 0.0, 5.0))
    tree.update_from_robot(robot, robot.zero_configuration())
    np.testing.assert_array_equal(tree.lookup("forearm_link", "wrist_1_link"), translation(0.0, 0.0, 5.0))
    tree.clear_dynamic()
    assert tree.num_transforms == 1
    assert not tree.remove_transform("forearm_link", "tool0")
    assert tree.remove_transform("wrist_1_link", "forearm_link")
    tree.set_transform("a", "b", np.eye(4))
    tree.clear()
    assert tree.list_frames() == [] and tree.num_transforms == 0


def test_errors_name_the_frames() -> None:
    tree = FrameTree()
    tree.set_transform("a", "b", np.eye(4))
    tree.set_transform("c", "d", np.eye(4))
    with pytest.raises(InputError, match='"nowhere".*"a", "b", "c", "d"') as unknown:
        tree.lookup("a", "nowhere")
    assert unknown.value.code == "UnknownName"
    with pytest.raises(ValueError, match='"a" to "d"') as apart:
        tree.lookup("a", "d")
    assert apart.value.code == "FramesNotConnected" and apart.value.connected == ["a", "b"]
    for bad in [("a", "a", np.eye(4)), ("", "a", np.eye(4)), ("a", "b", np.full((4, 4), np.nan))]:
        with pytest.raises(InputError):
            tree.set_transform(*bad)
    assert tree.num_transforms == 2


def test_a_lookup_at_a_time_is_what_scipy_interpolates() -> None:
    rng = np.random.default_rng(3)
    tree = FrameTree(history=100.0)
    poses = [random_pose(rng) for _ in range(6)]
    stamps = np.cumsum(rng.uniform(0.1, 2.0, 6))
    for pose, stamp in zip(poses, stamps, strict=True):
        tree.set_transform("base", "tool", pose, timestamp=stamp)
    tree.set_static("tool", "camera", translation(0.1, 0.2, 0.3))
    assert tree.latest_common_time("base", "camera") == stamps[-1]
    assert tree.latest_common_time("tool", "camera") is None
    slerp = Slerp(stamps, Rotation.from_matrix([pose[:3, :3] for pose in poses]))
    for stamp in [*stamps, *rng.uniform(stamps[0], stamps[-1], 50)]:
        expected = np.eye(4)
        expected[:3, :3] = slerp(stamp).as_matrix()
        expected[:3, 3] = [np.interp(stamp, stamps, [pose[axis, 3] for pose in poses]) for axis in range(3)]
        expected = expected @ translation(0.1, 0.2, 0.3)
        np.testing.assert_allclose(tree.lookup("base", "camera", timestamp=stamp), expected, atol=1e-9)
    for stamp in (stamps[0] - 1e-6, stamps[-1] + 1e-6):
        with pytest.raises(InputError, match="cover"):
            tree.lookup("camera", "base", timestamp=stamp)
    copied = pickle.loads(pickle.dumps(tree))
    assert copied.history == 100.0
    np.testing.assert_array_equal(copied.lookup("base", "camera", 2.0), tree.lookup("base", "camera", 2.0))
    with pytest.raises(InputError, match="history"):
        FrameTree(history=-1.0)


def test_a_tree_can_be_pickled_with_its_stamps() -> None:
    tree = FrameTree()
    tree.set_transform("a", "b", random_pose(np.random.default_rng(3)), timestamp=7.25)
    tree.set_static("b", "c", translation(0.0, 1.0, 0.0))
    again = pickle.loads(pickle.dumps(tree))
    assert repr(again) == repr(tree)
    for one, other in zip(again.transforms(), tree.transforms()):
        np.testing.assert_array_equal(one.pop("matrix"), other.pop("matrix"))
        assert one == other


def test_many_threads_read_whole_updates_while_one_writes() -> None:
    robot = Robot("ur5e")
    configurations = [robot.random_configuration(rng_seed=seed) for seed in range(20)]
    expected = [robot.fk_all(q)["tool0"] for q in configurations]
    tree, root = FrameTree(), robot.link_names[0]
    tree.update_from_robot(robot, configurations[0])
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            found = tree.lookup(root, "tool0")
            if not any(np.allclose(found, pose, atol=1e-9) for pose in expected):
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for step in range(200):
        tree.update_from_robot(robot, configurations[step % 20], timestamp=step)
    done.set()
    for reader in readers:
        reader.join(LONGEST)
        assert not reader.is_alive()
    assert wrong == []


def test_a_child_keeps_its_place_in_the_world_unless_told_otherwise() -> None:
    def pair() -> tuple[CascadedFrame, CascadedFrame]:
        return CascadedFrame(Pose.from_xyz(1, 0, 0)), CascadedFrame(Pose.from_xyz(1, 1, 0))

    for relative in ["world", None]:
        parent, child = pair()
        assert parent.attach(child, relative_coords=relative) is child
        np.testing.assert_allclose([child.world_pose.xyz, child.pose.xyz], [[1, 1, 0], [0, 1, 0]])
    parent, child = pair()
    parent.assoc(child, relative_coords="local")
    np.testing.assert_allclose([child.world_pose.xyz, child.pose.xyz], [[2, 1, 0], [1, 1, 0]])
    parent, child = pair()
    parent.attach(child, relative_coords=Pose.from_xyz(0, 0, 3))
    np.testing.assert_allclose([child.world_pose.xyz, child.pose.xyz], [[1, 0, 3], [0, 0, 3]])
    assert child.parent == parent and parent.children == [child] and parent.parent is None


def test_new_coordinates_say_in_which_frame_they_are() -> None:
    parent, child = CascadedFrame(Pose.from_xyz(10, 0, 0)), CascadedFrame(Pose.from_xyz(0, 5, 0))
    parent.attach(child)
    child.newcoords(Pose.from_xyz(15, 15, 15), relative_coords="world")
    np.testing.assert_allclose([child.world_pose.xyz, child.pose.xyz], [[15, 15, 15], [5, 15, 15]])
    for relative in ["local", "parent"]:
        child.newcoords(translation(2, 2, 2), relative_coords=relative)
        np.testing.assert_allclose([child.world_pose.xyz, child.pose.xyz], [[12, 2, 2], [2, 2, 2]])
    child.newcoords(Pose.from_xyz(0, 0, 1), relative_coords=CascadedFrame(Pose.from_xyz(0, 7, 0)))
    np.testing.assert_allclose(child.world_pose.xyz, [0, 7, 1])


def test_edits_of_a_frame_carry_what_hangs_on_it() -> None:
    rng = np.random.default_rng(6)
    P, C, M, F = (random_pose(rng) for _ in range(4))
    parent, child = CascadedFrame(P), CascadedFrame(P @ C)
    parent.attach(child)
    parent.transform(M, wrt=F)
    parent.rotate(0.4, "z", wrt="local")
    parent.translate([1, 2, 3], wrt="world")
    moved = Pose(P).transform(M, F).rotate(0.4, "z").translate([1, 2, 3], "world")
    np.testing.assert_allclose(parent.matrix, moved, atol=EPS)
    np.testing.assert_allclose(child.world_pose, moved.matrix @ C, atol=EPS)
    turned = Pose(moved.matrix @ C).rotate(0.2, "x", wrt=moved)
    child.rotate(0.2, "x", wrt="parent")
    np.testing.assert_allclose(child.world_pose, turned, atol=1e-11)
    child.move_coords(F, M)
    np.testing.assert_allclose(child.world_pose @ M, F, atol=1e-11)


def test_the_tree_of_frames_can_be_walked_and_taken_apart() -> None:
    root, arm, hand, head = (CascadedFrame(Pose.from_xyz(x, 0, 0)) for x in range(4))
    root.attach(arm)
    arm.attach(hand)
    root.attach(head)
    assert root.descendants == [arm, hand, head]
    copied = hand.copy_worldcoords()
    assert copied != hand and copied.parent is None and copied.world_pose == hand.world_pose
    with pytest.raises(InputError, match="force"):
        head.attach(hand)
    with pytest.raises(InputError, match="above"):
        hand.attach(root, force=True)
    assert head.attach(hand, force=True) is hand
    assert root.detach(arm) is arm and arm.parent is None
    with pytest.raises(InputError):
        root.dissoc(hand)
    np.testing.assert_allclose([frame.world_pose.xyz[0] for frame in (arm, hand, head)], [1, 2, 3])
    assert len({root, arm, hand, head, hand.parent}) == 4
    with pytest.raises(TypeError):
        copy.copy(root)
