"""Two arms of one robot: goals of each, motions of both, and two robots in a cell."""

import numpy as np

import kinetic
from kinetic import Goal, Pose

# Both arms of a YuMi are one planning group; joint vectors are the left arm's, then the right one's.
planner = kinetic.Planner("abb_yumi_left", group=["left_arm", "right_arm"], rng_seed=1)
both = planner.plan("home", {"left_arm": "ready", "right_arm": "ready"})
assert both.certificate is not None
print(f"both arms: {both.duration:.3f} s, {both.dof} joints, group {both.certificate.group}")

# A group without a goal stays; a tool pose is that of its own group.
left = kinetic.Robot("abb_yumi_left", group="left_arm")
home = left.named_pose("home")
assert home is not None
raised = Pose.from_xyz(0.0, 0.0, 0.1) * Pose(left.fk(home))
one = planner.plan("home", {"left_arm": raised})
assert np.array_equal(one.sample(one.duration)[7:], one.sample(0.0)[7:])
print(f"left arm alone: {one.duration:.3f} s")

# Each arm on a path of its own, or both on one path: trajectories of one duration.
for mode in ("independent", "synchronized"):
    arms = kinetic.DualArmPlanner("abb_yumi_left", "left_arm", "right_arm", mode)
    motion = arms.plan("home", "home", "ready", "ready")
    assert motion["left_trajectory"].duration == motion["right_trajectory"].duration
    print(f"{mode}: {motion['trajectory'].duration:.3f} s")

# Two robots in a cell are planned as one. The first one stands at the origin, the second one faces it.
facing = Pose.from_xyz_rpy(1.1, 0.0, 0.0, 0.0, 0.0, np.pi)
cell = kinetic.Robot.compose("cell", {"a_": "ur5e", "b_": ("ur5e", facing)})
handover = kinetic.plan(
    cell, "home", {"a_arm": "ready", "b_arm": Goal.named("ready")}, group=["a_arm", "b_arm"], rng_seed=1
)
print(f"cell of {cell.num_links} links: {handover.duration:.3f} s")
print(cell.to_urdf().splitlines()[1])
