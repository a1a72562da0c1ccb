"""Starts that are moved into their limits or out of contact: what a plan says of it."""

import pickle

import numpy as np
import pytest

from kinetic import InputError, Planner, PlanningError, Pose, Problem, Robot, Scene, Shape

GOAL = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0]


def test_the_way_into_the_limits_stands_beside_the_motion_and_claims_nothing(tmp_path) -> None:
    robot = Robot("ur5e")
    start = np.array([1.2, -1.0, 1.0, -1.57, 0.0, robot.joint_limits[5, 1] + 0.03])
    with pytest.raises(InputError) as caught:
        Planner(robot).plan(start, GOAL)
    assert caught.value.code == "JointLimitViolation"
    planner = Planner(robot, fix_start=0.05, max_iterations=5_000)
    motion = planner.plan(start, GOAL)
    lead_in = motion.lead_in
    assert lead_in["outside_limits"] == ["wrist_3_joint"]
    assert lead_in["largest_change"] == pytest.approx(0.03)
    assert lead_in["contacts"] == []
    assert lead_in["is_proven_free"]
    way = lead_in["trajectory"]
    assert way.certificate is None
    assert motion.certificate is not None
    np.testing.assert_allclose(way.sample(0.0), start, atol=1e-12)
    np.testing.assert_allclose(way.sample(way.duration), motion.sample(0.0), atol=1e-9)
    assert pickle.loads(pickle.dumps(motion)).lead_in is None
    problem = planner.problem(start, GOAL)
    problem.save(tmp_path / "problem.toml")
    again = Problem.load(tmp_path / "problem.toml").solve()
    assert again.hash == motion.hash
    assert again.lead_in["largest_change"] == lead_in["largest_change"]
    (batched,) = planner.plan_batch([start], [GOAL])
    assert batched.lead_in["largest_change"] == lead_in["largest_change"]
    assert planner.plan("home", GOAL).lead_in is None


def test_a_start_in_contact_is_moved_away_and_its_contacts_are_listed() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    start = np.array([0.4, -1.2, 1.2, -1.57, -1.57, 0.0])
    tip = robot.fk(start)[:3, 3]
    # 5 mm into the last link, whose flange is flat.
    scene.add("ball", Shape.sphere(0.05), Pose.from_xyz(*(tip + [0.0, 0.0, -0.045])))
    with pytest.raises(PlanningError) as caught:
        Planner(robot, scene).plan(start, GOAL)
    assert caught.value.code == "StartInCollision"
    motion = Planner(robot, scene, fix_start=0.1).plan(start, GOAL)
    lead_in = motion.lead_in
    assert {name for pair in lead_in["contacts"] for name in pair[:2]} >= {"ball"}
    assert not lead_in["is_proven_free"]
    assert 0.0 < lead_in["largest_change"] <= 0.1
    with pytest.raises(PlanningError) as caught:
        Planner(robot, scene, fix_start=1e-4).plan(start, GOAL)
    assert caught.value.code == "StartInCollision"


def test_the_largest_change_is_a_number_of_at_least_0() -> None:
    for wrong in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="fix_start"):
            Planner("ur5e", fix_start=wrong)
