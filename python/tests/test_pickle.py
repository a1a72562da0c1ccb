"""Every public value comes back from pickle as it was; what is no value is named here, with the reason."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import Goal, KinBody, Manipulator, PathTolerance, Pose, ReachabilityMap, Robot, Shape, TaskProblem
from kinetic import _kinetic as compiled

HANDLES = {
    "CartesianResult": "a report of one plan; its trajectory pickles",
    "CascadedFrame": "shared with the frames above and below it; its world pose pickles",
    "DualArmPlanner": "made of a robot, two names and a scene, which pickle",
    "Dynamics": "compiled; its robot and payloads pickle",
    "ExecutionMonitor": "a moment of an execution",
    "Explanation": "a report of one configuration; its rows are dictionaries, which pickle",
    "GoalJoints": "what Goal.joints is made by",
    "GpuCollisionChecker": "arrays on a device; its scene pickles",
    "GroupDriver": "calls functions of a driver",
    "Handle": "a running execution; its result pickles",
    "IkFailure": "what an exception works its report out from; the exception pickles without it",
    "IkCache": "grows while it is used; save and load",
    "LogExecutor": "fills while it is used; its commands pickle",
    "Manipulator": "compiled; its kinbody pickles",
    "MonotonicClock": "counts from its creation, in this process",
    "Playback": "a moment of an execution; its trajectory pickles",
    "ObjectTracker": "remembers the frames that it was given",
    "PerceptionPipeline": "a handle to a scene, a frame tree and a thread",
    "PlanExecuteLoop": "moves a robot; its config pickles",
    "Policy": "may hold a scene or any function; the arguments that it was made with pickle",
    "PlanningFailure": "what an exception works its report out from; the exception pickles without it",
    "RMP": "compiled, and remembers how obstacles moved",
    "Mpc": "as Servo",
    "RealTimeExecutor": "one execution at a time; its config pickles",
    "SafetyWatchdog": "a thread that watches",
    "SceneChanges": "a moment of a scene; its scene pickles",
    "SceneDiff": "a moment of a scene; its lists pickle",
    "SceneEdit": "an edit that is going on",
    "SequenceResult": "a report of one plan; its trajectories pickle",
    "Servo": "a moment of an execution; it follows a scene",
    "SimExecutor": "as RealTimeExecutor",
    "SimulatedClock": "shared with the threads that wait for it",
    "StopFlag": "shared with the plans that it ends",
    "TargetServo": "as Servo",
    "TaskProblem": "may hold any function; its results pickle",
    "TaskState": "a moment of a solve",
    "Tracker": "a moment of an execution",
    "Validity": "belongs to a plan that is going on",
}

# Values that have no equality to be looked at with; files of their own test that they come back.
TEXTS = {
    "DifferentialIK": "see test_differential_ik.py",
    "ExecutionResult": "a dictionary, see test_execution.py",
    "GpuOptimizer": "see test_gpu_optimizer.py",
    "IKOptions": "the type of a plain dictionary",
    "MoveGroup": "see test_move_group.py",
    "Planner": "see test_pickle_worlds.py",
    "Problem": "it pickles as the text of its file, see test_problem.py",
    "Scene": "see test_pickle_worlds.py",
}

# What an object knows and does not take along, with the reason.
LEFT_BEHIND = {("Trajectory", "problem"): "it holds a whole scene"}


def examples() -> dict[str, list]:
    robot = Robot("ur5e")
    home = robot.named_pose("home")
    targets = [translation(0.0, 0.0, -0.01 * step) @ robot.fk(home) for step in range(5)]
    unreachable = [*targets, translation(9.0, 0.0, 0.0)]
    jump = [robot.fk(home), robot.fk(home + 1.5)]
    blocked = kinetic.Scene(robot)
    blocked.add("ball", Shape.sphere(0.2), translation(*robot.fk(home)[:3, 3]))
    tree = kinetic.FrameTree()
    tree.set_transform("world", "tool", translation(1.0, 2.0, 3.0), 4.0)
    field = kinetic.SignedDistanceField([-0.2, -0.2, -0.2], [0.2, 0.2, 0.2], 0.1)
    field.add("ball", Shape.sphere(0.1), np.eye(4))
    distances = kinetic.EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, max_distance=0.3)
    distances.update([[1, 2, 3]])
    history = kinetic.FrameTree(history=2.0)
    for stamp in (1.0, 2.0):
        history.set_transform("world", "tool", translation(stamp, 0.0, 0.0), stamp)
    octree = kinetic.Octree(0.05)
    octree.insert_cloud([[1.0, 0.1, 0.2]], [0.0, 0.0, 0.0])
    arm = Manipulator.from_robot(robot)
    plan = kinetic.plan(robot, home, Goal.joints(home + 0.1))
    return {
        "CartesianConfig": [
            kinetic.CartesianConfig(),
            kinetic.CartesianConfig(0.01, max_tool_speed=0.3, path_tolerance=PathTolerance("z", cone=0.2)),
        ],
        "SequenceItem": [
            kinetic.SequenceItem("home"),
            kinetic.SequenceItem([0.1] * 6, velocity_scaling=0.3, acceleration_scaling=0.7),
            kinetic.SequenceItem(kinetic.CartesianPath().move_by([0.1, 0.0, 0.0])),
            kinetic.SequenceItem(kinetic.CartesianPath().line_to(targets[1]), kinetic.CartesianConfig(0.01)),
        ],
        "CartesianPath": [
            kinetic.CartesianPath(),
            kinetic.CartesianPath.through(targets, 0.001).move_by([0.1, 0.0, 0.0], "tool0").arc_to(*targets[1:3]),
            kinetic.CartesianPath().move_by(targets[0]).circle([0.1] * 3, [0.0, 0.0, 2.0], 0.3).blended(0.01),
            kinetic.CartesianPath().move_by(targets[0], frame="tool").screw([0.1] * 3, [0.0, 0.0, 1.0], 0.3, 0.1),
        ],
        "Certificate": [plan.certificate],
        "Diagnostic": [
            body.solve(target, explain=True, max_solutions=2)[1]
            for body in map(Manipulator.from_robot, ["ur5e", "franka_panda", "xarm5", "trossen_px100"])
            for target in [np.eye(4), body.fk(np.full(body.dof, 0.3))]
        ],
        "DispatchPlan": [arm.dispatch_plan],
        "EuclideanDistanceField": [distances],
        "FrameTree": [tree, history],
        "Goal": [
            Goal.joints(home),
            Goal.named("home"),
            Goal.region(targets[1], [0.1, 0.2, 0.3], [0.0, 0.1, 3.0]),
            Goal.any([Goal.named("home"), Goal.region(targets[1], 0.1)]),
        ],
        "IKPath": [
            robot.ik_path(targets, home),
            robot.ik_path(unreachable, home),
            robot.ik_path(unreachable[:1], home, scene=blocked),
            robot.ik_path(jump, home, max_joint_step=0.1),
        ],
        "Constraint": [
            kinetic.Constraint.orientation("tool0", [0, 0, 1], 0.1),
            kinetic.Constraint.joint(2, -0.1 - 0.2, 1.0 / 3.0),
            kinetic.Constraint.relative_pose("a", "b", Pose.from_xyz_rpy(1.0, 2.0, 3.0, 0.1, 0.2, 0.3), 1e-3, 1e-2),
        ],
        "KinBody": [KinBody(robot), Manipulator.from_robot("fetch").kinbody],
        "Octree": [kinetic.Octree(0.1, hit=0.8), octree],
        "OutlierFilter": [kinetic.OutlierFilter.statistical(), kinetic.OutlierFilter.radius(0.1 + 0.2, 3)],
        "PathTolerance": [PathTolerance("z", 0.3, 0.01), PathTolerance([1.0, 2.0, 0.1], cone=0.3)],
        "Payload": [kinetic.Payload(2.0, com=[0.0, 0.0, 0.05])],
        "Pose": [Pose.from_xyz_rpy(1.0, 2.0, 3.0, 0.1, 0.2, 0.3)],
        "ReachabilityMap": [ReachabilityMap(robot, resolution=0.3, samples=100)],
        "ConvexRegion": [kinetic.ConvexRegion([[1, 0], [0, 1], [-1, 0], [0, -1]], [1, 2, 3, 4])],
        "ConvexDecomposition": [kinetic.Planner(robot).convex_decomposition(regions=1, collision_fraction=0.2)],
        "Roadmap": [kinetic.Planner(robot, planner_type="prm").build_roadmap(30)],
        "Robot": [robot, Robot("baxter_left").with_group("both_arms")],
        "Shape": [
            Shape.point_cloud([[0.1 + 0.2, 0.0, 0.0], [1.0, 2.0, 3.0]], 0.01),
            Shape.box(0.1, 0.2, 0.3),
            Shape.sphere(0.1),
        ],
        "SignedDistanceField": [field],
        "Solution": [*arm.solve(arm.fk(home + 0.2))],
        "TaskResult": [TaskProblem(robot).add_position("far", [9.0, 0.0, 0.0]).solve(home)],
        "TolerancePolicy": [kinetic.TolerancePolicy(axis_parallel=1e-7, subproblem_dedup=0.1 + 0.2)],
        "Trajectory": [plan],
        "Twist": [kinetic.Twist([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])],
        "Wrench": [kinetic.Wrench([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])],
    }


EXAMPLES = examples()
CLASSES = {
    name: thing
    for module in (kinetic, compiled)
    for name, thing in vars(module).items()
    if isinstance(thing, type) and not issubclass(thing, BaseException) and thing.__module__.startswith("kinetic")
}


def targets_below(robot: Robot) -> np.ndarray:
    """A pose 1 cm below that of the tool."""
    return translation(0.0, 0.0, -0.01) @ robot.fk(robot.named_pose("home"))


def facts(thing: object) -> dict[str, object]:
    """What an object says about itself."""
    found = {name: getattr(thing, name) for name in dir(thing) if not name.startswith("_")}
    return {name: value for name, value in found.items() if not callable(value)}


def same(a: object, b: object) -> bool:
    if isinstance(a, (np.ndarray, float)):
        return np.array_equal(a, b, equal_nan=True)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    # Of objects inside, classes without equality are looked at as examples of their own.
    return type(a) in EXAMPLE_TYPES or a == b


EXAMPLE_TYPES = {type(example) for examples in EXAMPLES.values() for example in examples}


def test_every_class_is_a_value_with_an_example_or_a_named_handle() -> None:
    assert set(EXAMPLES) | set(HANDLES) | set(TEXTS) == set(CLASSES)
    assert not set(EXAMPLES) & set(HANDLES)


@pytest.mark.parametrize("again", [lambda thing: pickle.loads(pickle.dumps(thing)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", EXAMPLES)
def test_values_come_back_as_they_were(name: str, again) -> None:
    for example in EXAMPLES[name]:
        back = again(example)
        assert type(back) is CLASSES[name] is type(example)
        assert repr(back) == repr(example)
        for fact, value in facts(example).items():
            if (name, fact) in LEFT_BEHIND:
                assert getattr(back, fact) is None
                continue
            assert same(value, getattr(back, fact)), fact
        if type(example).__eq__ is not object.__eq__:
            assert back == example


def test_a_body_that_comes_back_computes_the_same_bits() -> None:
    for body in EXAMPLES["KinBody"]:
        back = pickle.loads(pickle.dumps(body))
        for seed in range(20):
            q = np.random.default_rng(seed).uniform(-1.0, 1.0, body.dof)
            assert np.array_equal(back.fk(q), body.fk(q))
        arm, again = Manipulator(body), Manipulator(back)
        target = arm.fk(q)
        assert [list(one.q) for one in again.solve(target)] == [list(one.q) for one in arm.solve(target)]


def kept_failure(fail) -> object:
    """What the exception that a call raises keeps for its report."""
    with pytest.raises(kinetic.KineticError) as caught:
        fail()
    return caught.value.__dict__["_failure"]


def validity_of_a_plan() -> kinetic.Validity:
    found = []

    class Keeps:
        def plan(self, start, goals, validity):
            found.append(validity)
            return [start, goals[0]]

    kinetic.register_planner("keeps_its_validity", Keeps, replace=True)
    robot = Robot("ur5e")
    home = np.array(robot.named_pose("home"))
    kinetic.Planner(robot, planner_type="keeps_its_validity").plan(home, home + 1e-3)
    return found[-1]


@pytest.mark.parametrize("name", sorted(set(HANDLES) - {"GoalJoints"}))
def test_handles_refuse_instead_of_coming_back_empty(name: str) -> None:
    robot = Robot("ur5e")
    arm = Manipulator.from_robot(robot)
    states = []
    problem = TaskProblem(robot).add_task("see", lambda state: states.append(state) or ([0.0], np.zeros((1, 6))), 1)
    problem.solve()
    handles = {
        "CascadedFrame": kinetic.CascadedFrame(),
        "DualArmPlanner": kinetic.DualArmPlanner("abb_yumi_left", "left_arm", "right_arm"),
        "Dynamics": kinetic.Dynamics(robot),
        "ExecutionMonitor": kinetic.ExecutionMonitor(6),
        "Explanation": kinetic.Scene(robot).explain(robot.named_pose("home")),
        "GpuCollisionChecker": kinetic.GpuCollisionChecker(robot, kinetic.Scene(robot), device="cpu"),
        "GroupDriver": kinetic.GroupDriver(["a"], print),
        "Handle": kinetic.RealTimeExecutor(clock=kinetic.SimulatedClock()).start(
            EXAMPLES["Trajectory"][0], lambda *_: 0
        ),
        "IkCache": kinetic.IkCache(robot),
        "IkFailure": kept_failure(lambda: robot.ik(translation(9.0, 0.0, 0.0))),
        "LogExecutor": kinetic.LogExecutor(),
        "Manipulator": arm,
        "MonotonicClock": kinetic.MonotonicClock(),
        "Playback": kinetic.Playback(EXAMPLES["Trajectory"][0], 10.0),
        "ObjectTracker": kinetic.ObjectTracker(),
        "PerceptionPipeline": kinetic.PerceptionPipeline(kinetic.Scene(robot), kinetic.FrameTree(history=1.0)),
        "PlanExecuteLoop": kinetic.PlanExecuteLoop(kinetic.Planner(robot), kinetic.SimExecutor()),
        "Mpc": kinetic.Mpc(robot),
        "PlanningFailure": kept_failure(lambda: kinetic.plan(robot, [9.0] * 6, Goal.named("home"))),
        "Policy": kinetic.Policy.damping(1.0),
        "RMP": kinetic.RMP(robot),
        "RealTimeExecutor": kinetic.RealTimeExecutor(),
        "SafetyWatchdog": kinetic.SafetyWatchdog(1e6, print),
        "SceneChanges": kinetic.Scene(robot).changes(since=0),
        "SceneDiff": kinetic.Scene(robot).changes(since=0).diff,
        "SceneEdit": kinetic.Scene(robot).edit(),
        "CartesianResult": kinetic.Planner(robot).plan_cartesian("home", targets_below(robot)),
        "SequenceResult": kinetic.Planner(robot).plan_sequence("home", [kinetic.Goal.named("ready")]),
        "Servo": kinetic.Servo(robot),
        "SimExecutor": kinetic.SimExecutor(),
        "SimulatedClock": kinetic.SimulatedClock(),
        "StopFlag": kinetic.StopFlag(),
        "TargetServo": kinetic.TargetServo(robot),
        "TaskProblem": problem,
        "TaskState": states[0],
        "Tracker": kinetic.Tracker([0.0], 1.0, 1.0, period=0.01),
        "Validity": validity_of_a_plan(),
    }
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(handles[name])
