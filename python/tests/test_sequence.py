"""Sequences of motions, judged by Pinocchio at samples of the timed curve, and by a loop over all branches."""

from __future__ import annotations

import numpy as np
import pytest

import kinetic
from kinetic import (
    CartesianConfig,
    CartesianPath,
    Goal,
    InputError,
    Planner,
    PlanningError,
    Robot,
    Scene,
    SequenceItem,
    Shape,
)

START = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
DOWN = CartesianPath().move_by([0.0, 0.0, -0.1])


def test_a_sequence_is_one_motion_at_rest_between_items() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    from test_cartesian import Tool

    robot = Robot("ur5e")
    planner = Planner(robot)
    above = robot.fk(START)
    slow = SequenceItem(DOWN, CartesianConfig(max_tool_speed=0.05), velocity_scaling=0.5)
    sequence = planner.plan_sequence("home", [above, slow, CartesianPath.retreat([0.0, 0.0, 1.0], 0.1), "home"])
    motion, times = sequence.trajectory, sequence.boundaries
    assert motion.certificate is not None
    assert len(sequence) == 4 and times.shape == (5,) and times[-1] == motion.duration
    tool = Tool(robot)
    places = [tool(motion.sample(t)).translation for t in times]
    assert np.allclose(places[1], above[:3, 3], atol=1e-5)
    assert np.allclose(places[2], above[:3, 3] - [0.0, 0.0, 0.1], atol=1e-5)
    assert np.allclose(places[3], above[:3, 3], atol=1e-5)
    assert np.allclose(motion.sample(times[-1]), robot.named_pose("home"), atol=1e-9)
    # Straight down at every instant, and no faster than asked for.
    inside = np.linspace(times[1], times[2], 500)
    line = np.array([tool(motion.sample(t)).translation for t in inside])
    assert np.abs(line[:, :2] - above[:2, 3]).max() < 1.5e-4
    speeds = np.linalg.norm(np.diff(line, axis=0), axis=1) / np.diff(inside)
    proven = sequence.items[1]["trajectory"].certificate.tool
    assert 0.04 < speeds.max() <= proven["max_speed"] * (1.0 + 1e-6) <= 0.05 * (1.0 + 1e-6)
    assert proven["speed_limit"] == 0.05 and proven["rotation_speed_limit"] is None
    assert proven["max_deviation"] <= proven["position_tolerance"] == 1e-4
    assert sequence.items[0]["starts_tried"] >= 1 and sequence.items[0]["cartesian"] is None
    assert sequence.items[1]["cartesian"].fraction == 1.0
    assert motion.certificate.tool is None
    assert pinocchio is not None


@pytest.mark.parametrize(("name", "seed"), [("ur5e", 3), ("franka_panda", 4), ("fetch", 5)])
def test_a_sequence_follows_where_any_branch_does(name: str, seed: int) -> None:
    robot = Robot(name)
    scene, rng = Scene(robot), np.random.default_rng(seed)
    scene.add("ball", Shape.sphere(0.08), np.array([[1, 0, 0, 0.4], [0, 1, 0, 0.2], [0, 0, 1, 0.4], [0, 0, 0, 1.0]]))
    planner = Planner(robot, scene)
    found = 0
    for case in range(5):
        q, start = (free(robot, planner, 1000 * seed + 2 * case + k) for k in range(2))
        line = CartesianPath().move_by(rng.uniform(-0.15, 0.15, 3))
        direct = planner.plan_cartesian(q, line).fraction == 1.0
        try:
            sequence = planner.plan_sequence(start, [Goal.pose(robot.fk(q)), line])
        except PlanningError as error:
            assert error.code == "SequenceItemFailed", (name, seed, case)
            # A branch that is known to go on is only missed where the motion to it is not found in time.
            assert not direct or len(q) > 6 or error.item == 0, (name, seed, case, str(error))
            continue
        found += 1
        assert sequence.items[1]["cartesian"].fraction == 1.0
        assert all(
            not planner.is_in_collision(sequence.trajectory.sample(t))
            for t in np.linspace(0.0, sequence.trajectory.duration, 50)
        )
    assert found > 0, (name, seed)


def free(robot: Robot, planner: Planner, seed: int) -> np.ndarray:
    """A random configuration without collision."""
    while planner.is_in_collision(q := robot.random_configuration(rng_seed=seed)):
        seed += 100_000
    return q


def test_failures_name_the_item_and_why() -> None:
    planner = Planner("ur5e")
    above = planner.fk(START)
    with pytest.raises(PlanningError, match=r"^SequenceItemFailed: item 1 of 2, from each of \d+ starts: ") as caught:
        planner.plan_sequence("home", [above, CartesianPath().move_by([3.0, 0.0, 0.0])])
    assert (caught.value.item, caught.value.items, caught.value.reason_code) == (1, 2, "CartesianPathIncomplete")
    assert caught.value.tried > 1
    with pytest.raises(InputError, match="item 1 of the sequence"):
        planner.plan_sequence("home", [above, [0.0] * 3])
    with pytest.raises(InputError, match="at least one item"):
        planner.plan_sequence("home", [])
    with pytest.raises(InputError, match="list of items"):
        planner.plan_sequence("home", "home")
    with pytest.raises(InputError, match="time law"):
        planner.plan_sequence("home", [above], False)
    with pytest.raises(InputError, match="config"):
        SequenceItem(above, CartesianConfig())
    with pytest.raises(InputError, match="velocity_scaling"):
        SequenceItem(above, velocity_scaling=1.5)
    with pytest.raises(InputError, match="array argument"):
        planner.plan_sequence("home", [above, 3.0 + 4.0j])


def test_approaches_and_retreats() -> None:
    pose = Planner("ur5e").fk(START)
    begin, path = CartesianPath.approach(pose, [0.0, 0.0, 2.0], 0.1)
    assert np.allclose(begin[:3, 3], pose[:3, 3] - 0.1 * pose[:3, 2]) and np.allclose(begin[:3, :3], pose[:3, :3])
    assert path == CartesianPath().line_to(pose)
    assert CartesianPath.retreat([0.0, 0.0, 3.0], 0.1, "tool") == CartesianPath().move_by([0.0, 0.0, 0.1], "tool")
    for make in (lambda *a: CartesianPath.approach(pose, *a), CartesianPath.retreat):
        with pytest.raises(InputError, match="direction"):
            make([0.0, 0.0, 0.0], 0.1)
        with pytest.raises(InputError, match="distance"):
            make([0.0, 0.0, 1.0], 0.0)


def test_a_sequence_that_is_stopped_says_so() -> None:
    stop = kinetic.StopFlag()
    stop.stop()
    planner = Planner("ur5e")
    with pytest.raises(PlanningError) as caught:
        planner.plan_sequence("home", [planner.fk(START), DOWN], stop=stop)
    assert caught.value.code == "Cancelled"


def test_an_anytime_planner_leaves_time_for_the_items_that_follow() -> None:
    planner = Planner("ur5e", planner_type="aorrtc", timeout=0.6)
    above = planner.fk(START)
    sequence = planner.plan_sequence("home", [above, DOWN, "home"])
    assert sequence.trajectory.certificate is not None
    assert [item.get("planner_used") for item in sequence.items] == ["aorrtc", None, "aorrtc"]


def test_an_unknown_pose_is_the_input_error_that_it_is_elsewhere() -> None:
    planner = Planner("ur5e")
    for items in (["nowhere"], ["ready", "nowhere"]):
        with pytest.raises(InputError, match="^NamedConfigNotFound: "):
            planner.plan_sequence("home", items)
