"""A motion in a file and back, read at a fixed rate."""

import tempfile
from pathlib import Path

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
motion = kinetic.plan(robot, "home", kinetic.Goal.named("ready"), rng_seed=1)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "motion.json"
    motion.to_json(path)
    again = kinetic.Trajectory.from_json(path)

# 125 Hz, as a controller would read it; the last moment is always read.
times = np.append(np.arange(0.0, again.duration, 0.008), again.duration)
speeds = np.array([again.sample_velocity(t) for t in times])
print(f"{len(times)} set points over {again.duration:.2f} s")
print("fastest joint:", robot.joint_names[np.abs(speeds).max(axis=0).argmax()])
print("same curve:", all((again.sample(t) == motion.sample(t)).all() for t in times))
