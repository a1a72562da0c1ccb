"""`joint_weights`: what a joint counts in distances."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from kinetic import InputError, KineticError, Planner, Problem, Robot

GANTRY = """<robot name='gantry'><link name='base'/><link name='a'/>
<link name='b'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>
<joint name='x' type='prismatic'><parent link='base'/><child link='a'/><axis xyz='1 0 0'/>
<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>
<joint name='y' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>
<limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>"""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


def length(path: np.ndarray, weights: np.ndarray) -> float:
    """By definition."""
    return float(np.linalg.norm(np.diff(path, axis=0) * weights, axis=1).sum())


def test_weights_are_the_robots_unless_given(robot: Robot) -> None:
    assert (Planner(robot).joint_weights == 1.0).all() and (robot.joint_weights == 1.0).all()
    np.testing.assert_array_equal(Planner(robot, joint_weights=[1, 2, 3, 4, 5, 6]).joint_weights, range(1, 7))
    named = Planner(robot, joint_weights={"elbow_joint": 3.0}).joint_weights
    np.testing.assert_array_equal(named, [1, 1, 3, 1, 1, 1])


def test_lengths_are_in_the_weights_and_files_carry_them(robot: Robot, tmp_path: Path) -> None:
    weights = np.array([3.0, 1.0, 1.0, 1.0, 0.5, 0.2])
    planner = Planner(robot, joint_weights=weights)
    path = planner.plan("home", "ready", False)
    assert math.isclose(planner.last_stats["path_length"], length(np.array(path.positions()), weights), rel_tol=1e-12)
    problem = planner.problem("home", "ready")
    problem.save(tmp_path / "problem.toml")
    read = Problem.load(tmp_path / "problem.toml")
    assert read.hash == problem.hash != Planner(robot).problem("home", "ready").hash
    assert read.solve().hash == problem.solve().hash


def test_weights_of_one_change_nothing(robot: Robot) -> None:
    assert Planner(robot, joint_weights=[1] * 6).plan("home", "ready") == Planner(robot).plan("home", "ready")


def test_a_configuration_file_states_weights(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(GANTRY)
    text = "[robot]\nname = 'gantry'\nurdf = 'robot.urdf'\n[metric]\nweights = {{ y = {} }}\n"
    (tmp_path / "kinetic.toml").write_text(text.format(4.0))
    robot = Robot.from_path(tmp_path)
    np.testing.assert_array_equal(robot.joint_weights, [1.0, 4.0])
    planner = Planner(robot)
    planner.plan([0.0, 0.0], [0.3, 0.1])
    assert math.isclose(planner.last_stats["path_length"], 0.5, rel_tol=1e-12)
    (tmp_path / "kinetic.toml").write_text(text.format(0.0))
    with pytest.raises(KineticError, match='weight of "y" = 0; a number from 1e-3 to 1e3') as caught:
        Robot.from_path(tmp_path)
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        ([1.0] * 5, 'has 5 values, expected 6, one per joint of group "arm" .shoulder_pan_joint'),
        ([1.0, math.nan, 1.0, 1.0, 1.0, 1.0], r"joint_weights\[1\] = NaN"),
        ([0.0] * 6, r"joint_weights\[0\] = 0; wanted a number from 1e-3 to 1e3"),
        ([1.0, 1.0, 1.0, 1.0, 1.0, -1.0], r"joint_weights\[5\] = -1"),
        ({"elbow": 1.0}, 'no joint "elbow"; joints are "shoulder_pan_joint"'),
        ({"elbow_joint": math.inf}, r"joint_weights\[2\] = inf"),
    ],
)
def test_wrong_weights_are_refused(robot: Robot, weights: object, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        Planner(robot, joint_weights=weights)
