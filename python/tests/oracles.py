"""What the tests of the bindings compare with: kinematics and distances written a second time, in NumPy.

Forward kinematics is computed from the URDF text by the rules of the URDF specification; nothing here uses kinetic.
"""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "robot_configs"


def names_of(folder: Path) -> list[str]:
    """What a robot is called: the keys of ``[names]``, else its folder."""
    table = re.search(
        r"^\[names\]\n((?:\w+ = .*\n)+)", (folder / "kinetic.toml").read_text("utf-8"), flags=re.MULTILINE
    )
    return re.findall(r"^\w+", table[1], flags=re.MULTILINE) if table else [folder.name]


FOLDERS = {name: path.parent for path in CONFIGS.glob("*/robot.urdf") for name in names_of(path.parent)}
"""The folder of each built-in robot by its name."""
ROBOTS = sorted(FOLDERS)
WHOLE_ROBOTS = {
    name for name in ROBOTS if name in {"fetch", "pr2", "stretch_re2", "tiago"} or name != FOLDERS[name].name
}
"""Robots with links that their default group does not move, and which are therefore not compared with each other."""

# An arm that slides along x and carries a ball of 0.1 m, with a second ball standing at y = 1: every distance can be
# told without a computer. Its second joint turns the ball about its own centre. A bead under the carriage makes ball
# and post neighbours of neighbours; it is farther from everything than the ball.
SLIDER = """
<robot name="slider">
  <link name="rail"/>
  <link name="carriage">
    <collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.01"/></geometry></collision>
  </link>
  <link name="ball">
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="post">
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="carriage"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="10"/>
  </joint>
  <joint name="spin" type="revolute">
    <parent link="carriage"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="2" effort="10"/>
  </joint>
  <joint name="foot" type="fixed">
    <parent link="rail"/><child link="post"/><origin xyz="0 1 0"/>
  </joint>
</robot>
"""
BALL_RADIUS, POST_RADIUS = 0.1, 0.2


def translation(x: float, y: float, z: float) -> np.ndarray:
    """Pose of a pure translation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def pose_of(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    """A pose from its parts."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return pose


def random_pose(rng: np.random.Generator) -> np.ndarray:
    """Any rotation, positions up to 1 m."""
    return pose_of(about(rng.normal(size=3), rng.uniform(-np.pi, np.pi)), rng.uniform(-1.0, 1.0, 3))


@functools.cache
def urdf(name: str) -> ET.Element:
    """The URDF of a built-in robot."""
    return ET.parse(FOLDERS[name] / "robot.urdf").getroot()


def with_followers(root: ET.Element, values: dict[str, float]) -> dict[str, float]:
    """Joint values by name, and those of the joints that follow them."""
    followers = [(joint.get("name"), joint.find("mimic")) for joint in root.iter("joint")]
    return values | {
        name: values[mimic.get("joint")] * float(mimic.get("multiplier")) + float(mimic.get("offset"))
        for name, mimic in followers
        if mimic is not None and mimic.get("joint") in values
    }


def numbers(element: ET.Element | None, key: str, default: str) -> np.ndarray:
    """The numbers of an attribute."""
    text = default if element is None else element.get(key, default)
    return np.array([float(word) for word in text.split()])


def origin_pose(xyz, rpy) -> np.ndarray:
    """The pose of a URDF ``<origin>``: turns about fixed axes, x first."""
    roll, pitch, yaw = rpy
    ex, ey, ez = np.eye(3)
    return pose_of(about(ez, yaw) @ about(ey, pitch) @ about(ex, roll), np.array(xyz))


def joint_pose(joint: ET.Element, value: float) -> np.ndarray:
    """Pose of a joint's child in its parent."""
    origin = joint.find("origin")
    fixed = origin_pose(numbers(origin, "xyz", "0 0 0"), numbers(origin, "rpy", "0 0 0"))
    axis = numbers(joint.find("axis"), "xyz", "1 0 0")
    if joint.get("type") in ("revolute", "continuous"):
        return fixed @ pose_of(about(axis, value), np.zeros(3))
    if joint.get("type") == "prismatic":
        return fixed @ pose_of(np.eye(3), value * axis / np.linalg.norm(axis))
    return fixed


def relative_pose(root: ET.Element, base: str, tip: str, values: dict[str, float]) -> np.ndarray:
    """Pose of link ``tip`` in its ancestor ``base``; joints that ``values`` does not name stand at 0, or follow."""
    values = with_followers(root, values)
    parents = {
        joint.find("child").get("link"): joint for joint in root.iter("joint") if joint.find("child") is not None
    }
    pose = np.eye(4)
    while tip != base:
        joint = parents[tip]
        pose = joint_pose(joint, values.get(joint.get("name"), 0.0)) @ pose
        tip = joint.find("parent").get("link")
    return pose


def chain_of(name: str, group: str) -> tuple[str, str]:
    """Base and tip of a group, read from kinetic.toml."""
    text = (FOLDERS[name] / "kinetic.toml").read_text("utf-8")
    found = re.search(rf'^\[planning_group\.{group}\]\nchain = \["(.*)", "(.*)"\]', text, flags=re.MULTILINE)
    return found[1], found[2]


def central_differences(pose_at, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Geometric Jacobian (6, dof) of the pose ``pose_at(q)``: linear rows, then angular, in the base frame."""
    columns = []
    for joint in range(len(q)):
        shift = np.zeros(len(q))
        shift[joint] = step
        low, high, here = pose_at(q - shift), pose_at(q + shift), pose_at(q)
        # The derivative of a rotation times its inverse is the cross-product matrix of the angular velocity.
        spin = (high[:3, :3] - low[:3, :3]) / (2.0 * step) @ here[:3, :3].T
        linear = (high[:3, 3] - low[:3, 3]) / (2.0 * step)
        columns.append([*linear, spin[2, 1], spin[0, 2], spin[1, 0]])
    return np.array(columns).T
