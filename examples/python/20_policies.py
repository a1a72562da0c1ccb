"""Motion policies: an arm that reaches for a target while a ball flies by, and holds a joint by a policy of its own."""

import numpy as np

import kinetic
from kinetic import Policy

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)
ball = kinetic.Shape.sphere(0.08)
scene.add("ball", ball, kinetic.Pose.from_xyz(0.55, 0.8, 0.4))
target = robot.fk([0.4, -1.3, 1.5, -1.7, -1.5, 0.0])

# Each wish about the motion is a policy; a cycle weighs all of them and answers with a command inside the limits.
rmp = kinetic.RMP(robot)
rmp.add(Policy.reach_target(target))
rmp.add(Policy.avoid_obstacles(scene, influence_distance=0.3))
rmp.add(Policy.avoid_self_collision())
rmp.add(Policy.joint_limit_avoidance())
rmp.add(Policy.damping(1.0))

dt, nearest = 0.004, np.inf
q, qd = np.array([0.0, -1.6, 1.2, -1.4, -1.5, 0.2]), np.zeros(6)
for cycle in range(2500):
    # Across the way of the tool, at 0.3 m/s; objects that are moved count from the next cycle on.
    scene.update_pose("ball", kinetic.Pose.from_xyz(0.55, 0.8 - 0.3 * dt * cycle, 0.4))
    command = rmp.compute(q, qd, dt)
    q, qd = command["positions"], command["velocities"]
    nearest = min(nearest, scene.min_distance(q))
left = np.linalg.norm(robot.fk(q)[:3, 3] - target[:3, 3])
print(f"reached to {1e3 * left:.3f} mm, {1e3 * nearest:.0f} mm from the ball at the nearest")
assert left < 1e-3 and nearest > 0.0


# A policy of one's own: where it acts, and which acceleration it wants there.
def first_joint(q: np.ndarray, _qd: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first joint, its Jacobian and its curvature."""
    return q[:1], np.eye(6)[:1], np.zeros(1)


def spring(x: np.ndarray, xd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight and acceleration of a damped spring about 0.5 rad."""
    return np.eye(1), 25.0 * (0.5 - x) - 10.0 * xd


turning = kinetic.RMP(robot)
turning.add(Policy.custom(first_joint, spring, name="turn the base"))
q, qd = np.array([0.0, -1.6, 1.2, -1.4, -1.5, 0.2]), np.zeros(6)
for _ in range(1000):
    command = turning.compute(q, qd, dt)
    q, qd = command["positions"], command["velocities"]
print(f"base at {q[0]:.4f} rad")
assert abs(q[0] - 0.5) < 1e-3
