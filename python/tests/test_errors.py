"""Errors: every variant has its class, code and fields; odd input raises these and nothing else; documentation."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import os
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import ROOT

import kinetic
from kinetic import (
    ExecutionError,
    Goal,
    IKError,
    InputError,
    KineticError,
    Planner,
    PlanningError,
    Pose,
    Robot,
    Scene,
    Shape,
    Trajectory,
)
from kinetic import _kinetic as compiled

# --- the error map ---

# The page is written from the table of errors in Rust, whose tests compare the two.
PAGE = (ROOT / "docs-site" / "errors.md").read_text("utf-8")
FIELDS = {
    code: set(re.findall(r"`(\w+)`", fields))
    for code, fields in re.findall(r"^\| `(\w+)` \| [^`].* \| ([^|]*) \|$", PAGE, flags=re.MULTILINE)
}

# By code, then by `reason_code`: the fields that a reason adds, those two included.
REASONS: dict[str, dict[str, set[str]]] = {}
for of, reason, fields in re.findall(r"^\| `(\w+)` \| `(\w+)` \| .* \| ([^|]*) \|$", PAGE, flags=re.MULTILINE):
    REASONS.setdefault(of, {})[reason] = {"reason", "reason_code", *re.findall(r"`(\w+)`", fields)}

IK = {"IKNotConverged", "IKTimeout", "NoIKSolution"}
PLANNING = {
    "Cancelled",
    "CartesianPathIncomplete",
    "CollisionDetected",
    "ConstraintViolated",
    "GoalInCollision",
    "GoalUnreachable",
    "Other",
    "PlannerOutputInvalid",
    "PlanningFailed",
    "PlanningTimeout",
    "SequenceItemFailed",
    "StartInCollision",
    "StaticTorqueExceeded",
    "TrajectoryInCollision",
    "TrajectoryLimitExceeded",
}
EXECUTION = {
    "Aborted",
    "CommandFailed",
    "CommandTimeout",
    "DeviationExceeded",
    "ExecutionTimeout",
    "FeedbackLost",
    "InvalidTrajectory",
}
# Their reasons are no rows of a table: words, and another error, whose code is `reason_code`.
WITHOUT_ROWS = {"CartesianPathIncomplete", "SequenceItemFailed"}
FIELDS["SequenceItemFailed"].add("reason_code")
RETRYABLE = {"PlanningTimeout", "IKNotConverged", "IKTimeout"}


def class_of(code: str) -> type:
    if code == "Io":
        return FileNotFoundError
    if code in EXECUTION:
        return ExecutionError
    return IKError if code in IK else PlanningError if code in PLANNING else InputError


def test_the_page_has_every_error() -> None:
    with pytest.raises(InputError) as caught:
        compiled._raise_example("?")
    assert set(FIELDS) == set(caught.value.available)
    assert {"Io", "Other", *IK, *PLANNING, *EXECUTION, *RETRYABLE} <= set(FIELDS)


def test_a_reason_has_its_code_and_its_figures() -> None:
    robot = Robot("ur5e")
    with pytest.raises(IKError, match="^NoIKSolution: ") as caught:
        robot.ik(Pose.from_xyz(9.0, 0.0, 0.0))
    error = caught.value
    with_reasons = {code for code in FIELDS if "reason" in FIELDS[code]} - EXECUTION - WITHOUT_ROWS
    assert (error.reason_code, set(REASONS)) == ("OutOfReach", with_reasons)
    # A UR5e reaches about one metre.
    assert 7.5 < error.position_error < 8.5
    assert str(error).startswith(f"NoIKSolution: {error.reason}")
    with pytest.raises(PlanningError, match="^GoalUnreachable: ") as caught:
        kinetic.plan("ur5e", [0.0, -1.5, 1.0, 0.0, 0.0, 0.0], Goal.any([Goal.pose(Pose.from_xyz(9.0, 0.0, 0.0))] * 2))
    assert (caught.value.reason_code, caught.value.goals) == ("Several", 2)
    assert caught.value.codes == ["GoalUnreachable"] * 2


@pytest.mark.parametrize("code", FIELDS)
def test_every_error_has_its_class_code_message_and_fields(code: str) -> None:
    with pytest.raises(class_of(code)) as caught:
        compiled._raise_example(code)
    error = caught.value
    assert type(error) is class_of(code)
    assert isinstance(error, OSError if code == "Io" else KineticError)
    assert error.code == code
    assert str(error).startswith(f"{code}: ")
    assert error.retryable is (code in RETRYABLE)
    for field in FIELDS[code]:
        assert getattr(error, field) is not None
    if code != "Io":
        assert set(error.fields) == FIELDS[code] | REASONS.get(code, {}).get(error.fields.get("reason_code"), set())


def test_bad_values_are_value_errors_and_failed_plans_are_not() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(IKError, ValueError)
    assert not issubclass(PlanningError, ValueError)
    assert issubclass(KineticError, RuntimeError)


@pytest.mark.parametrize(
    ("errno", "cls"),
    [("gone", FileNotFoundError), ("folder", IsADirectoryError), ("file/inside", NotADirectoryError)],
)
def test_file_errors_are_the_built_in_classes(tmp_path, errno: str, cls: type) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(cls, match="^Io: ") as caught:
        Robot.from_urdf(tmp_path / errno)
    assert caught.value.path == str(tmp_path / errno)


def test_a_bench_without_data_or_with_unknown_names_is_refused(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="^Io: .*problems"):
        compiled.bench_mbm(tmp_path, "panda", "given", "vamp", 1, "auto", 1.0)
    with pytest.raises(InputError, match='^UnknownName: no model "mine"; models are "given", "builtin"'):
        compiled.bench_mbm(tmp_path, "panda", "mine", "vamp", 1, "auto", 1.0)
    with pytest.raises(InputError, match='^UnknownName: .*"round".*"vamp", "exact"'):
        compiled.bench_mbm(tmp_path, "panda", "given", "round", 1, "auto", 1.0)


# --- odd input ---

FULL = bool(os.environ.get("KINETIC_FULL"))
CASES = 20_000 if FULL else 600

NUMBERS = st.one_of(
    st.floats(width=64),
    st.sampled_from([0.0, -0.0, 1e-320, 1e308, 10**400, -1, 2**64, 0.5, 6]),
)
WORDS = st.one_of(
    st.sampled_from(
        ["ur5e", "arm", "home", "tool", "trapezoidal", "wrist_1_link", "table", "auto", "{", "<", "a\n0,1"]
    ),
    # No separators: file names stay in the folder of the test.
    st.text(st.characters(blacklist_characters="/\\.~", codec=None), max_size=8),
)
VECTORS = st.one_of(
    st.lists(st.floats(-7.0, 7.0), min_size=6, max_size=6),
    st.lists(NUMBERS, max_size=8),
    st.lists(st.lists(st.floats(-2.0, 2.0), min_size=6, max_size=6), max_size=4),
)
MATRICES = st.sampled_from(
    [np.eye(4), np.eye(3), np.zeros((4, 4)), np.zeros((0, 6)), np.zeros((6, 0)), np.ones((2, 6)), np.zeros((2, 3, 4))]
)


@pytest.fixture(scope="module")
def things() -> dict:
    """Usable objects of every class."""
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("table", Shape.box(1.0, 1.0, 0.1), np.eye(4) + np.diag([0.0] * 4))
    path = Trajectory.from_waypoints([[0.0] * 6, [1.0] * 6])
    return {
        "robot": robot,
        "scene": scene,
        "planner": Planner(robot, scene, timeout=0.05, max_iterations=50),
        "trajectory": path.time_parameterize("trapezoidal", 1.0, 1.0),
        "path": path,
        "goal": Goal.joints([0.0] * 6),
        "shape": Shape.sphere(0.1),
        "named": Goal.named("home"),
    }


def callables() -> list[tuple[str, str]]:
    """Owner and name of what can be called; `plot` is matplotlib's, and `wait_for_change` waits for another thread."""
    found = [("module", name) for name in ("Robot", "Scene", "Planner", "plan")]
    left_out = {"plot", "wait_for_change"}
    for owner, cls in OWNERS.items():
        names = [name for name, _ in public_members(cls) if name not in left_out]
        found += [(owner, name) for name in names if callable(getattr(cls, name))]
    return found


OWNERS = {
    "robot": Robot,
    "scene": Scene,
    "planner": Planner,
    "trajectory": Trajectory,
    "path": Trajectory,
    "goal": Goal,
    "shape": Shape,
}


def public_members(cls: type) -> list[tuple[str, object]]:
    return [(name, member) for name, member in vars(cls).items() if not name.startswith("_")]


@settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_odd_input_raises_only_documented_errors(things: dict, tmp_path, monkeypatch, data) -> None:
    monkeypatch.chdir(tmp_path)
    owner, name = data.draw(st.sampled_from(callables()), label="callable")
    thing = kinetic if owner == "module" else things[owner]
    odd = st.one_of(
        st.none(),
        st.booleans(),
        NUMBERS,
        WORDS,
        st.binary(max_size=4),
        VECTORS,
        MATRICES,
        st.sampled_from(list(things.values())),
    )
    arguments = data.draw(st.lists(odd, max_size=5), label="arguments")
    with contextlib.suppress(KineticError, TypeError, OSError):
        getattr(thing, name)(*arguments)


def test_attributes_cannot_be_set_but_for_the_tool(things: dict) -> None:
    for owner, cls in OWNERS.items():
        for name, member in public_members(cls):
            if inspect.isgetsetdescriptor(member) and name != "tcp":
                with pytest.raises(AttributeError):
                    setattr(things[owner], name, 1)
        with pytest.raises(AttributeError):
            things[owner].new_attribute = 1


# --- documentation ---

SEVERAL_TASKS = [kinetic.TaskProblem, kinetic.TaskResult, kinetic.TaskState, kinetic.IkCache]
ONLINE = [kinetic.Tracker, kinetic.Playback, kinetic.ExecutionMonitor]
EXECUTORS = [kinetic.SimExecutor, kinetic.LogExecutor, kinetic.RealTimeExecutor, kinetic.Handle, kinetic.SimulatedClock]
EXECUTORS += [kinetic.SafetyWatchdog, kinetic.GroupDriver, kinetic.MonotonicClock]
CLASSES = [Robot, Scene, Planner, Trajectory, Goal, Shape, compiled.Certificate, compiled.GoalJoints]
CLASSES += [*SEVERAL_TASKS, *ONLINE, *EXECUTORS]
MEMBERS = [(cls, name) for cls in CLASSES for name, _ in public_members(cls)]


def test_everything_exported_is_compiled_or_an_exception() -> None:
    for name in kinetic.__all__:
        assert getattr(kinetic, name) is not None


@pytest.mark.parametrize(("cls", "name"), MEMBERS, ids=[f"{cls.__name__}.{name}" for cls, name in MEMBERS])
def test_every_member_is_documented_and_has_a_signature(cls: type, name: str) -> None:
    member = vars(cls)[name]
    assert member.__doc__
    assert len(member.__doc__) >= len("The robot.")
    if callable(getattr(cls, name)) and not isinstance(member, compiled.GoalJoints):
        inspect.signature(getattr(cls, name))


@pytest.mark.parametrize("thing", [*CLASSES, kinetic.plan, kinetic.list_robots, compiled.bench_mbm])
def test_everything_public_is_documented(thing) -> None:
    assert len(thing.__doc__) > 40
    if thing in (Robot, Scene, Planner) or not isinstance(thing, type):
        assert inspect.signature(thing).parameters or thing is kinetic.list_robots


EXAMPLES = {f"{cls.__name__}": cls.__doc__ for cls in CLASSES if ">>>" in cls.__doc__} | {
    function.__name__: function.__doc__ for function in (kinetic.plan, kinetic.list_robots)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_docstrings_run(name: str) -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example = parser.get_doctest(EXAMPLES[name], {}, name, None, 0)
    assert example.examples
    assert runner.run(example).failed == 0


@pytest.mark.parametrize("owner", OWNERS)
def test_every_object_shows_what_it_is(things: dict, owner: str) -> None:
    thing = things[owner]
    assert repr(thing).startswith(type(thing).__name__)
    assert "object at 0x" not in repr(thing)
