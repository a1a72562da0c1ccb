"""Inverse kinematics with several tasks: what must hold, and what is wished for besides."""

import numpy as np

import kinetic
from kinetic import Pose, TaskProblem

# One arm: the tool at a point, its axis towards another point, and the joints near a posture as far as that allows.
panda = kinetic.Robot("franka_panda")
ready = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
problem = TaskProblem(panda)
problem.add_position("reach", [0.5, 0.2, 0.4])
problem.add_look_at("watch", [0.5, 0.2, 0.0])
problem.add_posture("rest", ready, priority=1)
result = problem.solve(ready)
for task in result.tasks:
    off = ", ".join(f"{part['what']} off by {part['value']:.1e}" for part in task["residuals"])
    print(f"{task['name']:6} met: {task['met']!s:5} {off or 'as near as the tasks before it allow'}")
print("tool at", np.round(panda.fk(result.q)[:3, 3], 4))

# Two arms: one hand at a place, the other one opposite to it, whatever the first one does.
baxter = kinetic.Robot("baxter_left", group="both_arms")
carry = TaskProblem(baxter)
opposite = Pose.from_xyz_rpy(0.0, 0.0, 0.3, np.pi, 0.0, 0.0)
carry.add_pose("grasp", opposite, link="right_gripper", reference="left_gripper")
carry.add_position("lift", [0.6, 0.0, 0.2], link="left_gripper")
result = carry.solve(attempts=30)
print("both hands:", "converged" if result.converged else result.missing)
poses = baxter.fk_all(result.group_q)
apart = np.linalg.norm(poses["left_gripper"][:3, 3] - poses["right_gripper"][:3, 3])
print(f"hands {apart:.3f} m apart")

# What cannot be had is answered with the best there is.
far = TaskProblem(panda).add_position("reach", [2.0, 0.0, 0.4]).solve(ready)
print("out of reach:", far.missing)
