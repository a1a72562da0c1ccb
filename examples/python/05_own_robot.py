"""A robot of your own: a URDF, a look over it, a plan."""

import numpy as np

import kinetic

# Three joints, all limits stated: a shoulder that turns, an elbow, and a slide that carries the tool.
LINKS = {
    "base": (0.10, 0.10, 0.10),
    "upper": (0.05, 0.05, 0.30),
    "fore": (0.30, 0.04, 0.04),
    "slide": (0.04, 0.04, 0.20),
}
CENTRES = {"base": (0, 0, 0.05), "upper": (0, 0, 0.18), "fore": (0.19, 0, 0), "slide": (0, 0, -0.16)}
JOINTS = """
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.10"/>
    <axis xyz="0 0 1"/><limit lower="-2.9" upper="2.9" velocity="2.0" effort="50"/></joint>
  <joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.36"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" velocity="2.0" effort="50"/></joint>
  <joint name="reach" type="prismatic"><parent link="fore"/><child link="slide"/><origin xyz="0.38 0 0"/>
    <axis xyz="0 0 -1"/><limit lower="0.0" upper="0.15" velocity="0.4" effort="50"/></joint>"""


def link(name: str) -> str:
    """A link that is one box of 2 kg."""
    x, y, z = LINKS[name]
    origin = '<origin xyz="{} {} {}"/>'.format(*CENTRES[name])
    inertia = 2.0 / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    return f"""
  <link name="{name}">
    <inertial>{origin}<mass value="2"/><inertia ixx="{inertia[0]:.6f}" iyy="{inertia[1]:.6f}" izz="{inertia[2]:.6f}"
      ixy="0" ixz="0" iyz="0"/></inertial>
    <collision>{origin}<geometry><box size="{x} {y} {z}"/></geometry></collision>
  </link>"""


robot = kinetic.Robot.from_urdf(f'<robot name="three">{"".join(map(link, LINKS))}{JOINTS}</robot>')
print(f"{robot.name}: {robot.joint_names}, limits {np.round(robot.joint_limits, 2).tolist()}")
print("notes:", robot.notes or "none")

# What is wrong or odd about it, the worst first; `kinetic check-robot FILE` prints the same.
for finding in robot.check()["findings"]:
    print(f"{finding['level']}: {finding['subject']}: {finding['message']}")

scene = kinetic.Scene(robot)
crate = np.eye(4)
crate[:3, 3] = 0.34, 0.0, 0.15
scene.add("crate", kinetic.Shape.box(0.12, 0.12, 0.30), crate)
left, right = [1.2, 0.3, 0.1], [-1.2, 0.3, 0.1]
print("straight:", "free" if scene.check_motion(left, right) is None else "blocked by the crate")

motion = kinetic.plan(robot, left, right, scene=scene, rng_seed=1)
assert motion.certificate is not None and motion.certificate.closest_approaches is not None
world = motion.certificate.closest_approaches["world"]
print(f"planned: {motion.duration:.2f} s, {world['distance'] * 1e3:.1f} mm between {world['pair']}")
