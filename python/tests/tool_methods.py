"""Rows of ``test_planning_laws.py``: paths of the tool, several motions, motions that are carried out, and two arms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from planning_methods import ARMS, BENT, GOAL, START, Method, World, arm_ends, planning_to, poses, tool

from kinetic import (
    CartesianConfig,
    CartesianPath,
    Constraint,
    DualArmPlanner,
    Goal,
    MoveGroup,
    PathTolerance,
    PlanExecuteLoop,
    Planner,
    Pose,
    SequenceItem,
    SimExecutor,
    Trajectory,
)

GRIPPERS = ["left_gripper", "right_gripper"]
TRACKED = (1e-4, 1e-3)
"""How far the tool may be from a Cartesian path, m and rad, where nothing else is stated."""
HELD = (1.1e-3, 1.1e-2)
"""How far from each other two tools may move that hold one object, m and rad."""
UP = CartesianPath().move_by([0.0, 0.0, 0.1])


def paths() -> list[Method]:
    """Every kind of path of one tool; what blocks one leaves the part of it before."""
    across = tool(GOAL).matrix[:3, 3] - tool(START).matrix[:3, 3]
    moved = tool(START).matrix.copy()
    moved[:3, 3] += across
    # The axes of the link "base" are those of the group's base, turned half about z.
    in_base = CartesianPath().move_by(across * [-1.0, -1.0, 1.0]).in_frame("base")
    bent = CartesianPath.through([tool((START + GOAL) / 2.0), tool(GOAL)], 0.05)
    round_it = CartesianPath().screw([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], -1.4)
    weld = PathTolerance("z", angle=0.3, position=[0.0, 0.0, 0.01])
    above = {"ends_with": lifted(poses("ur5e", START, "tool0"), 0.1), "crosses": False}
    there = {"ends_with": poses("ur5e", GOAL, "tool0")}
    turned_not = {"ends_with": {"tool0": moved}}
    rows = [
        ("plan_cartesian", along(UP), above),
        ("plan_cartesian across", along(CartesianPath().move_by(across)), turned_not),
        ("plan_cartesian to a pose", along(tool(GOAL)), there),
        ("plan_cartesian, blended", along(bent), there),
        ("plan_cartesian, screw", along(round_it), there),
        ("plan_cartesian at one speed", along(round_it, constant_speed=0.1), there),
        (
            "plan_cartesian with a tolerance",
            along(round_it, path_tolerance=weld),
            {**there, "within": ([1e-4, 1e-4, 0.0101], 0.3)},
        ),
        ("plan_cartesian in a frame", along(in_base), turned_not),
        ("plan_cartesian_arc", arc, there),
        ("MoveGroup.compute_cartesian_path", waypoints, there),
        ("loop along a path", loop(UP), above),
    ]
    return [Method(name, solve, **{"within": TRACKED, **fields}) for name, solve, fields in rows]


def lifted(links: dict[str, np.ndarray], by: float = 0.05) -> dict[str, np.ndarray]:
    """Links farther up."""
    return {link: (Pose.from_xyz(0.0, 0.0, by) * Pose(pose)).matrix for link, pose in links.items()}


def along(path: Any, **config: Any) -> Callable[..., Trajectory]:
    """``Planner.plan_cartesian`` along a path."""

    def solve(world: World, **options: Any) -> Trajectory:
        planner = Planner(world.robot, world.scene, **options)
        return planner.plan_cartesian(START, path, cartesian(options, **config)).trajectory

    return solve


def arc(world: World, **options: Any) -> Trajectory:
    """``Planner.plan_cartesian_arc`` through where the tool is half-way."""
    planner = Planner(world.robot, world.scene, **options)
    between = tool((START + GOAL) / 2.0)
    return planner.plan_cartesian_arc(START, between, tool(GOAL), cartesian(options)).trajectory


def cartesian(options: dict[str, Any], **config: Any) -> CartesianConfig:
    """The margin of a planner for a Cartesian path, and other options of it."""
    return CartesianConfig(collision_margin=options.get("collision_margin", 0.02), **config)


def sequences() -> list[Method]:
    """Several motions as one, and motions of what plans and executes."""
    up = CartesianPath().move_by([0.0, 0.0, 0.05])
    before, line = CartesianPath.approach(tool(GOAL), [0.0, 0.0, 1.0], 0.05)
    grasp = [Pose(before), line, CartesianPath.retreat([0.0, 0.0, 1.0], 0.05, "base")]
    above = {"ends_with": lifted(poses("ur5e", GOAL, "tool0")), "within": TRACKED}
    links = poses("ur5e", BENT, "forearm_link", "wrist_2_link")
    return [
        Method("plan_sequence", sequence(Goal.joints(GOAL), up), **above),
        Method("plan_sequence, blended", sequence(SequenceItem(GOAL, blend_radius=0.02), up), **above),
        Method("approach and retreat", sequence(*grasp), **above),
        Method("splice", spliced, ends_at=GOAL),
        Method("MoveGroup", move_group(named_target), ends_at=GOAL),
        Method("MoveGroup, links", move_group(link_targets), ends_with=links),
        Method("loop", loop(GOAL), ends_at=GOAL),
    ]


def sequence(*items: Any) -> Callable[..., Trajectory]:
    """``Planner.plan_sequence``."""

    def solve(world: World, **options: Any) -> Trajectory:
        return Planner(world.robot, world.scene, **options).plan_sequence(START, items).trajectory

    return solve


def spliced(world: World, **options: Any) -> Trajectory:
    """A motion that has just begun, and from it to another one."""
    planner = Planner(world.robot, world.scene, **options)
    running, following = planner.plan(START, GOAL), planner.plan(START - 0.02, GOAL)
    return planner.splice(running, 0.0, following, latency=0.1)


def group_with(world: World, options: dict[str, Any]) -> MoveGroup:
    """A ``MoveGroup`` at the start."""
    arm = MoveGroup(world.robot, scene=world.scene)
    for name, value in options.items():
        arm.set_param(name, value)
    arm.set_joint_state(START)
    return arm


def move_group(aim: Callable[[MoveGroup], None]) -> Callable[..., Trajectory]:
    """``MoveGroup.plan`` to a target."""

    def solve(world: World, **options: Any) -> Trajectory:
        arm = group_with(world, options)
        aim(arm)
        motion = arm.plan()
        if motion is None:
            raise arm.last_failure
        return motion

    return solve


def named_target(arm: MoveGroup) -> None:
    """The goal by a name."""
    arm.remember_pose("beside the pillar", GOAL)
    arm.set_named_target("beside the pillar")


def link_targets(arm: MoveGroup) -> None:
    """Poses of two links."""
    for link, pose in poses("ur5e", BENT, "forearm_link", "wrist_2_link").items():
        arm.set_pose_target(pose, end_effector_link=link)


def waypoints(world: World, **options: Any) -> Trajectory:
    """``MoveGroup.compute_cartesian_path`` to the goal."""
    arm = group_with(world, options)
    motion, _ = arm.compute_cartesian_path([tool(GOAL)])
    if motion is None:
        raise arm.last_failure
    return motion


def loop(goal: Any) -> Callable[..., Trajectory]:
    """``PlanExecuteLoop``, whose robot is simulated: to a goal, or along a path."""

    def solve(world: World, **options: Any) -> Trajectory:
        arm = PlanExecuteLoop(Planner(world.robot, world.scene, **options), SimExecutor(), joints=START)
        result = arm.move_cartesian(goal) if isinstance(goal, CartesianPath) else arm.move_to(goal)
        return result["trajectory"]

    return solve


def two_arms() -> list[Method]:
    """Every method of two arms."""
    start, goal = arm_ends()
    up, home = lifted(poses("baxter_left", start, *GRIPPERS)), poses("baxter_left", goal, *GRIPPERS)
    both = {"robot": "baxter_left"}
    held = {**both, "ends_with": up, "within": HELD}
    of_groups = Goal.groups({"left_arm": goal[:7], "right_arm": goal[7:]})
    seen = {"seen_from": "right_gripper", "ends_with": {"left_gripper": pushed().matrix}, "within": TRACKED}
    return [
        Method("two arms, synchronized", both_arms("synchronized"), ends_at=goal, **both),
        Method("two arms, independent", both_arms("independent"), ends_at=goal, **both),
        Method("two arms, one object", carry, **held),
        Method("two arms, one object to poses", carry_to_poses, **held),
        Method("two arms, closed chain", closed_chain, **held),
        planning_to("two arms, goals of groups", of_groups, goal, group=ARMS, ends_at=goal, **both),
        planning_to("two arms, goals of links", Goal.links(home), goal, group=ARMS, ends_with=home, **both),
        Method("two arms, path in a frame", seen_from_the_other_hand, **both, **seen),
    ]


def both_arms(mode: str) -> Callable[..., Trajectory]:
    """Both arms of a baxter, from one configuration to another."""

    def solve(world: World, **options: Any) -> Trajectory:
        start, goal = arm_ends()
        arms = DualArmPlanner(world.robot, *ARMS, mode, world.scene, **options)
        return arms.plan(start[:7], start[7:], goal[:7], goal[7:])["trajectory"]

    return solve


def carry(world: World, **options: Any) -> Trajectory:
    """What both arms hold, up by 5 cm."""
    start = arm_ends()[0]
    arms = DualArmPlanner(world.robot, *ARMS, "coordinated", world.scene, **options)
    hand = Pose(poses("baxter_left", start, "left_gripper")["left_gripper"])
    up = Pose.from_xyz(0.0, 0.0, 0.05) * hand * Pose(world.scene.attached_body("stick")[1])
    return arms.plan_object(start[:7], start[7:], "stick", up)["trajectory"]


def carry_to_poses(world: World, **options: Any) -> Trajectory:
    """The same, to a pose of each tool."""
    start = arm_ends()[0]
    arms = DualArmPlanner(world.robot, *ARMS, "coordinated", world.scene, **options)
    up = lifted(poses("baxter_left", start, *GRIPPERS))
    return arms.plan(start[:7], start[7:], *(Goal.pose(up[link]) for link in GRIPPERS))["trajectory"]


def closed_chain(world: World, **options: Any) -> Trajectory:
    """The same as a constraint of one planner."""
    start = arm_ends()[0]
    hands = poses("baxter_left", start, *GRIPPERS)
    left_from_right = Pose(hands["left_gripper"]).inverse() * Pose(hands["right_gripper"])
    held = Constraint.relative_pose(*GRIPPERS, left_from_right, 0.001, 0.01)
    planner = Planner(world.robot, world.scene, group=ARMS, **options)
    return planner.plan_constrained(start, Goal.links(lifted(hands)), [held])


def pushed() -> Pose:
    """The left tool in the right one at the start, 5 cm along x of the right one."""
    hands = poses("baxter_left", arm_ends()[0], *GRIPPERS)
    return Pose.from_xyz(0.05, 0.0, 0.0) * Pose(hands["right_gripper"]).inverse() * Pose(hands["left_gripper"])


def seen_from_the_other_hand(world: World, **options: Any) -> Trajectory:
    """The left tool to there, by both arms."""
    planner = Planner(world.robot, world.scene, group=ARMS, **options)
    path = CartesianPath().move_by([0.05, 0.0, 0.0]).in_frame("right_gripper")
    return planner.plan_cartesian(arm_ends()[0], path, cartesian(options)).trajectory
