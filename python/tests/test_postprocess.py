"""The steps after a closed-form solve, and bodies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kinetic import InputError, KinBody, Manipulator, Robot, Solution, postprocess

TURN = 2.0 * np.pi
Q = np.array([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])


@pytest.fixture(scope="module")
def arm() -> Manipulator:
    return Manipulator.from_robot("ur5e")


@pytest.fixture(scope="module")
def branches(arm: Manipulator) -> list[Solution]:
    return arm.solve(arm.fk(Q), respect_limits=False)


def values(solutions: list[Solution]) -> np.ndarray:
    return np.array([solution.q for solution in solutions]).reshape(len(solutions), -1)


def test_limits_come_from_robots_manipulators_bodies_and_lists(arm: Manipulator, branches: list[Solution]) -> None:
    bodies = [arm, arm.kinbody, Robot("ur5e"), KinBody(Robot("ur5e")), arm.joint_limits]
    for body in bodies:
        assert len(postprocess.respect_limits(branches, body)) == len(branches) == 8
    narrow = [(-1.5, 1.5)] * 6
    rows = values(branches)
    kept = rows[np.all(np.abs(rows) <= 1.5, axis=1)]
    assert 0 < len(kept) < 8
    assert np.array_equal(values(postprocess.respect_limits(branches, narrow)), kept)
    assert len(postprocess.respect_limits(branches, [None] * 6)) == 8


def test_turns_bring_joints_into_limits(branches: list[Solution]) -> None:
    shifted = [(3.0, 3.0 + TURN)] + [None] * 5
    for before, after in zip(branches, postprocess.wrap_to_limits(branches, shifted)):
        turns = (after.q - before.q) / TURN
        assert np.abs(turns - np.round(turns)).max() < 1e-12
        assert 3.0 <= after.q[0] <= 3.0 + TURN
        assert np.array_equal(after.q[1:], before.q[1:])


@pytest.mark.parametrize(("metric", "norm"), [("wrap_l2", 2), ("wrap_linf", np.inf)])
def test_seeds_order_by_the_metric_and_keep_the_order_of_equals(
    branches: list[Solution], metric: str, norm: float
) -> None:
    seed = Q + TURN
    ordered = values(postprocess.nearest_to_seed(branches + branches, seed, metric=metric))
    rows = values(branches + branches)
    distances = np.linalg.norm((rows - seed + np.pi) % TURN - np.pi, ord=norm, axis=1)
    assert np.array_equal(ordered, rows[np.argsort(distances.round(9), kind="stable")])


def test_the_first_are_taken(branches: list[Solution]) -> None:
    assert postprocess.take_first(branches, 3) == branches[:3]
    assert postprocess.take_first(branches, 99) == branches
    assert postprocess.take_first(branches, 0) == postprocess.take_first(branches, -5) == []


def test_windings_come_nearest_first_and_only_as_many_as_asked_for(arm: Manipulator, branches: list[Solution]) -> None:
    seed = np.array([4.0, -4.0, 0.0, 4.0, -4.0, 4.0])
    found = values(postprocess.windings(branches, arm, q_seed=seed, max_solutions=20))
    limits = np.array(arm.joint_limits)
    every = []
    for row, turns in itertools.product(values(branches), itertools.product((-1, 0, 1), repeat=6)):
        q = row + TURN * np.array(turns)
        if np.all((q >= limits[:, 0]) & (q <= limits[:, 1])):
            every.append(q)
    assert len(every) > 200
    every.sort(key=lambda q: float(np.linalg.norm(q - seed)))
    assert np.allclose(np.linalg.norm(found - seed, axis=1), np.linalg.norm(np.array(every[:20]) - seed, axis=1))
    assert len(postprocess.windings(branches, arm)) == 16
    everything = postprocess.windings(branches, arm, max_solutions=10_000)
    assert len(everything) == len(every)
    # Without a seed, the branches themselves come first.
    assert np.array_equal(values(everything[:8]), values(branches))


def test_a_manipulator_is_made_from_a_body_or_a_robot(arm: Manipulator) -> None:
    body = arm.kinbody
    assert (body.dof, body.joint_names, body.joint_limits) == (6, arm.joint_names, arm.joint_limits)
    assert np.abs(body.fk(Q) - arm.fk(Q)).max() < 1e-12
    for made in (Manipulator(body), Manipulator(Robot("ur5e"))):
        assert made.solver_name == arm.solver_name
        assert np.array_equal(values(made.solve(arm.fk(Q))), values(arm.solve(arm.fk(Q))))
    with pytest.raises(TypeError):
        Manipulator(3)


def test_bad_input_is_a_value_error(arm: Manipulator, branches: list[Solution]) -> None:
    for call in (
        lambda: postprocess.respect_limits(branches, [None] * 5),
        lambda: postprocess.respect_limits(branches, [(1.0, -1.0)] * 6),
        lambda: postprocess.wrap_to_limits(branches, [None] * 7),
        lambda: postprocess.nearest_to_seed(branches, [0.0] * 5),
        lambda: postprocess.nearest_to_seed(branches, [np.nan] * 6),
        lambda: postprocess.nearest_to_seed(branches, Q, metric="l3"),
        lambda: postprocess.windings(branches, arm, q_seed=[0.0]),
        lambda: postprocess.windings(branches, [None] * 5),
    ):
        with pytest.raises(InputError, match="."):
            call()
    with pytest.raises(TypeError):
        postprocess.respect_limits([Q], arm)
