"""An arm that MuJoCo moves, made of kinetic's model of it: for trying out what drives arms, and for second opinions.

Its links are the model's collision shapes. They collide with the objects of a scene as those are when the arm is made,
not with each other. Joints outside the planning group stay at zero.
"""

from __future__ import annotations

import importlib
import math
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from .. import Robot, Scene, Shape

# Position servos: a stiffness per effort limit, and a damping that makes the arm follow 10 ms late.
STIFFNESS_PER_EFFORT = 200.0
LAG_S = 0.01
# Longer steps make stiff servos unstable.
LONGEST_STEP_S = 0.002
# For joints whose effort the model leaves open, N or N m.
USUAL_EFFORT = 100.0
KINDS = ("sphere", "cuboid", "cylinder", "capsule", "convex", "half_space")


class Driver:
    """Takes positions, simulates a period with every command, and measures positions and velocities.

    Args:
        robot: The robot, of which the selected group moves.
        start: Positions (dof,) at the beginning, rad or m.
        scene: Its objects are in the way; None for nothing.
        rate_hz: Commands per second.

    Raises:
        ImportError: MuJoCo is not installed.
        ValueError: A model that MuJoCo refuses, or an object of a kind that it has none for.
    """

    def __init__(self, robot: Robot, start: Any, scene: Scene | None = None, rate_hz: float = 500.0) -> None:
        self.mujoco: Any = importlib.import_module("mujoco")
        self.rate_hz = rate_hz
        self.num_steps = max(1, math.ceil(1.0 / (rate_hz * LONGEST_STEP_S) - 1e-9))
        spec = self._robot_spec(robot)
        scene = Scene(robot) if scene is None else scene
        for name in scene.objects:
            shape, world_from_shape = scene.get(name)
            self._add_shape(spec, spec.worldbody, name, shape, world_from_shape, collides=(0, 1))
        self.spec, self.model = spec, spec.compile()
        self.data = self.mujoco.MjData(self.model)
        self.addresses = [self.model.joint(name).qposadr[0] for name in robot.joint_names]
        self.velocity_addresses = [self.model.joint(name).dofadr[0] for name in robot.joint_names]
        self.data.qpos[self.addresses] = self.data.ctrl[:] = np.asarray(start, dtype=float)
        self.contacts: set[tuple[str, str]] = set()

    def send(self, positions: Any, _velocities: Any) -> None:
        """Takes a command, and simulates one period, in which the servos are led there evenly."""
        before, after = self.data.ctrl.copy(), np.asarray(positions, dtype=float)
        for step in range(1, self.num_steps + 1):
            self.data.ctrl[:] = before + step / self.num_steps * (after - before)
            self.mujoco.mj_step(self.model, self.data)
            for contact in self.data.contact[: self.data.ncon]:
                if contact.dist < 0.0:
                    self.contacts.add((self._owner(contact.geom1), self._owner(contact.geom2)))

    def read(self) -> tuple[Any, Any]:
        """Measures positions and velocities."""
        return self.data.qpos[self.addresses].copy(), self.data.qvel[self.velocity_addresses].copy()

    def _owner(self, geom: int) -> str:
        """The object, or the link, that a geometry belongs to."""
        name = str(self.model.geom(geom).name)
        return name or str(self.model.body(self.model.geom(geom).bodyid[0]).name)

    def _robot_spec(self, robot: Robot) -> Any:
        """The robot with servos at the joints of its group, and with collision shapes."""
        spec = self.mujoco.MjSpec.from_string(bare_urdf(robot))
        for element in [*spec.equalities, *(joint for joint in spec.joints if joint.name not in robot.joint_names)]:
            spec.delete(element)
        spec.option.timestep = 1.0 / (self.rate_hz * self.num_steps)
        spec.option.integrator = self.mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        for name, limit in zip(robot.joint_names, robot.effort_limits):
            effort = limit if 0.0 < limit < np.inf else USUAL_EFFORT
            servo = spec.add_actuator(name=name, target=name, trntype=self.mujoco.mjtTrn.mjTRN_JOINT)
            servo.forcerange, servo.forcelimited = [-effort, effort], True
            servo.set_to_position(kp=STIFFNESS_PER_EFFORT * effort, kv=STIFFNESS_PER_EFFORT * LAG_S * effort)
        for body in spec.bodies[1:]:
            # As the controllers of real arms.
            body.gravcomp = 1.0
            if body.name in robot.link_names:
                for link_shape, link_from_shape in robot.collision_shapes(body.name):
                    self._add_shape(spec, body, "", link_shape, link_from_shape, collides=(1, 0))
        return spec

    def _add_shape(
        self, spec: Any, body: Any, name: str, shape: Shape, body_from_shape: Any, collides: tuple[int, int]
    ) -> None:
        """Adds a geometry without mass."""
        kinds, size = self.mujoco.mjtGeom, shape.dimensions
        if shape.kind not in KINDS:
            raise ValueError(f'object "{name}": MuJoCo takes no {shape.kind}; it takes {", ".join(KINDS)}')
        geom = body.add_geom(name=name, contype=collides[0], conaffinity=collides[1], mass=0.0)
        pose = np.asarray(body_from_shape)
        if shape.kind == "sphere":
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [size["radius"], 0.0, 0.0]
        elif shape.kind == "cuboid":
            geom.type, geom.size = kinds.mjGEOM_BOX, size["half_extents"]
        elif shape.kind == "half_space":
            geom.type, geom.size = kinds.mjGEOM_PLANE, [0.0, 0.0, 1.0]
            pose = pose @ plane_pose(np.asarray(size["normal"]), size["offset"])
        elif shape.kind == "convex":
            vertices = np.asarray(size["vertices"])
            mesh = spec.add_mesh(name=f"mesh {len(spec.meshes)}", uservert=vertices.flatten())
            geom.type, geom.meshname = kinds.mjGEOM_MESH, mesh.name
        else:
            geom.type = kinds.mjGEOM_CYLINDER if shape.kind == "cylinder" else kinds.mjGEOM_CAPSULE
            geom.size = [size["radius"], size["half_height"], 0.0]
        geom.pos = pose[:3, 3]
        quaternion = np.zeros(4)
        self.mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(pose[:3, :3]).flatten())
        geom.quat = quaternion


def bare_urdf(robot: Robot) -> str:
    """The robot's URDF without shapes, whose meshes MuJoCo would not find, and with every link."""
    root = ElementTree.fromstring(robot.to_urdf())
    for link in root.iter("link"):
        for kind in ("visual", "collision"):
            for shape in link.findall(kind):
                link.remove(shape)
    compiler = ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler")
    compiler.set("fusestatic", "false")
    compiler.set("balanceinertia", "true")
    return ElementTree.tostring(root, encoding="unicode")


def plane_pose(normal: np.ndarray, offset: float) -> np.ndarray:
    """The 4×4 pose whose z axis is the normal of a plane, and whose origin lies on it."""
    normal = normal / np.linalg.norm(normal)
    aside = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    aside /= np.linalg.norm(aside)
    pose = np.eye(4)
    pose[:3, :3] = np.transpose([aside, np.cross(normal, aside), normal])
    pose[:3, 3] = offset * normal
    return pose
