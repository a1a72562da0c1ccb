"""Arrays in: whatever NumPy makes of lists, tuples, views and number types. Arrays out: fresh, float64, in C order."""

from __future__ import annotations

import pickle
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import about, pose_of, translation

from kinetic import Goal, InputError, Robot, Scene, Shape, Trajectory

ROUNDING = 1e-12
"""Poses go through a quaternion and back."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


VALUES = [0, -1, 1, -2, 1, 0]
BACKING = np.zeros((6, 3))
BACKING[:, 1] = VALUES

# The same six numbers in every form that `numpy.asarray` takes.
FORMS = {
    "list": VALUES,
    "tuple": tuple(VALUES),
    "floats": [float(value) for value in VALUES],
    "mixed": [0, -1.0, np.float32(1), np.int8(-2), Fraction(1), False],
    "int64": np.array(VALUES),
    "int8": np.array(VALUES, dtype=np.int8),
    "float16": np.array(VALUES, dtype=np.float16),
    "float32": np.array(VALUES, dtype=np.float32),
    "longdouble": np.array(VALUES, dtype=np.longdouble),
    "big-endian": np.array(VALUES, dtype=">f8"),
    "object": np.array([Fraction(value) for value in VALUES]),
    "column of a matrix": BACKING[:, 1],
    "reversed view": np.array(VALUES[::-1], dtype=float)[::-1],
    "read-only": np.broadcast_to(np.array(VALUES, dtype=float), (6,)),
    "unaligned": np.frombuffer(b"\0" + np.array(VALUES, dtype=float).tobytes(), offset=1),
    "memoryview": memoryview(np.array(VALUES, dtype=float)),
}


class Arrayish:
    """An object that turns itself into an array, as tensors of other libraries do."""

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(VALUES, dtype=dtype or float)


FORMS["__array__"] = Arrayish()


@pytest.mark.parametrize("form", FORMS)
def test_joint_vectors_come_in_every_form(robot: Robot, form: str) -> None:
    given = FORMS[form]
    wanted = robot.fk(np.array(VALUES, dtype=np.float64))
    assert np.array_equal(robot.fk(given), wanted)
    assert np.array_equal(Goal.joints(given).joints, VALUES)


TABLE = np.arange(12.0).reshape(2, 6) / 10.0


@pytest.mark.parametrize(
    "given",
    [TABLE, TABLE.tolist(), list(TABLE), np.asfortranarray(TABLE), np.repeat(TABLE, 2, axis=0)[::2]],
    ids=["C", "lists", "list of arrays", "Fortran", "strided"],
)
def test_tables_come_in_every_order(robot: Robot, given) -> None:
    assert np.array_equal(robot.batch_fk(given), [robot.fk(row) for row in TABLE])
    assert Trajectory.from_waypoints(given).positions() == TABLE.tolist()


POSE = pose_of(about(np.array([1.0, 2.0, 3.0]), 0.7), np.array([0.3, -0.2, 0.5]))


@pytest.mark.parametrize(
    "given",
    [
        POSE,
        POSE.tolist(),
        np.asfortranarray(POSE),
        SimpleNamespace(homogeneous=POSE),
        SimpleNamespace(matrix=POSE.tolist()),
    ],
    ids=["C", "lists", "Fortran", ".homogeneous", ".matrix"],
)
def test_poses_come_as_matrices_and_as_objects_that_hold_one(given) -> None:
    assert np.allclose(Goal.pose(given).values, POSE, rtol=0.0, atol=ROUNDING)


def test_a_pose_goal_from_position_and_quaternion() -> None:
    half = 0.35
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    quaternion = [*(np.sin(half) * axis), np.cos(half)]
    assert np.allclose(Goal.pose(POSE[:3, 3], quaternion).values, POSE, rtol=0.0, atol=ROUNDING)
    assert np.allclose(Goal.pose(POSE[:3, 3], 3.0 * np.array(quaternion)).values, POSE, rtol=0.0, atol=ROUNDING)


# --- refusals ---

NO_NUMBERS = {
    "text": "abcdef",
    "bytes": b"abcdef",
    "texts": ["0"] * 6,
    "truth values": [True] * 6,
    "truth array": np.ones(6, dtype=bool),
    "None": None,
    "list of None": [None] * 6,
    "complex": np.zeros(6, dtype=complex),
    "dates": np.zeros(6, dtype="datetime64[s]"),
    "ragged": [[0.0, 1.0], [2.0]],
    "dict": {0: 1.0},
    "set": {1.0, 2.0},
    "generator": (value for value in VALUES),
    "object": object(),
    "huge integers": [10**400] * 6,
    "scalar": 1.0,
    "too deep": [[VALUES]],
    "empty": [],
    "NaN": [float("nan")] * 6,
    "infinity": [float("inf")] * 6,
    "masked values": np.ma.masked_array(np.zeros(6), mask=[1, 0, 0, 0, 0, 0]),
    "masked integers": np.ma.masked_array(np.zeros(6, dtype=int), mask=[1, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_joint_vector_is_an_input_error(robot: Robot, kind: str) -> None:
    given = NO_NUMBERS[kind]
    for ask in (robot.fk, robot.jacobian, robot.clip, robot.check_limits, Scene(robot).min_distance):
        with pytest.raises(InputError) as caught:
            ask(given)
        assert str(caught.value).startswith(f"{caught.value.code}: ")
        assert caught.value.code in ("InvalidValue", "DimensionMismatch", "NotFinite")


def test_an_array_with_an_empty_mask_is_an_array(robot: Robot) -> None:
    assert np.array_equal(robot.fk(np.ma.masked_array(VALUES)), robot.fk(VALUES))


def test_masked_points_and_cells_are_refused(robot: Robot) -> None:
    mask = np.zeros((4, 3), dtype=bool)
    mask[2, 1] = True
    for dtype in (np.float32, np.float64, np.int64):
        masked = np.ma.masked_array(np.zeros((4, 3), dtype=dtype), mask=mask)
        for ask in (lambda given: Scene(robot).add_pointcloud("seen", given), lambda given: Shape.voxels(given, 0.1)):
            with pytest.raises(InputError, match="masked values"):
                ask(masked)


def test_wrong_lengths_name_the_group_and_both_sizes(robot: Robot) -> None:
    for length in (0, 1, 5, 7, 100):
        with pytest.raises(InputError, match=f'^DimensionMismatch: .* has {length} values, .*6 .*"arm"') as caught:
            robot.fk(np.zeros(length))
        assert caught.value.got == length
    with pytest.raises(ValueError, match="DimensionMismatch"):
        robot.batch_fk(np.zeros((3, 5)))


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.eye(3), r"shape \(3, 3\)"),
        (np.zeros(16), r"shape \(16,\)"),
        (np.zeros((4, 4)), "last row"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "orthonormal"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "orthonormal"),
        (np.full((4, 4), np.nan), "NotFinite"),
        (translation(np.inf, 0.0, 0.0), "NotFinite"),
        ("pose", "real numbers"),
        (SimpleNamespace(matrix="pose"), "real numbers"),
    ],
)
def test_what_is_no_pose_is_refused_with_the_reason(robot: Robot, matrix, complaint: str) -> None:
    scene = Scene(robot)
    asks = (Goal.pose, robot.ik, Goal.relative, lambda pose: scene.add("a", Shape.sphere(0.1), pose))
    for ask in asks:
        with pytest.raises(InputError, match=complaint):
            ask(matrix)
    with pytest.raises(InputError, match=complaint):
        Robot("ur5e").tcp = matrix


@pytest.mark.parametrize(
    ("position", "quaternion", "complaint"),
    [
        ([0.0] * 2, [0.0, 0.0, 0.0, 1.0], r"a position \(x, y, z\)"),
        ([0.0] * 3, [0.0, 0.0, 0.0], "quaternion has 3 values, expected 4"),
        ([0.0] * 3, [0.0, 0.0, 0.0, 0.0], "non-zero length"),
        ([0.0] * 3, [np.nan, 0.0, 0.0, 1.0], "NotFinite"),
        (POSE, [0.0, 0.0, 0.0, 1.0], r"a position \(x, y, z\)"),
    ],
)
def test_positions_and_quaternions_are_checked(position, quaternion, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Goal.pose(position, quaternion)


def test_a_failure_of_the_callers_own_object_is_not_hidden(robot: Robot) -> None:
    class Failing:
        def __array__(self, dtype=None, copy=None) -> np.ndarray:
            raise ConnectionError("sensor lost")

    with pytest.raises(ConnectionError, match="sensor lost"):
        robot.fk(Failing())


# --- outputs ---


def test_arrays_out_are_owned_float64_in_c_order(robot: Robot) -> None:
    q = robot.named_pose("home")
    timed = Trajectory.from_numpy([0.0, 1.0], [[0.0] * 6, [1.0] * 6])
    scene = Scene(robot)
    scene.add("a", Shape.sphere(0.1), np.eye(4))
    arrays = [
        q,
        robot.joint_limits,
        robot.tcp,
        robot.fk(q),
        robot.jacobian(q),
        robot.clip(q),
        robot.batch_fk([q, q]),
        robot.random_configuration(),
        robot.ik(robot.fk(q)),
        *robot.fk_all(q).values(),
        scene.get("a")[1],
        Shape.box(1.0, 1.0, 1.0).dimensions["half_extents"],
        Goal.joints(q).joints,
        Goal.pose(np.eye(4)).values,
        timed.sample(0.5),
        *timed.to_numpy(),
        timed.accelerations(),
        *timed.pieces(),
    ]
    for array in arrays:
        assert type(array) is np.ndarray
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.owndata
        assert array.flags.writeable


def test_nothing_given_or_returned_shares_memory_with_the_library(robot: Robot) -> None:
    q = np.array(VALUES, dtype=float)
    goal, path = Goal.joints(q), Trajectory.from_waypoints([q, q + 1.0])
    q[:] = 9.0
    assert np.array_equal(goal.joints, VALUES)
    assert path.positions()[0] == VALUES
    for read in (
        lambda: goal.joints,
        lambda: robot.named_pose("home"),
        lambda: robot.velocity_limits,
        lambda: robot.tcp,
    ):
        before = read().copy()
        read()[...] = 7.0
        assert np.array_equal(read(), before)


# --- goals ---


def test_goals_say_what_they_are() -> None:
    goals = {
        "joints": Goal.joints(VALUES),
        "pose": Goal.pose(POSE),
        "named": Goal.named("home"),
        "relative": Goal.relative([0.0, 0.0, 0.1], frame="base"),
    }
    for kind, goal in goals.items():
        assert goal.kind == kind
        assert repr(goal).startswith(f"Goal.{kind}(")
        assert goal == eval(repr(goal), {"Goal": Goal}) if kind in ("joints", "named") else True
    assert goals["named"].values is None
    assert (goals["named"].name, goals["joints"].name) == ("home", None)
    assert (goals["relative"].frame, Goal.relative(POSE).frame, goals["pose"].frame) == ("base", "tool", None)
    assert np.array_equal(goals["relative"].values, translation(0.0, 0.0, 0.1))


def test_joints_is_a_constructor_on_the_class_and_the_values_on_an_instance() -> None:
    assert np.array_equal(Goal.joints(values=VALUES).joints, VALUES)
    assert Goal.pose(POSE).joints is None
    assert Goal.named("home").joints is None


def test_goals_compare_by_value() -> None:
    assert Goal.joints(VALUES) == Goal.joints(np.array(VALUES, dtype=float))
    assert Goal.joints(VALUES) != Goal.joints([*VALUES[:5], 1e-300])
    assert Goal.named("home") != Goal.named("ready")
    assert Goal.relative([0.0, 0.0, 0.1]) != Goal.relative([0.0, 0.0, 0.1], "base")


def test_an_unknown_frame_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match='^UnknownName: no frame "world"; frames are "tool", "base"'):
        Goal.relative([0.0, 0.0, 0.1], frame="world")


def test_goals_survive_pickle_bit_by_bit() -> None:
    rng = np.random.default_rng(1)
    goals = [Goal.named("home"), Goal.joints(rng.normal(size=7))]
    for _ in range(100):
        pose = pose_of(about(rng.normal(size=3), rng.uniform(-3.0, 3.0)), rng.normal(size=3))
        goals += [Goal.pose(pose), Goal.relative(pose, "base")]
    for goal in goals:
        assert pickle.loads(pickle.dumps(goal)) == goal
