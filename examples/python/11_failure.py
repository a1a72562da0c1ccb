"""A plan that fails: what was in the way, and which changes help."""

import importlib.util
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
planner = kinetic.Planner(robot, scene, rng_seed=1)

try:
    planner.plan(ready + [1.5, 0, 0, 0, 0, 0], ready + [0.3, 0, 0, 0, 0, 0])
except kinetic.PlanningError as error:
    print("code:", error.code)
    report = error.report
else:
    raise SystemExit("the goal touches the post, and yet there is a plan")

# For people; every fact of it is in `report.evidence`, every change in `report.suggestions`.
print(report)

helpful = [suggestion for suggestion in report.suggestions if suggestion["solved"]]
motion = helpful[0]["problem"].solve()
print(f"with {helpful[0]['change']}: {motion.duration:.2f} s")

# Bad input is another kind of error: it names what is possible.
try:
    planner.plan("home", kinetic.Goal.named("raedy"))
except kinetic.InputError as error:
    print(error)

if importlib.util.find_spec("matplotlib"):
    picture = Path(tempfile.gettempdir()) / "kinetic_example_11.png"
    report.plot(str(picture))
    print("picture:", picture)
