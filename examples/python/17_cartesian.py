"""A tool on lines, arcs and around obstacles: how far it gets, how near to its path, and how fast."""

import numpy as np

import kinetic
from kinetic import CartesianConfig, CartesianPath

robot = kinetic.Robot("ur5e")
start = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
scene = kinetic.Scene(robot)
scene.add("table", kinetic.Shape.box(1.6, 1.6, 0.04), kinetic.Pose.from_xyz(0.0, 0.0, -0.05))
planner = kinetic.Planner(robot, scene, collision_margin=0.005)

# Down, aside without a stop, and up again: a seam at 50 mm/s.
seam = CartesianPath().move_by([0.0, 0.0, -0.1]).blended(0.02).move_by([0.0, -0.2, 0.0])
seam = seam.blended(0.02).move_by([0.0, 0.0, 0.1])
glued = planner.plan_cartesian(start, seam, CartesianConfig(constant_speed=0.05, collision_margin=0.005))
print(f"seam: {glued.length:.3f} m in {glued.trajectory.duration:.2f} s, off by {glued.deviation * 1e6:.1f} µm at most")
print(f"  at most {glued.tool_speed * 1e3:.2f} mm/s, slower on {len(glued.speed_losses)} stretches")
for loss in glued.speed_losses:
    print(f"  {loss['from'] * 1e3:.1f} to {loss['to'] * 1e3:.1f} mm: {loss['joint'] or 'no joint'} at its limit")

# An arc through a pose whose orientation is met, and a screw.
tool = robot.fk(start)
via, goal = tool.copy(), tool.copy()
via[:3, 3] += [0.03, -0.05, 0.0]
goal[:3, 3] += [0.0, -0.1, 0.0]
arc = planner.plan_cartesian_arc(start, via, goal)
screw = planner.plan_cartesian(start, CartesianPath().screw(tool[:3, 3], [0.0, 0.0, 1.0], 1.5, 0.05))
print(f"arc {arc.fraction:.0%}, screw {screw.fraction:.0%}")

# A post in the way: the longest part that keeps the margin, and why it ends.
scene.add("post", kinetic.Shape.cylinder(0.03, 0.4), kinetic.Pose.from_xyz(*(tool[:3, 3] - [0.0, 0.3, 0.0])))
line = planner.plan_cartesian(start, CartesianPath().move_by([0.0, -0.4, 0.0]))
assert line.fraction < 1.0
assert line.trajectory.certificate is not None
print(f"line {line.fraction:.0%}: {line.reason}")
