"""An arm that is steered while it moves: twists, a pose, joints, an obstacle that stops it, silence."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)
start = np.array([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
servo = kinetic.Servo(robot, scene, preset="teleop")
servo.set_state(start)


def tool() -> np.ndarray:
    """Where the tool is."""
    return np.array(servo.state()["ee_pose"])


# A twist: 0.1 m/s back for a second. Each call commands and moves for one period, of 2 ms here.
before = tool()
for _ in range(500):
    command = servo.send_twist([-0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
print(f"back {before[0, 3] - tool()[0, 3]:.3f} m, {command['status']}")

# A turn about the axis of the tool.
for _ in range(250):
    servo.send_twist([0.0, 0.0, 0.0, 0.0, 0.0, 0.5], frame="tool")

# A ball above: motion towards it slows down and stops before it.
ball = np.eye(4)
ball[:3, 3] = tool()[:3, 3] + [0.0, 0.0, 0.3]
scene.add("ball", kinetic.Shape.sphere(0.05), ball)
for _ in range(600):
    command = servo.send_twist([0.0, 0.0, 0.3, 0.0, 0.0, 0.0])
print(f"before the ball: {1e3 * command['min_distance']:.1f} mm from {servo.state()['nearest_pair']}")
assert 0.0298 < command["min_distance"] < 0.1
scene.remove("ball")

# Joints, and silence: a command acts for 0.1 s, and then the arm stops.
servo.send_joint_jog(5, 0.5)
for _ in range(500):
    command = servo.tick()
print(f"silence: {command['status']}, at rest: {servo.state()['is_stopped']}")

# A pose is approached; joints are led back to the start.
target = kinetic.Pose.from_xyz(0.0, 0.05, -0.1) * kinetic.Pose(tool())
for _ in range(2000):
    servo.track_pose(target)
print(f"pose: {1e3 * np.linalg.norm(tool()[:3, 3] - target.matrix[:3, 3]):.3f} mm left")
for _ in range(3000):
    servo.track_joints(start)
print(f"back: {np.abs(servo.state()['joint_positions'] - start).max():.1e} rad left")
