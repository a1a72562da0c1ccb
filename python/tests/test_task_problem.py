"""Several tasks at once. Oracles: Pinocchio, the tests' own kinematics, laws of optima, values by hand."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from oracles import FOLDERS, about, central_differences, chain_of, relative_pose, urdf

from kinetic import IKError, InputError, Pose, Robot, TaskProblem, TaskResult

SLACK = 1.001
"""Another program's forward kinematics rounds differently."""
HANDS = ["left_gripper", "right_gripper"]


@pytest.fixture(scope="module")
def panda() -> Robot:
    return Robot("franka_panda")


def links_of(name: str, result: TaskResult, link: str) -> np.ndarray:
    """Pose of a link in the world by the tests' own kinematics."""
    values = dict(zip(result.joint_names, result.q))
    return result.world_from_root @ relative_pose(urdf(name), Robot(name).link_names[0], link, values)


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(Pose(a).rotation_distance(b))


def named(result: TaskResult) -> dict[str, dict]:
    return {task["name"]: task for task in result.tasks}


# --- what the tasks bring about ---


def test_poses_of_two_hands_and_the_head_are_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio", reason="the other tests use the tests' own kinematics")
    robot = Robot("baxter_left")
    model = pin.buildModelFromUrdf(str(FOLDERS["baxter_left"] / "robot.urdf"))
    data = model.createData()
    both = robot.with_group("both_arms")
    rng_q = both.random_configuration(rng_seed=3)

    def place(values: dict[str, float]) -> None:
        q = pin.neutral(model)
        for name, value in values.items():
            q[model.joints[model.getJointId(name)].idx_q] = value
        pin.framesForwardKinematics(model, data, q)

    def pose(link: str) -> np.ndarray:
        return data.oMf[model.getFrameId(link)].homogeneous.copy()

    place(dict(zip(both.joint_names, rng_q)))
    targets = {hand: pose(hand) for hand in HANDS}
    problem = TaskProblem(both)
    for hand, target in targets.items():
        problem.add_pose(hand, target, link=hand, position_threshold=1e-6, rotation_threshold=1e-6)
    result = problem.solve(attempts=30)
    assert result.converged and result.q.shape == (len(robot.active_joints),)
    place(dict(zip(result.joint_names, result.q)))
    for hand, target in targets.items():
        assert np.linalg.norm(pose(hand)[:3, 3] - target[:3, 3]) < 1e-6 * SLACK
        assert angle_between(pose(hand), target) < 1e-6 * SLACK + 1e-8
    np.testing.assert_array_equal(
        result.group_q, [result.q[result.joint_names.index(name)] for name in both.joint_names]
    )


def test_the_relative_pose_of_two_hands_is_kept_wherever_they_are() -> None:
    robot = Robot("baxter_left").with_group("both_arms")
    left_from_right = Pose.from_xyz_rpy(0.0, 0.0, 0.3, np.pi, 0.0, 0.0)
    problem = TaskProblem(robot).add_pose("grasp", left_from_right, link=HANDS[1], reference=HANDS[0])
    result = problem.solve(attempts=30)
    assert result.converged
    left, right = (links_of("baxter_left", result, hand) for hand in HANDS)
    reached = np.linalg.inv(left) @ right
    assert left_from_right.translation_distance(reached) < 1e-4 * SLACK
    assert left_from_right.rotation_distance(reached) < 1e-3 * SLACK
    result = problem.add_position("lift", [0.6, 0.0, 0.2], link=HANDS[0]).solve(attempts=30)
    left, right = (links_of("baxter_left", result, hand) for hand in HANDS)
    assert result.converged and np.linalg.norm(left[:3, 3] - [0.6, 0.0, 0.2]) < 1e-4 * SLACK
    assert left_from_right.translation_distance(np.linalg.inv(left) @ right) < 1e-4 * SLACK


def test_masks_tolerances_and_mirrors_mean_what_they_mean_in_batches(panda: Robot) -> None:
    ready = panda.named_pose("ready")
    target = Pose(panda.fk(ready)).translate([0.05, 0.1, 0.0], wrt="world").rotate(1.0, "z")

    def solve(**options) -> np.ndarray:
        tight = {"position_threshold": 1e-6, "rotation_threshold": 1e-6}
        result = TaskProblem(panda).add_pose("hand", target, **tight, **options).solve(ready)
        assert result.converged
        return panda.fk(result.q)

    for position, rotation in [(True, False), ("xy", True), ([0, 0, 1], "x"), (None, "xyz")]:
        reached = solve(position_mask=position, rotation_mask=rotation)
        assert np.linalg.norm(target.difference_position(reached, position)) < 1.1e-6
        assert np.linalg.norm(target.difference_rotation(reached, rotation)) < 1.1e-6
    off = np.abs(target.difference_position(solve(translation_tolerance=[None, 0.05, 0.0])))
    assert off[1] < 0.05 + 1e-5 and max(off[0], off[2]) < 1.1e-6
    off = np.abs(target.difference_rotation(solve(rotation_tolerance=[0.0, 0.0, 0.4])))
    assert off[2] < 0.4 + 1e-5 and off[:2].max() < 1.1e-6
    flipped = TaskProblem(panda).add_pose("hand", target.rotate(np.pi, "z"), mirror="z").solve(ready)
    assert flipped.converged and target.rotation_distance(panda.fk(flipped.q)) < 1e-3 * SLACK
    turned = TaskProblem(panda).add_orientation("turn", target, threshold=1e-6).solve(ready)
    assert turned.converged and target.rotation_distance(panda.fk(turned.q)) < 1.1e-6


def test_an_axis_looks_and_the_tool_stays(panda: Robot) -> None:
    point = np.array([0.8, 0.3, 0.2])
    problem = TaskProblem(panda).add_look_at("look", point, frame=Pose.from_xyz(0.0, 0.05, 0.0), axis=[0.0, 0.0, 2.0])
    result = problem.add_position("stay", [0.45, 0.0, 0.5], mask="xz").solve(panda.named_pose("ready"))
    camera = panda.fk(result.q) @ Pose.from_xyz(0.0, 0.05, 0.0).matrix
    view = (point - camera[:3, 3]) / np.linalg.norm(point - camera[:3, 3])
    assert result.converged
    np.testing.assert_allclose(camera[:3, 2], view, atol=1.1e-4)
    np.testing.assert_allclose(panda.fk(result.q)[[0, 2], 3], [0.45, 0.5], atol=1.1e-4)


def test_the_centre_of_gravity_with_a_payload_is_that_of_pinocchio(panda: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="the only oracle of masses")
    model = pin.buildModelFromUrdf(str(FOLDERS["franka_panda"] / "robot.urdf"))
    data = model.createData()
    payload = ("panda_hand", [0.0, 0.01, 0.1], 2.5)
    problem = TaskProblem(panda).add_mass_centre(
        "balance", [0.1, 0.05, 0.0], mask="xy", payloads=[payload], threshold=1e-6
    )
    result = problem.solve(panda.named_pose("ready"))
    assert result.converged
    q = pin.neutral(model)
    for name, value in zip(result.joint_names, result.q):
        q[model.joints[model.getJointId(name)].idx_q] = value
    pin.framesForwardKinematics(model, data, q)
    # Pinocchio's own sum leaves out the link that stands in the world.
    own = [(inertia.mass, place.act(inertia.lever)) for inertia, place in zip(model.inertias, data.oMi)]
    mass = sum(mass for mass, _ in own)
    carried = data.oMf[model.getFrameId("panda_hand")].act(np.array(payload[1]))
    centre = (sum(mass * at for mass, at in own) + payload[2] * carried) / (mass + payload[2])
    np.testing.assert_allclose(centre[:2], [0.1, 0.05], atol=1.1e-6)


# --- priorities, weights, what moves ---


def test_the_posture_below_a_point_is_a_constrained_optimum(panda: Robot) -> None:
    ready, rest = panda.named_pose("ready"), panda.mid_configuration()
    base, tip = chain_of("franka_panda", panda.group)

    def tool(q: np.ndarray) -> np.ndarray:
        return relative_pose(urdf("franka_panda"), base, tip, dict(zip(panda.joint_names, q))) @ panda.tcp

    target = tool(ready)[:3, 3] + [0.0, 0.15, -0.1]
    problem = TaskProblem(panda).add_posture("rest", rest, priority=1).add_position("reach", target, threshold=1e-8)
    result = problem.solve(ready, max_iterations=500)
    assert [task["name"] for task in result.tasks] == ["reach", "rest"]
    assert result.converged and np.linalg.norm(tool(result.group_q)[:3, 3] - target) < 1e-8 * SLACK
    assert not result.active_limits
    # Lagrange: what is left of the posture is a combination of the rows of the Jacobian of the point.
    left = result.group_q - rest
    jacobian = central_differences(tool, result.group_q)[:3]
    free = left - np.linalg.pinv(jacobian) @ (jacobian @ left)
    assert np.linalg.norm(free) < 0.02 * np.linalg.norm(ready - rest)


def test_weights_make_a_weighted_mean_and_levels_do_not_mix(panda: Robot) -> None:
    joint = panda.joint_names[0]
    problem = TaskProblem(panda).add_posture("one", [1.0], joints=[joint], weight=3.0)
    problem.add_posture("other", [-1.0], joints=[joint], weight=1.0)
    assert abs(problem.solve().q[0] - 0.5) < 1e-6
    strict = TaskProblem(panda).add_posture("one", [1.0], joints=[joint])
    strict.add_posture("other", [-1.0], joints=[joint], weight=1e6, priority=1)
    assert abs(strict.solve().q[0] - 1.0) < 1e-6


def test_joints_stay_out_of_the_outer_parts_of_their_ranges(panda: Robot) -> None:
    low, high = panda.joint_limits.T
    start = low + 0.02 * (high - low)
    result = TaskProblem(panda).add_limit_avoidance("room", share=0.2).solve(start)
    share = (result.group_q - low) / (high - low)
    assert share.min() > 0.2 - 1e-6 and share.max() < 0.8 + 1e-6


def test_subsets_couplings_and_limit_tables_hold(panda: Robot) -> None:
    names, ready = panda.joint_names, panda.named_pose("ready")
    target = panda.fk(ready)[:3, 3] + [0.05, 0.0, -0.05]
    problem = TaskProblem(panda, joints=[names[1], names[3], names[5]]).add_position("reach", target)
    result = problem.solve(ready)
    assert result.converged and problem.columns == [names[1], names[3], names[5]]
    assert (result.group_q[[0, 2, 4, 6]] == ready[[0, 2, 4, 6]]).all()
    assert np.linalg.norm(panda.fk(result.q)[:3, 3] - target) < 1e-4 * SLACK
    coupled = TaskProblem(panda).couple(names[1], names[3], -0.5, -1.9).add_position("reach", target)
    result = coupled.solve(ready, attempts=10)
    assert result.converged and result.group_q[3] == -0.5 * result.group_q[1] - 1.9
    assert names[3] not in coupled.columns and len(coupled.columns) == 6
    table = [[0.0, -1.0, 1.0], [1.0, -1.0, 0.0]]
    bound = TaskProblem(panda, joints=names[:2]).limit_by(names[0], names[1], table).limit_by(names[1], names[0], table)
    for wanted, is_met in [([0.9, 0.9], False), ([0.3, 0.4], True), ([2.5, 0.2], False)]:
        posture = {"joints": names[:2], "threshold": 1e-6}
        result = TaskProblem(panda, joints=names[:2]).limit_by(names[0], names[1], table)
        result = result.limit_by(names[1], names[0], table).add_posture("go", wanted, **posture).solve(np.zeros(7))
        assert result.converged is is_met
        x, y = result.group_q[:2]
        assert max(x, 0.0) + y <= 1.0 + 1e-9 and x + max(y, 0.0) <= 1.0 + 1e-9
    assert bound.columns == names[:2]


@pytest.mark.parametrize("base", ["planar", "floating"])
def test_a_base_moves_from_where_it_stands(base: str) -> None:
    robot = Robot("fetch")
    target = Pose.from_xyz_rpy(3.0, -2.0, 0.8, 0.1, 0.2, 2.0)
    start = Pose.from_xyz_rpy(1.0, 1.0, 0.0, 0.0, 0.0, 0.7)
    problem = TaskProblem(robot, base=base).add_pose("hand", target, position_threshold=1e-6)
    result = problem.solve(world_from_root=start, attempts=10)
    assert result.converged
    assert len(problem.columns) == robot.dof + {"planar": 3, "floating": 6}[base]
    assert problem.columns[:2] == ["base x", "base y"]
    tip = links_of("fetch", result, chain_of("fetch", robot.group)[1]) @ robot.tcp
    assert target.translation_distance(tip) < 1e-6 * SLACK and target.rotation_distance(tip) < 1e-3 * SLACK
    if base == "planar":
        turn = about(np.array([0.0, 0.0, 1.0]), Pose(result.world_from_root).rpy[2])
        np.testing.assert_allclose(result.world_from_root[:3, :3], turn, atol=1e-12)
        assert abs(result.world_from_root[2, 3]) < 1e-12


def test_weights_say_who_moves() -> None:
    robot = Robot("fetch")
    tip = chain_of("fetch", robot.group)[1]
    start = TaskProblem(robot).add_limit_avoidance("stay", share=1e-9).solve()
    target = links_of("fetch", start, tip)[:3, 3] + [-0.1, 0.05, 0.0]

    def way(base: float, joints: float) -> float:
        weights = {"base_weights": [base] * 3, "joint_weights": [joints] * robot.dof}
        problem = TaskProblem(robot, base=True, **weights).add_position("reach", target, link=tip, threshold=1e-5)
        result = problem.solve(start.q)
        assert result.converged
        return float(np.linalg.norm(result.world_from_root[:2, 3]))

    assert way(1e4, 1.0) < 0.1 * way(1.0, 1e4)


# --- tasks in Python ---


def reach_in_python(link: str, target: np.ndarray, calls: list | None = None):
    def task(state):
        if calls is not None:
            calls.append(threading.get_ident())
        return target - state.link_pose(link)[:3, 3], state.jacobian(link)[:3]

    return task


def test_a_task_in_python_takes_the_steps_of_the_one_in_rust(panda: Robot) -> None:
    ready, target = panda.named_pose("ready"), np.array([0.4, 0.2, 0.5])
    calls: list[int] = []
    function = reach_in_python("panda_link7", target, calls)
    ours = TaskProblem(panda).add_task("reach", function, 3, tolerance=1e-9).add_posture("rest", ready, priority=1)
    theirs = TaskProblem(panda).add_position("reach", target, link="panda_link7", threshold=1e-9)
    a, b = ours.solve(ready, attempts=3), theirs.add_posture("rest", ready, priority=1).solve(ready, attempts=3)
    assert a.converged and a.iterations == b.iterations
    np.testing.assert_allclose(a.q, b.q, atol=1e-9)
    assert set(calls) == {threading.get_ident()}
    assert named(a)["reach"]["residuals"][0]["what"] == "error"


def test_what_a_task_in_python_sees_is_true(panda: Robot) -> None:
    seen = []

    def look(state):
        seen.append(state)
        return np.ones(7), state.joint_jacobian()[:7]

    names = panda.joint_names
    problem = TaskProblem(panda, base="floating").couple(names[1], names[3], -0.5, -1.9).add_task("look", look, 7)
    problem.solve(
        panda.named_pose("ready"), world_from_root=Pose.from_xyz_rpy(1, 2, 3, 0.1, 0.2, 0.3), max_iterations=2
    )
    for state in seen[:3]:
        values = dict(zip(problem.joint_names, state.q))
        root = panda.link_names[0]
        hand = state.world_from_root @ relative_pose(urdf("franka_panda"), root, "panda_hand", values)
        np.testing.assert_allclose(state.link_pose("panda_hand"), hand, atol=1e-9)
        point = hand[:3, 3] + [0.1, 0.0, 0.2]
        jacobian = state.jacobian("panda_hand", point)
        own = np.linalg.inv(hand) @ [*point, 1.0]
        for column, name in enumerate(problem.columns[6:], 6):
            step = np.zeros(len(state.q))
            step = state.joint_jacobian()[:, column] * 1e-6
            assert step[problem.joint_names.index(name)] == 1e-6
            ends = [
                state.world_from_root
                @ relative_pose(
                    urdf("franka_panda"), root, "panda_hand", dict(zip(problem.joint_names, state.q + sign * step))
                )
                for sign in (-1, 1)
            ]
            linear = ((ends[1] - ends[0]) @ own)[:3] / 2e-6
            spin = (ends[1] - ends[0])[:3, :3] / 2e-6 @ hand[:3, :3].T
            np.testing.assert_allclose(jacobian[:3, column], linear, atol=1e-8)
            np.testing.assert_allclose(jacobian[3:, column], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)
        # The root's own axes: along x the point moves along the root's x, about z as on a turntable.
        np.testing.assert_allclose(jacobian[:3, 0], state.world_from_root[:3, 0], atol=1e-12)
        arm = point - state.world_from_root[:3, 3]
        np.testing.assert_allclose(jacobian[:3, 5], np.cross(state.world_from_root[:3, 2], arm), atol=1e-9)
        np.testing.assert_allclose(jacobian[3:, 5], state.world_from_root[:3, 2], atol=1e-12)


@pytest.mark.parametrize("error", [KeyError("lost"), ZeroDivisionError(), KeyboardInterrupt()])
def test_what_a_task_in_python_raises_comes_out(panda: Robot, error: BaseException) -> None:
    calls = []

    def task(state):
        calls.append(1)
        if len(calls) == 5:
            raise error
        return [1.0 + len(calls)], np.ones((1, 7))

    with pytest.raises(type(error)) as caught:
        TaskProblem(panda).add_task("mine", task, 1).solve(attempts=1000)
    assert caught.value is error and len(calls) == 5


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3.0,
        ([0.0], np.zeros((1, 7)), 1),
        ([0.0, 0.0], np.zeros((1, 7))),
        ([0.0], np.zeros((1, 6))),
        ([0.0], np.zeros(7)),
        ([np.nan], np.zeros((1, 7))),
        ([0.0], np.full((1, 7), np.inf)),
        (["a"], np.zeros((1, 7))),
    ],
)
def test_answers_that_are_no_rows_are_refused_by_the_name_of_the_task(panda: Robot, answer: object) -> None:
    with pytest.raises(InputError, match='task "mine"'):
        TaskProblem(panda).add_task("mine", lambda state: answer, 1).solve()


def test_threads_share_a_problem_and_each_gets_its_own_error(panda: Robot) -> None:
    def task(state):
        if threading.current_thread().name == "bad":
            raise LookupError
        return [0.3 - state.q[0]], state.joint_jacobian()[:1]

    problem = TaskProblem(panda).add_task("mine", task, 1, tolerance=1e-6)
    results: dict[str, object] = {}

    def run() -> None:
        name = threading.current_thread().name
        for _ in range(20):
            try:
                results[name] = problem.solve().q[0]
            except LookupError as error:
                results[name] = error

    threads = [threading.Thread(target=run, name=name) for name in ("good", "bad", "fine")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert abs(results["good"] - 0.3) < 1e-6 and abs(results["fine"] - 0.3) < 1e-6
    assert isinstance(results["bad"], LookupError)


INTERRUPTED = """
import os, signal, sys, threading
import numpy
from kinetic import TaskProblem

# A shell that runs the tests in the background has children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
problem = TaskProblem("franka_panda")
if sys.argv[1] == "rust":
    problem.add_position("far", [9.0, 0.0, 0.0])
else:
    problem.add_task("far", lambda state: ([1.0 + abs(state.q[0])], [[-1.0] + [0.0] * 6]), 1, tolerance=1e-9)
main = threading.main_thread().ident

def stop_when_solving():
    while "endless" not in [frame.f_code.co_name for frame in frames()]:
        pass
    os.kill(os.getpid(), signal.SIGINT)

def frames():
    frame, found = sys._current_frames()[main], []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found

def endless():
    return problem.solve(attempts=10**9)

helper = threading.Thread(target=stop_when_solving)
helper.start()
try:
    endless()
except KeyboardInterrupt:
    print("interrupted")
helper.join()
print(problem.solve().attempts)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
@pytest.mark.parametrize("kind", ["rust", "python"])
def test_ctrl_c_ends_a_long_solve(kind: str) -> None:
    # The solve itself would take days: whoever waits that long was not interrupted.
    command = [sys.executable, "-c", INTERRUPTED, kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["interrupted", "1"], done.stderr


# --- results ---


def test_a_result_that_misses_says_what_is_missing(panda: Robot) -> None:
    problem = TaskProblem(panda).add_position("far", [9.0, 0.0, 0.0]).add_posture("rest", [0.0] * 7, priority=2)
    result = problem.solve(panda.named_pose("ready"))
    assert not result.converged and 'task "far" is not met, position off by' in result.missing
    with pytest.raises(IKError, match='^IKNotConverged: .*task "far" is not met') as caught:
        result.require_converged()
    assert caught.value.residual == named(result)["far"]["residuals"][0]["value"]
    assert caught.value.stopped_by == result.missing
    for limit in result.active_limits:
        assert limit["joint"] in panda.joint_names and limit["joint"] in result.missing
    far = np.linalg.norm(panda.fk(result.q)[:3, 3] - [9.0, 0.0, 0.0])
    assert abs(far - named(result)["far"]["residuals"][0]["value"]) < 1e-9
    assert named(result)["rest"] == {"name": "rest", "priority": 2, "met": True, "residuals": []}


def test_results_can_be_pickled_and_compared(panda: Robot) -> None:
    problem = TaskProblem(panda, base="planar").add_position("far", [9.0, 0.0, 0.0], weight=0.5)
    problem.add_pose("hand", np.eye(4), priority=1)
    result = problem.solve(panda.named_pose("ready"), max_iterations=20)
    again = pickle.loads(pickle.dumps(result))
    assert again == result and repr(again) == repr(result)
    np.testing.assert_array_equal(again.q, result.q)
    np.testing.assert_array_equal(again.world_from_root, result.world_from_root)
    assert again.tasks == result.tasks and again.active_limits == result.active_limits
    assert result != problem.solve(panda.mid_configuration(), max_iterations=20)
    assert repr(result).startswith("<TaskResult: ") and 'task "hand"' in repr(result)
    assert repr(problem) == '<TaskProblem: franka_panda, 10 columns, tasks: "far" (priority 0), "hand" (priority 1)>'
    assert problem.solve(panda.named_pose("ready"), max_iterations=20) == result
