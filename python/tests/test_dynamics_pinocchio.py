"""Dynamics against Pinocchio: built-in robots, random trees, joints that follow, a floating base."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from oracles import FOLDERS, ROBOTS
from random_trees import random_tree

from kinetic import Dynamics, InputError, Payload, Robot

pin = pytest.importorskip("pinocchio", reason="the second opinion on dynamics")

RELATIVE = 1e-9
"""Recursions over tens of bodies lose a few of sixteen digits; accelerations also what the mass matrix amplifies."""


class Second:
    """A model of Pinocchio over joints of kinetic, by their names.

    Joints that follow others are joints of their own in Pinocchio's model. Their positions and velocities follow by
    hand, and efforts and matrices are projected: `full = map · v`, by virtual work. (Pinocchio 4.1 has mimic joints
    too, but of some trees its mass matrix is then not that of its own inverse dynamics.)
    """

    def __init__(self, text: str, names: list[str], model=None) -> None:
        self.model = pin.buildModelFromXML(text) if model is None else model
        self.data = self.model.createData()
        joints = list(self.model.names)[1:]
        self.offsets, self.map = np.zeros(len(joints)), np.zeros((self.model.nv, len(names)))
        leaders = self.leaders(ET.fromstring(text))
        for name in joints:
            leader, multiplier, offset = leaders.get(name, (name, 1.0, 0.0))
            place = self.model.joints[self.model.getJointId(name)].idx_v
            self.map[place, names.index(leader)], self.offsets[place] = multiplier, offset

    @staticmethod
    def leaders(root: ET.Element) -> dict[str, tuple[str, float, float]]:
        """Leader, multiplier and offset of the joints that follow an independent joint."""
        found = {joint.get("name"): joint.find("mimic") for joint in root.iter("joint")}
        number = lambda mimic, key, default: float(mimic.get(key, default))  # noqa: E731
        return {
            name: (mimic.get("joint"), number(mimic, "multiplier", 1), number(mimic, "offset", 0))
            for name, mimic in found.items()
            if mimic is not None
        }

    def q(self, values) -> np.ndarray:
        """The configuration; joints without limits are given by cosine and sine."""
        positions, q = self.v(values) + self.offsets, np.empty(self.model.nq)
        for joint in list(self.model.joints)[1:]:
            value = positions[joint.idx_v]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else [np.cos(value), np.sin(value)]
        return q

    def v(self, values) -> np.ndarray:
        """A velocity or acceleration."""
        return self.map @ values

    def efforts(self, full) -> np.ndarray:
        """Efforts in the order of kinetic."""
        return self.map.T @ full

    def matrix(self, full) -> np.ndarray:
        """Rows and columns in the order of kinetic."""
        return self.map.T @ np.reshape(full, (self.model.nv, self.model.nv)) @ self.map


def close(actual, expected) -> None:
    """Equal up to rounding in relation to the largest entry."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=RELATIVE * max(1.0, np.abs(expected).max(initial=0.0)))


def compare(dynamics: Dynamics, second: Second, rng: np.random.Generator, states: int) -> None:
    """Everything that both know, in random states."""
    model, data = second.model, second.data
    for _ in range(states):
        q, qd, qdd, tau = rng.uniform(-2, 2, (4, dynamics.dof))
        pq, pv, pa = second.q(q), second.v(qd), second.v(qdd)
        close(dynamics.inverse_dynamics(q, qd, qdd), second.efforts(pin.rnea(model, data, pq, pv, pa)))
        gravity = pin.computeGeneralizedGravity(model, data, pq)
        close(dynamics.gravity_compensation(q), second.efforts(gravity))
        bias = pin.nonLinearEffects(model, data, pq, pv)
        close(dynamics.coriolis(q, qd), second.efforts(bias - gravity))
        mass = np.reshape(pin.crba(model, data, pq), (model.nv, model.nv))
        mass = second.matrix(np.triu(mass) + np.triu(mass, 1).T)
        close(dynamics.mass_matrix(q), mass)
        close(dynamics.coriolis_matrix(q, qd), second.matrix(pin.computeCoriolisMatrix(model, data, pq, pv)))
        close(dynamics.kinetic_energy(q, qd), pin.computeKineticEnergy(model, data, pq, pv))
        pin.computeRNEADerivatives(model, data, pq, pv, pa)
        by_q, by_v, by_a = dynamics.inverse_dynamics_derivatives(q, qd, qdd)
        for ours, theirs in ((by_q, second.matrix(data.dtau_dq)), (by_v, second.matrix(data.dtau_dv)), (by_a, mass)):
            close(ours, theirs)
        compare_masses(dynamics, second, pq, pv, q, qd)
        compare_forward(dynamics, second, mass, (q, qd, tau))


def compare_forward(dynamics: Dynamics, second: Second, mass: np.ndarray, state) -> None:
    """Accelerations and their derivatives; what the mass matrix amplifies counts as rounding."""
    model, data, (q, qd, tau) = second.model, second.data, state
    condition = np.linalg.cond(mass)
    if condition > 1e15:
        with pytest.raises(InputError, match="inertia that joint"):
            dynamics.forward_dynamics(q, qd, tau)
        return
    a = dynamics.forward_dynamics(q, qd, tau)
    pq, pv = second.q(q), second.v(qd)
    if len(tau) < model.nv:
        bias = second.efforts(pin.nonLinearEffects(model, data, pq, pv))
        return close_forward(a, np.linalg.solve(mass, tau - bias), condition)
    close_forward(a, second.efforts(pin.aba(model, data, pq, pv, second.v(tau))), condition)
    close_forward(dynamics.inverse_mass_matrix(q), np.linalg.inv(mass), condition)
    pin.computeABADerivatives(model, data, pq, pv, second.v(tau))
    theirs = (data.ddq_dq, data.ddq_dv, data.Minv)
    for ours, full in zip(dynamics.forward_dynamics_derivatives(q, qd, tau), theirs):
        close_forward(ours, second.matrix(np.triu(full) + np.triu(full, 1).T if full is theirs[2] else full), condition)


def close_forward(actual, expected, condition: float) -> None:
    """Equal up to rounding, which a mass matrix of condition 1e6 makes 1e-9 of."""
    tolerance = RELATIVE * max(1.0, condition / 1e6)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def compare_masses(dynamics: Dynamics, second: Second, pq, pv, q, qd) -> None:
    """Centre of mass and potential energy; Pinocchio leaves out what stands on the root, which is at rest."""
    model, data = second.model, second.data
    com = pin.centerOfMass(model, data, pq, pv)
    moved, standing = data.mass[0], model.inertias[0]
    total = moved + standing.mass
    close(dynamics.mass, total)
    close(dynamics.center_of_mass(q), (moved * com + standing.mass * standing.lever) / total)
    close(dynamics.center_of_mass_velocity(q, qd), moved * data.vcom[0] / total)
    jacobian = np.reshape(pin.jacobianCenterOfMass(model, data, pq), (3, model.nv)) @ second.map
    close(dynamics.center_of_mass_jacobian(q), moved * jacobian / total)
    potential = pin.computePotentialEnergy(model, data, pq) - standing.mass * model.gravity.linear @ standing.lever
    close(dynamics.potential_energy(q), potential)


def has_masses(name: str) -> bool:
    """True for robots whose description states masses."""
    return "<inertial>" in (FOLDERS[name] / "robot.urdf").read_text("utf-8")


@pytest.mark.parametrize("name", [name for name in ROBOTS if has_masses(name)])
def test_built_in_robots(name: str) -> None:
    robot, rng = Robot(name), np.random.default_rng(0)
    text = (FOLDERS[name] / "robot.urdf").read_text("utf-8")
    compare(Dynamics(robot, joints=robot.active_joints, friction=False), Second(text, robot.active_joints), rng, 2)


@pytest.mark.parametrize("name", ["franka_panda", "fetch", "tiago", "abb_yumi_left"])
def test_groups_of_built_in_robots_with_the_other_joints_held(name: str) -> None:
    robot, rng = Robot(name), np.random.default_rng(1)
    text = (FOLDERS[name] / "robot.urdf").read_text("utf-8")
    held = rng.uniform(-1, 1, len(robot.active_joints))
    whole = Second(text, robot.active_joints)
    locked = [index for index, joint in enumerate(whole.model.names) if index and joint not in robot.joint_names]
    reduced = pin.buildReducedModel(whole.model, locked, whole.q(held))
    compare(Dynamics(robot, held=held, friction=False), Second(text, robot.joint_names, reduced), rng, 3)


@pytest.mark.parametrize("followers", [False, True])
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_trees(first: int, followers: bool) -> None:
    for seed in range(first, first + 50):
        text, rng = random_tree(seed, followers), np.random.default_rng(seed)
        robot, gravity = Robot.from_urdf(text), rng.uniform(-10, 10, 3)
        second = Second(text, robot.active_joints)
        second.model.gravity.linear = gravity
        compare(Dynamics(robot, gravity, joints=robot.active_joints), second, rng, 1)


def test_a_payload_is_a_link() -> None:
    rng = np.random.default_rng(1)
    text = random_tree(3)
    robot = Robot.from_urdf(text)
    link = robot.link_names[-1]
    mass, com, box = 1.7, rng.uniform(-0.2, 0.2, 3), rng.uniform(0.1, 0.4, 3)
    tensor = mass / 12.0 * np.diag(np.sum(box**2) - box**2)
    turn = pin.rpy.rpyToMatrix(0.3, -0.4, 0.5)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, rng.uniform(-0.2, 0.2, 3)
    model = pin.buildModelFromXML(text)
    frame = model.frames[model.getFrameId(link)]
    carried = pin.SE3(pose).act(pin.Inertia(mass, com, tensor))
    model.appendBodyToJoint(frame.parentJoint, carried, frame.placement)
    payload = Payload(mass, com, tensor, link=link, pose=pose)
    dynamics = Dynamics(robot, payload=payload, joints=robot.active_joints)
    compare(dynamics, Second(text, robot.active_joints, model), rng, 3)


def joint_forces(second: Second, q, wrenches: dict[str, np.ndarray], axes: str):
    """Wrenches on links as Pinocchio has them: one per joint, in its frame."""
    model = second.model
    pin.framesForwardKinematics(model, second.data, second.q(q))
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * model.njoints)
    for link, wrench in wrenches.items():
        frame_id = model.getFrameId(link)
        frame = model.frames[frame_id]
        force = pin.Force(wrench)
        if axes == "root":
            force = pin.SE3(second.data.oMf[frame_id].rotation, np.zeros(3)).actInv(force)
        forces[frame.parentJoint] = forces[frame.parentJoint] + frame.placement.act(force)
    return forces


def trees_under_wrenches():
    """Random trees without resistance of joints, their states and wrenches on two links."""
    rng = np.random.default_rng(2)
    for seed in range(20):
        text = random_tree(seed)
        robot = Robot.from_urdf(text)
        dynamics = Dynamics(robot, joints=robot.active_joints)
        links = rng.choice(robot.link_names, 2, replace=False)
        wrenches = {str(link): rng.uniform(-5, 5, 6) for link in links}
        yield dynamics, Second(text, robot.active_joints), rng.uniform(-2, 2, (3, dynamics.dof)), wrenches


@pytest.mark.parametrize("axes", ["link", "root"])
def test_external_wrenches_on_links(axes: str) -> None:
    for dynamics, second, (q, qd, qdd), wrenches in trees_under_wrenches():
        forces = joint_forces(second, q, wrenches, axes)
        expected = second.efforts(pin.rnea(second.model, second.data, second.q(q), second.v(qd), second.v(qdd), forces))
        tau = dynamics.inverse_dynamics(q, qd, qdd, wrenches, axes=axes)
        close(tau, expected)
        close(dynamics.forward_dynamics(q, qd, tau, wrenches, axes=axes), qdd)


def test_derivatives_under_wrenches_that_move_with_their_links() -> None:
    for dynamics, second, (q, qd, qdd), wrenches in trees_under_wrenches():
        model, data, forces = second.model, second.data, joint_forces(second, q, wrenches, "link")
        state = (second.q(q), second.v(qd), second.v(qdd))
        by_q, by_v, by_a = dynamics.inverse_dynamics_derivatives(q, qd, qdd, wrenches)
        pin.computeRNEADerivatives(model, data, *state, forces)
        close(by_q, second.matrix(data.dtau_dq))
        close(by_v, second.matrix(data.dtau_dv))
        tau = dynamics.inverse_dynamics(q, qd, qdd, wrenches)
        inverse = np.linalg.inv(by_a)
        theirs = (-inverse @ second.matrix(data.dtau_dq), -inverse @ second.matrix(data.dtau_dv), inverse)
        for ours, expected in zip(dynamics.forward_dynamics_derivatives(q, qd, tau, wrenches), theirs):
            close_forward(ours, expected, np.linalg.cond(by_a))


def test_derivatives_under_wrenches_that_keep_their_direction_equal_differences() -> None:
    step = 1e-6
    for dynamics, second, (q, qd, qdd), wrenches in trees_under_wrenches():

        def efforts(q, second=second, qd=qd, qdd=qdd, wrenches=wrenches) -> np.ndarray:
            forces = joint_forces(second, q, wrenches, "root")
            state = (second.q(q), second.v(qd), second.v(qdd))
            return second.efforts(pin.rnea(second.model, second.data, *state, forces))

        steps = step * np.eye(len(q))
        expected = np.column_stack([(efforts(q + one) - efforts(q - one)) / (2 * step) for one in steps])
        found = dynamics.inverse_dynamics_derivatives(q, qd, qdd, wrenches, axes="root")[0]
        # Central differences leave rounding of 1e-16 / step, times efforts of some hundred.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))


def test_a_base_that_accelerates_is_a_joint_that_does() -> None:
    # The same tree on a floating joint whose motion is given.
    rng = np.random.default_rng(3)
    for seed in range(10):
        text = random_tree(seed)
        robot = Robot.from_urdf(text)
        free = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        acceleration, spin, spin_rate = rng.uniform(-2, 2, (3, 3))
        dynamics = Dynamics(
            robot,
            joints=robot.active_joints,
            base_acceleration=acceleration,
            base_angular_velocity=spin,
            base_angular_acceleration=spin_rate,
        )
        q, qd, qdd = rng.uniform(-2, 2, (3, dynamics.dof))
        second = Second(text, robot.active_joints)
        # Spatial acceleration of a body whose origin is at rest for a moment: the classical one.
        pq = np.concatenate([[0, 0, 0, 0, 0, 0, 1], second.q(q)])
        pv = np.concatenate([[0, 0, 0], spin, second.v(qd)])
        pa = np.concatenate([acceleration, spin_rate, second.v(qdd)])
        expected = second.efforts(pin.rnea(free, free.createData(), pq, pv, pa)[6:])
        close(dynamics.inverse_dynamics(q, qd, qdd), expected)
        close(dynamics.forward_dynamics(q, qd, expected), qdd)


ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
FLOATING = f'<joint name="root" type="floating"><parent link="world"/><child link="l0"/>{ORIGIN}</joint>'
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "yaw": "0 0 1", "pitch": "0 1 0", "roll": "1 0 0"}


def series(names: str, kinds: dict[str, str]) -> str:
    """A floating joint as six joints between massless links."""
    parts, parent, text = list(kinds), "world", ""
    for index, part in enumerate(parts):
        child = "l0" if index == 5 else f"m{part}"
        origin = ORIGIN if index == 0 else ""
        text += "" if index == 5 else f'<link name="{child}"/>'
        text += (
            f'<joint name="{names}/{part}" type="{kinds[part]}"><parent link="{parent}"/><child link="{child}"/>'
            f'{origin}<axis xyz="{AXES[part]}"/><limit lower="-9" upper="9" velocity="1" effort="1"/></joint>'
        )
        parent = child
    return text


def test_a_floating_base_is_six_joints() -> None:
    kinds = dict.fromkeys("xyz", "prismatic") | dict.fromkeys(["yaw", "pitch", "roll"], "revolute")
    for seed in range(10):
        text = random_tree(seed).replace('<robot name="tree">', '<robot name="tree"><link name="world"/>')
        robot = Robot.from_urdf(text.replace("</robot>", FLOATING + "</robot>"))
        second = Second(text.replace("</robot>", series("root", kinds) + "</robot>"), robot.active_joints)
        assert robot.active_joints[:6] == [f"root/{part}" for part in kinds]
        dynamics = Dynamics(robot, joints=robot.active_joints)
        compare(dynamics, second, np.random.default_rng(seed), 2)


def test_velocities_of_links() -> None:
    for seed in range(20):
        text, rng = random_tree(seed), np.random.default_rng(seed)
        robot = Robot.from_urdf(text)
        second = Second(text, robot.active_joints)
        model = second.model
        held, qd = rng.uniform(-2, 2, (2, len(robot.active_joints)))
        moves = [name in robot.joint_names for name in robot.active_joints]
        pin.forwardKinematics(model, second.data, second.q(held), second.v(np.where(moves, qd, 0.0)))
        own = np.array([qd[robot.active_joints.index(name)] for name in robot.joint_names])
        for link in robot.link_names:
            frame = model.getFrameId(link)
            expected = pin.getFrameVelocity(model, second.data, frame, pin.LOCAL_WORLD_ALIGNED).vector
            close(robot.velocity(held, own, link), expected)
