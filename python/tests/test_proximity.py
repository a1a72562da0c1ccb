"""Proximity queries: pairs, distances, witnesses and derivatives, against Coal and finite differences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from test_second_opinions import SecondChecker, random_scene

import kinetic
from kinetic import Robot, Scene, Shape

STATED = 6e-5
"""Error of single precision for pairs of up to 3 m."""


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "xarm7"])
def test_the_nearest_pairs_are_those_of_coal(name: str) -> None:
    pytest.importorskip("coal", reason="the exact tier is compared with it elsewhere; this is a second opinion")
    robot, second, rng = Robot(name), SecondChecker(name), np.random.default_rng(5)
    compared = 0
    for case in range(25):
        scene, objects, attached = random_scene(robot, rng)
        q = robot.random_configuration(rng_seed=case)
        world, own = second.clearances(robot.fk_all(q), objects, attached)
        for exact, error in ((False, STATED), (True, 3e-6)):
            found = scene.proximity(q, within=0.5, exact=exact)
            is_object = np.array([other in scene.objects for _, other in found["pairs"]], dtype=bool)
            for least, rows in ((world, is_object), (own, ~is_object)):
                if 0.0 < least < 0.4:
                    assert np.min(found["distance"][rows]) == pytest.approx(least, abs=error), f"case {case}"
                    compared += 1
    assert compared > 20


def scene_of_boxes(rng: np.random.Generator) -> Scene:
    scene = Scene("ur5e")
    for index in range(10):
        pose = np.eye(4)
        angle, reach = rng.uniform(-3, 3), rng.uniform(0.5, 0.9)
        pose[:3, 3] = reach * np.cos(angle), reach * np.sin(angle), rng.uniform(-0.2, 1.0)
        scene.add(f"box{index}", Shape.box(0.12, 0.12, 0.12), pose)
    return scene


def test_derivatives_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(3)
    scene, robot, step = scene_of_boxes(rng), Robot("ur5e"), 1e-6
    compared = 0
    for case in range(20):
        q = robot.random_configuration(rng_seed=case)
        found = scene.proximity(q, 0.2, exact=True)
        ahead, behind = (
            dict(zip(f["pairs"], f["distance"]))
            for f in (
                scene.proximity(q + step * np.eye(6)[1], 0.3, exact=True),
                scene.proximity(q - step * np.eye(6)[1], 0.3, exact=True),
            )
        )
        for pair, near, gradient in zip(found["pairs"], found["distance"], found["gradient"]):
            sides = (ahead[pair] - near) / step, (near - behind[pair]) / step
            if near > 1e-3 and abs(sides[0] - sides[1]) < 1e-3:
                assert gradient[1] == pytest.approx(np.mean(sides), abs=2e-3)
                compared += 1
    assert compared > 40


def test_witnesses_belong_to_the_distance() -> None:
    scene = scene_of_boxes(np.random.default_rng(4))
    found = scene.proximity(np.zeros(6), 0.5)
    apart = found["point_on_other"] - found["point_on_link"]
    np.testing.assert_allclose(apart, found["normal"] * found["distance"][:, None], atol=1e-9)
    assert all(values.dtype == np.float64 for key, values in found.items() if key != "pairs")
    assert pickle.loads(pickle.dumps(found))["pairs"] == found["pairs"]


def test_a_batch_is_its_rows_and_does_not_depend_on_their_number() -> None:
    scene, robot = scene_of_boxes(np.random.default_rng(5)), Robot("ur5e")
    configs = np.array([robot.random_configuration(rng_seed=seed) for seed in range(200)])
    batch, half = scene.proximity_batch(configs, 0.2), scene.proximity_batch(configs[:128], 0.2)
    count = len(half["pairs"])
    np.testing.assert_array_equal(batch["gradient"][:count], half["gradient"])
    for row in (0, 63, 64, 199):
        alone = scene.proximity(configs[row], 0.2)
        rows = batch["configuration"] == row
        assert [pair for pair, is_it in zip(batch["pairs"], rows) if is_it] == alone["pairs"]
        np.testing.assert_allclose(batch["distance"][rows], alone["distance"], atol=STATED)
    assert scene.proximity_batch(np.zeros((0, 6)))["gradient"].shape == (0, 6)


def test_what_a_scene_asks_a_pair_to_keep_is_added() -> None:
    scene = Scene("ur5e")
    pose = np.eye(4)
    pose[:3, 3] = 0.5, 0.5, 0.8
    scene.add("box", Shape.box(0.1, 0.1, 0.1), pose)
    q = [0.0, -1.5, 1.5, 0.0, 0.0, 0.0]
    near = scene.proximity(q, 0.0)
    assert "box" not in {other for _, other in near["pairs"]}
    scene.set_margin("box", value=0.5)
    far = scene.proximity(q, 0.0)
    assert {margin for (_, other), margin in zip(far["pairs"], far["margin"]) if other == "box"} == {0.5}


@pytest.mark.parametrize("within", [-1.0, np.nan, np.inf])
def test_a_distance_that_is_none_is_refused(within: float) -> None:
    with pytest.raises(kinetic.InputError, match="within"):
        Scene("ur5e").proximity(np.zeros(6), within)


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="7"):
        Scene("ur5e").proximity_batch(np.zeros((2, 7)))
