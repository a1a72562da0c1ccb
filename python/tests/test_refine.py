"""Refined motions: shorter, inside the limits and free by samples, pickled with their options."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kinetic
from kinetic import InputError, Planner, Robot, Scene, Shape

JERK = [500.0] * 7


def among_balls(robot: Robot) -> Scene:
    """Balls around the robot, not at its base."""
    scene, rng = Scene(robot), np.random.default_rng(3)
    for index in range(8):
        angle, radius, height = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.45, 0.8), rng.uniform(0.1, 0.9)
        pose = np.eye(4)
        pose[:3, 3] = radius * np.cos(angle), radius * np.sin(angle), height
        scene.add(f"ball{index}", Shape.sphere(0.08), pose)
    return scene


def free_pairs(planner: Planner, robot: Robot, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of free configurations."""
    free = [
        q for seed in range(40 * count) if not planner.is_in_collision(q := robot.random_configuration(rng_seed=seed))
    ]
    return [(free[2 * pair], free[2 * pair + 1]) for pair in range(count)]


@pytest.mark.parametrize("law", ["totp", "jerk_limited"])
def test_refined_motions_are_shorter_and_keep_what_certificates_state(law: str) -> None:
    robot = Robot("franka_panda")
    scene = among_balls(robot)
    limits = {"jerk_limits": JERK} if law == "jerk_limited" else {}
    plain = Planner(robot, scene, max_iterations=20_000, timeout=60.0, **limits)
    refining = Planner(robot, scene, max_iterations=20_000, timeout=60.0, refine="trajopt", **limits)
    shorter = 0
    for start, goal in free_pairs(plain, robot, 8):
        try:
            before = plain.plan(start, goal, time_parameterize=law)
        except kinetic.PlanningError:
            continue
        after = refining.plan(start, goal, time_parameterize=law)
        stats = refining.last_stats
        assert after.duration <= before.duration
        assert (stats["unrefined_duration"] is None) == (after.duration == before.duration)
        assert stats["refinement_time"] > 0.0
        certificate = after.certificate
        assert certificate is not None and certificate.max_velocity_ratio <= 1.0 + 1e-9
        if stats["unrefined_duration"] is None:
            continue
        shorter += 1
        assert stats["unrefined_duration"] == before.duration
        times = np.linspace(0.0, after.duration, 1_000)
        positions = np.array([after.sample(time) for time in times])
        velocities = np.gradient(positions, times, axis=0)
        assert np.all(np.abs(velocities) <= np.asarray(refining.limits["velocity"]) * (1.0 + 1e-6))
        assert not any(scene.check_collision(q) for q in positions)
        np.testing.assert_allclose(positions[[0, -1]], [start, goal], atol=1e-12)
    assert shorter >= 2


def test_options_that_do_not_go_together_are_refused() -> None:
    robot = Robot("ur5e")
    assert Planner(robot).refine is None
    planner = Planner(robot, refine="trajopt")
    assert pickle.loads(pickle.dumps(planner)).refine == planner.refine == "trajopt"
    with pytest.raises(InputError, match="trajopt"):
        Planner(robot, refine="chomp")
    with pytest.raises(InputError, match="refine.*torque limits"):
        Planner(robot, refine="trajopt", torque_limits=True)
    with pytest.raises(InputError, match="refine.*constraints"):
        Planner(robot, refine="trajopt", constraints=[kinetic.Constraint.joint(0, -3.0, 3.0)])
