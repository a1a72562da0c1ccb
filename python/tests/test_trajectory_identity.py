"""Joint names, planning group and robot name of trajectories."""

from __future__ import annotations

import pickle

import pytest

import kinetic
from kinetic import InputError, Trajectory


def facts(trajectory: Trajectory) -> tuple[list[str], str | None, str | None]:
    return trajectory.joint_names, trajectory.group, trajectory.robot_name


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    return kinetic.plan("ur5e", "home", "ready")


def test_planned_motions_know_what_moves(motion: Trajectory) -> None:
    robot = kinetic.Robot("ur5e")
    wanted = (robot.joint_names, robot.group, robot.name)
    assert facts(motion) == wanted
    for made in (
        motion.reverse(),
        motion.concatenate(motion.reverse()),
        motion.time_parameterize("totp", 1.0, 2.0),
        pickle.loads(pickle.dumps(motion)),
        Trajectory.from_json(motion.to_json()),
        Trajectory.from_csv(motion.to_csv()),
    ):
        assert facts(made) == wanted
    assert motion.reverse().reverse().hash != "" and Trajectory.from_json(motion.to_json()).hash == motion.hash


def test_motions_of_two_robots_are_not_joined(motion: Trajectory) -> None:
    text = motion.to_json()
    other = Trajectory.from_json(text.replace('"robot_name":"ur5e"', '"robot_name":"ur10e"')).reverse()
    assert other.robot_name == "ur10e"
    with pytest.raises(InputError, match="ur10e"):
        motion.concatenate(other)


def test_motions_of_nobody_know_nothing() -> None:
    path = Trajectory.from_waypoints([[0.0, 0.0], [1.0, 0.5]])
    assert facts(path) == facts(path.time_parameterize("trapezoidal", 1.0, 2.0)) == ([], None, None)
    assert "group" not in path.to_json() and "robot_name" not in path.to_json()
