"""Pick and place: grasp a part, plan with it in the hand, put it down."""

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import kinetic

robot = kinetic.Robot("franka_panda")
scene = kinetic.Scene(robot)
FINGERS = ["panda_leftfinger", "panda_rightfinger"]


def at(x: float, y: float, z: float) -> np.ndarray:
    """A pose with the axes of the root frame."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def hand_over(x: float, y: float, z: float) -> np.ndarray:
    """The pose of the arm's tip, panda_link8, in which the finger tips are at a point and the hand points down."""
    tip_from_fingers = kinetic.Pose.from_xyz_rpy(0.0, 0.0, 0.1034, 0.0, 0.0, -np.pi / 4)
    wanted = kinetic.Pose.from_xyz_rpy(x, y, z, np.pi, 0.0, 0.0)
    return np.array(wanted @ tip_from_fingers.inverse())


scene.add("table", kinetic.Shape.box(0.9, 1.2, 0.04), at(0.45, 0.0, -0.02))
scene.add("wall", kinetic.Shape.box(0.40, 0.02, 0.30), at(0.50, 0.0, 0.15))
# The part stands 1 mm above the table, because things that touch are in collision. The fingers, which close on it, may
# touch it.
scene.add("part", kinetic.Shape.box(0.04, 0.04, 0.12), at(0.50, -0.25, 0.061))
for finger in FINGERS:
    scene.allow_collision(finger, "part")

# Joint values in the length of the robot say where the finger is too, which is no joint of the arm: open.
start = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.035]
planner = kinetic.Planner(robot, scene, rng_seed=1)
reach = planner.plan(start, kinetic.Goal.pose(hand_over(0.50, -0.25, 0.106)))
grasped = reach.sample(reach.duration)
print(f"reach: {reach.duration:.2f} s")

# Now the part belongs to the hand: it is checked against the world and the arm, but not against hand and fingers. A
# plan sees the scene as it is at that moment. The margin towards the table becomes what the millimetre allows.
scene.attach_existing("part", "panda_hand", grasped)
print("attached:", scene.attached, "objects:", scene.objects)
carry = planner.plan(grasped, kinetic.Goal.pose(hand_over(0.50, 0.25, 0.106)))
assert carry.certificate is not None and carry.certificate.closest_approaches is not None
world = carry.certificate.closest_approaches["world"]
print(f"carry: {carry.duration:.2f} s, {world['distance'] * 1e3:.1f} mm between {world['pair']}")

scene.detach("part", at(0.50, 0.25, 0.061))
placed = carry.sample(carry.duration)
retreat = planner.plan(placed, kinetic.Goal.named("ready"))
print(f"retreat: {retreat.duration:.2f} s; objects: {scene.objects}")

if importlib.util.find_spec("matplotlib"):
    from kinetic.viz.plot import plot_motion

    picture = Path(tempfile.gettempdir()) / "kinetic_example_06.png"
    plot_motion(robot, scene, carry, str(picture))
    print("picture:", picture)
