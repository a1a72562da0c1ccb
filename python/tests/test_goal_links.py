"""Poses of links as goals: what Pinocchio says of the configurations that plans end at."""

import pickle

import numpy as np
import pytest
from oracles import FOLDERS

from kinetic import Goal, InputError, MoveGroup, Planner, PlanningError, Pose, Problem, Robot, Scene, Shape

pinocchio = pytest.importorskip("pinocchio")

TOLERANCE = 2e-6
"""A goal is met to 1e-6 m and rad; the rest is rounding of two programs."""


class Model:
    """A robot of the URDF of its folder, as Pinocchio reads it."""

    def __init__(self, name: str) -> None:
        self.model = pinocchio.buildModelFromUrdf(str(FOLDERS[name] / "robot.urdf"))
        self.data = self.model.createData()

    def base_from_link(self, joint_values: dict[str, float], base: str, link: str) -> np.ndarray:
        """Pose of a link in another one; joints that are not named stand at 0."""
        q = pinocchio.neutral(self.model)
        for name, value in joint_values.items():
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        frames = [self.data.oMf[self.model.getFrameId(name)] for name in (base, link)]
        return (frames[0].inverse() * frames[1]).homogeneous


def base_of(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Pose of the group's base in the root: the tip in the root, and the tip in the base."""
    return robot.fk_all(q)[robot.tip] @ np.linalg.inv(robot.fk(q))


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("ur5e", ["forearm_link"]),
        ("ur5e", ["wrist_1_link"]),
        ("franka_panda", ["panda_link4"]),
        ("kuka_iiwa14", ["iiwa_link_5"]),
        ("xarm6", ["link4"]),
        ("fetch", ["elbow_flex_link"]),
    ],
)
def test_a_link_inside_the_chain_ends_at_its_pose(name, links) -> None:
    robot, model = Robot(name), Model(name)
    names = robot.link_names
    links = [link for link in links if link in names] or [names[len(names) // 2]]
    planner = Planner(robot, timeout=20.0)
    rng = np.random.default_rng(0)
    solved = 0
    for _ in range(8):
        start, target = (robot.random_configuration(int(seed)) for seed in rng.integers(2**32, size=2))
        if planner.is_in_collision(start) or planner.is_in_collision(target):
            continue
        base = next(iter(robot.fk_all(target)))
        wanted = {link: model.base_from_link(dict(zip(robot.joint_names, target)), base, link) for link in links}
        root_from_base = base_of(robot, target)
        goal = Goal.links({link: np.linalg.inv(root_from_base) @ pose for link, pose in wanted.items()})
        motion = planner.plan(start, goal, False)
        end = dict(zip(robot.joint_names, motion.positions()[-1]))
        for link in links:
            np.testing.assert_allclose(model.base_from_link(end, base, link), wanted[link], atol=TOLERANCE)
        solved += 1
    assert solved >= 3


def test_both_arms_of_a_torso_reach_their_poses_at_once() -> None:
    groups = ["left_arm", "right_arm"]
    both, model = Robot("abb_yumi_left", group=groups), Model("abb_yumi_left")
    planner = Planner(both, timeout=30.0)
    tips = [Robot("abb_yumi_left", group=group).tip for group in groups]
    solved = 0
    for seed in range(12):
        start, target = both.random_configuration(2 * seed), both.random_configuration(2 * seed + 1)
        if planner.is_in_collision(start) or planner.is_in_collision(target):
            continue
        values = dict(zip(both.joint_names, target))
        base = next(iter(both.fk_all(target)))
        wanted = {tip: model.base_from_link(values, base, tip) for tip in tips}
        try:
            motion = planner.plan(start, Goal.links(wanted), False)
        except PlanningError as error:
            assert error.code in ("GoalInCollision", "PlanningTimeout")
            continue
        end = dict(zip(both.joint_names, motion.positions()[-1]))
        for tip in tips:
            np.testing.assert_allclose(model.base_from_link(end, base, tip), wanted[tip], atol=TOLERANCE)
        solved += 1
    assert solved >= 1


def test_a_link_that_is_rigid_with_the_tip_is_a_pose_of_the_tool() -> None:
    robot = Robot("ur5e")
    tcp = Pose.from_xyz(0.0, 0.0, 0.15)
    robot.tcp = tcp
    planner = Planner(robot)
    start, target = robot.random_configuration(1), robot.random_configuration(4)
    by_link = planner.plan(start, Goal.links({robot.tip: Pose(robot.fk(target)) * tcp.inverse()}))
    by_tool = planner.plan(start, Goal.pose(robot.fk(target)))
    np.testing.assert_allclose(by_link.sample(by_link.duration), by_tool.sample(by_tool.duration), atol=1e-9)


def test_goals_of_links_are_values(tmp_path) -> None:
    planner = Planner("ur5e", max_iterations=5_000)
    pose = Pose.from_matrix(planner.robot.fk_all(planner.robot.named_pose("ready"))["forearm_link"])
    goal = Goal.links({"forearm_link": pose})
    assert (goal.kind, list(goal.by_link)) == ("links", ["forearm_link"])
    assert pickle.loads(pickle.dumps(goal)) == goal
    assert eval(repr(goal), {"Goal": Goal, "Pose": Pose}) == goal
    base = Pose(base_of(planner.robot, planner.robot.named_pose("home")))
    goal = Goal.links({"forearm_link": base.inverse() * pose})
    problem = planner.problem("home", goal)
    problem.save(tmp_path / "problem.toml")
    assert Problem.load(tmp_path / "problem.toml").hash == problem.hash
    assert problem.solve().hash == planner.plan("home", goal).hash


@pytest.mark.parametrize(
    ("links", "code", "said"),
    [
        ({}, "InvalidValue", "at least one link"),
        ({"elbow": np.eye(4)}, "LinkNotFound", "forearm_link"),
        ({"base_link": np.eye(4)}, "InvalidValue", "moves"),
    ],
)
def test_what_no_group_can_do_is_said(links, code, said) -> None:
    with pytest.raises(InputError, match=said) as caught:
        Planner("ur5e").plan("home", Goal.links(links))
    assert caught.value.code == code


def test_a_pose_out_of_reach_is_no_input_error() -> None:
    with pytest.raises(PlanningError) as caught:
        Planner("ur5e").plan("home", Goal.links({"forearm_link": Pose.from_xyz(5.0, 0.0, 0.0)}))
    assert caught.value.code == "GoalUnreachable"
    assert "off by" in str(caught.value)


def test_a_move_group_takes_targets_of_links() -> None:
    arm = MoveGroup("ur5e")
    target = arm.robot.named_pose("ready")
    root_from_link = arm.robot.fk_all(target)["forearm_link"]
    arm.set_pose_target(root_from_link, end_effector_link="forearm_link")
    assert arm.go()
    np.testing.assert_allclose(arm.robot.fk_all(arm.get_joint_state())["forearm_link"], root_from_link, atol=TOLERANCE)
    arm.set_goal_position_tolerance(0.01)
    with pytest.raises(InputError, match="position tolerance"):
        arm.plan()
    arm.clear_pose_targets()
    with pytest.raises(InputError, match="target"):
        arm.plan()
    with pytest.raises(InputError) as caught:
        arm.set_pose_target(root_from_link, end_effector_link="elbow")
    assert "forearm_link" in caught.value.available


def test_reports_look_into_goals_of_several_links() -> None:
    """Regression 27: a goal of several links in contact left a report without evidence and suggestions."""
    robot, goal = Robot("ur5e"), [-0.2, -1.0, 1.0, -1.57, -1.0, 0.0]
    links = robot.fk_all(goal)
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.03), robot.fk(goal))
    wanted = Goal.links({name: links[name] for name in ("forearm_link", "wrist_2_link")})
    with pytest.raises(PlanningError) as caught:
        Planner(robot, scene).plan([1.2, -1.0, 1.0, -1.57, -1.0, 0.0], wanted)
    report = caught.value._failure.report(timeout=600.0)
    assert "ball" in report["evidence"]["pair"], report
    assert any(suggestion["solved"] for suggestion in report["suggestions"]), report
