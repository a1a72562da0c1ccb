"""Where the tool is, and joint values that put it elsewhere."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
q = np.pi / 2 * np.array([0.0, -1.0, 1.0, -1.0, -1.0, 0.0])

base_from_tool = robot.fk(q)
print("tool at", np.round(base_from_tool[:3, 3], 3), "m")
print(f"manipulability {robot.manipulability(q):.4f}")

# Ten centimetres lower, same orientation; the answer nearest to q comes from starting there.
target = base_from_tool.copy()
target[2, 3] -= 0.10
lower = robot.ik(target, seed=q)
print("joints ", np.round(lower, 3), "rad")
print(f"off by {np.linalg.norm(robot.fk(lower)[:3, 3] - target[:3, 3]):.1e} m")
