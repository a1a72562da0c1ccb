"""Batches of poses with answers that touch nothing, against single questions and the list of all branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Robot, Scene, Shape, gpu_adapters

NO_ADAPTER = "no adapter of Vulkan, Metal or DX12; kinetic devices --doctor says why"
DEVICES = ["cpu", pytest.param("gpu", marks=pytest.mark.skipif(not gpu_adapters(), reason=NO_ADAPTER))]
MARGIN = 0.01


def crowded(name: str) -> tuple[Robot, Scene, np.ndarray]:
    """A robot under a shelf beside a post, and poses that it can reach without them."""
    robot = Robot(name)
    scene = Scene(robot)
    scene.add("shelf", Shape.box(2.0, 2.0, 0.02), translation(0.0, 0.0, 0.75))
    scene.add("post", Shape.box(0.05, 0.05, 1.0), translation(0.35, 0.3, 0.5))
    return robot, scene, robot.batch_fk([robot.random_configuration(rng_seed=seed) for seed in range(60)])


def keeps(scene: Scene, q: np.ndarray, margin: float) -> bool:
    """Whether nothing touches, and the world is so far away."""
    return bool(scene.are_free(q[None])[0]) and scene.min_distance(q) >= margin


def reached(robot: Robot, q: np.ndarray, poses: np.ndarray) -> float:
    """Largest difference of a pose, by the robot's own file."""
    return float(np.abs(robot.batch_fk(q) - poses).max())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["ur5e", "franka_panda"])
def test_answers_are_free_and_reach_their_poses(name: str, device: str) -> None:
    robot, scene, poses = crowded(name)
    options: dict[str, Any] = {"num_restarts": 15, "scene": scene, "collision_margin": MARGIN, "device": device}
    found = robot.batch_ik(poses, **options)
    plain = robot.batch_ik(poses, num_restarts=15, device=device)
    has = np.array([answer is not None for answer in found])
    q = np.array([answer["joints"] for answer in found if answer is not None])
    assert has.sum() > 10
    assert reached(robot, q, poses[has]) < 1e-4
    assert all(keeps(scene, row, MARGIN - 1e-9) for row in q)
    free = [other is not None and keeps(scene, other["joints"], MARGIN + 1e-6) for other in plain]
    assert has.sum() > sum(free) + 3, "answers that are not the nearest of all"
    for answer, other in [pair for pair, is_free in zip(zip(found, plain), free) if is_free and device == "cpu"]:
        # On a GPU starts go away from collisions, to other answers.
        assert answer is not None and other is not None and np.array_equal(answer["joints"], other["joints"])
    assert [a and list(a["joints"]) for a in robot.batch_ik(poses, **options)] == [
        a and list(a["joints"]) for a in found
    ]


def test_no_free_branch_of_a_closed_form_is_missed() -> None:
    robot, scene, poses = crowded("ur5e")
    seed = robot.named_pose("home")
    q, success = robot.ik_batch(poses, seed, scene=scene, collision_margin=MARGIN)
    for pose, row, has in zip(poses, q, success):
        branches = robot.ik_all(pose, seed, scene=scene, collision_margin=MARGIN)
        assert has == (len(branches) > 0)
        assert not has or np.abs(row - branches[0]).max() < 1e-9
    assert 0 < success.sum() < len(poses)
    assert np.isnan(q[~success]).all()


def test_what_cannot_be_asked_is_refused() -> None:
    robot, scene, poses = crowded("ur5e")
    with pytest.raises(InputError, match="franka_panda"):
        robot.ik_batch(poses, scene=Scene("franka_panda"))
    with pytest.raises(InputError, match="margin"):
        robot.ik_batch(poses, scene=scene, collision_margin=-1.0)
    with pytest.raises(TypeError, match="scene"):
        robot.ik_batch(poses, scene=1)
    assert robot.ik_batch(poses, scene=None)[1].all()
