"""Paths of inverse kinematics in scenes: what `ik_path` says against the scene's own questions."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import InputError, Robot, Scene, Shape

UR5E = Robot("ur5e")
START = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
TARGETS = np.repeat(UR5E.fk(START)[None], 60, axis=0)
TARGETS[:, 1, 3] -= np.linspace(0.0, 0.3, 60)


def scene_with_ball(q: np.ndarray) -> Scene:
    """A ball in the wrist of a configuration."""
    scene = Scene(UR5E)
    wrist = UR5E.fk_all(q)["wrist_1_link"]
    scene.add("ball", Shape.sphere(0.02), translation(*wrist[:3, 3]))
    return scene


@pytest.mark.parametrize("method", ["global", "local"])
def test_what_a_path_says_to_reach_is_free(method: str) -> None:
    alone = UR5E.ik_path(TARGETS, START)
    assert alone.reason is None
    scene = scene_with_ball(alone.q[40])
    path = UR5E.ik_path(TARGETS, START, method=method, scene=scene, collision_margin=0.01)
    first = path.obstacles[0]
    assert first["kind"] == "collision"
    assert first["pair"][1] == "ball"
    assert first["joint"] is None
    assert "ball" in path.reason
    q = START
    for row in path.q[: min([*path.splits, first["index"]])]:
        assert not scene.check_collision(row)
        assert scene.check_motion(q, row) is None
        q = row
    assert scene.check_collision(alone.q[40])


def test_another_branch_goes_through_where_one_is_blocked() -> None:
    targets = np.repeat(np.diag([1.0, -1.0, -1.0, 1.0])[None], 60, axis=0)
    targets[:, :3, 3] = np.linspace([0.45, -0.25, 0.35], [0.45, 0.25, 0.35], 60)
    blocked = 0
    for start in UR5E.ik_all(targets[0]):
        alone = UR5E.ik_path(targets, start)
        scene = scene_with_ball(alone.q[-1])
        if any(scene.check_collision(q) for q in alone.q[:10]):
            continue
        blocked += UR5E.ik_path(targets, start, scene=scene).obstacles[0]["pair"][1] == "ball"
        around = UR5E.ik_path(targets, scene=scene)
        assert around.reason is None
        assert all(scene.check_motion(a, b) is None for a, b in zip(around.q[:-1], around.q[1:]))
    assert blocked > 0


def test_without_obstacles_a_scene_changes_nothing() -> None:
    assert np.array_equal(UR5E.ik_path(TARGETS, START, scene=Scene(UR5E)).q, UR5E.ik_path(TARGETS, START).q)
    again = [UR5E.ik_path(TARGETS, START, scene=scene_with_ball(START)).q for _ in range(2)]
    assert np.array_equal(*again, equal_nan=True)


def test_scenes_of_other_robots_are_refused() -> None:
    with pytest.raises(InputError, match="scene"):
        UR5E.ik_path(TARGETS, scene=Scene("franka_panda"))
    with pytest.raises(TypeError, match="scene"):
        UR5E.ik_path(TARGETS, scene=3)
    with pytest.raises(kinetic.KineticError, match="margin"):
        UR5E.ik_path(TARGETS, scene=Scene(UR5E), collision_margin=-0.1)
