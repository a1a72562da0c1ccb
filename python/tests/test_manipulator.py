"""Closed-form inverse kinematics: all branches, judged by forward kinematics from the robot's file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from oracles import CONFIGS, chain_of, relative_pose, urdf

from kinetic import Diagnostic, InputError, Manipulator, Robot, TolerancePolicy

CLOSED = 1e-9
"""Tier 0 closes to 1e-10 (Frobenius); the oracle multiplies the same matrices in another order."""
SIX = ["abb_irb1200", "ur10e", "ur5e"]
"""Built-in arms with six rotating joints; a set that grows is no fault."""


@pytest.fixture(scope="module", params=SIX)
def robot(request) -> Robot:
    return Robot(request.param)


@pytest.fixture(scope="module")
def arm() -> Manipulator:
    return Manipulator.from_robot("ur5e")


def test_all_branches_reach_the_pose_by_the_robots_file(robot: Robot) -> None:
    root = urdf(robot.name)
    base, tip = chain_of(robot.name, robot.group)
    counts = set()
    for seed in range(20):
        q = robot.random_configuration(rng_seed=seed)
        target = robot.fk(q)
        found = robot.ik_all(target, respect_limits=False)
        counts.add(len(found))
        turns = (found - q + np.pi) % (2.0 * np.pi) - np.pi
        assert np.abs(turns).max(axis=1).min() < 1e-6, f"seed {seed}: the configuration itself is missing"
        for row in found:
            values = dict(zip(robot.joint_names, row))
            reached = relative_pose(root, base, tip, values) @ robot.tcp
            assert np.linalg.norm(reached - target) < CLOSED, f"seed {seed}"
    assert max(counts) == 8


def test_ik_is_the_branch_nearest_to_the_seed(robot: Robot) -> None:
    for seed in range(20):
        q = robot.random_configuration(rng_seed=100 + seed)
        target = robot.fk(q)
        found = robot.ik_all(target, seed=q)
        assert np.abs(found[0] - q).max() < 1e-6, f"seed {seed}"
        assert np.array_equal(robot.ik(target, seed=q), found[0])
        distances = np.linalg.norm(found - q, axis=1)
        assert np.all(np.diff(distances) >= 0.0)
        assert np.array_equal(robot.ik_all(target, seed=q, max_solutions=2), found[:2])


def test_the_tool_of_the_robot_is_meant() -> None:
    robot = Robot("ur5e")
    tool = np.eye(4)
    tool[:3, 3] = [0.0, 0.05, 0.2]
    robot.tcp = tool
    target = robot.fk(robot.named_pose("home"))
    assert all(np.linalg.norm(robot.fk(q) - target) < CLOSED for q in robot.ik_all(target))


def test_the_plan_names_solver_and_reason(arm: Manipulator) -> None:
    plan = arm.dispatch_plan
    assert (plan.solver_name, plan.tier) == ("six_r.three_parallel", 0) == (arm.solver_name, 0)
    assert "axes 2 and 3 are parallel" in plan.reason
    assert "parallel" in arm.topology
    assert repr(arm) == "<Manipulator: 6-DOF, dispatched to six_r.three_parallel (tier 0)>"
    assert arm.dof == 6
    assert len(arm.joint_limits) == len(arm.joint_names) == 6
    assert Manipulator.from_robot("abb_irb1200").solver_name == "six_r.spherical_two_parallel"


def test_a_chain_of_a_urdf_file_is_solved() -> None:
    file = CONFIGS / "ur5e" / "robot.urdf"
    base, tip = chain_of("ur5e", "arm")
    arm = Manipulator.from_urdf(file, base=base, ee=tip, policy=TolerancePolicy(axis_parallel=1e-7))
    assert len(arm.solve(arm.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2]))) == 8
    with pytest.raises(FileNotFoundError):
        Manipulator.from_urdf("no such file.urdf", base="a", ee="b")
    with pytest.raises(ValueError, match="no such link"):
        Manipulator.from_urdf(file, base=base, ee="no such link")


def test_a_solve_explains_itself(arm: Manipulator) -> None:
    target = arm.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])
    answer = arm.solve(target, explain=True, max_solutions=3)
    assert isinstance(answer, tuple)
    solutions, story = answer
    assert isinstance(story, Diagnostic)
    assert (story.raw_candidates, story.final_count, story.dropped_by_max_solutions) == (8, 3, 5)
    assert "capped" in story.summary()
    assert json.loads(json.dumps(story.as_dict()))["solver_name"] == arm.solver_name
    assert all(solution.refinement_used == "none" and solution.fk_residual < 1e-10 for solution in solutions)
    with pytest.raises(AttributeError):
        story.final_count = 4
    far = np.eye(4)
    far[0, 3] = 5.0
    none, story = arm.solve(far, explain=True)
    assert none == []
    assert story.summary().startswith("unreachable")
    assert np.isnan(story.max_fk_residual)


def test_an_arm_without_closed_form_says_what_has_one() -> None:
    # The parts of its telescope follow each other.
    with pytest.raises(InputError, match="IncompatibleKinematics: .*mimic"):
        Robot("stretch_re2").ik_all(np.eye(4))
    # Three of the joints alone move in a plane.
    file = CONFIGS / "ur5e" / "robot.urdf"
    with pytest.raises(InputError, match="IncompatibleKinematics: .*closed forms exist for: 6R"):
        Manipulator.from_urdf(file, base="shoulder_link", ee="wrist_1_link")


@pytest.mark.parametrize("name", ["franka_panda", "kuka_iiwa14", "fetch", "abb_yumi_left"])
def test_solutions_of_redundant_arms_reach_the_pose_by_the_robots_file(name: str) -> None:
    robot, arm = Robot(name), Manipulator.from_robot(name)
    root = urdf(robot.name)
    base, tip = chain_of(robot.name, robot.group)
    for seed in range(3):
        q = robot.random_configuration(rng_seed=seed)
        target = robot.fk(q)
        found = arm.solve(target, at=arm.self_motion_at(q), q_seed=q)
        assert min(np.abs(solution.q - q).max() for solution in found) < 1e-6
        for row in robot.ik_all(target, seed=q, max_solutions=5):
            joints = dict(zip(robot.joint_names, row, strict=True))
            np.testing.assert_allclose(relative_pose(root, base, tip, joints), target, atol=CLOSED)
            assert robot.check_limits(row)
        np.testing.assert_allclose(robot.ik(target, seed=q), q, atol=1e-6)


def test_keywords_are_for_the_arms_that_have_a_use_for_them(arm: Manipulator) -> None:
    iiwa, panda = Manipulator.from_robot("kuka_iiwa14"), Manipulator.from_robot("franka_panda")
    q = [0.1, 0.2, 0.3, -1.5, 0.2, 1.2, 0.4]
    assert len(iiwa.solve(iiwa.fk(q), swivel_samples=5, respect_limits=False)) == 5 * 8
    assert len(panda.solve(panda.fk(q), samples=72)) > len(panda.solve(panda.fk(q)))
    assert len(Robot("franka_panda").ik_all(panda.fk(q), samples=72)) > 0
    assert iiwa.locked_joints == []
    assert len(panda.locked_joints) == 1
    assert Manipulator.from_robot("franka_panda", lock_joint="panda_joint1").locked_joints == ["panda_joint1"]
    assert panda.dispatch_plan.tier == 0
    for call in (
        lambda: arm.solve(np.eye(4), samples=4),
        lambda: arm.solve(np.eye(4), swivel_samples=4),
        lambda: iiwa.solve(np.eye(4), samples=4),
        lambda: panda.solve(np.eye(4), swivel_samples=4),
        lambda: panda.solve(np.eye(4), samples=0),
        lambda: panda.solve(np.eye(4), at=[0.0, 0.0]),
        lambda: panda.solve(np.eye(4), at=[float("nan")]),
        lambda: Manipulator.from_robot("franka_panda", lock_joint="panda_joint9"),
        lambda: Manipulator.from_robot("ur5e", lock_joint="shoulder_pan_joint"),
    ):
        with pytest.raises(InputError):
            call()
    with pytest.raises(TypeError, match="swivels"):
        iiwa.solve(np.eye(4), swivels=4)


@pytest.mark.parametrize(("name", "met"), [("xarm5", "axis"), ("trossen_px100", "plane of the arm")])
def test_arms_with_fewer_joints_say_what_they_meet(name: str, met: str) -> None:
    robot, arm = Robot(name), Manipulator.from_robot(name)
    assert met in arm.met
    q = robot.random_configuration(rng_seed=1)
    solutions, story = arm.solve(arm.fk(q), q_seed=q, explain=True)
    assert story.met == arm.met
    assert story.max_fk_residual < 1e-10
    assert min(np.abs(solution.q - q).max() for solution in solutions) < 1e-6
    np.testing.assert_allclose(robot.fk(robot.ik(robot.fk(q), seed=q)), robot.fk(q), atol=1e-3)


def test_bad_input_is_a_value_error(arm: Manipulator) -> None:
    for call in (
        lambda: arm.fk([0.0] * 5),
        lambda: arm.solve(np.eye(3)),
        lambda: arm.solve(np.full((4, 4), np.nan)),
        lambda: arm.solve(np.eye(4), q_seed=[0.0]),
        lambda: TolerancePolicy(axis_parallel=-1.0),
        lambda: TolerancePolicy(subproblem_dedup=float("nan")),
    ):
        with pytest.raises(ValueError, match="."):
            call()


def test_policies_compare_by_value() -> None:
    assert TolerancePolicy() == TolerancePolicy(axis_intersect=1e-8)
    assert TolerancePolicy().subproblem_dedup == 1e-3
    assert TolerancePolicy() != TolerancePolicy(axis_intersect=1e-7)
