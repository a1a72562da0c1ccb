"""Cartesian plans along paths with tolerances, judged by Pinocchio and the definition of the tolerance."""

from __future__ import annotations

import numpy as np
import pytest
from test_cartesian import STARTS, Tool, pinocchio

import kinetic
from kinetic import CartesianConfig, CartesianPath, InputError, PathTolerance, Planner, Robot

ROBOTS = ("franka_panda", "ur5e", "xarm6", "kuka_iiwa14", "fetch")
TOLERANCES = (
    PathTolerance("z"),
    PathTolerance([0.2, -0.3, 1.0], cone=0.3),
    PathTolerance("x", angle=0.4, cone=0.1, position=[0.004, 0.0, 0.01]),
    PathTolerance(position=0.01),
)


def outside(tolerance: PathTolerance, target_from_tool: np.ndarray) -> np.ndarray:
    """Distance from the box, and angles outside of cone and turn, of a rotation that is a twist followed by a swing."""
    away = np.linalg.norm(np.maximum(np.abs(target_from_tool[:3, 3]) - tolerance.position, 0.0))
    axis, rotation = tolerance.axis / np.linalg.norm(tolerance.axis), target_from_tool[:3, :3]
    if tolerance.angle == tolerance.cone == 0.0:
        return np.array([away, np.linalg.norm(pinocchio.log3(rotation))])
    leaning = rotation @ axis
    normal = np.cross(axis, leaning)
    swing = np.arctan2(np.linalg.norm(normal), axis @ leaning)
    turned_back = pinocchio.exp3(-swing * normal / max(np.linalg.norm(normal), 1e-300)) @ rotation
    twist = np.linalg.norm(pinocchio.log3(turned_back))
    return np.array([away, max(swing - tolerance.cone, 0.0) + max(twist - tolerance.angle, 0.0)])


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("tolerance", TOLERANCES, ids=("turn", "turn and cone", "all", "box"))
def test_the_tool_stays_in_the_tolerance_at_every_instant(name: str, tolerance: PathTolerance) -> None:
    robot = Robot(name)
    tool, planner = Tool(robot), Planner(robot, timeout=60.0)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        start = robot.random_configuration(rng_seed=seed)
        while planner.is_in_collision(start):
            start = robot.random_configuration(rng_seed=int(rng.integers(2**31)))
        begin = tool(start).homogeneous
        by, turn = rng.uniform(-0.1, 0.1, size=3), rng.uniform(-0.3, 0.3, size=3)
        goal = begin.copy()
        goal[:3, 3] += by
        goal[:3, :3] = begin[:3, :3] @ pinocchio.exp3(turn)
        result = planner.plan_cartesian(start, goal, CartesianConfig(path_tolerance=tolerance))
        motion = result.trajectory
        if motion.certificate is not None:
            assert motion.certificate.tool["freedom"] == tolerance
            assert motion.certificate.tool["max_deviation"] == result.deviation <= 1e-4
        for time in np.linspace(0.0, motion.duration, 500):
            part = result.arc_length_at(time) / result.length
            target = begin.copy()
            target[:3, 3] += part * by
            target[:3, :3] = begin[:3, :3] @ pinocchio.exp3(part * turn)
            off = outside(tolerance, np.linalg.inv(target) @ tool(motion.sample(time)).homogeneous)
            # Stations between those of the proof are interpolated.
            assert (off <= [1e-4 + 1e-6, 1e-3 + 1e-5]).all(), f"{name}, seed {seed}: {off} at {time}"


def test_a_free_turn_follows_what_a_strict_path_cannot() -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    planner = Planner(robot, timeout=60.0)
    # The path asks for three turns about the tool's axis, more than the last joint has.
    pose, poses = kinetic.Pose(robot.fk(start)), []
    for part in np.linspace(0.0, 1.0, 25)[1:]:
        turned = np.asarray(pose @ kinetic.Pose.from_xyz_rpy([0.0] * 3, [0.0, 0.0, 6.0 * np.pi * part]))
        turned[1, 3] -= 0.2 * part
        poses.append(turned)
    path = CartesianPath.through(poses)
    assert planner.plan_cartesian(start, path).fraction < 1.0
    free = planner.plan_cartesian(start, path, CartesianConfig(path_tolerance=PathTolerance("z")))
    assert free.fraction == 1.0
    tips = [robot.fk(free.trajectory.sample(time)) for time in np.linspace(0.0, free.trajectory.duration, 500)]
    assert max(np.linalg.norm(np.asarray(tip)[:3, 2] - robot.fk(start)[:3, 2]) for tip in tips) < 1e-3


def test_a_dense_list_of_poses_is_followed() -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    part = np.linspace(0.0, 1.0, 301)[1:, None]
    poses = np.repeat(robot.fk(start)[None], 300, axis=0)
    poses[:, :2, 3] += np.hstack([0.1 * part, 0.05 * np.sin(4.0 * np.pi * part)])
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    path = CartesianPath.through(poses, 0.45 * steps.min())
    planner = Planner(robot, timeout=60.0)
    result = planner.plan_cartesian(start, path, CartesianConfig(path_tolerance=PathTolerance("z", cone=0.2)))
    assert result.fraction == 1.0
    tips = np.array(
        [robot.fk(result.trajectory.sample(t))[:3, 3] for t in np.linspace(0, result.trajectory.duration, 800)]
    )
    wanted = np.vstack([robot.fk(start)[None, :3, 3], poses[:, :3, 3]])
    ways = np.diff(wanted, axis=0)
    along = np.einsum("tsi,si->ts", tips[:, None] - wanted[:-1], ways) / (ways**2).sum(axis=1)
    near = wanted[:-1] + np.clip(along, 0.0, 1.0)[..., None] * ways
    off = np.linalg.norm(tips[:, None] - near, axis=2).min(axis=1)
    # A rounded corner is off the poses by less than 3/8 of its radius.
    assert off.max() <= result.deviation + 0.375 * 0.45 * steps.min()


def test_bad_tolerances_are_refused() -> None:
    with pytest.raises(InputError, match="cone of tolerance"):
        PathTolerance("z", cone=2.0)
    with pytest.raises(TypeError):
        CartesianConfig(path_tolerance="z")
