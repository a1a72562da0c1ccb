"""Riemannian motion policies: shapes, errors, policies in Python, and distances judged by Coal."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import translation
from test_second_opinions import SecondChecker

import kinetic
from kinetic import RMP, InputError, Policy, Robot, Scene, Shape

START = np.array([0.2, -1.2, 1.3, -1.6, -1.5, 0.1])
DT = 0.004


def run(rmp: RMP, q: np.ndarray, cycles: int, each=lambda cycle: None) -> list[np.ndarray]:
    """The configurations of an arm that does what it is told."""
    qd, way = np.zeros(len(q)), [np.asarray(q)]
    for cycle in range(cycles):
        each(cycle)
        command = rmp.compute(way[-1], qd, DT)
        way.append(command["positions"])
        qd = command["velocities"]
    return way


def test_a_command_has_the_shapes_and_types_that_it_says() -> None:
    robot = Robot("ur5e")
    rmp = RMP(robot)
    assert (rmp.dof, rmp.num_policies) == (6, 0)
    rmp.add(Policy.damping(2.0))
    assert rmp.num_policies == 1
    command = rmp.compute(list(START), tuple([0.1] * 6), DT)
    assert sorted(command) == ["accelerations", "positions", "velocities"]
    for values in command.values():
        assert values.shape == (6,) and values.dtype == np.float64
    assert np.allclose(command["accelerations"], -0.2)
    rmp.clear()
    assert rmp.num_policies == 0


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "xarm6"])
def test_a_free_target_is_reached_to_a_millimetre(name: str) -> None:
    robot = Robot(name)
    limits = np.array(robot.joint_limits)
    generator = np.random.default_rng(3)
    middle, half = limits.mean(axis=1), np.minimum(np.diff(limits, axis=1)[:, 0] / 2, 2.0)
    scene = Scene(robot)
    free = []
    while len(free) < 2:
        q = middle + 0.6 * half * generator.uniform(-1, 1, robot.dof)
        if not scene.check_collision(q):
            free.append(q)
    rmp = RMP(robot)
    rmp.add(Policy.reach_target(robot.fk(free[1]), gain=10.0))
    rmp.add(Policy.damping(1.0))
    reached = robot.fk(run(rmp, free[0], 2500)[-1])
    assert np.linalg.norm(reached[:3, 3] - robot.fk(free[1])[:3, 3]) < 1e-3


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "xarm7"])
def test_what_comes_nearer_is_evaded_in_the_eyes_of_coal(name: str) -> None:
    coal = pytest.importorskip("coal", reason="tests in Rust prove each cycle free; this is a second opinion")
    robot, second = Robot(name), SecondChecker(name)
    start = np.array(robot.named_pose("home"))
    scene = Scene(robot)
    tool = robot.fk(start)[:3, 3]
    begin = tool + [0.6, 0.3, 0.1]
    scene.add("ball", Shape.sphere(0.08), translation(*begin))
    rmp = RMP(robot)
    rmp.add(Policy.reach_target(robot.fk(start), gain=4.0))
    rmp.add(Policy.avoid_obstacles(scene, 0.3, 20.0))
    rmp.add(Policy.avoid_self_collision(20.0))
    rmp.add(Policy.damping(1.0))
    step = (tool - begin) / np.linalg.norm(tool - begin) * 0.2 * DT

    def ball(cycle: int) -> np.ndarray:
        return translation(*(begin + step * cycle))

    cycles = 1000
    way = run(rmp, start, cycles, lambda cycle: scene.update_pose("ball", ball(cycle)))
    stays = [
        second.clearances(robot.fk_all(start), [(coal.Sphere(0.08), ball(c))], [])[0] for c in range(0, cycles, 20)
    ]
    assert min(stays) < 0.0, "who stays is hit"
    for cycle in range(0, cycles, 5):
        clearances = second.clearances(robot.fk_all(way[cycle + 1]), [(coal.Sphere(0.08), ball(cycle))], [])
        assert min(clearances) > 0.0, f"cycle {cycle}"


def test_bad_input_raises_and_the_next_call_works() -> None:
    robot = Robot("ur5e")
    rmp = RMP(robot)
    rmp.add(Policy.damping(1.0))
    good = (START, np.full(6, 0.1), DT)
    first = rmp.compute(*good)
    for bad in [
        (START[:5], good[1], DT),
        (START, np.zeros(7), DT),
        (np.full(6, np.nan), good[1], DT),
        (START, np.full(6, np.inf), DT),
        (START, good[1], 0.0),
        (START, good[1], -DT),
        (START, good[1], np.nan),
        (START, good[1], 0.2),
        (START + 9.0, good[1], DT),
    ]:
        with pytest.raises(InputError):
            rmp.compute(*bad)
        again = rmp.compute(*good)
        assert all(np.array_equal(again[name], first[name]) for name in first)


def test_policies_that_cannot_be_are_refused() -> None:
    robot = Robot("ur5e")
    rmp = RMP(robot)
    with pytest.raises(kinetic.IKError):
        rmp.add(Policy.reach_target(translation(4.0, 0.0, 0.0)))
    with pytest.raises(InputError, match=r"franka_panda"):
        rmp.add(Policy.avoid_obstacles(Scene("franka_panda")))
    with pytest.raises(InputError, match=r"gain"):
        Policy.avoid_self_collision(-1.0)
    with pytest.raises(InputError, match=r"influence_distance"):
        Policy.avoid_obstacles(Scene(robot), influence_distance=np.nan)
    with pytest.raises(InputError, match=r"margin"):
        Policy.joint_limit_avoidance(0.0)
    assert rmp.num_policies == 0


def test_a_policy_in_python_is_part_of_the_sum() -> None:
    rmp = RMP("ur5e")
    seen = []

    def two_joints(q, qd):
        return q[:2], np.eye(6)[:2], np.zeros(2)

    def spring(x, xd):
        seen.append((x.copy(), xd.copy()))
        return np.diag([1.0, 2.0]), 25.0 * (np.array([0.5, -1.0]) - x) - 10.0 * xd

    policy = Policy.custom(two_joints, spring, name="two joints")
    assert policy.name == "two joints"
    rmp.add(policy)
    way = run(rmp, START, 900)
    assert np.allclose(way[-1][:2], [0.5, -1.0], atol=1e-3)
    assert np.allclose(way[-1][2:], START[2:], atol=1e-9)
    assert np.array_equal(seen[0][0], START[:2]) and np.array_equal(seen[0][1], np.zeros(2))


class BrokenError(Exception):
    """What a test raises."""


@pytest.mark.parametrize(
    ("task_map", "motion_policy", "error"),
    [
        (lambda q, qd: (_ for _ in ()).throw(BrokenError("map")), None, BrokenError),
        (None, lambda x, xd: (_ for _ in ()).throw(BrokenError("policy")), BrokenError),
        (lambda q, qd: 3.0, None, InputError),
        (lambda q, qd: (q[:1], np.eye(6), np.zeros(1)), None, InputError),
        (lambda q, qd: ([], np.zeros((0, 6)), []), None, InputError),
        (None, lambda x, xd: (np.eye(2), np.zeros(1)), InputError),
        (None, lambda x, xd: (-np.eye(1), np.zeros(1)), InputError),
        (None, lambda x, xd: (np.eye(1), [np.nan]), InputError),
    ],
)
def test_a_policy_in_python_that_fails_says_so_and_the_next_call_works(task_map, motion_policy, error) -> None:
    good_map, good_policy = lambda q, qd: (q[:1], np.eye(6)[:1], np.zeros(1)), lambda x, xd: (np.eye(1), -x - xd)
    is_broken = [False]

    def chosen(good, bad):
        return lambda *state: (bad if is_broken[0] and bad else good)(*state)

    rmp = RMP("ur5e")
    rmp.add(Policy.custom(chosen(good_map, task_map), chosen(good_policy, motion_policy), name="moody"))
    first = rmp.compute(START, np.zeros(6), DT)
    for _ in range(2):
        is_broken[0] = True
        with pytest.raises(error):
            rmp.compute(START, np.zeros(6), DT)
        is_broken[0] = False
        again = rmp.compute(START, np.zeros(6), DT)
        assert all(np.array_equal(again[name], first[name]) for name in first)


def test_a_policy_cannot_call_its_own_sum() -> None:
    rmp = RMP("ur5e")

    def calls(q, qd):
        rmp.compute(q, qd, DT)

    rmp.add(Policy.custom(calls, calls))
    with pytest.raises(InputError, match=r"during another one"):
        rmp.compute(START, np.zeros(6), DT)


def test_two_runs_have_the_same_bits() -> None:
    def once() -> np.ndarray:
        robot = Robot("ur5e")
        scene = Scene(robot)
        scene.add("ball", Shape.sphere(0.08), translation(0.9, 0.1, 0.4))
        rmp = RMP(robot)
        rmp.add(Policy.reach_target(robot.fk(START + 0.2)))
        rmp.add(Policy.avoid_obstacles(scene))
        move = lambda cycle: scene.update_pose("ball", translation(0.9 - 0.0008 * cycle, 0.1, 0.4))  # noqa: E731
        return np.array(run(rmp, START, 300, move))

    assert np.array_equal(once(), once())
