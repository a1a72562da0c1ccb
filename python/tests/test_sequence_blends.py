"""Blends between the items of a sequence: the rules of MoveIt's Pilz planner, and Pinocchio's view of the tool."""

from __future__ import annotations

import numpy as np
import pytest
from test_cartesian import STARTS, Tool

import kinetic
from kinetic import CartesianConfig, CartesianPath, InputError, Planner, Robot, Scene, SequenceItem, Shape

RADIUS = 0.03


def corner(robot: Robot, first: list[float], second: list[float]) -> tuple[Planner, np.ndarray, list[CartesianPath]]:
    """A planner, a start and two lines of the tool."""
    return (
        Planner(robot, timeout=60.0),
        STARTS[robot.name],
        [CartesianPath().move_by(first), CartesianPath().move_by(second)],
    )


def free_configuration(robot: Robot, planner: Planner, rng: np.random.Generator) -> np.ndarray:
    """A random configuration without collision."""
    while planner.is_in_collision(q := robot.random_configuration(rng_seed=int(rng.integers(2**31)))):
        pass
    return q


def check_blend(robot: Robot, result: kinetic.SequenceResult, index: int, radius: float) -> None:
    """The tool goes by the end of item `index` inside the ball, and velocities do not jump."""
    tool, motion = Tool(robot), result.trajectory
    part = result.items[index]["trajectory"]
    end = tool(part.sample(part.duration)).translation
    boundary = result.boundaries[index + 1]
    ways = [np.linalg.norm(tool(motion.sample(t)).translation - end) for t in np.linspace(0.0, motion.duration, 2000)]
    assert min(ways) < radius
    assert np.linalg.norm(tool(motion.sample(boundary)).translation - end) <= radius
    # Second differences are at most the acceleration: a jump of the velocity would be a thousand times as much.
    times = np.linspace(0.0, motion.duration, 4000)
    second = np.diff([motion.sample(t) for t in times], n=2, axis=0)
    assert (np.abs(second) <= 1.001 * robot.acceleration_limits * (times[1] - times[0]) ** 2 + 1e-12).all()


def speed_at(robot: Robot, motion: kinetic.Trajectory, time: float) -> float:
    """Speed of the tool, from a central difference."""
    places = [Tool(robot)(motion.sample(time + by)).translation for by in (-1e-5, 1e-5)]
    return float(np.linalg.norm(places[1] - places[0])) / 2e-5


@pytest.mark.parametrize("name", STARTS)
def test_two_lines_are_blended_without_a_stop_inside_the_ball(name: str) -> None:
    robot = Robot(name)
    planner, start, (down, across) = corner(robot, [0.0, 0.0, -0.1], [0.0, -0.12, 0.0])
    stopping = planner.plan_sequence(start, [down, across])
    rounded = planner.plan_sequence(start, [SequenceItem(down, blend_radius=RADIUS), across])
    assert (rounded.items[0]["blend_radius"], rounded.items[0]["blend_reason"]) == (RADIUS, None)
    assert (rounded.items[1]["blend_radius"], rounded.items[1]["blend_reason"]) == (0.0, None)
    assert rounded.trajectory.certificate is not None
    assert rounded.trajectory.duration < stopping.trajectory.duration
    check_blend(robot, rounded, 0, RADIUS)
    assert speed_at(robot, rounded.trajectory, rounded.boundaries[1]) > 0.01
    tool = Tool(robot)
    end, wanted = (tool(r.trajectory.sample(r.trajectory.duration)).translation for r in (rounded, stopping))
    np.testing.assert_allclose(end, wanted, atol=1e-6)


def test_a_motion_through_free_space_is_blended_into_a_line_and_on_into_another() -> None:
    robot = Robot("ur5e")
    planner, start, (down, across) = corner(robot, [0.0, 0.0, -0.1], [0.0, -0.12, 0.0])
    items = [
        SequenceItem(start, blend_radius=0.02),
        SequenceItem(down, blend_radius=0.02, velocity_scaling=0.5),
        SequenceItem(across, blend_radius=0.01),
        "home",
    ]
    result = planner.plan_sequence(start + 0.3, items)
    assert result.trajectory.certificate is not None
    assert len(result.boundaries) == 5 and (np.diff(result.boundaries) > 0.0).all()
    for index, item in enumerate(result.items[:-1]):
        assert 0.0 < item["blend_radius"] <= items[index].blend_radius, item["blend_reason"]
        check_blend(robot, result, index, item["blend_radius"])
        assert speed_at(robot, result.trajectory, result.boundaries[index + 1]) > 0.01


@pytest.mark.parametrize(("inside", "is_smaller"), [(0.01, True), (0.014, True), (0.018, False)])
def test_an_obstacle_in_the_corner_makes_the_ball_smaller_and_is_named(inside: float, is_smaller: bool) -> None:
    robot, start = Robot("ur5e"), STARTS["ur5e"]
    tool = np.asarray(robot.fk(start))
    # A stick along the base's x axis, and a bead that its end passes on the inside of the corner.
    stick = np.array([[0.0, 0.0, 1.0, 0.12], [0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    stick[:3, 3] += tool[:3, 3]
    scene, bead = Scene(robot), np.eye(4)
    touching = ["wrist_3_link", "flange", "wrist_2_link"]
    in_tool = np.linalg.inv(np.asarray(robot.fk_all(start)["tool0"])) @ stick
    scene.attach("stick", Shape.cylinder(0.002, 0.1), in_tool, "tool0", touching)
    bead[:3, 3] = tool[:3, 3] + [0.2, -inside, -0.12 + inside]
    scene.add("bead", Shape.sphere(0.002), bead)
    planner, config = Planner(robot, scene, timeout=60.0, collision_margin=0.0), CartesianConfig(collision_margin=0.0)
    down, across = CartesianPath().move_by([0.0, 0.0, -0.12]), CartesianPath().move_by([0.0, -0.15, 0.0])
    items = [SequenceItem(down, config, blend_radius=0.06), SequenceItem(across, config)]
    result = planner.plan_sequence(start, items)
    item = result.items[0]
    assert (item["blend_radius"] < 0.06) == is_smaller
    assert ("bead" in item["blend_reason"]) if is_smaller else item["blend_reason"] is None
    motion = result.trajectory
    assert motion.certificate is not None
    for time in np.linspace(0.0, motion.duration, 500):
        assert not scene.check_collision(motion.sample(time))


def test_speeds_of_the_tool_hold_in_blends() -> None:
    robot = Robot("ur5e")
    planner, start, (down, across) = corner(robot, [0.0, 0.0, -0.1], [0.0, -0.12, 0.0])
    config = CartesianConfig(max_tool_speed=0.1)
    items = [SequenceItem(down, config, blend_radius=RADIUS), SequenceItem(across, config)]
    result = planner.plan_sequence(start, items)
    tool, times = Tool(robot), np.linspace(0.0, result.trajectory.duration, 3000)
    places = np.array([tool(result.trajectory.sample(t)).translation for t in times])
    assert (np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)).max() <= 0.1 + 1e-8
    assert result.items[0]["blend_radius"] > 0.0 or "speed" in result.items[0]["blend_reason"]


def test_the_rules_of_pilz_sequences_are_kept() -> None:
    robot = Robot("ur5e")
    planner, start, (down, across) = corner(robot, [0.0, 0.0, -0.1], [0.0, -0.12, 0.0])
    with pytest.raises(InputError, match="blend radius of item 1 .* 0 for the last item"):
        planner.plan_sequence(start, [down, SequenceItem(across, blend_radius=0.01)])
    with pytest.raises(InputError, match="blend radii of items 0 and 1 .* overlap"):
        up = CartesianPath().move_by([0.0, 0.0, 0.1])
        planner.plan_sequence(
            start, [SequenceItem(down, blend_radius=0.07), SequenceItem(across, blend_radius=0.07), up]
        )
    with pytest.raises(InputError, match="blend radius of item 0 .* way of the tool in item"):
        planner.plan_sequence(start, [SequenceItem(down, blend_radius=0.2), across])
    for radius in (-0.01, float("nan"), float("inf")):
        with pytest.raises(InputError, match="blend_radius"):
            SequenceItem(down, blend_radius=radius)
    unproven = SequenceItem(down, CartesianConfig(avoid_collisions=False), blend_radius=0.01)
    with pytest.raises(InputError, match="blend radius of item 0 .* avoid collisions"):
        planner.plan_sequence(start, [unproven, across])
    # Radii that just touch are none that overlap.
    touching = [SequenceItem(down, blend_radius=0.05), SequenceItem(across, blend_radius=0.06), start]
    assert planner.plan_sequence(start, touching).trajectory.certificate is not None


@pytest.mark.parametrize("name", ("ur5e", "xarm6", "franka_panda"))
def test_random_sequences_with_blends_are_free_and_say_what_they_blend(name: str) -> None:
    robot = Robot(name)
    # Between random turns of a UR5e there is often no way: a search of few iterations finds what there is.
    planner, blended, planned = Planner(robot, max_iterations=20_000), 0, 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        start, goal = (free_configuration(robot, planner, rng) for _ in range(2))
        line = CartesianPath().move_by(rng.uniform(-0.06, 0.06, size=3))
        items = [SequenceItem(line, blend_radius=0.01), SequenceItem(goal, blend_radius=0.02), start]
        try:
            result = planner.plan_sequence(start, items)
        except kinetic.PlanningError:
            continue
        planned += 1
        for index in (0, 1):
            item = result.items[index]
            assert item["blend_radius"] == items[index].blend_radius or item["blend_reason"], f"seed {seed}"
            if item["blend_radius"] > 0.0:
                blended += 1
                check_blend(robot, result, index, item["blend_radius"])
        assert result.trajectory.certificate is not None
    assert planned > 1 and blended > 0
