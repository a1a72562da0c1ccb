"""Poses as values, against NumPy's matrices and Pinocchio's SE3."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import about, origin_pose, pose_of, random_pose

from kinetic import CascadedFrame, InputError, Pose, Robot, Scene, Shape, Twist, Wrench

EPS = 1e-12
"""Rounding of a few products of rotations and translations of order 1."""

angles = st.floats(-math.pi, math.pi)
lengths = st.floats(-2.0, 2.0)
triples = st.tuples(lengths, lengths, lengths)
directions = triples.filter(lambda vector: np.linalg.norm(vector) > 1e-3)
poses = st.builds(lambda xyz, axis, angle: Pose.from_axis_angle(xyz, axis, angle), triples, directions, angles)
axioms = settings(max_examples=60, deadline=None, derandomize=True)


@given(poses, poses, poses)
@axioms
def test_poses_form_a_group_and_compose_as_matrices(a: Pose, b: Pose, c: Pose) -> None:
    np.testing.assert_allclose((a @ b) @ c, a @ (b @ c), atol=1e-11)
    np.testing.assert_allclose(a @ b, a.matrix @ b.matrix, atol=EPS)
    np.testing.assert_allclose(a @ a.inverse(), np.eye(4), atol=EPS)
    np.testing.assert_allclose(a.inverse_transformation(), np.linalg.inv(a.matrix), atol=1e-11)
    assert a @ Pose() == a == Pose.identity() @ a
    assert a @ b == a * b == a.compose(b)


@given(poses)
@axioms
def test_every_way_to_write_a_pose_reads_back(pose: Pose) -> None:
    for same in [
        Pose(pose.matrix),
        Pose.from_matrix(pose),
        Pose.from_xyz_rpy(pose.xyz, pose.rpy),
        Pose.from_xyz_rpy(*pose.xyz, *pose.rpy),
        Pose.from_xyzw(pose.xyz, 3.0 * pose.xyzw),
        Pose.from_wxyz(list(pose.xyz), -pose.wxyz),
        Pose(SimpleNamespace(homogeneous=pose.matrix)),
        Pose(CascadedFrame(pose)),
        eval(repr(pose)),
    ]:
        np.testing.assert_allclose(same, pose, atol=EPS)
    assert pickle.loads(pickle.dumps(pose)) == pose
    assert hash(pickle.loads(pickle.dumps(pose))) == hash(pose)


def test_conventions_are_those_of_urdf_and_of_the_names() -> None:
    xyz, rpy = (0.1, -0.2, 0.3), (0.4, -0.5, 0.6)
    pose = Pose.from_xyz_rpy(xyz, rpy)
    np.testing.assert_allclose(pose, origin_pose(xyz, rpy), atol=EPS)
    np.testing.assert_allclose(pose.rpy, rpy, atol=EPS)
    np.testing.assert_allclose(Pose.from_axis_angle(xyz, "y", 0.7), pose_of(about(np.eye(3)[1], 0.7), xyz), atol=EPS)
    np.testing.assert_allclose(Pose.from_xyz(1, 2, 3).xyz, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(Pose.from_xyz([1, 2, 3]), Pose.from_xyz(1, 2, 3))
    half = Pose.from_axis_angle([0, 0, 0], [0, 0, 2], math.pi / 2)
    np.testing.assert_allclose(half.xyzw, [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)], atol=EPS)
    np.testing.assert_allclose(half.wxyz, [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)], atol=EPS)
    np.testing.assert_allclose([half.x_axis, half.y_axis, half.z_axis], half.rotation_matrix.T, atol=EPS)
    np.testing.assert_allclose(half.x_axis, [0.0, 1.0, 0.0], atol=EPS)
    assert pose.translation_distance(Pose()) == pytest.approx(np.linalg.norm(xyz))
    assert half.rotation_distance(Pose()) == pytest.approx(math.pi / 2)


def test_a_pose_is_an_array_and_a_value() -> None:
    pose = Pose.from_xyz(1.0, 2.0, 3.0)
    assert np.asarray(pose).shape == (4, 4)
    assert np.asarray(pose, dtype=np.float32).dtype == np.float32
    assert {pose: "here"}[Pose.from_xyz(1.0, 2.0, 3.0)] == "here"
    # A quaternion and its negative turn alike, and so do their hashes.
    flipped = Pose.from_xyzw(pose.xyz, -pose.xyzw)
    assert flipped == pose and hash(flipped) == hash(pose)
    assert hash(Pose.from_xyz(0.0, 0.0, 0.0)) == hash(Pose.from_xyz(-0.0, 0.0, 0.0))
    assert pose != Pose() and pose != "pose"
    with pytest.raises(AttributeError):
        pose.xyz = [0.0, 0.0, 0.0]
    with pytest.raises(TypeError):
        pose @ [1.0, 2.0]


def test_poses_are_taken_wherever_matrices_are() -> None:
    robot = Robot("ur5e")
    q = robot.named_pose("home")
    target = Pose(robot.fk(q))
    np.testing.assert_array_equal(robot.ik(target, seed=q), robot.ik(target.matrix, seed=q))
    robot.tcp = Pose.from_xyz(0.0, 0.0, 0.1)
    np.testing.assert_allclose(robot.tcp[:3, 3], [0.0, 0.0, 0.1])
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.1), Pose.from_xyz(0.0, 1.0, 1.0))
    scene.update_pose("ball", CascadedFrame(Pose.from_xyz(0.0, 2.0, 1.0)))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Pose(np.diag([1.1, 1.0, 1.0, 1.0])), "InvalidValue"),
        (lambda: Pose(np.zeros((3, 3))), "DimensionMismatch"),
        (lambda: Pose.from_xyz(1.0, 2.0), "DimensionMismatch"),
        (lambda: Pose.from_xyz(1.0, float("nan"), 2.0), "NotFinite"),
        (lambda: Pose.from_xyz_rpy([0, 0, 0], [0, 0]), "InvalidValue"),
        (lambda: Pose.from_xyzw([0, 0, 0], [0, 0, 0, 0]), "InvalidValue"),
        (lambda: Pose.from_wxyz([0, 0, 0], [1, 0, 0]), "DimensionMismatch"),
        (lambda: Pose.from_axis_angle([0, 0, 0], [0, 0, 0], 1.0), "InvalidValue"),
        (lambda: Pose.from_axis_angle([0, 0, 0], "w", 1.0), "UnknownName"),
        (lambda: Pose.look_at([0, 0, 0], [0, 0, 0]), "InvalidValue"),
        (lambda: Pose.look_at([0, 0, 0], [0, 0, 1]), "InvalidValue"),
        (lambda: Pose().slerp(Pose(), float("inf")), "NotFinite"),
        (lambda: Pose().rotate(1.0, "z", wrt="here"), "UnknownName"),
        (lambda: Pose().translate([1.0, 2.0]), "DimensionMismatch"),
        (lambda: Pose().transform_vector([[1.0, 2.0]]), "DimensionMismatch"),
        (lambda: Pose().transform_vector([1.0, 2.0, float("nan")]), "NotFinite"),
        (lambda: Pose().difference_position(Pose(), "xx"), "InvalidValue"),
        (lambda: Pose().difference_position(Pose(), [1, 1]), "InvalidValue"),
        (lambda: Pose().difference_position(Pose(), [2, 0, 0]), "InvalidValue"),
        (lambda: Pose().difference_rotation(Pose(), mirror="q"), "UnknownName"),
        (lambda: Pose().align_axis_to_direction([0, 0, 0]), "InvalidValue"),
        (lambda: Twist.from_array([1.0, 2.0]), "DimensionMismatch"),
        (lambda: Wrench([1.0, 2.0, 3.0], [1.0, float("nan"), 3.0]), "NotFinite"),
    ],
)
def test_what_is_no_pose_is_refused_with_the_reason(make, code: str) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert refused.value.code == code


def test_differences_have_the_documented_values() -> None:
    first = Pose.from_xyz(0.1, 0.2, 0.3).rotate(math.pi / 3, "x")
    second = Pose.from_xyz(0.3, -0.3, 0.1).rotate(math.pi / 2, "y")
    np.testing.assert_allclose(first.difference_position(second), [0.2, -0.42320508, 0.3330127], atol=1e-8)
    level = Pose.from_xyz(0.1, 0.2, 0.3)
    np.testing.assert_allclose(level.difference_position(second), [0.2, -0.5, -0.2], atol=EPS)
    np.testing.assert_allclose(level.difference_position(second, mask="z"), [0.0, 0.0, -0.2], atol=EPS)
    turned = Pose.from_xyz_rpy([0, 0, 0], [math.pi / 5, math.pi / 3, math.pi / 2])
    np.testing.assert_allclose(Pose().difference_rotation(turned), [-0.32855112, 1.17434985, 1.05738936], atol=1e-8)
    np.testing.assert_array_equal(Pose().difference_rotation(turned, mask=False), np.zeros(3))
    np.testing.assert_allclose(Pose().difference_rotation(turned, "yz"), [0.0, 1.17434985, 1.05738936], atol=1e-8)
    flipped = Pose().rotate(math.pi, "x")
    np.testing.assert_allclose(Pose().difference_rotation(flipped, mirror="x"), np.zeros(3), atol=EPS)


@pytest.mark.parametrize(
    ("mask", "kept"),
    [
        (True, "xyz"),
        (False, ""),
        (None, ""),
        ("", ""),
        ("x", "x"),
        ("zx", "xz"),
        ("xyz", "xyz"),
        ([1, 1, 0], "xy"),
        ((False, True, True), "yz"),
        (np.array([0.0, 0.0, 1.0]), "z"),
        (np.array([True, False, False]), "x"),
    ],
)
def test_masks_name_the_axes_to_constrain(mask, kept: str) -> None:
    first, second = Pose.from_xyz_rpy(1, 2, 3, 0.1, 0.2, 0.3), Pose.from_xyz_rpy(0, -1, 2, 0.5, -0.3, 0.2)
    free = [axis not in kept for axis in "xyz"]
    for difference in [first.difference_position, first.difference_rotation]:
        masked = difference(second, mask)
        np.testing.assert_array_equal(masked[free], 0.0)
        np.testing.assert_array_equal(
            np.delete(masked, np.flatnonzero(free)), np.delete(difference(second), np.flatnonzero(free))
        )


def test_batches_of_vectors_are_matrix_products() -> None:
    rng = np.random.default_rng(3)
    matrix = random_pose(rng)
    pose, vectors = Pose(matrix), rng.normal(size=(50, 3))
    rotation, position = matrix[:3, :3], matrix[:3, 3]
    np.testing.assert_allclose(pose.transform_vector(vectors), vectors @ rotation.T + position, atol=EPS)
    np.testing.assert_allclose(pose.inverse_transform_vector(vectors), (vectors - position) @ rotation, atol=EPS)
    np.testing.assert_allclose(pose.rotate_vector(vectors), vectors @ rotation.T, atol=EPS)
    np.testing.assert_allclose(pose.inverse_rotate_vector(vectors), vectors @ rotation, atol=EPS)
    np.testing.assert_allclose(pose.transform_vector(vectors[0]), rotation @ vectors[0] + position, atol=EPS)
    assert pose.rotate_vector([]).shape == (0, 3)
    assert pose.rotate_vector(np.zeros((0, 3))).shape == (0, 3)


def test_edits_do_what_their_frame_says() -> None:
    rng = np.random.default_rng(4)
    T, F, M = (random_pose(rng) for _ in range(3))
    pose, inverse = Pose(T), np.linalg.inv(F)
    np.testing.assert_allclose(pose.transform(M), T @ M, atol=EPS)
    np.testing.assert_allclose(pose.transform(M, "world"), M @ T, atol=EPS)
    np.testing.assert_allclose(pose.transform(M, F), F @ M @ inverse @ T, atol=EPS)
    np.testing.assert_allclose(pose.translate([1, 2, 3], "parent").xyz, T[:3, 3] + [1, 2, 3], atol=EPS)
    np.testing.assert_allclose(pose.translate([1, 2, 3]).xyz, T[:3, 3] + T[:3, :3] @ [1, 2, 3], atol=EPS)
    turned = pose.rotate(0.3, [0, 0, 1], "world")
    np.testing.assert_allclose(turned, pose_of(about(np.eye(3)[2], 0.3) @ T[:3, :3], T[:3, 3]), atol=EPS)
    np.testing.assert_allclose(pose.move_coords(F, M) @ M, F, atol=EPS)


@given(poses, directions, st.sampled_from(["x", "y", "z"]))
@axioms
def test_an_aligned_axis_points_along_the_direction(pose: Pose, direction, axis: str) -> None:
    wanted = np.array(direction) / np.linalg.norm(direction)
    for goal in [wanted, -wanted]:
        aligned = pose.align_axis_to_direction(goal, axis)
        np.testing.assert_allclose(getattr(aligned, f"{axis}_axis"), goal, atol=EPS)
        again = aligned.align_axis_to_direction(-goal, axis)
        np.testing.assert_allclose(getattr(again, f"{axis}_axis"), -goal, atol=EPS)


def test_a_camera_looks_at_its_target() -> None:
    camera = Pose.look_at([1.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(camera.z_axis, [-1.0, 0.0, 0.0], atol=EPS)
    np.testing.assert_allclose(camera.y_axis, [0.0, 0.0, -1.0], atol=EPS)


def test_pinocchio_agrees_on_interpolation_logarithms_and_adjoints() -> None:
    pin = pytest.importorskip("pinocchio", reason="NumPy checks the same above; this is a second opinion")
    rng = np.random.default_rng(5)
    for _ in range(100):
        first, second = random_pose(rng), random_pose(rng)
        a, b, ratio = Pose(first), Pose(second), rng.uniform()
        between = pin.Quaternion(first[:3, :3]).slerp(ratio, pin.Quaternion(second[:3, :3])).matrix()
        position = (1.0 - ratio) * first[:3, 3] + ratio * second[:3, 3]
        np.testing.assert_allclose(a.slerp(b, ratio), pose_of(between, position), atol=1e-11)
        np.testing.assert_allclose(a.lerp(b, 0.5), a.interpolate(b, 0.5), atol=1e-11)
        logarithm = pin.log3(first[:3, :3].T @ second[:3, :3])
        np.testing.assert_allclose(a.difference_rotation(b), logarithm, atol=1e-7)
        six, other = rng.normal(size=6), rng.normal(size=6)
        frame = pin.SE3(first)
        moved, loaded = frame.act(pin.Motion(six)), frame.act(pin.Force(other))
        twist, wrench = Twist.from_array(six), Wrench.from_array(other)
        np.testing.assert_allclose(twist.transformed(a), moved.vector, atol=EPS)
        np.testing.assert_allclose(wrench.transformed(a), loaded.vector, atol=EPS)
        assert twist.power(wrench) == pytest.approx(six @ other) == wrench.power(twist)


def test_twists_and_wrenches_are_vectors_of_six_numbers() -> None:
    twist, wrench = Twist([1, 2, 3], [4, 5, 6]), Wrench([6, 5, 4], [3, 2, 1])
    np.testing.assert_array_equal(twist, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal((twist + twist).to_array(), (2 * twist).to_array())
    np.testing.assert_array_equal(wrench - wrench.scale(2.0), (-wrench).to_array())
    np.testing.assert_array_equal(np.concatenate([wrench.force, wrench.torque]), wrench)
    np.testing.assert_array_equal(np.concatenate([twist.linear, twist.angular]), twist)
    for value in [twist, wrench]:
        assert pickle.loads(pickle.dumps(value)) == value
    assert twist != wrench
