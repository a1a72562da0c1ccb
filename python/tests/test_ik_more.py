"""Caches, cones of the tool's axis, several targets, several answers. Oracle: the tests' own kinematics."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from oracles import chain_of, relative_pose, urdf

from kinetic import IkCache, IKError, Pose, Robot

PANDA_LINK, TOLERANCE = "panda_link4", 1e-4


@pytest.fixture(scope="module")
def panda() -> Robot:
    return Robot("franka_panda")


def reached(robot: Robot, q: np.ndarray, link: str | None = None) -> np.ndarray:
    """Pose of the tool, or of a link, in the group's base."""
    base, tip = chain_of(robot.name, robot.group)
    values = dict(zip(robot.joint_names, q))
    pose = relative_pose(urdf(robot.name), base, link or tip, values)
    return pose if link else pose @ robot.tcp


def test_a_cache_answers_within_the_tolerance_counts_and_remembers(panda: Robot, tmp_path) -> None:
    cache = IkCache(panda)
    assert len(cache) == 0 and cache.nearest(np.eye(4)) is None
    cache.warm(1000, rng_seed=3)
    assert len(cache) == 1000
    iterations = []
    for seed in range(30):
        target = panda.fk(panda.random_configuration(rng_seed=seed))
        answer = cache.solve(target)
        assert answer["converged"] and answer["solver_used"] == "cached"
        assert np.linalg.norm(reached(panda, answer["joints"])[:3, 3] - target[:3, 3]) < TOLERANCE + 1e-9
        assert panda.check_limits(answer["joints"])
        # Asked again, the answer itself is the nearest known pose.
        iterations.append(cache.solve(target)["iterations"])
        q, distance = cache.nearest(target)
        assert distance < 1e-2 and np.abs(q - answer["joints"]).max() < 1e-2
    assert max(iterations) == 0 and cache.hits + cache.misses == 60 and cache.hits >= 30
    cache.save(tmp_path / "cache.txt")
    again = IkCache.load(panda, tmp_path / "cache.txt")
    assert len(again) == len(cache) and (again.hits, again.misses) == (0, 0)
    target = panda.fk(panda.random_configuration(rng_seed=99))
    np.testing.assert_array_equal(again.nearest(target)[0], cache.nearest(target)[0])
    assert repr(again) == f"<IkCache: franka_panda, {len(cache)} poses, 0 hits, 0 misses>"


def test_a_cache_with_a_small_radius_misses_and_starts_at_the_seed(panda: Robot) -> None:
    cache = IkCache(panda, hit_radius=1e-6)
    cache.warm(50)
    ready = panda.named_pose("ready")
    answer = cache.solve(panda.fk(ready), seed=ready)
    assert (cache.hits, cache.misses) == (0, 1) and answer["iterations"] == 0
    np.testing.assert_array_equal(answer["joints"], ready)
    assert cache.solve(Pose.from_xyz(0.4, 0.2, 0.5), mode="position_only")["mode_used"] == "position_only"


def test_threads_share_a_cache(panda: Robot) -> None:
    cache = IkCache(panda)
    targets = [panda.fk(panda.random_configuration(rng_seed=seed)) for seed in range(24)]
    answers: dict[int, dict] = {}

    def run(first: int) -> None:
        cache.warm(20, rng_seed=first)
        for index in range(first, len(targets), 4):
            answers[index] = cache.solve(targets[index])

    threads = [threading.Thread(target=run, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.hits + cache.misses == len(targets) and len(cache) >= 80
    for index, answer in answers.items():
        assert np.linalg.norm(reached(panda, answer["joints"])[:3, 3] - targets[index][:3, 3]) < TOLERANCE + 1e-9


@pytest.mark.parametrize("angle", [0.05, 0.3])
def test_the_axis_of_the_tool_stays_in_its_cone(panda: Robot, angle: float) -> None:
    solved = 0
    for seed in range(20):
        point = reached(panda, panda.random_configuration(rng_seed=seed))[:3, 3]
        options = {"mode": "position_only", "tool_axis": ("z", [0.0, 0.0, -2.0], angle), "raise_on_failure": False}
        answer = panda.ik_config(Pose.from_xyz(point), "sqp", **options)
        if answer["converged"]:
            solved += 1
            pose = reached(panda, answer["joints"])
            assert np.arccos(-pose[2, 2]) <= angle + 1e-3 and np.linalg.norm(pose[:3, 3] - point) < TOLERANCE + 1e-9
    assert solved >= 8
    # The pose itself is within reach, and its axis points the other way.
    with pytest.raises(IKError):
        panda.ik_config(panda.fk(panda.named_pose("ready")), "sqp", tool_axis=("z", "z", angle), num_restarts=3)


def test_damping_is_heard(panda: Robot) -> None:
    target = panda.fk(panda.named_pose("ready") + 0.3)
    options = {"num_restarts": 0, "raise_on_failure": False}
    iterations = [panda.ik_config(target, "dls", damping=damping, **options)["iterations"] for damping in (1e-6, 1.0)]
    assert iterations[0] != iterations[1]


@pytest.mark.parametrize("method", ["ccd", "bio_ik"])
def test_several_targets_are_met_together_each_in_its_norm(panda: Robot, method: str) -> None:
    solved = 0
    for seed in range(10):
        q = panda.random_configuration(rng_seed=seed)
        elbow, hand = reached(panda, q, PANDA_LINK)[:3, 3], reached(panda, q)[:3, 3]
        for norm, order in [("euclidean", 2), ("sum", 1), ("max", np.inf)]:
            aim = {"position": elbow, "link": PANDA_LINK, "atol": 1e-3, "norm": norm, "weight": 2.0}
            try:
                found = getattr(panda, method)([aim, {"position": hand, "atol": 1e-3}], seed=q + 0.05)
            except IKError:
                continue
            solved += 1
            assert np.linalg.norm(reached(panda, found, PANDA_LINK)[:3, 3] - elbow, ord=order) <= 1e-3 + 1e-9
            assert np.linalg.norm(reached(panda, found)[:3, 3] - hand) <= 1e-3 + 1e-9
            assert panda.check_limits(found)
    assert solved >= 24
    one = panda.fk(panda.named_pose("ready"))
    for targets in (one, (one,), {"position": one[:3, 3]}, ({"position": one[:3, 3]},)):
        assert np.linalg.norm(reached(panda, getattr(panda, method)(targets))[:3, 3] - one[:3, 3]) < TOLERANCE + 1e-9


def test_distinct_answers_are_branches_of_the_closed_form() -> None:
    robot = Robot("ur5e")
    for seed in range(5):
        target = robot.fk(robot.random_configuration(rng_seed=seed))
        rows, apart = robot.ik_distinct(target, num_restarts=30, position_tolerance=1e-8, orientation_tolerance=1e-8)
        assert apart.shape == (len(rows), len(rows)) and len(rows) >= 2
        turn = lambda difference: np.abs((difference + np.pi) % (2 * np.pi) - np.pi)  # noqa: E731
        expected = [[turn(a - b).max() for b in rows] for a in rows]
        np.testing.assert_allclose(apart, expected, atol=1e-12)
        assert (apart + np.eye(len(rows)) > 1e-3).all()
        branches = robot.ik_all(target, respect_limits=False)
        for row in rows:
            assert min(turn(row - branch).max() for branch in branches) < 1e-5
            assert np.linalg.norm(reached(robot, row) - target) < 1e-7


@pytest.mark.parametrize("solver", ["auto", "dls", "sqp", "fabrik", "bio_ik"])
def test_more_restarts_answer_alike_where_few_suffice(solver: str) -> None:
    panda = Robot("franka_panda")
    found = 0
    for case in range(20):
        target = panda.fk(panda.random_configuration(rng_seed=case))
        few = panda.ik_config(target, solver, num_restarts=1, raise_on_failure=False)
        many = panda.ik_config(target, solver, num_restarts=1_000, raise_on_failure=False)
        if few["converged"]:
            found += 1
            np.testing.assert_array_equal(few["joints"], many["joints"], err_msg=f"{solver}, case {case}")
    assert found > 0
