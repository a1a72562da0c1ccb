"""``MoveGroup``: every setter makes a difference, failures can be read, the state follows what is carried out."""

import pickle
import threading

import numpy as np
import pytest

import kinetic
from kinetic import Constraint, Goal, InputError, MoveGroup, Planner, Pose, Robot, Scene, Shape, SimExecutor

ARMS = ["ur5e", "franka_panda", "fetch", "tiago", "xarm6", "kuka_iiwa14"]


@pytest.fixture
def arm() -> MoveGroup:
    return MoveGroup("ur5e")


def down(group: MoveGroup, distance: float = 0.05) -> Pose:
    """The end effector's pose, moved down along the z axis of the reference frame."""
    return Pose.from_xyz(0.0, 0.0, -distance) * group.get_current_pose()


def blocked(group: MoveGroup) -> None:
    """Puts a box around the hand at "ready"."""
    pose = np.eye(4)
    pose[:3, 3] = group.robot.fk(group.get_named_target_values("ready"))[:3, 3]
    group.scene.add("box", Shape.box(0.3, 0.3, 0.3), pose)


def test_a_robot_is_named_a_path_or_xml_text(tmp_path) -> None:
    robot = Robot("ur5e")
    robot.save_urdf(tmp_path / "arm.urdf")
    for given in ("ur5e", robot, tmp_path / "arm.urdf", (tmp_path / "arm.urdf").read_text()):
        group = MoveGroup(given)
        assert (group.robot_name, group.dof) == ("ur5e", 6)
        assert group.get_joint_names() == robot.joint_names
        np.testing.assert_array_equal(group.get_joint_limits(), robot.joint_limits)
    with pytest.raises(InputError, match="RobotConfigNotFound"):
        MoveGroup("ur5f")
    with pytest.raises(InputError, match="outermost element"):
        MoveGroup("<!-- <robot> --><scene/>")
    with pytest.raises(OSError):
        MoveGroup(tmp_path / "none.urdf")


@pytest.mark.parametrize("name", ARMS)
def test_a_robot_goes_to_poses_that_forward_kinematics_confirms(name) -> None:
    group = MoveGroup(name)
    goal = down(group, 0.03)
    group.set_pose_target(goal.xyz, goal.xyzw)
    assert group.go(), group.last_failure
    # Forward kinematics of a robot of its own, in the root frame.
    reached = Robot(name).fk_all(group.get_joint_state())[group.robot.tip] @ group.robot.tcp
    np.testing.assert_allclose(reached, goal.matrix, atol=1e-5)


def test_joint_targets_take_values_and_names(arm) -> None:
    home = arm.get_joint_state()
    arm.set_joint_target(home + 0.1)
    motion = arm.plan()
    np.testing.assert_allclose(motion.sample(motion.duration), home + 0.1, atol=1e-9)
    arm.set_joint_target({"elbow_joint": 0.3})
    motion = arm.plan()
    expected = home.copy()
    expected[arm.get_joint_names().index("elbow_joint")] = 0.3
    np.testing.assert_allclose(motion.sample(motion.duration), expected, atol=1e-9)
    with pytest.raises(InputError, match='no joint "elbow"'):
        arm.set_joint_target({"elbow": 0.3})
    arm.set_joint_target(np.full(6, 9.0))
    with pytest.raises(InputError, match="JointLimitViolation"):
        arm.plan()


def test_the_state_follows_what_is_carried_out_and_plans_do_not_move_it(arm) -> None:
    home, ready = arm.get_joint_state(), arm.get_named_target_values("ready")
    arm.set_named_target("ready")
    motion = arm.plan()
    np.testing.assert_array_equal(arm.get_joint_state(), home)
    assert arm.execute(motion)
    np.testing.assert_allclose(arm.get_joint_state(), ready, atol=1e-9)
    with pytest.raises(InputError, match="beginning of the trajectory"):
        arm.execute(motion)


def test_the_state_is_set_by_values_of_group_and_robot_and_by_names() -> None:
    panda = MoveGroup("franka_panda")
    q = panda.get_joint_state() + 0.05
    panda.set_joint_state(q)
    np.testing.assert_array_equal(panda.get_joint_state(), q)
    whole = np.append(q + 0.01, 0.03)
    panda.set_joint_state(whole)
    np.testing.assert_array_equal(panda.get_joint_state(), whole[:7])
    panda.set_joint_state({"panda_joint1": 0.2, panda.robot.active_joints[-1]: 0.02})
    assert panda.get_joint_state()[0] == 0.2
    panda.set_named_target("ready")
    assert panda.go()
    for wrong in ([0.1], np.full(7, np.nan), {"joint": 0.0}):
        with pytest.raises(InputError):
            panda.set_joint_state(wrong)


def test_a_start_state_is_where_plans_begin(arm) -> None:
    arm.set_named_target("ready")
    start = arm.get_joint_state() + 0.2
    arm.set_start_state(start)
    np.testing.assert_allclose(arm.plan().sample(0.0), start)
    arm.set_start_state_to_current_state()
    np.testing.assert_allclose(arm.plan().sample(0.0), arm.get_joint_state())


def test_remembered_poses_are_named_targets(arm) -> None:
    there = arm.get_joint_state() + 0.1
    arm.remember_pose("there", there)
    arm.remember_pose("here")
    assert arm.get_named_poses() == [*arm.robot.named_poses, "there", "here"]
    arm.set_named_target("there")
    assert arm.go()
    np.testing.assert_allclose(arm.get_joint_state(), there, atol=1e-9)
    arm.forget_pose("there")
    with pytest.raises(InputError) as caught:
        arm.set_named_target("there")
    assert caught.value.code == "UnknownName"
    assert "here" in caught.value.available


def test_a_plan_that_fails_is_none_and_says_why(arm) -> None:
    blocked(arm)
    arm.set_named_target("ready")
    assert arm.plan() is None
    assert arm.last_failure.code == "GoalInCollision"
    assert not arm.go()
    arm.scene.clear()
    assert arm.plan() is not None
    assert arm.last_failure is None
    with pytest.raises(InputError, match="target = none"):
        MoveGroup("ur5e").plan()


def test_executing_a_plan_that_failed_says_where_the_reason_is(arm) -> None:
    blocked(arm)
    arm.set_named_target("ready")
    with pytest.raises(InputError, match="None; wanted a Trajectory.*last_failure"):
        arm.execute(arm.plan())


def test_planning_time_ends_a_plan(arm) -> None:
    arm.set_named_target("ready")
    arm.set_planning_time(1e-9)
    assert arm.get_planning_time() == 1e-9
    assert arm.plan() is None
    assert arm.last_failure.code == "PlanningTimeout"


@pytest.mark.parametrize(
    ("setter", "option"), [("velocity", "velocity_scaling"), ("acceleration", "acceleration_scaling")]
)
def test_scaling_factors_slow_motions_down(arm, setter, option) -> None:
    arm.set_named_target("ready")
    fast = arm.plan()
    getattr(arm, f"set_max_{setter}_scaling_factor")(0.1)
    assert arm.get_param(option) == 0.1
    slow = arm.plan()
    assert slow.duration > 1.5 * fast.duration
    times = np.linspace(0.0, slow.duration, 400)
    sample = slow.sample_velocity if setter == "velocity" else slow.sample_acceleration
    limits = arm.robot.velocity_limits if setter == "velocity" else arm.robot.acceleration_limits
    assert (np.abs([sample(t) for t in times]) <= 0.1 * limits + 1e-9).all()


def test_the_planner_is_the_one_that_is_named(arm) -> None:
    arm.set_planner_id("aorrtc")
    arm.set_param("max_iterations", 50)
    assert arm.get_planner_id() == "aorrtc"
    arm.set_named_target("ready")
    assert arm.plan() is not None
    assert arm.planner.last_stats["planner_used"] == "aorrtc"


def test_every_option_is_a_parameter_and_none_takes_it_back(arm) -> None:
    for option in kinetic._kinetic._planner_options():
        default = arm.get_param(option["name"])
        np.testing.assert_equal(arm.get_param(option["keyword"]), default)
    arm.set_param("seed", 7)
    assert arm.planner.rng_seed == arm.get_param("rng_seed") == 7
    arm.set_param("rng_seed", None)
    assert arm.get_param("seed") == 0
    arm.set_param("time_law", "trapezoidal")
    arm.set_named_target("ready")
    assert arm.plan().law == "trapezoidal"
    arm.set_param("preset", "realtime")
    assert arm.get_param("collision_margin") == 0.01
    with pytest.raises(InputError) as caught:
        arm.set_param("goal_tolerance", 0.1)
    assert caught.value.code == "UnknownName"
    assert set(arm.get_param_names()) == set(caught.value.available)
    for name, value in (("timeout", -1.0), ("time_law", "fast"), ("planner_type", "rrt"), ("preset", "quick")):
        before = arm.get_param(name)
        with pytest.raises(InputError):
            arm.set_param(name, value)
        assert arm.get_param(name) == before


def test_the_reference_frame_is_that_of_a_link(arm) -> None:
    pose, lower = arm.get_current_pose(), down(arm)
    arm.set_pose_reference_frame("shoulder_link")
    assert arm.get_pose_reference_frame() == "shoulder_link"
    root_from_shoulder = Pose(arm.robot.fk_all(arm.get_joint_state())["shoulder_link"])
    here = arm.get_current_pose()
    np.testing.assert_allclose((root_from_shoulder * here).matrix, pose.matrix, atol=1e-12)
    arm.set_pose_target(root_from_shoulder.inverse() * lower)
    motion = arm.plan()
    reached = arm.robot.fk_all(motion.sample(motion.duration))[arm.robot.tip]
    np.testing.assert_allclose(reached, lower.matrix, atol=1e-5)
    with pytest.raises(InputError, match='no link "tip"'):
        arm.set_pose_reference_frame("tip")


def test_the_end_effector_is_a_link_that_the_tip_carries() -> None:
    robot = Robot("ur5e").with_link("camera", "wrist_3_link", Pose.from_xyz(0.0, 0.05, 0.1))
    group = MoveGroup(robot)
    before = group.get_current_pose()
    group.set_end_effector_link("camera")
    assert group.get_current_pose().translation_distance(before) > 0.05
    np.testing.assert_array_equal(robot.tcp, Robot("ur5e").tcp)
    goal = down(group)
    group.set_pose_target(goal)
    motion = group.plan()
    reached = robot.fk_all(motion.sample(motion.duration))["camera"]
    np.testing.assert_allclose(reached, goal.matrix, atol=1e-5)
    with pytest.raises(InputError):
        group.set_end_effector_link("shoulder_link")


def test_pose_targets_take_what_moveit_takes(arm) -> None:
    goal = down(arm)
    ends = []
    for given in ([goal], [goal.matrix], [[*goal.xyz, *goal.rpy]], [[*goal.xyz, *goal.xyzw]], [goal.xyz, goal.xyzw]):
        arm.set_pose_target(*given)
        motion = arm.plan()
        ends.append(arm.robot.fk(motion.sample(motion.duration)))
    np.testing.assert_allclose(ends, [goal.matrix] * len(ends), atol=1e-5)
    arm.clear_pose_targets()
    with pytest.raises(InputError, match="target = none"):
        arm.plan()


def test_a_position_target_leaves_the_orientation_free(arm) -> None:
    wanted = [0.35, 0.25, 0.45]
    arm.set_position_target(wanted)
    motion = arm.plan()
    np.testing.assert_allclose(arm.robot.fk(motion.sample(motion.duration))[:3, 3], wanted, atol=1e-5)


def test_a_position_tolerance_lets_a_goal_beyond_reach_be_met_nearby(arm) -> None:
    beyond = down(arm, -0.03)
    arm.set_pose_target(beyond)
    assert arm.plan() is None
    assert arm.last_failure.code == "GoalUnreachable"
    arm.set_goal_position_tolerance(0.1)
    motion = arm.plan()
    reached = Pose(arm.robot.fk(motion.sample(motion.duration)))
    off = (beyond.inverse() * reached).xyz
    assert 0.0 < np.abs(off).max() <= 0.1 + 1e-5
    assert reached.rotation_distance(beyond) < 1e-5
    with pytest.raises(InputError):
        arm.set_goal_position_tolerance(-0.1)


def test_an_orientation_tolerance_lets_the_tool_turn_where_it_has_to(arm) -> None:
    turned = down(arm, 0.02).rotate(np.pi, "x", wrt="local")
    arm.set_pose_target(turned)
    assert arm.plan() is None
    assert arm.last_failure.code == "GoalUnreachable"
    arm.set_goal_orientation_tolerance(np.pi)
    motion = arm.plan()
    reached = Pose(arm.robot.fk(motion.sample(motion.duration)))
    assert reached.translation_distance(turned) < 1e-5
    assert reached.rotation_distance(turned) > 0.1
    with pytest.raises(InputError):
        arm.set_goal_orientation_tolerance(4.0)


def test_path_constraints_hold_until_they_are_cleared(arm) -> None:
    arm.set_named_target("ready")
    free = arm.plan()
    limit = float(np.max([free.sample(t)[2] for t in np.linspace(0.0, free.duration, 200)]))
    arm.set_path_constraints([Constraint.joint(2, -1.0, 0.5 * limit)])
    assert arm.get_path_constraints() == [Constraint.joint(2, -1.0, 0.5 * limit)]
    assert arm.plan() is None
    assert arm.last_failure.code == "ConstraintViolated"
    arm.clear_path_constraints()
    assert arm.plan() == free


def test_a_workspace_is_kept(arm) -> None:
    arm.set_named_target("ready")
    arm.set_workspace([[-0.01, -0.01, -0.01], [0.01, 0.01, 0.01]])
    assert arm.plan() is None
    arm.set_workspace(None)
    assert arm.plan() is not None


def test_a_cartesian_path_follows_lines_and_says_how_far(arm) -> None:
    arm.set_joint_state(arm.get_named_target_values("ready"))
    here = arm.get_current_pose()
    motion, fraction = arm.compute_cartesian_path(
        [Pose.from_xyz(0.0, 0.0, 0.05) * here, Pose.from_xyz(0.05, 0.0, 0.05) * here]
    )
    assert fraction == 1.0
    points = (
        np.array([arm.robot.fk(motion.sample(t))[:3, 3] for t in np.linspace(0.0, motion.duration, 200)]) - here.xyz
    )
    on_first, on_second = np.abs(points[:, 0]) < 1e-3, np.abs(points[:, 2] - 0.05) < 1e-3
    assert (on_first | on_second).all()
    assert arm.execute(motion)
    far, fraction = arm.compute_cartesian_path([Pose.from_xyz(3.0, 0.0, 0.0) * here])
    assert 0.0 < fraction < 1.0
    assert far.certificate is not None
    assert arm.last_cartesian_result.reason
    blocked(arm)
    arm.set_joint_state(arm.get_named_target_values("ready"))
    assert arm.compute_cartesian_path([here]) == (None, 0.0)
    assert arm.last_failure.code == "StartInCollision"


def test_an_object_is_carried_and_put_down(arm) -> None:
    arm.set_joint_state(arm.get_named_target_values("ready"))
    pose = arm.get_current_pose() * Pose.from_xyz(0.0, 0.0, 0.06)
    arm.scene.add("part", Shape.box(0.04, 0.04, 0.04), pose)
    arm.attach_object("part")
    assert arm.get_attached_objects() == ["part"]
    shape, _, link = arm.scene.attached_body("part")
    assert (shape, link) == (Shape.box(0.04, 0.04, 0.04), arm.robot.tip)
    tool_from_part = arm.get_current_pose().inverse() * pose
    arm.set_named_target("home")
    assert arm.go(), arm.last_failure
    arm.detach_object("part")
    assert arm.get_attached_objects() == []
    _, placed = arm.scene.get("part")
    np.testing.assert_allclose(placed, (arm.get_current_pose() * tool_from_part).matrix, atol=1e-9)
    for call in (lambda: arm.attach_object("tray"), lambda: arm.detach_object("part")):
        with pytest.raises(InputError):
            call()


def test_a_scene_that_is_given_is_the_one_that_is_planned_in() -> None:
    robot = Robot("ur5e")
    scene = Scene(robot)
    group = MoveGroup(robot, scene=scene)
    assert group.scene is scene
    blocked(group)
    group.set_named_target("ready")
    assert group.plan() is None
    with pytest.raises(InputError, match="wanted a scene of robot"):
        MoveGroup("xarm6", scene=scene)


def test_executors_are_objects_or_functions_and_their_failures_are_told(arm) -> None:
    arm.set_named_target("ready")
    log = kinetic.LogExecutor(rate_hz=50.0)
    assert arm.go(log)
    assert log.num_commands > 2
    arm.set_named_target("home")
    sent = []
    clock = kinetic.SimulatedClock()
    executor = kinetic.RealTimeExecutor(rate_hz=100.0, clock=clock)
    assert arm.go(lambda motion: executor.start(motion, lambda q, qd: sent.append(q)))
    np.testing.assert_allclose(sent[-1], arm.get_named_target_values("home"), atol=1e-6)
    arm.set_named_target("ready")

    def refuse(q, qd) -> None:
        raise RuntimeError("no power")

    assert not arm.go(lambda motion: executor.start(motion, refuse))
    assert isinstance(arm.last_failure, kinetic.ExecutionError)
    for wrong in (executor, 3):
        with pytest.raises(InputError, match="executor ="):
            arm.go(wrong)


def test_stop_ends_a_motion_on_its_path_and_the_state_follows(arm) -> None:
    arm.set_named_target("ready")
    motion = arm.plan()
    clock = kinetic.SimulatedClock()
    executor = kinetic.RealTimeExecutor(rate_hz=100.0, clock=clock)

    def send(q, qd) -> None:
        if np.abs(qd).max() > 0.0:
            arm.stop()

    assert not arm.execute(motion, lambda motion: executor.start(motion, send))
    q = arm.get_joint_state()
    assert (
        1e-4 < np.abs(q - motion.sample(0.0)).max() < np.abs(motion.sample(motion.duration) - motion.sample(0.0)).max()
    )
    assert arm.go()


def test_stop_ends_a_plan(arm) -> None:
    arm.set_named_target("ready")
    arm.set_planner_id("aorrtc")
    arm.set_planning_time(600.0)
    found = []
    thread = threading.Thread(target=lambda: found.append(arm.plan()))
    thread.start()
    while thread.is_alive():
        arm.stop()
        thread.join(0.01)
    assert len(found) == 1


def test_several_groups_have_goals_of_their_own() -> None:
    both = MoveGroup("abb_yumi_left", ["left_arm", "right_arm"])
    assert both.dof == 14
    both.set_goal(Goal.groups({"left_arm": "ready"}))
    right = both.get_joint_state()[7:]
    assert both.go(), both.last_failure
    np.testing.assert_array_equal(both.get_joint_state()[7:], right)


def test_a_group_survives_pickling(arm) -> None:
    arm.set_max_velocity_scaling_factor(0.5)
    arm.remember_pose("here")
    arm.set_named_target("ready")
    motion = arm.plan()
    back = pickle.loads(pickle.dumps(arm))
    assert back.plan() == motion
    assert back.get_named_poses() == arm.get_named_poses()


def test_what_is_planned_is_what_the_planner_plans(arm) -> None:
    arm.set_named_target("ready")
    assert arm.plan() == Planner("ur5e").plan("home", "ready")
    assert SimExecutor().execute(arm.plan())["state"] == "Completed"
