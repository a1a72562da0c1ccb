"""Several groups planned together, two arms, and cells: with Coal and Pinocchio as oracles, and files read back."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest

import kinetic
from kinetic import DualArmPlanner, Goal, InputError, Planner, PlanningError, Pose, Problem, Robot, Scene, Shape

SEES = 1e-5
"""How far below 0 GJK of another library may see bodies that are proven apart, m."""

BOTH = ["left_arm", "right_arm"]
CELL = {"a_": "ur5e", "b_": ("ur5e", Pose.from_xyz_rpy(1.1, 0.0, 0.0, 0.0, 0.0, np.pi))}


def instants(trajectory: kinetic.Trajectory, count: int) -> list[np.ndarray]:
    return [trajectory.sample(t) for t in np.linspace(0.0, trajectory.duration, count)]


def full(robot: Robot, names: list[str], q: np.ndarray) -> np.ndarray:
    """Values of the whole robot, those of other joints at 0."""
    values = dict(zip(names, q, strict=True))
    return np.array([values.get(name, 0.0) for name in robot.active_joints])


# --- one validity for all arms ---


@pytest.mark.parametrize("name", ["baxter_left", "abb_yumi_left"])
@pytest.mark.parametrize("mode", ["independent", "synchronized"])
def test_the_arms_keep_apart_in_the_eyes_of_coal(name: str, mode: str) -> None:
    pytest.importorskip("coal", reason="the tests in Rust have arms whose distances are known in closed form")
    from test_second_opinions import SecondChecker, distance

    robot, second = Robot(name, group=BOTH), SecondChecker(name)
    left, right = (set(moved(robot, Robot(name, group=group).joint_names)) for group in BOTH)
    between = [
        pair
        for pair in second.pairs
        if (pair[0] in left and pair[1] in right) or (pair[0] in right and pair[1] in left)
    ]
    assert len(between) > 20
    planner = Planner(robot, rng_seed=2)
    free = (
        q
        for q in (robot.random_configuration(rng_seed=seed) for seed in itertools.count())
        if not planner.is_in_collision(q)
    )
    start, end = next(free), next(free)
    motion = DualArmPlanner(Robot(name), *BOTH, mode, rng_seed=2).plan(start[:7], start[7:], end[:7], end[7:])
    joined = motion["trajectory"]
    assert joined.certificate is not None
    assert np.array_equal(joined.sample(0.0), start)
    assert np.allclose(joined.sample(joined.duration), end, atol=1e-9)
    least = np.inf
    for t, q in zip(np.linspace(0.0, joined.duration, 60), instants(joined, 60), strict=True):
        parts = [motion[f"{side}_trajectory"].sample(t) for side in ("left", "right")]
        assert np.array_equal(np.concatenate(parts), q)
        poses = robot.fk_all(full(robot, joined.joint_names, q))
        placed = {
            link: [(piece, poses[link] @ local, rounding) for piece, local, rounding in second.pieces[link]]
            for link in {link for pair in between for link in pair}
        }
        least = min(least, *(distance(x, y) for a, b in between for x in placed[a] for y in placed[b]))
    assert least >= -SEES


def moved(robot: Robot, joints: list[str]) -> list[str]:
    """Links below some joints."""
    found: set[str] = set()
    for joint in robot.joints:
        if joint["name"] in joints or joint["parent"] in found:
            found.add(joint["child"])
    return sorted(found)


@pytest.mark.parametrize("law", ["totp", "jerk_limited"])
def test_limits_of_all_arms_hold_by_differences(law: str) -> None:
    robot = Robot("pr2", group=BOTH)
    planner = Planner("pr2", group=BOTH, rng_seed=1)
    free = (
        q
        for q in (robot.random_configuration(rng_seed=seed) for seed in itertools.count())
        if not planner.is_in_collision(q)
    )
    motion = planner.plan(next(free), next(free), law)
    step = motion.duration / 4000
    q = np.array(instants(motion, 4001))
    assert (np.abs(np.diff(q, axis=0)) <= robot.velocity_limits * step * (1.0 + 1e-6)).all()
    assert (np.abs(np.diff(q, 2, axis=0)) <= robot.acceleration_limits * step**2 * (1.0 + 1e-4) + 1e-12).all()


# --- goals of each group ---


def test_a_dict_of_goals_is_met_by_each_group() -> None:
    robot = Robot("abb_yumi_left")
    arm = robot.with_group("right_arm")
    lifted = Pose.from_xyz(0.0, 0.0, 0.05) * Pose(arm.fk(arm.named_pose("home")))
    motion = kinetic.plan("abb_yumi_left", "home", {"left_arm": "ready", "right_arm": lifted}, group=BOTH)
    end = motion.sample(motion.duration)
    assert np.allclose(end[:7], robot.with_group("left_arm").named_pose("ready"), atol=1e-9)
    assert np.allclose(arm.fk(end[7:]), lifted.matrix, atol=1e-5)
    # Named in the other order, joint vectors have the other order.
    other = kinetic.plan("abb_yumi_left", "home", {"left_arm": "ready"}, group=BOTH[::-1])
    home = arm.named_pose("home")
    assert np.array_equal(other.sample(0.0)[:7], home)
    assert np.allclose(other.sample(other.duration)[:7], home, atol=1e-9)


def test_joined_groups_are_saved_and_pickled() -> None:
    planner = Planner("abb_yumi_left", group=BOTH, rng_seed=3, max_iterations=5000)
    assert planner.group == "left_arm+right_arm"
    goal = Goal.groups({"left_arm": Goal.any(["ready", "home"]), "right_arm": "ready"})
    problem = pickle.loads(pickle.dumps(planner)).problem("home", goal)
    again = pickle.loads(pickle.dumps(problem))
    assert (again.hash, again.goal, again.group) == (problem.hash, goal, planner.group)
    assert again.robot.group == planner.group
    assert again.solve() == problem.solve()
    robot = pickle.loads(pickle.dumps(Robot("abb_yumi_left", group=BOTH)))
    assert (robot.group, robot.dof) == (planner.group, 14)
    assert np.array_equal(robot.named_pose("home"), problem.solve().sample(0.0))


def test_a_problem_of_joined_groups_is_read_from_its_file(tmp_path: Path) -> None:
    problem = Planner("abb_yumi_left", group=BOTH).problem("home", {"left_arm": "ready"})
    problem.save(tmp_path / "problem.toml")
    assert Problem.load(tmp_path / "problem.toml").goal == Goal.groups({"left_arm": "ready"})


def test_goals_of_groups_are_values() -> None:
    goal = Goal.groups({"b": [0.0, 1.0], "a": Goal.named("home")})
    assert (goal.kind, goal.values, goal.goals) == ("groups", None, None)
    assert goal.by_group == {"a": Goal.named("home"), "b": Goal.joints([0.0, 1.0])}
    assert Goal.named("home").by_group is None
    assert pickle.loads(pickle.dumps(goal)) == goal
    assert eval(repr(goal), {"Goal": Goal}) == goal


# --- bad input ---


@pytest.mark.parametrize(
    ("group", "code"),
    [
        (["left_arm", "tail"], "GroupNotFound"),
        (["left_arm", "both_arms"], "GroupsShareJoint"),
        (["left_arm", "left_arm"], "InvalidValue"),
        ([], "InvalidValue"),
    ],
)
def test_groups_that_cannot_be_planned_together_are_refused(group: list[str], code: str) -> None:
    for build in (lambda: Planner("baxter_left", group=group), lambda: Robot("baxter_left", group=group)):
        with pytest.raises(InputError) as caught:
            build()
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        ({"head": [0.0]}, "InvalidValue"),
        ({"left_arm": [0.0]}, "DimensionMismatch"),
        ({"left_arm": "lying"}, "NamedConfigNotFound"),
        ({}, "InvalidValue"),
        (Pose.from_xyz(0.5, 0.0, 0.5), "SeveralTips"),
    ],
)
def test_goals_that_do_not_fit_the_groups_are_refused(goal: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        Planner("baxter_left", group=BOTH).plan("home", goal)
    assert caught.value.code == code


def test_a_goal_that_cannot_be_met_names_its_group() -> None:
    planner = Planner("baxter_left", group=BOTH)
    with pytest.raises(PlanningError) as caught:
        planner.plan("home", {"left_arm": Pose.from_xyz(9.0, 0.0, 0.0)})
    assert (caught.value.code, caught.value.group) == ("GoalUnreachable", "left_arm")
    with pytest.raises(InputError) as refused:
        planner.fk(np.zeros(14))
    assert refused.value.code == "SeveralTips"
    assert set(refused.value.available) >= {"left_arm", "right_arm"}


def test_modes_that_do_not_exist_and_wrong_starts_are_refused() -> None:
    with pytest.raises(InputError, match="independent"):
        DualArmPlanner("baxter_left", *BOTH, "together")
    arms = DualArmPlanner("baxter_left", *BOTH)
    assert (arms.left_dof, arms.right_dof, arms.mode) == (7, 7, "synchronized")
    with pytest.raises(InputError, match="right_arm"):
        arms.plan("home", [0.0], "ready", "ready")


# --- arms that hold one object ---


def relative_tips(pin, model, names: list[str], q: np.ndarray, tips: tuple[str, str]) -> np.ndarray:
    poses = frames(pin, model, dict(zip(names, q, strict=True)))
    return np.linalg.inv(poses[tips[0]]) @ poses[tips[1]]


CELLS = {
    "baxter": lambda: (Robot("baxter_left"), BOTH),
    "two_ur5e": lambda: (Robot.compose("cell", CELL), ["a_arm", "b_arm"]),
}


@pytest.mark.parametrize("name", list(CELLS))
def test_arms_that_hold_a_bar_keep_their_relative_pose_in_the_eyes_of_pinocchio(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="the second opinion on poses of links; Rust has a parallelogram")
    robot, groups = CELLS[name]()
    left, right = (robot.with_group(group) for group in groups)
    model = pin.buildModelFromXML(robot.to_urdf())
    rng, position, angle = np.random.default_rng(4), 1e-3, 1e-2
    solved = 0
    for case in range(12):
        both = Planner(robot, group=groups)
        drawn = (
            robot.with_group(group).random_configuration(rng_seed=50 * case + i) for i in range(25) for group in groups
        )
        pairs = zip(drawn, drawn, strict=False)
        start = next((np.concatenate(pair) for pair in pairs if not both.is_in_collision(np.concatenate(pair))), None)
        if start is None:
            continue
        q_left, q_right = start[: left.dof], start[left.dof :]
        scene = Scene(robot)
        grasp = Pose.from_xyz(0.0, 0.0, 0.03)
        scene.attach("bar", Shape.sphere(0.01), grasp, left.tip, [right.tip])
        arms = DualArmPlanner(
            robot, *groups, "coordinated", scene, 2.0, position_tolerance=position, orientation_tolerance=angle
        )
        root_from_base = Pose(robot.fk_all(full(robot, left.joint_names, q_left))[left.base])
        at = root_from_base * Pose(left.fk(q_left)) * Pose(np.linalg.inv(left.tcp)) * grasp
        goal = Pose.from_xyz_rpy(*rng.uniform(-0.05, 0.05, 3), *rng.uniform(-0.05, 0.05, 3)) * at
        try:
            motion = arms.plan_object(q_left, q_right, "bar", goal)
        except PlanningError as error:
            assert error.code in (
                "GoalUnreachable",
                "GoalInCollision",
                "PlanningTimeout",
                "StartInCollision",
                "PlanningFailed",
            )
            continue
        solved += 1
        joined = motion["trajectory"]
        (proven,) = joined.certificate.constraints
        assert proven["max_violation"] <= 0.0 and proven["constraint"].kind == "relative_pose"

        held = relative_tips(pin, model, joined.joint_names, start, (left.tip, right.tip))
        for q in instants(joined, 200):
            off = relative_tips(pin, model, joined.joint_names, q, (left.tip, right.tip))
            assert np.linalg.norm(off[:3, 3] - held[:3, 3]) <= position + 1e-9, case
            assert np.linalg.norm(pin.log3(off[:3, :3] @ held[:3, :3].T)) <= angle + 1e-9, case
        assert np.array_equal(joined.sample(0.0), start)
        end = frames(pin, model, dict(zip(joined.joint_names, joined.sample(joined.duration), strict=True)))[left.tip]
        assert np.allclose(end @ grasp.matrix, goal.matrix, atol=1e-5)
    assert solved >= 6, solved


def test_grasps_that_break_and_objects_that_nobody_holds_are_refused() -> None:
    arms = DualArmPlanner("baxter_left", *BOTH, "coordinated", rng_seed=1)
    assert arms.mode == "coordinated"
    with pytest.raises(PlanningError) as caught:
        arms.plan("home", "home", "ready", "home")
    assert caught.value.code == "ConstraintViolated" and caught.value.context == "goal"
    with pytest.raises(InputError, match="carried object"):
        arms.plan_object("home", "home", "bar", np.eye(4))
    with pytest.raises(InputError, match="mode"):
        DualArmPlanner("baxter_left", *BOTH).plan_object("home", "home", "bar", np.eye(4))
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(InputError):
            DualArmPlanner("baxter_left", *BOTH, "coordinated", position_tolerance=bad)


def test_a_scene_that_is_edited_is_seen_by_the_next_plan() -> None:
    robot = Robot("abb_yumi_left")
    scene = Scene(robot)
    arms = DualArmPlanner(robot, *BOTH, scene=scene)
    arms.plan("home", "home", "ready", "ready")
    tool = robot.with_group("left_arm")
    at = tool.fk(tool.named_pose("ready"))[:3, 3]
    scene.add("ball", Shape.sphere(0.1), Pose.from_xyz(*at))
    with pytest.raises(PlanningError):
        arms.plan("home", "home", "ready", "ready")


# --- cells ---


def frames(pin, model, q: dict[str, float]) -> dict[str, np.ndarray]:
    data, values = model.createData(), pin.neutral(model)
    for name, value in q.items():
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            values[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        else:
            values[joint.idx_q] = value
    pin.forwardKinematics(model, data, values)
    pin.updateFramePlacements(model, data)
    return {
        frame.name: data.oMf[index].homogeneous
        for index, frame in enumerate(model.frames)
        if frame.type == pin.FrameType.BODY
    }


def edited() -> dict[str, Robot]:
    cell = Robot.compose("cell", CELL)
    plain = Robot.from_urdf(
        """<robot name="slider"><link name="rail"/><link name="cart"/><link name="finger"/>
        <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
        <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
        <joint name="follow" type="prismatic"><parent link="cart"/><child link="finger"/><axis xyz="0 0 1"/>
        <mimic joint="slide" multiplier="-0.5" offset="0.1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    return {
        "cell": cell,
        "mixed": Robot.compose(
            "mixed", {"arm/": "franka_panda", "p/": plain, "w/": ("xarm7", Pose.from_xyz(0.0, 2.0, 0.1))}
        ),
        "locked": cell.with_locked_joints({"a_elbow_joint": 1.2, "b_wrist_1_joint": -0.7}),
        "tooled": Robot("ur5e").with_link("torch", "tool0", Pose.from_xyz_rpy(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
        "mobile": Robot("fetch"),
        "two arms": Robot("baxter_left"),
    }


@pytest.mark.parametrize("name", ["cell", "mixed", "locked", "tooled", "mobile", "two arms"])
def test_pinocchio_reads_what_is_written_and_agrees(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="the tests in Rust read it back without it")
    robot = edited()[name]
    model = (
        pin.buildModelFromXML(robot.to_urdf(), mimic=True)
        if name == "mixed"
        else pin.buildModelFromXML(robot.to_urdf())
    )
    rng = np.random.default_rng(5)
    low, high = np.full(len(robot.active_joints), -0.5), np.full(len(robot.active_joints), 0.5)
    for _ in range(5):
        values = dict(zip(robot.active_joints, rng.uniform(low, high), strict=True))
        poses = robot.fk_all(np.array(list(values.values())))
        if name == "mixed":
            values.pop("p/follow", None)
        theirs = frames(pin, model, values)
        assert set(poses) == set(theirs) | ({robot.link_names[0]} - set(theirs))
        for link, pose in theirs.items():
            assert np.abs(pose - poses[link]).max() < 1e-9, link


def test_a_cell_is_planned_in_and_its_file_is_read(tmp_path: Path) -> None:
    cell = Robot.compose("cell", CELL)
    motion = kinetic.plan(cell, "home", {"a_arm": "ready", "b_arm": "ready"}, group=["a_arm", "b_arm"], rng_seed=1)
    assert motion.certificate is not None
    cell.save_urdf(tmp_path / "cell.urdf")
    read = Robot.from_urdf(tmp_path / "cell.urdf")
    assert (read.link_names, read.active_joints) == (cell.link_names, cell.active_joints)
    # Stretched towards each other, the arms collide; turned away, they do not.
    planner = Planner(cell, group=["a_arm", "b_arm"])
    stretched = [-0.1, 0.0, 0.0, 0.0, 0.0]
    assert planner.is_in_collision([0.0, *stretched, 0.0, *stretched])
    assert not planner.is_in_collision([np.pi, *stretched, np.pi, *stretched])


def test_edits_that_make_no_robot_are_refused() -> None:
    robot = Robot("ur5e")
    for edit in (
        lambda: Robot.compose("cell", {}),
        lambda: Robot.compose("cell", {"": "ur5e", "a_": ("ur5e",)}),
        lambda: Robot.compose("cell", [robot]),
        lambda: robot.with_link("tool0", "tool0"),
        lambda: robot.with_link("torch", "nothing"),
        lambda: robot.with_tip("base_link"),
        lambda: robot.with_locked_joints({"elbow_joint": 99.0}),
        lambda: robot.with_locked_joints({"elbow": 0.0}),
        lambda: robot.with_locked_joints(["elbow_joint"]),
    ):
        with pytest.raises(InputError):
            edit()
