"""A motion around an obstacle, and what was proven about it."""

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)

root_from_post = np.eye(4)
root_from_post[:3, 3] = [0.45, 0.15, 0.4]
scene.add("post", kinetic.Shape.cylinder(0.05, 0.4), root_from_post)

ready = np.pi / 2 * np.array([0.0, -1.0, 1.0, -1.0, -1.0, 0.0])
left, right = ready + [1.5, 0, 0, 0, 0, 0], ready + [-1.0, 0, 0, 0, 0, 0]

planner = kinetic.Planner(robot, scene, rng_seed=1)
motion = planner.plan(left, kinetic.Goal.joints(right))

print(f"{motion.duration:.2f} s, planned in {planner.last_stats['planning_time'] * 1e3:.1f} ms")
certificate = motion.certificate
# Plans have one, and clearances where anything was checked; motions that nobody proved have none.
assert certificate is not None and certificate.closest_approaches is not None
for partner, approach in certificate.closest_approaches.items():
    print(f"least clearance to {partner}: {approach['distance'] * 1e3:.1f} mm, {approach['pair']}")
print(f"{certificate.max_velocity_ratio:.0%} of the velocity limits used")
