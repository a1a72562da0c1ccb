"""A planning problem in a file: saved, solved again, compared to the last bit."""

import tempfile
from pathlib import Path

import numpy as np

import kinetic

robot = kinetic.Robot("ur5e")
scene = kinetic.Scene(robot)
root_from_post = np.eye(4)
root_from_post[:3, 3] = [0.45, 0.15, 0.4]
scene.add("post", kinetic.Shape.cylinder(0.05, 0.4), root_from_post)
ready = np.pi / 2 * np.array([0.0, -1.0, 1.0, -1.0, -1.0, 0.0])

# Robot, scene, start, goal, options and seed, as they are now; the budget is in iterations, so that no clock decides.
planner = kinetic.Planner(robot, scene, rng_seed=7)
problem = planner.problem(ready + [1.5, 0, 0, 0, 0, 0], ready - [1.0, 0, 0, 0, 0, 0])
motion = problem.solve()
print("problem", problem.hash)
print("answer ", motion.hash)

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "problem.toml"
    problem.save(file, motion)
    print(
        f"{file.name}: {len(file.read_text('utf-8').splitlines())} lines; on a command line: kinetic replay {file.name}"
    )

    again = kinetic.Problem.load(file).replay()
    print("solved again, the same to the last bit:", again["same"])

    # Another seed is another problem, with an answer of its own.
    other = kinetic.Planner(robot, scene, rng_seed=8).problem(problem.start, problem.goal)
    print("another seed, the same problem:", other.hash == problem.hash)
    print(f"durations {motion.duration:.3f} s and {other.solve().duration:.3f} s")
