"""Inverse kinematics with input that cannot be used: typed errors that name thing, given and wanted.

Every row is a call and words that its message must have.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetic
from kinetic import (
    FrameTree,
    IkCache,
    IKError,
    InputError,
    KinBody,
    Manipulator,
    PathTolerance,
    Pose,
    ReachabilityMap,
    Robot,
    Scene,
    TaskProblem,
    TolerancePolicy,
    postprocess,
)
from kinetic.cli import main

NAN = float("nan")
INF = float("inf")
ROBOT = Robot("ur5e")
PANDA = Robot("franka_panda")
HOME = ROBOT.named_pose("home")
Q = np.array([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
TARGET = ROBOT.fk(Q)
STRETCHED = np.diag([2.0, 1.0, 1.0, 1.0])
MIRRORED = np.diag([1.0, 1.0, -1.0, 1.0])
NO_NUMBERS = np.full((4, 4), NAN)
FAR = Pose.from_xyz(9.0, 0.0, 0.0)
ARM = Manipulator.from_robot(ROBOT)
BRANCHES = ARM.solve(TARGET)
JOINT, OTHER = PANDA.joint_names[:2]

RIGID = ["pose matrix", "orthonormal"]
FIVE = ["5 values", "expected 6"]
"""Five joint values for six joints."""


def problem() -> TaskProblem:
    return TaskProblem(PANDA)


def no_pairs(state):
    return None


POSES = [(STRETCHED, RIGID), (MIRRORED, RIGID), (NO_NUMBERS, ["pose matrix", "NaN"]), (np.eye(3), ["3, 3)", "4x4"])]
"""What is no pose, for every function that takes one."""
TAKE_A_POSE = {
    "ik": ROBOT.ik,
    "ik_all": ROBOT.ik_all,
    "ik_config": ROBOT.ik_config,
    "ik_distinct": ROBOT.ik_distinct,
    "batch_ik": lambda pose: ROBOT.batch_ik([pose]),
    "ik_batch": lambda pose: ROBOT.ik_batch([pose]),
    "ik_path": lambda pose: ROBOT.ik_path([pose]),
    "ccd": lambda pose: ROBOT.ccd([pose]),
    "bio_ik": lambda pose: ROBOT.bio_ik([pose]),
    "Manipulator.solve": ARM.solve,
    "IkCache.solve": IkCache(ROBOT).solve,
    "IkCache.nearest": IkCache(ROBOT).nearest,
    "TaskProblem.add_pose": lambda pose: problem().add_pose("hand", pose),
    "TaskProblem.add_orientation": lambda pose: problem().add_orientation("hand", pose),
    "FrameTree.set_transform": lambda pose: FrameTree().set_transform("a", "b", pose),
    "fk with a tool": lambda pose: ROBOT.fk(Q, tcp=pose),
    "move_end_pos": lambda pose: ROBOT.move_end_pos(HOME, [0.0, 0.0, 0.1], wrt=pose),
}
TAKE_A_SEED = {
    "ik": lambda seed: ROBOT.ik(TARGET, seed=seed),
    "ik_all": lambda seed: ROBOT.ik_all(TARGET, seed=seed),
    "ik_config": lambda seed: ROBOT.ik_config(TARGET, seed=seed),
    "ik_distinct": lambda seed: ROBOT.ik_distinct(TARGET, seed=seed),
    "batch_ik": lambda seed: ROBOT.batch_ik([TARGET], seeds=[seed]),
    "ik_batch": lambda seed: (ROBOT.ik_batch([TARGET], seed), ROBOT.ik_batch([TARGET], [seed])),
    "ik_path": lambda seed: ROBOT.ik_path([TARGET], seed),
    "ccd": lambda seed: ROBOT.ccd([TARGET], seed=seed),
    "bio_ik": lambda seed: ROBOT.bio_ik([TARGET], seed=seed),
    "look_at": lambda seed: ROBOT.look_at([1.0, 0.0, 0.0], seed=seed),
    "move_end_pos": lambda seed: ROBOT.move_end_pos(seed, [0.0, 0.0, 0.1]),
    "move_end_rot": lambda seed: ROBOT.move_end_rot(seed, 0.1, "z"),
    "batch_inverse_kinematics": lambda seed: ROBOT.batch_inverse_kinematics([TARGET], initial_angles=seed),
    "Manipulator.solve": lambda seed: ARM.solve(TARGET, q_seed=seed),
    "IkCache.solve": lambda seed: IkCache(ROBOT).solve(TARGET, seed=seed),
    "TaskProblem.solve": lambda seed: TaskProblem(ROBOT).add_position("a", [0.0, 0.0, 1.0]).solve(seed),
    "KinBody.fk": KinBody(ROBOT).fk,
    "Manipulator.fk": ARM.fk,
    "com": ROBOT.com,
    "com_jacobian": ROBOT.com_jacobian,
    "mass_properties": ROBOT.mass_properties,
    "jacobian_of": lambda q: ROBOT.jacobian_of(q, links=["tool0"]),
    "jacobian_derivative": lambda q: ROBOT.jacobian_derivative(q, HOME),
    "velocity": lambda q: ROBOT.velocity(q, HOME),
    "manipulability": ROBOT.manipulability,
    "condition_number": ROBOT.condition_number,
    "FrameTree.update_from_robot": lambda q: FrameTree().update_from_robot(ROBOT, q),
}

CALLS = [
    # solvers and options
    (lambda: ROBOT.ik_config(TARGET, "nix"), ["solver", '"nix"', '"dls"', '"bio_ik"']),
    (lambda: ROBOT.ik_config(TARGET, mode="nix"), ["mode", '"nix"', '"full6d"']),
    (lambda: ROBOT.ik_config(TARGET, null_space="nix"), ["null space", '"nix"', '"manipulability"']),
    (lambda: ROBOT.ik_config(TARGET, "opw"), ["IncompatibleKinematics", '"opw"', "six_r.three_parallel"]),
    (lambda: ROBOT.ik_config(TARGET, "subproblem7dof"), ["IncompatibleKinematics", "what fits this arm"]),
    (lambda: PANDA.ik_config(np.eye(4), "subproblem"), ["IncompatibleKinematics", "six rotating joints"]),
    (lambda: Robot("stretch_re2").ik_config(np.eye(4), "opw"), ["IncompatibleKinematics"]),
    (lambda: ROBOT.ik_config(TARGET, position_tolerance=0.0), ["position_tolerance = 0", "positive"]),
    (lambda: ROBOT.ik_config(TARGET, orientation_tolerance=NAN), ["orientation_tolerance = NaN", "positive"]),
    (lambda: ROBOT.ik_config(TARGET, max_iterations=0), ["max_iterations = 0", "at least 1"]),
    (lambda: ROBOT.ik_config(TARGET, num_restarts=-1), ["-1", "at least 0"]),
    (lambda: ROBOT.ik_config(TARGET, "sqp", tool_axis=("z", "x")), ["tool_axis", "2 values", "expected 3"]),
    (lambda: ROBOT.ik_config(TARGET, "sqp", tool_axis=("z", [0, 0, 0], 0.1)), ["tool_axis", "[0.0, 0.0, 0.0]"]),
    (lambda: ROBOT.ik_config(TARGET, "sqp", tool_axis=("z", "x", 0.0)), ["max_angle", "= 0", "1e-3 to pi"]),
    (lambda: ROBOT.ik_config(TARGET, "sqp", tool_axis=("w", "x", 0.1)), ["axis", '"w"', "axes are", '"x"']),
    (lambda: ROBOT.ik_config(TARGET, "dls", tool_axis=("z", "x", 0.1)), ["tool_axis", "dls", "sqp"]),
    (lambda: ROBOT.ik_config(TARGET, "sqp", damping=0.1), ["damping", "sqp", "dls"]),
    (lambda: ROBOT.ik_config(TARGET, "dls", damping=-1.0), ["damping = -1", "at least 0"]),
    (lambda: ROBOT.ik_distinct(TARGET, solver="analytic"), ["solver = analytic", "numerical"]),
    (lambda: ROBOT.batch_ik([TARGET], "cached"), ["cached", "without memory"]),
    (lambda: ROBOT.batch_ik([TARGET], seeds=[Q, Q]), ["seeds", "2", "expected 1"]),
    (lambda: ROBOT.batch_ik(TARGET), ["(4, 4)", "(n, 4, 4)"]),
    (lambda: ROBOT.ik(TARGET, solver="nix"), ["solver", '"nix"', '"dls"', '"bio_ik"']),
    (lambda: ROBOT.ik(TARGET, timeout=0.0), ["timeout = 0", "positive number of seconds"]),
    (lambda: ROBOT.ik_all(TARGET, timeout=NAN), ["timeout = NaN", "positive number of seconds"]),
    (lambda: ROBOT.ccd([TARGET], timeout=-1.0), ["timeout = -1", "positive number of seconds"]),
    (lambda: ROBOT.ik_all(TARGET, scene=Scene(PANDA)), ['scene = of robot "franka_panda"', 'robot "ur5e"']),
    (lambda: ROBOT.ik_all(TARGET, scene=Scene(ROBOT), collision_margin=-1.0), ["margin", "-1"]),
    (lambda: ROBOT.ik_batch([TARGET], [Q, Q]), ["seeds", "2", "expected 1"]),
    (lambda: ROBOT.ik_batch([TARGET], [[Q]]), ["(1, 1, 6)", "(N, dof)"]),
    (lambda: ROBOT.ik_batch([TARGET], out=np.zeros((2, 6))), ["out of shape [2, 6]", "[1, 6]"]),
    (lambda: ROBOT.ik_batch([TARGET], solver="cached"), ["cached", "without memory"]),
    (lambda: ROBOT.ik_all(TARGET, swivel_samples=3), ["swivel_samples = 3", "no swivel angle"]),
    (lambda: PANDA.ik_all(np.eye(4), samples=0), ["samples = 0", "from 1"]),
    (lambda: ROBOT.test_ik(count=0), ["count = 0", "at least 1"]),
    (lambda: ROBOT.classify(base="nix"), ["LinkNotFound", '"nix"', '"base_link"']),
    # several targets
    (lambda: ROBOT.ccd([]), ["targets = none", "at least one"]),
    (lambda: ROBOT.bio_ik([]), ["targets = none", "at least one"]),
    (lambda: ROBOT.ccd([{"positon": [0, 0, 0]}]), ['"positon"', '"position"', "target keys are"]),
    (lambda: ROBOT.bio_ik([{"position": [0, 0, 0], "tol": 1}]), ['"tol"', '"atol"']),
    (lambda: ROBOT.ccd([{"position": [0, 0, 1], "rotation": [0, 0, 0, 1]}]), ["either", '"rotation"']),
    (lambda: ROBOT.ccd([{}]), ["either", '"rotation"']),
    (lambda: ROBOT.ccd([{"position": [0, 0]}]), ["position of a target", "2 values", "expected 3"]),
    (lambda: ROBOT.ccd([{"position": [NAN, 0, 0]}]), ["position", "NaN"]),
    (lambda: ROBOT.ccd([{"rotation": [0, 0, 0, 0]}]), ["quaternion", "non-zero"]),
    (lambda: ROBOT.ccd([{"position": [0, 0, 1], "atol": 0.0}]), ["atol", "= 0", "positive"]),
    (lambda: ROBOT.ccd([{"position": [0, 0, 1], "weight": NAN}]), ["weight", "NaN", "positive"]),
    (lambda: ROBOT.ccd([{"position": [0, 0, 1], "norm": "l3"}]), ['"l3"', '"euclidean"']),
    (lambda: ROBOT.ccd([{"position": [0, 0, 1], "link": "nix"}]), ["LinkNotFound", '"nix"']),
    (lambda: ROBOT.ccd([TARGET], joints=["nix"]), ["JointNotFound", '"nix"']),
    (lambda: ROBOT.ccd([TARGET], joints=[]), ["joints = none"]),
    (lambda: ROBOT.ccd([TARGET], rtol=-1.0), ["rtol = -1"]),
    # paths
    (lambda: ROBOT.ik_path([]), ["targets", "empty", "at least one pose"]),
    (lambda: ROBOT.ik_path([TARGET], max_joint_step=0.0), ["max_joint_step = 0", "positive"]),
    (lambda: ROBOT.ik_path([TARGET], max_joint_step=[1.0, 1.0]), ["max_joint_step", "2", "expected 6"]),
    (lambda: ROBOT.ik_path([TARGET], tolerance=[None, None]), ["tolerances", "2", "expected 1"]),
    (lambda: PathTolerance("w"), ["axis", '"w"', '"x"']),
    (lambda: PathTolerance([0.0, 0.0, 0.0]), ["axis of tolerance", "direction"]),
    (lambda: PathTolerance("z", -1.0), ["angle of tolerance = -1", "pi"]),
    (lambda: PathTolerance("z", cone=1.6), ["cone of tolerance = 1.6", "pi/2"]),
    (lambda: PathTolerance(cone=0.1), ["cone of tolerance", "axis"]),
    (lambda: PathTolerance(position=[-1.0, 0.0, 0.0]), ["position of tolerance = -1"]),
    # after closed forms
    (lambda: postprocess.respect_limits(BRANCHES, [(1.0, -1.0)] * 6), ["limits = (1, -1)", "lower <= upper"]),
    (lambda: postprocess.wrap_to_limits(BRANCHES, [(NAN, 1.0)] * 6), ["limits = (NaN, 1)"]),
    (lambda: postprocess.respect_limits(BRANCHES, [None] * 5), ["solution has 6", "expected 5"]),
    (lambda: postprocess.nearest_to_seed(BRANCHES, [0.0] * 5), ["solution has 6", "expected 5"]),
    (lambda: postprocess.nearest_to_seed(BRANCHES, [NAN] * 6), ["q_seed", "NaN"]),
    (lambda: postprocess.nearest_to_seed(BRANCHES, Q, metric="nix"), ["metric", '"nix"', '"wrap_l2"']),
    (lambda: Manipulator(Robot("stretch_re2")), ["IncompatibleKinematics", "independent joints"]),
    (lambda: Manipulator.from_robot("nix"), ["RobotConfigNotFound", '"nix"']),
    (lambda: Manipulator.from_chain("ur5e", base="tool0", ee="base_link"), ["ChainExtraction", '"tool0"']),
    (lambda: ARM.solve(TARGET, swivel_samples=3), ["swivel_samples = 3"]),
    (lambda: ARM.generate("c"), ["language", '"c"', '"rust", "python"']),
    (lambda: ARM.write_solver("solver.c"), ['"c"', '"rs", "py"']),
    (lambda: TolerancePolicy(axis_parallel=NAN), ["axis_parallel = NaN"]),
    # where the tool looks and goes
    (lambda: ROBOT.look_at([NAN, 0.0, 0.0]), ["NaN"]),
    (lambda: ROBOT.look_at([0.0, 0.0]), ["(2,)", "(3,)"]),
    (lambda: ROBOT.look_at([0.0, 0.0, 1.0], axis="w"), ["axis", '"w"', "axes are"]),
    (lambda: ROBOT.look_at([0.0, 0.0, 1.0], axis=[0.0, 0.0, 0.0]), ["axis", "direction"]),
    (lambda: ROBOT.look_at([0.0, 0.0, 1.0], link="nix"), ["LinkNotFound", '"nix"', '"tool0"']),
    (lambda: ROBOT.move_end_pos(HOME, [0.0, 0.0, 0.1], wrt="nix"), ["reference frame", '"nix"', '"local"']),
    (lambda: ROBOT.move_end_pos(HOME, [INF, 0.0, 0.1]), ["inf"]),
    (lambda: ROBOT.move_end_rot(HOME, NAN, "z"), ["angle", "NaN"]),
    (lambda: ROBOT.move_end_rot(HOME, 1.0, [0.0, 0.0, 0.0]), ["axis", "direction"]),
    (lambda: ROBOT.com_jacobian(HOME, axes="w"), ["axis mask", '"w"']),
    (lambda: ROBOT.com_jacobian(HOME, base="nix"), ["base", '"nix"', '"planar"']),
    (lambda: ROBOT.jacobian_of(HOME, links=["nix"]), ["LinkNotFound", '"nix"']),
    (lambda: ROBOT.velocity(HOME, [0.0] * 5), ["joint velocities", "5", "expected 6"]),
    # maps, trees, caches
    (lambda: ReachabilityMap(ROBOT, resolution=NAN), ["resolution = NaN"]),
    (lambda: ReachabilityMap(ROBOT, samples=0), ["samples = 0", "at least 1"]),
    (lambda: FrameTree().set_transform("a", "a", np.eye(4)), ['"a"', "parent"]),
    (lambda: FrameTree().set_transform("a", "b", np.eye(4), NAN), ["stamp", "NaN"]),
    (lambda: FrameTree().lookup("x", "y"), ["frame", '"x"']),
    (lambda: IkCache(ROBOT, hit_radius=0.0), ["hit radius = 0", "positive"]),
    (lambda: IkCache(ROBOT).warm(-1), ["-1", "at least 0"]),
    # several tasks
    (lambda: TaskProblem("nix"), ["RobotConfigNotFound", '"nix"']),
    (lambda: TaskProblem(PANDA, ["nix"]), ["JointNotFound", '"nix"', JOINT]),
    (lambda: TaskProblem(PANDA, [JOINT, JOINT]), [f'"{JOINT}" twice', "every joint once"]),
    (lambda: TaskProblem(PANDA, base="nix"), ["base", '"nix"', '"floating"']),
    (lambda: TaskProblem(PANDA, base=True, base_weights=[1.0]), ["weights of the base", "1", "expected 3"]),
    (lambda: TaskProblem(PANDA, base_weights=[1.0]), ["weights of the base", "1", "expected 0"]),
    (lambda: TaskProblem(PANDA, joint_weights=[0.0] * 7), ["joint weights = 0", "positive"]),
    (lambda: problem().solve(), ["tasks = none", "at least one task"]),
    (lambda: TaskProblem(PANDA, []).add_position("a", [0, 0, 1]).solve(), ["joints to move = none", "base that moves"]),
    (lambda: problem().couple(JOINT, "nix"), ["JointNotFound", '"nix"']),
    (lambda: problem().couple(JOINT, "panda_finger_joint1"), ["coupled joints", JOINT, "the problem moves"]),
    (lambda: problem().couple(JOINT, JOINT), ["coupled joints", JOINT, "follows no joint"]),
    (lambda: problem().couple(JOINT, OTHER, NAN), ["coupling", "NaN"]),
    (lambda: problem().limit_by(JOINT, OTHER, []), ["limit table = []"]),
    (lambda: problem().limit_by(JOINT, OTHER, [[0.0, 1.0]]), ["limit table", "2", "expected 3"]),
    (lambda: problem().limit_by(JOINT, OTHER, [[0.0, 1.0, -1.0]]), ["limit table", "lower <= upper"]),
    (lambda: problem().limit_by(JOINT, JOINT, [[0.0, -1.0, 1.0]]), ["limit table", JOINT, "different"]),
    (lambda: problem().add_pose("hand", np.eye(4), link="nix"), ["LinkNotFound", '"nix"']),
    (lambda: problem().add_pose("hand", np.eye(4), reference="nix"), ["LinkNotFound", '"nix"']),
    (lambda: problem().add_pose("hand", np.eye(4), reference_frame=np.eye(4)), ["reference_frame", "reference"]),
    (lambda: problem().add_pose("hand", np.eye(4), position_mask=None, rotation_mask=None), ['"hand"', "no axis"]),
    (lambda: problem().add_pose("hand", np.eye(4), mirror="w"), ["axis", '"w"']),
    (lambda: problem().add_pose("hand", np.eye(4), translation_tolerance=[0.1]), ["tolerance", "1", "expected 3"]),
    (lambda: problem().add_pose("hand", np.eye(4), rotation_tolerance=[NAN, 0, 0]), ['"hand"', "NaN"]),
    (lambda: problem().add_pose("hand", np.eye(4), position_threshold=0.0), ['threshold of task "hand" = 0']),
    (lambda: problem().add_pose("hand", np.eye(4), weight=0.0), ['weight of task "hand" = 0', "positive"]),
    (lambda: problem().add_pose("hand", np.eye(4), priority=-1), ["-1", "at least 0"]),
    (lambda: problem().add_position("hand", [0.0, NAN, 0.0]), ["NaN"]),
    (lambda: problem().add_look_at("eye", [0.0, 0.0, 1.0], axis=[0.0, 0.0, 0.0]), ['axis of task "eye"']),
    (lambda: problem().add_mass_centre("com", [0, 0, 0], mask=None), ['mask of task "com"']),
    (lambda: problem().add_mass_centre("com", [0, 0, 0], payloads=[("nix", [0, 0, 0], 1.0)]), ['"nix"']),
    (
        lambda: problem().add_mass_centre("com", [0, 0, 0], payloads=[("panda_hand", [0, 0, 0], 0.0)]),
        ["payload", "= 0"],
    ),
    (lambda: problem().add_mass_centre("com", [0, 0, 0], payloads=[("panda_hand", 1.0)]), ["payload", "2", "3"]),
    (lambda: problem().add_posture("rest", [0.0]), ['target of task "rest"', "1", "expected 7"]),
    (lambda: problem().add_posture("rest", [], joints=[]), ['joints of task "rest" = none']),
    (lambda: problem().add_posture("rest", [NAN] * 7), ['target of task "rest"', "NaN"]),
    (lambda: problem().add_limit_avoidance("room", share=0.6), ['share of task "room" = 0.6', "0.5"]),
    (lambda: problem().add_task("mine", 3, 1), ['function of task "mine" = 3']),
    (lambda: problem().add_task("mine", no_pairs, 0), ['rows of task "mine" = 0']),
    (lambda: problem().add_task("mine", no_pairs, 1, tolerance=-1.0), ['tolerance of task "mine" = -1']),
    (lambda: problem().add_position("a", [0, 0, 1]).solve(step=0.0), ["step = 0", "at most 1"]),
    (lambda: problem().add_position("a", [0, 0, 1]).solve(attempts=0), ["attempts = 0", "at least 1"]),
    (lambda: problem().add_position("a", [0, 0, 1]).solve(damping=NAN), ["damping = NaN"]),
    (lambda: problem().add_position("a", [0, 0, 1]).solve(world_from_root=STRETCHED), RIGID),
]


def refused(call, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert re.match(r"^[A-Z]\w+: ", str(caught.value))


@pytest.mark.parametrize("row", range(len(CALLS)))
def test_what_cannot_be_used_is_named(row: int) -> None:
    refused(*CALLS[row])


@pytest.mark.parametrize("name", TAKE_A_POSE)
def test_poses_that_are_none_are_refused_everywhere(name: str) -> None:
    for pose, words in POSES:
        refused(lambda pose=pose: TAKE_A_POSE[name](pose), words)


@pytest.mark.parametrize("name", TAKE_A_SEED)
def test_joint_values_of_another_number_or_with_nan_are_refused_everywhere(name: str) -> None:
    refused(lambda: TAKE_A_SEED[name]([0.0] * 5), FIVE)
    refused(lambda: TAKE_A_SEED[name]([0.0] * 5 + [NAN]), ["NaN", "index 5"])
    refused(lambda: TAKE_A_SEED[name]([0.0] * 5 + [INF]), ["inf", "index 5"])


SOLVERS = {
    "ik": lambda: ROBOT.ik(FAR),
    "cached": lambda: ROBOT.ik_config(FAR, "cached"),
    "analytic": lambda: ROBOT.ik_config(FAR, "analytic"),
    "dls": lambda: ROBOT.ik_config(FAR, "dls"),
    "IkCache": lambda: IkCache(ROBOT).solve(FAR),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_out_of_reach_says_how_near_the_arm_comes(name: str) -> None:
    with pytest.raises(IKError, match=r"^NoIKSolution: .*the nearest pose reached, at \(.* limit"):
        SOLVERS[name]()


@pytest.mark.parametrize(
    "call",
    [lambda: ROBOT.move_end_pos(HOME, [0.0, 0.0, 9.0]), lambda: ROBOT.look_at([0.0, 1.0, 1.0], link="base_link")],
)
def test_moves_that_fail_say_what_is_missing(call) -> None:
    with pytest.raises(IKError, match=r'^IKNotConverged: .*task ".*" is not met, \w+ off by'):
        call()


@pytest.mark.parametrize("huge", [1e300, 1e160])
def test_targets_beyond_all_measure_end_without_nan(huge: float) -> None:
    q, success = ROBOT.batch_inverse_kinematics([[huge, 0.0, 0.0, 0.0, 0.0, 0.0]])
    assert np.isfinite(q).all() and not success.any()
    for call in (lambda: ROBOT.ik(Pose.from_xyz(huge, 0.0, 0.0)), lambda: ROBOT.move_end_pos(HOME, [huge, 0.0, 0.0])):
        with pytest.raises(IKError):
            call()
    result = TaskProblem(ROBOT).add_position("far", [huge, 0.0, 0.0]).solve()
    assert np.isfinite(result.q).all() and not result.converged


def test_files_that_are_no_maps_or_caches_are_refused_by_name(tmp_path) -> None:
    file = tmp_path / "file.npz"
    contents = [b"", b"text", b"PK\x03\x04 broken", b"\xff\xfe\x00", b"kinetic ik cache 1\nother joints\n"]
    for content in contents:
        file.write_bytes(content)
        for load in (ReachabilityMap.load, lambda path: IkCache.load(ROBOT, path)):
            refused(lambda load=load: load(file), ["FileParse", "file.npz"])
    file.write_text("kinetic ik cache 1\n" + " ".join(ROBOT.joint_names) + "\n0 0 0 0 0 0\n1 2\n")
    refused(lambda: IkCache.load(ROBOT, file), ["file.npz:4", "2 values", "expected 6"])
    for load in (ReachabilityMap.load, lambda path: IkCache.load(ROBOT, path)):
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "gone")


def test_limits_the_wrong_way_round_are_put_right_and_noted() -> None:
    limit = '<limit lower="1" upper="-1" velocity="1" effort="1"/>'
    robot = Robot.from_urdf(
        f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
        <child link="b"/><axis xyz="0 0 1"/>{limit}</joint></robot>"""
    )
    assert robot.joint_limits.tolist() == [[-1.0, 1.0]] and "exchanged" in robot.notes[0]


COMMANDS = [
    (["ik", "classify", "nix"], '"nix"'),
    (["ik", "classify", "ur5e", "--base", "nix"], '"nix"'),
    (["ik", "classify", "ur5e", "--base", "tool0", "--tip", "base_link"], "tool0"),
    (["ik", "build", "ur5e", "--out", "solver.c"], '"c"'),
    (["ik", "build", "ur5e", "--out", "gone/solver.py"], "gone/solver.py"),
    (["ik", "build", "xarm7", "--out", "solver.py"], "IncompatibleKinematics"),
    (["ik", "build", "stretch_re2", "--out", "solver.py"], "IncompatibleKinematics"),
    (["ik", "build", "ur5e"], "--out"),
    (["ik", "add-arm", "gone.urdf", "--base", "a", "--tip", "b", "--name", "n", "--out", "o"], "gone.urdf"),
    (["ik", "test", "ur5e", "--count", "0"], "--count: 0"),
    (["ik", "test", "ur5e", "--count", "-3"], "--count: -3"),
    (["ik", "test", "ur5e", "--count", "many"], "--count"),
    (["ik", "test", "ur5e", "--seed", "-1"], "--seed: -1"),
    (["ik", "nix"], "nix"),
    (["ik"], "COMMAND"),
]


@pytest.mark.parametrize(("command", "word"), COMMANDS, ids=[" ".join(command) for command, _ in COMMANDS])
def test_commands_refuse_in_one_line(command: list[str], word: str, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == "" and word in err and len(err.splitlines()) == 1 and "Traceback" not in err


def test_public_calls_of_kinematics_stand_in_a_table() -> None:
    # Whoever adds a way of solving adds rows above.
    named = {*TAKE_A_POSE, *TAKE_A_SEED}
    solving = {
        name for name in dir(Robot) if re.search(r"(^|_)(ik|ccd|look_at|inverse_kinematics)($|_)|^move_end", name)
    }
    assert solving - named == {"ik_solver", "test_ik"}
    assert kinetic.IkCache is IkCache
