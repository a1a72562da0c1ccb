"""All configurations that put the tool at one pose, and which of them to take."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)
table = np.eye(4)
table[:3, 3] = 0.70, 0.0, -0.02
scene.add("table", kinetic.Shape.box(1.0, 1.2, 0.04), table)

now = np.array([0.3, -1.2, 1.4, -0.7, 0.9, 0.1])
target = robot.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])

# The closed form lists every branch, the nearest to the seed first; shoulder, elbow and wrist each have two ways.
branches = robot.ik_all(target, seed=now)
for q in branches:
    free = bool(scene.are_free([q], collision_margin=0.02)[0])
    travel = np.linalg.norm(q - now)
    print(f"{np.round(q, 2)}  travel {travel:4.1f} rad  manipulability {robot.manipulability(q):.3f}  free {free}")
print(len(branches), "branches;", len(robot.ik_all(target, turns=True)), "at all turns inside the limits")

# A pose goal means all branches: the planner takes one that it can reach.
planner = kinetic.Planner(robot, scene, rng_seed=1)
motion = planner.plan(now, kinetic.Goal.pose(target))
taken = motion.sample(motion.duration)
branch = int(np.abs(branches - taken).max(axis=1).argmin())
print(f"planned to branch {branch + 1} in {motion.duration:.2f} s")

# An arm with seven joints has a curve of them for every pose; these are samples of it.
panda = kinetic.Robot("franka_panda")
print(len(panda.ik_all(panda.fk(panda.mid_configuration()))), "samples of the self-motion of", panda.name)
