"""Calls with many keywords: what they take, what they refuse, and that options may still stand by position."""

import inspect

import numpy as np
import pytest

import kinetic
from kinetic import (
    ConvexRegion,
    DifferentialIK,
    DualArmPlanner,
    FrameTree,
    Goal,
    Manipulator,
    Mpc,
    PerceptionPipeline,
    Planner,
    Robot,
    Scene,
    Servo,
    TargetServo,
    TaskProblem,
    Trajectory,
    state_to_state,
)
from kinetic._kinetic import _stub_keywords
from kinetic.exceptions import InputError

ROBOT = Robot("ur5e")
HOME = ROBOT.named_pose("home")
PATH = Trajectory.from_waypoints([[0.0], [1.0]])
POSE = np.eye(4)
POINTS = np.ones((3, 3))
BOX = ConvexRegion(np.vstack([np.eye(6), -np.eye(6)]), np.ones(12))
TWO_ARMS = ["abb_yumi_left", "left_arm", "right_arm"]


def placed_servo() -> Servo:
    servo = Servo(ROBOT)
    servo.set_state(HOME)
    return servo


def mapped_scene() -> Scene:
    scene = Scene(ROBOT)
    scene.update_octree("map", POINTS, [0.0, 0.0, 2.0])
    return scene


# Calls by name, with what has to be given.
CALLS = {
    "Servo.__new__": lambda **options: Servo(ROBOT, **options),
    "Servo.send_twist": lambda **options: placed_servo().send_twist([0.0] * 6, **options),
    "Mpc.__new__": lambda **options: Mpc(ROBOT, **options),
    "TargetServo.__new__": lambda **options: TargetServo(ROBOT, **options),
    "DifferentialIK.__new__": lambda **options: DifferentialIK(ROBOT, **options),
    "DifferentialIK.tasks": lambda **options: DifferentialIK(ROBOT).tasks(HOME, TaskProblem(ROBOT), **options),
    "DifferentialIK.twist": lambda **options: DifferentialIK(ROBOT).twist(HOME, [0.0] * 6, **options),
    "DualArmPlanner.__new__": lambda **options: DualArmPlanner(*TWO_ARMS, **options),
    "Manipulator.solve": lambda **options: Manipulator.from_robot(ROBOT).solve(POSE, **options),
    "Planner.__new__": lambda **options: Planner(ROBOT, **options),
    "Planner.convex_decomposition": lambda **options: Planner(ROBOT).convex_decomposition(
        regions=1, **{"collision_fraction": 0.2, **options}
    ),
    "Planner.decomposition_of": lambda **options: Planner(ROBOT).decomposition_of([BOX], **options),
    "Planner.build_roadmap": lambda **options: Planner(ROBOT).build_roadmap(10, **options),
    "Planner.prove_roadmap": lambda **options: (
        Planner(ROBOT).with_roadmap(Planner(ROBOT).build_roadmap(10)).prove_roadmap(**options)
    ),
    "Planner.plan": lambda **options: Planner(ROBOT).plan(HOME, Goal.named("ready"), **options),
    "Planner.plan_batch": lambda **options: Planner(ROBOT).plan_batch([HOME], ["ready"], **options),
    "Planner.with_device": lambda **options: Planner(ROBOT).with_device("cpu", **options),
    "Planner.problem": lambda **options: Planner(ROBOT).problem(HOME, Goal.named("ready"), **options),
    "Robot.batch_inverse_kinematics": lambda **options: ROBOT.batch_inverse_kinematics([POSE], **options),
    "Scene.add_pointcloud": lambda **options: Scene(ROBOT).add_pointcloud("cloud", POINTS, **options),
    "PerceptionPipeline.add_sensor": lambda **options: PerceptionPipeline(
        Scene(ROBOT), FrameTree(history=1.0)
    ).add_sensor("eye", "camera", "seen", **options),
    "Scene.add_unknown_space": lambda **options: mapped_scene().add_unknown_space(
        "unseen", "map", [0.0, 0.0, 2.0], [0.5, 0.5, 2.5], **options
    ),
    "Scene.update_octree": lambda **options: Scene(ROBOT).update_octree("map", POINTS, [0.0, 0.0, 2.0], **options),
    "Scene.filter_pointcloud": lambda **options: Scene(ROBOT).filter_pointcloud(POINTS, **options),
    "Scene.update_from_depth": lambda **options: Scene(ROBOT).update_from_depth(
        "cloud", np.ones((4, 4)), 1.0, 1.0, 0.0, 0.0, POSE, **options
    ),
    "Scene.inverse_kinematics": lambda **options: Scene(ROBOT).inverse_kinematics(POSE, **options),
    "TaskProblem.add_orientation": lambda **options: TaskProblem(ROBOT).add_orientation("turn", POSE, **options),
    "TaskProblem.add_pose": lambda **options: TaskProblem(ROBOT).add_pose("reach", POSE, **options),
    "TaskProblem.add_position": lambda **options: TaskProblem(ROBOT).add_position("go", [0.4, 0.2, 0.4], **options),
    "TaskProblem.solve": lambda **options: TaskProblem(ROBOT).add_posture("rest", HOME).solve(**options),
    "Trajectory.time_optimal_within": lambda **options: PATH.time_optimal_within(
        lambda *_: np.zeros((0, 4)), 1.0, 1.0, **options
    ),
    "Trajectory.time_parameterize": lambda **options: PATH.time_parameterize("totp", 1.0, 1.0, **options),
    "plan": lambda **options: kinetic.plan(ROBOT, HOME, Goal.named("ready"), **options),
    "state_to_state": lambda **options: state_to_state([0.0], [1.0], 1.0, 1.0, 1.0, **options),
}


def test_all_such_calls_are_tried_here() -> None:
    assert CALLS.keys() == _stub_keywords().keys()


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(TypeError) as refused:
        CALLS[name](no_option=1)
    start = f'{name}() got an unexpected keyword argument "no_option"; options are "'
    assert str(refused.value).startswith(start)
    owner, _, function = name.rpartition(".")
    holder = getattr(kinetic, owner) if owner else kinetic
    named = holder if function == "__new__" else getattr(holder, function)
    shown = list(inspect.signature(named).parameters)
    listed = str(refused.value)[len(start) : -1].split('", "')
    assert shown[-len(listed) :] == listed


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("Planner.__new__", "smooth"),
        ("TaskProblem.solve", "step"),
        ("plan", "scene"),
        ("state_to_state", "minimum_duration"),
    ],
)
def test_a_value_of_the_wrong_type_names_its_keyword(name: str, keyword: str) -> None:
    with pytest.raises(TypeError, match=f"^argument '{keyword}': "):
        CALLS[name](**{keyword: object()})


NUMBERS = ["int", "float"]


@pytest.mark.parametrize("name", CALLS)
def test_a_number_that_is_out_of_range_names_its_keyword(name: str) -> None:
    for stated in _stub_keywords()[name].split(", "):
        keyword, _, hint = stated.partition(": ")
        if hint.split(" = ")[0].removesuffix(" | None") not in NUMBERS:
            continue
        with pytest.raises(InputError, match=f"^InvalidValue: {keyword} = 1000") as refused:
            CALLS[name](**{keyword: 10**400})
        assert refused.value.name == keyword


def test_options_of_a_planner_may_stand_by_position() -> None:
    by_position = Planner(ROBOT, None, 1.5, "rrt_connect", 0.03, 0.001, False, 7)
    assert by_position.timeout == 1.5 and by_position.planner_type == "rrt_connect"
    assert by_position.collision_margin == 0.03 and by_position.self_margin == 0.001
    with pytest.raises(TypeError, match="multiple values for argument 'timeout'"):
        Planner(ROBOT, None, 1.0, timeout=2.0)
    with pytest.raises(TypeError, match=r"at most 15 positional arguments \(17 given\)"):
        Planner(ROBOT, *[None] * 16)


def test_options_of_a_batch_may_stand_by_position() -> None:
    targets = [ROBOT.fk(HOME)]
    by_position = ROBOT.batch_inverse_kinematics(targets, None, True, True, None, 50, 1e-4)
    by_keyword = ROBOT.batch_inverse_kinematics(targets, stop=50, thre=1e-4)
    assert np.array_equal(by_position[0], by_keyword[0]) and by_position[1].all()
