"""Robots with several arms: names, groups, golden poses through the library, and arms that heed each other."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, Robot

FACTS = Path(__file__).resolve().parents[2] / "tools" / "robots" / "facts"
FK_TOLERANCE = 1e-9
"""Golden poses and ours come from the same numbers in double precision."""

ARMS = {
    "baxter": {"left_gripper": ("baxter_left", "left_arm"), "right_gripper": ("baxter_right", "right_arm")},
    "abb_yumi": {"yumi_link_7_l": ("abb_yumi_left", "left_arm"), "yumi_link_7_r": ("abb_yumi_right", "right_arm")},
    "pr2": {
        "r_wrist_roll_link": ("pr2", "right_arm_with_torso"),
        "l_wrist_roll_link": ("pr2", "left_arm_with_torso"),
    },
}
"""Facts by folder; per tip of a golden table the name and the group that mean this arm."""

Json = dict[str, Any]


def goldens(folder: str) -> list[Json]:
    """The golden tables of all arms of a robot."""
    facts: Json = json.loads((FACTS / f"{folder}.json").read_text(encoding="utf-8"))
    return [facts["golden"], *facts["more_goldens"]]


@pytest.mark.parametrize("folder", ARMS)
def test_each_arm_has_the_golden_poses_of_its_side(folder: str) -> None:
    tables = goldens(folder)
    assert {table["tip"] for table in tables} == set(ARMS[folder])
    for table in tables:
        name, group = ARMS[folder][table["tip"]]
        robot = Robot(name, group)
        assert robot.joint_names == table["joint_order"]
        for row in table["configs"]:
            np.testing.assert_allclose(robot.fk(row["q"]), row["T"], rtol=0.0, atol=FK_TOLERANCE)


@pytest.mark.parametrize("folder", ["baxter", "abb_yumi"])
def test_the_name_alone_selects_the_arm(folder: str) -> None:
    for name, group in ARMS[folder].values():
        robot = Robot(name)
        assert (robot.name, robot.group, robot.dof) == (name, group, 7)
        assert Robot(name, group="both_arms").dof == 14
        assert Robot(name).with_group("both_arms").name == name


def test_a_pickled_robot_keeps_its_name_and_group() -> None:
    robot = pickle.loads(pickle.dumps(Robot("abb_yumi_right", group="both_arms")))
    assert (robot.name, robot.group) == ("abb_yumi_right", "both_arms")


def test_the_robot_without_a_side_is_no_name_but_the_sides_are_suggested() -> None:
    assert "baxter" not in kinetic.list_robots()
    with pytest.raises(InputError, match="baxter_left"):
        Robot("baxter")


def test_the_telescope_of_stretch_takes_a_quarter_of_the_extension() -> None:
    """Golden rows list four equal values for the four tubes; the library takes the first of them."""
    facts: Json = json.loads((FACTS / "stretch_re2.json").read_text(encoding="utf-8"))
    robot, table = Robot("stretch_re2"), facts["golden"]
    for row in table["configs"]:
        values = dict(zip(table["joint_order"], row["q"]))
        assert len({values[f"joint_arm_l{tube}"] for tube in range(4)}) == 1
        q = [values[joint] for joint in robot.joint_names]
        assert len(q) == 5
        np.testing.assert_allclose(robot.fk(q), row["T"], rtol=0.0, atol=FK_TOLERANCE)


@pytest.mark.parametrize(("name", "inwards"), [("baxter_left", -0.35), ("pr2", 0.45), ("abb_yumi_left", -1.5)])
def test_hands_that_meet_are_refused_as_a_start_and_as_a_goal(name: str, inwards: float) -> None:
    robot = Robot(name, group="both_arms")
    planner = Planner(robot)
    ready = robot.named_pose("ready")
    together = ready.copy()
    together[0], together[7] = inwards, -inwards
    assert planner.is_in_collision(together)
    assert not planner.is_in_collision(ready)
    for start, goal in ((together, ready), (ready, together)):
        with pytest.raises(kinetic.KineticError):
            planner.plan(start, Goal.joints(goal))


@pytest.mark.parametrize("name", ["baxter_left", "abb_yumi_right", "pr2"])
def test_both_arms_move_from_home_to_ready(name: str) -> None:
    robot = Robot(name, group="both_arms")
    trajectory = Planner(robot).plan(robot.named_pose("home"), Goal.named("ready"))
    assert trajectory.dof == 14
    np.testing.assert_allclose(trajectory.sample(trajectory.duration), robot.named_pose("ready"), atol=1e-6)
