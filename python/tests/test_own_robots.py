"""Robots of one's own, broken set-ups with them, and that what their reports found solves them."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from oracles import translation

from kinetic import Goal, KineticError, Planner, Robot, Scene, Shape

Setup = tuple[Planner, Any, Any]


def bar(name: str, x: float, y: float = 0.06, z: float = 0.06) -> str:
    """A link of one box that begins at its joint."""
    shape = f"<origin xyz='{x / 2} 0 0'/><geometry><box size='{x} {y} {z}'/></geometry>"
    return f"<link name='{name}'><collision>{shape}</collision></link>"


def joint(name: str, kind: str, links: str, at: str, axis: str, limits: tuple[float, float] | None = None) -> str:
    """A joint; without limits where it turns without end."""
    parent, child = links.split()
    ends = "" if limits is None else f"lower='{limits[0]}' upper='{limits[1]}'"
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='{at}'/><axis xyz='{axis}'/><limit {ends} velocity='1' effort='1'/></joint>"
    )


def robot(*parts: str) -> Robot:
    return Robot.from_urdf(f"<robot name='own'>{''.join(parts)}</robot>")


def planar() -> Robot:
    return robot(
        "<link name='base'/>",
        *(bar(name, length) for name, length in (("a", 0.4), ("b", 0.3), ("c", 0.2))),
        joint("j1", "continuous", "base a", "0 0 0.1", "0 0 1"),
        joint("j2", "revolute", "a b", "0.4 0 0.08", "0 0 1", (-2.6, 2.6)),
        joint("j3", "revolute", "b c", "0.3 0 0.08", "0 0 1", (-2.6, 2.6)),
    )


def gantry() -> Robot:
    return robot(
        "<link name='base'/><link name='bridge'/><link name='carriage'/>",
        bar("mast", 0.05, 0.05, 0.05),
        bar("tool", 0.2, 0.04, 0.04),
        joint("x", "prismatic", "base bridge", "0 0 1", "1 0 0", (-1.0, 1.0)),
        joint("y", "prismatic", "bridge carriage", "0 0 0", "0 1 0", (-1.0, 1.0)),
        joint("z", "prismatic", "carriage mast", "0 0 0", "0 0 1", (-0.6, 0.0)),
        joint("turn", "continuous", "mast tool", "0 0 -0.1", "0 0 1"),
    )


def mobile() -> Robot:
    return robot(
        "<link name='world'/><link name='px'/><link name='py'/>",
        bar("body", 0.5, 0.4, 0.3),
        bar("a", 0.35),
        bar("b", 0.3),
        joint("drive_x", "prismatic", "world px", "0 0 0.3", "1 0 0", (-4.0, 4.0)),
        joint("drive_y", "prismatic", "px py", "0 0 0", "0 1 0", (-4.0, 4.0)),
        joint("yaw", "continuous", "py body", "0 0 0", "0 0 1"),
        joint("s", "revolute", "body a", "0.25 0 0.22", "0 0 1", (-2.8, 2.8)),
        joint("e", "revolute", "a b", "0.35 0 0.08", "0 0 1", (-2.5, 2.5)),
    )


def with_boxes(model: Robot, **boxes: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Scene:
    """Boxes by name: full sizes and middle."""
    scene = Scene(model)
    for name, (size, at) in boxes.items():
        scene.add(name, Shape.box(*size), translation(*at))
    return scene


def in_collision() -> Setup:
    model = planar()
    return Planner(model, with_boxes(model, post=((0.1, 0.1, 0.2), (0.55, 0.0, 0.2)))), [0, 0, 0], [2, 0.3, 0.3]


def goal_in_wall() -> Setup:
    model = gantry()
    scene = with_boxes(model, wall=((0.05, 1.2, 0.6), (0.0, 0.0, 0.6)))
    return Planner(model, scene), [-0.6, 0, -0.4, 0], [0, 0, -0.4, 0]


def slot(margin: float, iterations: int | None = None) -> Setup:
    """A slot of 12 cm that the tool of 4 cm goes through lengthwise."""
    model = gantry()
    walls = {name: ((0.05, 1.0, 1.6), (0.0, y, 0.8)) for name, y in (("left", 0.56), ("right", -0.56))}
    scene = with_boxes(model, **walls)
    return (
        Planner(model, scene, collision_margin=margin, max_iterations=iterations),
        [-0.6, 0, -0.4, 0],
        [0.5, 0, -0.4, 0],
    )


def margin_too_large() -> Setup:
    model = mobile()
    scene = Scene(model)
    scene.add("floor", Shape.half_space([0, 0, 1], 0.14), np.eye(4))
    return Planner(model, scene), [0] * 5, [1, 0, 0.5, 0.5, 0.5]


def workspace() -> Setup:
    bounds = [[-0.9, -0.9, 0.0], [0.3, 0.9, 2.0]]
    return Planner(gantry(), workspace_bounds=bounds), [-0.6, 0, -0.4, 0], [0.5, 0, -0.4, 0]


def gripper_touches() -> Setup:
    model = planar()
    scene, start = Scene(model), [0, 0.3, 0.3]
    scene.attach("gripper", Shape.box(0.06, 0.04, 0.04), translation(0.235, 0, 0), "c", ["c"])
    scene.add("part", Shape.box(0.04, 0.04, 0.04), model.fk_all(start)["c"] @ translation(0.283, 0, 0))
    return Planner(model, scene), start, [1.5, 0.3, 0.3]


def shelves(iterations: int) -> Setup:
    model = mobile()
    boxes = {f"shelf{i}": ((0.3, 1.2, 1.2), (1.0, y, 0.6)) for i, y in enumerate((-2.9, -0.9, 0.3, 3.0))}
    planner = Planner(model, with_boxes(model, **boxes), max_iterations=iterations)
    return planner, [-1, 0, 0, 0.5, 0.5], [2.2, 0, 0.5, -0.5, 0.5]


BROKEN: list[tuple[str, Callable[[], Setup], str, str]] = [
    ("start in an obstacle", in_collision, "StartInCollision", "remove_object"),
    ("goal in an obstacle", goal_in_wall, "GoalInCollision", "goal"),
    ("slot narrower than the margins", lambda: slot(0.045, 3000), "PlanningTimeout", "collision_margin"),
    ("nearer to the floor than the margin", margin_too_large, "StartInCollision", "collision_margin"),
    ("goal outside the workspace", workspace, "GoalInCollision", "no_workspace_bounds"),
    ("gripper on the part", gripper_touches, "StartInCollision", "allow_collision"),
    ("too few iterations", lambda: shelves(2), "PlanningTimeout", "more_iterations"),
    ("degrees", lambda: (Planner(planar()), [0] * 3, [90, 30, 20]), "JointLimitViolation", "radians_for_degrees"),
    (
        "millimetres of slides",
        lambda: (Planner(gantry()), [0] * 4, [500, 300, -200, 1.0]),
        "JointLimitViolation",
        "metres_for_millimetres",
    ),
    (
        "millimetres and degrees",
        lambda: (Planner(gantry()), [0] * 4, [500, 300, -200, 90.0]),
        "JointLimitViolation",
        "metres_and_radians",
    ),
    (
        "millimetres of a pose",
        lambda: (Planner(planar()), [0, 0.3, 0.3], Goal.pose(translation(500.0, 300.0, 260.0))),
        "GoalUnreachable",
        "metres_for_millimetres",
    ),
    ("just outside a limit", lambda: (Planner(planar()), [0] * 3, [1, 2.6001, 0]), "JointLimitViolation", "goal"),
    (
        "pose out of reach",
        lambda: (Planner(planar()), [0, 0.3, 0.3], Goal.pose(translation(0.8, 0.8, 0.26))),
        "GoalUnreachable",
        "goal_pose",
    ),
    (
        "pose that a plane does not have",
        lambda: (Planner(planar()), [0, 0.3, 0.3], Goal.pose(translation(0.5, 0.3, 0.26) @ turned(0.4))),
        "GoalUnreachable",
        "free_orientation",
    ),
]


def turned(angle: float) -> np.ndarray:
    """About y."""
    matrix = np.eye(4)
    matrix[[0, 0, 2, 2], [0, 2, 0, 2]] = np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)
    return matrix


@pytest.mark.parametrize(("setup", "code", "kind"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_setup_is_explained_and_solved(setup: Callable[[], Setup], code: str, kind: str) -> None:
    planner, start, goal = setup()
    with pytest.raises(KineticError) as caught:
        planner.plan(start, goal)
    assert caught.value.code == code
    solved = [suggestion for suggestion in caught.value.report.suggestions if suggestion["solved"]]
    assert kind in [suggestion["kind"] for suggestion in solved], str(caught.value.report)
    for suggestion in solved:
        motion, scene = suggestion["problem"].solve(), suggestion["problem"].scene
        assert not any(scene.check_collision(motion.sample(t)) for t in np.linspace(0.0, motion.duration, 100))


def test_a_plan_through_the_slot_keeps_its_margin() -> None:
    planner, start, goal = slot(0.02)
    motion = planner.plan(start, goal)
    assert motion.certificate.min_clearance >= 0.02 - 1e-6
    assert np.array_equal(motion.sample(0.0), start)
