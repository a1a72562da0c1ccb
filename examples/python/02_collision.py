"""What is near, what touches, which motion is free."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)

root_from_post = np.eye(4)
root_from_post[:3, 3] = [0.45, 0.15, 0.4]
scene.add("post", kinetic.Shape.cylinder(0.05, 0.4), root_from_post)

ready = np.pi / 2 * np.array([0.0, -1.0, 1.0, -1.0, -1.0, 0.0])
for pan in (-1.0, 0.0, 0.3, 1.5):
    q = ready + [pan, 0, 0, 0, 0, 0]
    print(f"pan {pan:4.1f} rad: {scene.min_distance(q) * 1e3:6.1f} mm, touches: {scene.check_collision(q)}")

left, right = ready + [1.5, 0, 0, 0, 0, 0], ready + [-1.0, 0, 0, 0, 0, 0]
part = scene.check_motion(left, right)
print("the sweep from left to right is", "free" if part is None else f"blocked after {part:.0%} of the way")
