"""What people new to the library hand over: names, poses, lists, dicts, degrees; it works or says what is possible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, Pose, Robot, Scene


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture(scope="module")
def planner(robot: Robot) -> Planner:
    return Planner(robot)


def test_names_stand_for_named_poses(robot: Robot, planner: Planner) -> None:
    home, ready = robot.named_pose("home"), robot.named_pose("ready")
    wanted = planner.plan(home, ready)
    assert planner.plan("home", "ready") == wanted
    assert kinetic.plan("ur5e", "home", "ready") == wanted
    assert planner.problem("home", "ready").solve() == planner.problem(home, Goal.named("ready")).solve()
    assert planner.plan_batch([home], ["ready"]) == [wanted]
    assert Goal.any(["ready", home]).goals == [Goal.named("ready"), Goal.joints(home)]
    assert Planner("ur5e", Scene("ur5e")).plan("home", "ready") == wanted


def test_poses_stand_for_pose_goals(robot: Robot, planner: Planner) -> None:
    target = robot.fk(robot.named_pose("ready"))
    for goal in (Pose(target), target, target.tolist()):
        motion = planner.plan("home", goal)
        np.testing.assert_allclose(robot.fk(motion.sample(motion.duration)), target, atol=1e-5)
    assert Goal.any([Pose(target)]).goals[0].kind == "pose"


@pytest.mark.parametrize(
    "same",
    [
        list,
        tuple,
        lambda q: np.array(q, dtype=np.float32).astype(object),
        lambda q: np.repeat(q, 2)[::2],
        lambda q: np.asfortranarray(np.tile(q, (2, 1)))[0],
        lambda q: np.array(q, dtype=">f8"),
        lambda q: q[::-1][::-1],
    ],
)
def test_arrays_of_any_make_are_the_same(robot: Robot, planner: Planner, same: Any) -> None:
    start, goal = robot.named_pose("home"), robot.named_pose("ready")
    motion = planner.plan(same(start), same(goal))
    np.testing.assert_allclose(motion.sample(0.0), start, atol=1e-7)
    np.testing.assert_allclose(motion.sample(motion.duration), goal, atol=1e-7)


MISTAKES: list[tuple[Any, Any, str]] = [
    ("hme", "ready", 'no named pose "hme" for group "arm"; poses are "home", "ready"'),
    ("home", "redy", 'no named pose "redy" for group "arm"; poses are "home", "ready"'),
    ("home", None, "named_pose gives None for a name that it does not have"),
    (None, "ready", "named_pose gives None for a name that it does not have"),
    ("home", {"elbow_joint": 1.0}, r"\[values\[name\] for name in robot.joint_names\]"),
    ({"elbow_joint": 1.0}, "ready", r"\[values\[name\] for name in robot.joint_names\]"),
    ("home", ["home", "ready"], "Goal.any"),
    ("home", [Goal.named("home"), [0.0] * 6], "Goal.any"),
    ("home", np.zeros((2, 6)), "Goal.any"),
    ("home", [0.0] * 5, 'has 5 values, expected 6 .group "arm"'),
    (np.zeros((1, 6)), "ready", r"shape \(1, 6\).*a vector"),
    ("home", 3.0, "a vector"),
    ("home", np.zeros(6, dtype=complex), "real numbers"),
    ("home", ["0", "1", "2", "3", "4", "5"], "goal|real numbers"),
    ("home", [True] * 6, "real numbers"),
]


@pytest.mark.parametrize(("start", "goal", "wanted"), MISTAKES)
def test_mistakes_are_told_with_what_is_possible(planner: Planner, start: Any, goal: Any, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        planner.plan(start, goal)


def test_degrees_are_refused_with_a_report_that_says_so(planner: Planner) -> None:
    with pytest.raises(InputError, match="JointLimitViolation") as caught:
        planner.plan("home", [0, -90, 90, -90, -90, 0])
    report = caught.value.report
    assert report.suggestions[0]["kind"] == "radians_for_degrees" and report.suggestions[0]["solved"]


@pytest.mark.parametrize("goals", ["ready", {"a": [0.0] * 6}])
def test_a_text_or_a_dict_is_no_list_of_goals(planner: Planner, robot: Robot, goals: Any) -> None:
    with pytest.raises(InputError, match="a list of goals"):
        Goal.any(goals)
    with pytest.raises(InputError, match="a list of goals"):
        planner.plan_batch([robot.named_pose("home")], goals)
