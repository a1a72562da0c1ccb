"""Turns of joints: what a joint goal means, and what is said about it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Problem, Robot, Scene, Shape

START = np.array([3.0, -1.6, 1.5, -1.5, -1.57, 0.0])
GOAL = np.array([-3.0, -1.6, 1.5, -1.5, -1.57, 0.0])
ROUNDING = 1e-12


def test_bounded_joints_are_met_exactly_and_with_turns_at_the_nearest_one() -> None:
    planner = Planner("ur5e")
    motion = planner.plan(START, Goal.joints(GOAL), time_parameterize=False)
    assert motion.positions()[-1] == GOAL.tolist()
    assert planner.last_stats["goal_turns"] == [0] * 6
    motion = planner.plan(START, Goal.joints(GOAL, turns=True), time_parameterize=False)
    assert motion.positions()[-1] == pytest.approx(GOAL + [2 * np.pi, 0, 0, 0, 0, 0], abs=ROUNDING)
    assert planner.last_stats["goal_turns"] == [1, 0, 0, 0, 0, 0]


ENDLESS = """<robot name="endless"><link name="base"/>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.05 0.05"/></geometry></collision></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit velocity="1" effort="1"/></joint></robot>"""


@pytest.mark.parametrize("planner_type", ["rrt_connect", "prm_star"])
def test_starts_so_many_turns_away_that_rounding_counts_are_refused(planner_type: str) -> None:
    """Regression 38: from 10^10 rad "prm_star" did not end, not even with Ctrl-C."""
    robot = Robot.from_urdf(ENDLESS, base="base", tip="arm")
    scene = Scene(robot)
    scene.add("post", Shape.cylinder(0.05, 0.5), np.array([[1, 0, 0, 0], [0, 1, 0, 0.8], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    planner = Planner(robot, scene, planner_type=planner_type, timeout=0.5, max_iterations=500)
    turns = 2.0 * np.pi * 100_000
    motion = planner.plan([turns], [turns + 3.0])
    assert abs(motion.positions()[-1][0] - turns) == pytest.approx(2.0 * np.pi - 3.0, abs=1e-6)
    for far in (1e7, 1e10, -1e16):
        with pytest.raises(InputError, match='start of joint "turn"'):
            planner.plan([far], [far + 3.0])


def test_a_goal_with_turns_is_a_value_that_prints_pickles_and_compares() -> None:
    goal = Goal.joints([0.5, 1.0], turns=True)
    assert goal.turns and goal.kind == "joints" and goal.joints is not None
    assert repr(goal) == "Goal.joints([0.5, 1.0], turns=True)"
    assert pickle.loads(pickle.dumps(goal)) == goal != Goal.joints([0.5, 1.0])
    assert not Goal.joints([0.5, 1.0]).turns and not Goal.named("home").turns


def test_batches_and_problem_files_keep_turns(tmp_path: Path) -> None:
    planner = Planner("ur5e", max_iterations=2000)
    goal = Goal.joints(GOAL, turns=True)
    (motion,) = planner.plan_batch([START], [goal], time_parameterize=False)
    assert isinstance(motion, kinetic.Trajectory)
    assert motion.positions()[-1][0] == pytest.approx(GOAL[0] + 2 * np.pi, abs=ROUNDING)
    problem = planner.problem(START, goal)
    problem.save(tmp_path / "turns.toml")
    again = Problem.load(tmp_path / "turns.toml")
    assert again.goal == goal and again.hash == problem.hash != planner.problem(START, Goal.joints(GOAL)).hash


def test_a_limit_that_turns_would_keep_is_suggested() -> None:
    robot = Robot("franka_panda")
    ready = robot.named_pose("ready")
    goal = ready.copy()
    goal[0] = 4.0
    with pytest.raises(InputError, match="JointLimitViolation") as caught:
        Planner(robot).plan(ready, Goal.joints(goal))
    solved = {suggestion["kind"] for suggestion in caught.value.report.suggestions if suggestion["solved"]}
    assert "turns" in solved


def test_a_pose_in_collision_throughout_says_what_was_tried() -> None:
    robot = Robot("franka_panda")
    ready = robot.named_pose("ready")
    goal = ready + [0.7, 0, 0, 0, 0, 0, 0]
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.05), robot.fk(goal))
    with pytest.raises(PlanningError, match="GoalInCollision") as caught:
        Planner(robot, scene).plan(ready, Goal.pose(robot.fk(goal)))
    assert caught.value.tried > 1000
    tried = caught.value.report.evidence["self_motion"]
    assert tried["configurations"] >= tried["inside_limits"] == tried["in_collision"] > 1000
    assert any("ball" in pair for pair in tried["colliding"])


def test_held_joints_of_a_chain_stand_where_the_start_says(tmp_path: Path) -> None:
    urdf = tmp_path / "planar.urdf"
    parts = ['<robot name="planar"><link name="l0"/>']
    for number, length in enumerate((0.0, 0.4, 0.35, 0.3), start=1):
        parts.append(
            f'<link name="l{number}"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.04"/></geometry>'
            f'</collision></link><joint name="j{number}" type="revolute"><parent link="l{number - 1}"/>'
            f'<child link="l{number}"/><origin xyz="{length} 0 0.06"/><axis xyz="0 0 1"/>'
            '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
        )
    urdf.write_text("".join([*parts, "</robot>"]))
    config = tmp_path / "kinetic.toml"
    config.write_text(
        '[robot]\nname = "planar"\nurdf = "planar.urdf"\n\n[planning_group.part]\njoints = ["j1", "j3", "j4"]\n'
    )
    robot = Robot.from_path(tmp_path)
    planner = Planner(robot)
    start, goal = np.array([0.3, -0.9, 0.8, 0.5]), np.array([0.5, -0.9, 0.6, 0.4])
    target = robot.fk(goal)
    # Worked out by hand: lengths along the way, angles summed.
    angles = np.cumsum(goal)
    lengths = np.array([0.4, 0.35, 0.3])
    by_hand = [lengths @ np.cos(angles[:3]), lengths @ np.sin(angles[:3])]
    assert target[:2, 3] == pytest.approx(by_hand, abs=1e-12)
    assert planner.fk(goal) == pytest.approx(target, abs=1e-12)
    (item,) = planner.plan_batch([start], [Goal.pose(target)], time_parameterize=False)
    problem = planner.problem(start, Goal.pose(target), time_parameterize=False)
    problem.save(tmp_path / "held.toml")
    for motion in (
        planner.plan(start, Goal.pose(target)),
        item,
        Problem.load(tmp_path / "held.toml").solve(),
    ):
        assert isinstance(motion, kinetic.Trajectory)
        end = motion.positions()[-1] if not motion.is_timed else motion.sample(motion.duration)
        full = np.array([end[0], start[1], end[1], end[2]])
        assert robot.fk(full) == pytest.approx(target, abs=2e-6)
    with pytest.raises(InputError, match="j2"):
        planner.plan(start, Goal.joints(goal + [0, 0.1, 0, 0]))
