"""Least distances, of the world and of the robot itself, and solutions that keep them, in the eyes of Coal."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import translation
from test_second_opinions import SecondChecker, random_scene

from kinetic import IKError, Robot, Scene, Shape

coal = pytest.importorskip("coal", reason="test_margins.py works distances out by hand; this is a second opinion")

AGREES = 3e-6
"""GJK ends within 1e-6, rounded bodies a little later."""


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "kuka_iiwa14", "xarm7", "abb_irb1200"])
def test_the_least_distance_of_random_scenes_is_that_of_coal(name: str) -> None:
    robot, second, rng = Robot(name), SecondChecker(name), np.random.default_rng(21)
    compared = {"world": 0, "own": 0}
    for case in range(25):
        scene, objects, attached = random_scene(robot, rng)
        q = robot.random_configuration(rng_seed=case)
        world, own = second.clearances(robot.fk_all(q), objects, attached)
        if world > 0.0:
            assert scene.min_distance(q) == pytest.approx(world, abs=AGREES), f"case {case}"
            compared["world"] += 1
        if min(world, own) > 0.0:
            least = min(world, own)
            clearance, _, pair = scene.distance_gradient(q)
            assert clearance == pytest.approx(least, abs=AGREES), f"case {case}: {pair}"
            rows = scene.link_distances(q)
            assert min(row["distance"] for row in rows) == pytest.approx(least, abs=AGREES), f"case {case}"
            nearest = scene.explain(q, within=10.0)[0]
            assert nearest["distance"] == pytest.approx(least, abs=AGREES), f"case {case}"
            compared["own"] += own < world
    assert compared["world"] > 5
    assert compared["own"] > 2


@pytest.mark.parametrize("name", ["franka_panda", "xarm7"])
def test_inverse_kinematics_keeps_its_distance_in_the_eyes_of_coal(name: str) -> None:
    robot, second = Robot(name), SecondChecker(name)
    scene = Scene(robot)
    post = translation(0.35, 0.12, 0.6)
    scene.add("post", Shape.cylinder(0.06, 0.6), post)
    objects = [(coal.Cylinder(0.06, 1.2), post)]
    solved = asked = 0
    for case in range(40):
        goal, start = (robot.random_configuration(rng_seed=2 * case + turn) for turn in (0, 1))
        if second.clearances(robot.fk_all(goal), objects, [])[0] < 0.06:
            continue
        asked += 1
        target = robot.fk(goal)
        try:
            q = scene.inverse_kinematics(target, start, distance=0.05, pairs=[])
        except IKError:
            continue
        solved += 1
        world, _ = second.clearances(robot.fk_all(q), objects, [])
        assert world > 0.05 - AGREES, f"case {case}"
        assert np.allclose(robot.fk(q), target, rtol=0.0, atol=2e-3), f"case {case}"
    assert asked > 10
    assert solved > 0.7 * asked
