"""One path, four time laws, and the files that carry a motion on."""

import importlib.util
import json
import tempfile
from pathlib import Path

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
velocity, acceleration = robot.velocity_limits, robot.acceleration_limits
home, ready = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]
via = [0.6, -1.57, 0.8, -1.57, -0.5, 0.0]
path = kinetic.Trajectory.from_waypoints([home, via, ready])

for law in ("totp", "trapezoidal", "jerk_limited", "cubic_spline"):
    timed = path.time_parameterize(law, velocity, acceleration, max_deviation=0.05)
    knots, coefficients = timed.pieces()
    print(f"{law:13} {timed.duration:.3f} s, {len(knots) - 1:4} pieces, {timed.path_deviation:.3f} rad from the path")
gentle = path.time_parameterize("totp", velocity, acceleration, velocity_scaling=0.3, acceleration_scaling=0.3)
print(f"at 30 %       {gentle.duration:.3f} s")

# A planner times its motions with the law that it is asked for, and proves the timed curve.
motion = kinetic.plan(robot, "home", "ready", time_parameterize="jerk_limited", rng_seed=1)
assert motion.certificate is not None
print("planned with", motion.law, "uses", f"{motion.certificate.max_acceleration_ratio:.0%} of the acceleration")

with tempfile.TemporaryDirectory() as folder:
    for name in ("motion.json", "motion.csv", "motion.npz"):
        file = Path(folder) / name
        motion.save(file)
        same = kinetic.Trajectory.load(file).hash == motion.hash
        print(f"{name}: {file.stat().st_size} bytes, the same curve: {same}")

# What a ROS controller takes (trajectory_msgs/JointTrajectory), as a dict of lists and numbers.
message = motion.to_ros(period=0.05)
print("ROS:", len(message["points"]), "points of", message["joint_names"])
print("last:", json.dumps(message["points"][-1]["time_from_start"]), np.round(message["points"][-1]["positions"], 3))

if importlib.util.find_spec("matplotlib"):
    picture = Path(tempfile.gettempdir()) / "kinetic_example_09.png"
    motion.plot(picture, velocity_limits=velocity, acceleration_limits=acceleration)
    print("picture:", picture)
