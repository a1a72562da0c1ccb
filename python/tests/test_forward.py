"""Forward kinematics, Jacobians, masses and batches against Pinocchio and finite differences."""

import pickle

import numpy as np
import pytest
from oracles import CONFIGS, translation

import kinetic
from kinetic import InputError, ReachabilityMap, Robot

pin = pytest.importorskip("pinocchio")

LOCAL_WORLD_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
ROBOTS = ["ur5e", "franka_panda", "kuka_iiwa14", "fetch", "xarm7"]
FOLLOWERS = {"panda_finger_joint2": "panda_finger_joint1"}
# Both sides are float64; files round constants the same way.
TOLERANCE = 1e-9


class Peer:
    """The same URDF in Pinocchio, continuous joints as plain angles."""

    def __init__(self, name: str, root=None):
        path = str(CONFIGS / name / "robot.urdf")
        self.robot = Robot(name)
        self.model = pin.buildModelFromUrdf(path, root) if root else pin.buildModelFromUrdf(path)
        self.base = self.model.joints[1].nv if root else 0
        self.data = self.model.createData()

    def configuration(self, values: dict) -> np.ndarray:
        q = pin.neutral(self.model)
        for joint, name in enumerate(self.model.names):
            if name in values:
                at, size = self.model.joints[joint].idx_q, self.model.joints[joint].nq
                value = values[name]
                q[at : at + size] = [value] if size == 1 else [np.cos(value), np.sin(value)]
        return q

    def columns(self, names) -> list[int]:
        return [self.model.joints[self.model.getJointId(name)].idx_v for name in names]

    def draw(self, rng) -> tuple[np.ndarray, np.ndarray]:
        """Robot-length values, and the same for Pinocchio."""
        names = self.robot.active_joints
        values = rng.uniform(-1.5, 1.5, len(names))
        by_name = dict(zip(names, values))
        # Pinocchio does not let joints follow others by itself.
        by_name |= {name: by_name[leader] for name, leader in FOLLOWERS.items() if leader in by_name}
        return values, self.configuration(by_name)


@pytest.fixture(params=ROBOTS)
def peer(request) -> Peer:
    # With a base that could move: else Pinocchio leaves out the mass of the root link.
    return Peer(request.param, pin.JointModelFreeFlyer())


def test_centre_of_gravity_and_its_jacobian_equal_pinocchio(peer):
    robot, rng = peer.robot, np.random.default_rng(1)
    for _ in range(10):
        values, q = peer.draw(rng)
        np.testing.assert_allclose(robot.com(values), pin.centerOfMass(peer.model, peer.data, q), atol=TOLERANCE)
        expected = pin.jacobianCenterOfMass(peer.model, peer.data, q)[:, peer.columns(robot.joint_names)]
        np.testing.assert_allclose(robot.com_jacobian(values), expected, atol=TOLERANCE)
        np.testing.assert_allclose(robot.com_jacobian(values, axes="zx"), expected[[0, 2]], atol=TOLERANCE)
        pin.ccrba(peer.model, peer.data, q, np.zeros(peer.model.nv))
        found = robot.mass_properties(values)
        assert found["mass"] == pytest.approx(pin.computeTotalMass(peer.model), rel=1e-12)
        np.testing.assert_allclose(found["inertia"], peer.data.Ig.inertia, atol=1e-8)


def test_jacobians_of_links_their_derivative_and_velocities_equal_pinocchio(peer):
    robot, rng = peer.robot, np.random.default_rng(2)
    columns = peer.columns(robot.joint_names)
    for _ in range(10):
        values, q = peer.draw(rng)
        qd = rng.uniform(-1, 1, robot.dof)
        v = np.zeros(peer.model.nv)
        v[columns] = qd
        pin.computeJointJacobiansTimeVariation(peer.model, peer.data, q, v)
        pin.forwardKinematics(peer.model, peer.data, q, v)
        pin.updateFramePlacements(peer.model, peer.data)
        for link in robot.link_names[1::2]:
            frame = peer.model.getFrameId(link, pin.FrameType.BODY)
            expected = pin.getFrameJacobian(peer.model, peer.data, frame, LOCAL_WORLD_ALIGNED)[:, columns]
            np.testing.assert_allclose(robot.jacobian_of(values, [link]), expected, atol=TOLERANCE)
            slope = pin.getFrameJacobianTimeVariation(peer.model, peer.data, frame, LOCAL_WORLD_ALIGNED)[:, columns]
            np.testing.assert_allclose(robot.jacobian_derivative(values, qd, link), slope, atol=TOLERANCE)
            velocity = pin.getFrameVelocity(peer.model, peer.data, frame, LOCAL_WORLD_ALIGNED).vector
            np.testing.assert_allclose(robot.velocity(values, qd, link), velocity, atol=TOLERANCE)


@pytest.mark.parametrize("base, root", [("floating", pin.JointModelFreeFlyer), ("planar", pin.JointModelPlanar)])
def test_columns_of_a_moving_base_equal_pinocchio(base, root):
    peer = Peer("ur5e", root())
    robot, rng = peer.robot, np.random.default_rng(3)
    columns = [*range(6 if base == "floating" else 3), *peer.columns(robot.joint_names)]
    for _ in range(10):
        values, q = peer.draw(rng)
        pin.computeJointJacobians(peer.model, peer.data, q)
        pin.updateFramePlacements(peer.model, peer.data)
        frame = peer.model.getFrameId("tool0", pin.FrameType.BODY)
        expected = pin.getFrameJacobian(peer.model, peer.data, frame, LOCAL_WORLD_ALIGNED)[:, columns]
        np.testing.assert_allclose(robot.jacobian_of(values, ["tool0"], base=base), expected, atol=TOLERANCE)
        expected = pin.jacobianCenterOfMass(peer.model, peer.data, q)[:, columns]
        np.testing.assert_allclose(robot.com_jacobian(values, base=base), expected, atol=TOLERANCE)


def test_several_links_stand_below_each_other_with_the_rows_that_are_wanted():
    robot = Robot("ur5e")
    q = np.linspace(-1, 1, 6)
    full = robot.jacobian_of(q, ["tool0"])
    elbow = robot.jacobian_of(q, ["forearm_link"])
    both = robot.jacobian_of(q, ["tool0", "forearm_link"], translation="z", rotation="xy")
    np.testing.assert_array_equal(both, np.vstack([full[[2, 3, 4]], elbow[[2, 3, 4]]]))
    assert not elbow[:, 3:].any() and elbow[:, :3].any()
    chosen = robot.jacobian_of(q, ["tool0"], joints=["wrist_1_joint", "elbow_joint"])
    np.testing.assert_array_equal(chosen, full[:, [3, 2]])
    own = robot.jacobian_of(q, ["tool0"], frame="tool0")
    rotation = (np.linalg.inv(robot.fk(q, robot.link_names[0])) @ robot.fk(q))[:3, :3]
    np.testing.assert_allclose(own, np.kron(np.eye(2), rotation.T) @ full, atol=1e-12)


def test_a_tool_can_be_given_with_each_question():
    robot = Robot("franka_panda")
    q = robot.mid_configuration() + 0.1
    tool = translation(0.02, 0.03, 0.15)
    held = Robot("franka_panda")
    held.tcp = tool
    np.testing.assert_allclose(robot.fk(q, tcp=tool), held.fk(q), atol=1e-14)
    np.testing.assert_allclose(robot.jacobian(q, tcp=tool), held.jacobian(q), atol=1e-14)
    np.testing.assert_allclose(robot.batch_fk([q, q], tcp=tool), held.batch_fk([q, q]), atol=1e-14)
    link = robot.link_names[3]
    np.testing.assert_allclose(robot.fk(q, link, tcp=tool), robot.fk(q, link) @ tool, atol=1e-14)
    # A robot that has a tool is asked about another one.
    for asked in (robot, held):
        target = asked.fk(q, tcp=tool)
        np.testing.assert_allclose(asked.fk(asked.ik(target, seed=q, tcp=tool), tcp=tool), target, atol=2e-3)
    arm = Robot("ur5e")
    arm.tcp = translation(0.0, 0.0, 0.1)
    q = np.linspace(-1, 1, 6)
    rows = arm.ik_all(arm.fk(q, tcp=tool), tcp=tool)
    assert np.abs(rows - q).max(axis=1).min() < 1e-6


def test_batches_have_the_bits_of_single_calls():
    robot = Robot("franka_panda")
    rng = np.random.default_rng(4)
    configs = rng.uniform(-2, 2, (4000, robot.dof))
    single = np.array([robot.fk(q) for q in configs])
    np.testing.assert_array_equal(robot.batch_fk(configs), single)
    assert robot.batch_fk([]).shape == (0, 4, 4)
    # In the length of the robot each row says where the other joints stand.
    fetch = Robot("fetch")
    whole = rng.uniform(-1, 1, (5, len(fetch.active_joints)))
    np.testing.assert_array_equal(fetch.batch_fk(whole), np.array([fetch.fk(q) for q in whole]))


def test_what_cannot_be_answered_is_refused_with_the_reason():
    robot = Robot("ur5e")
    q = np.zeros(6)
    massless = Robot.from_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    for ask in (massless.com, massless.com_jacobian, massless.mass_properties):
        with pytest.raises(InputError, match="states none"):
            ask([0.1])
    with pytest.raises(InputError, match="planar"):
        robot.com_jacobian(q, base="wheels")
    with pytest.raises(InputError, match="xyz"):
        robot.com_jacobian(q, axes="xx")
    with pytest.raises(InputError, match="nowhere"):
        robot.jacobian_of(q, ["nowhere"])
    with pytest.raises(InputError, match="no_joint"):
        robot.jacobian_of(q, ["tool0"], joints=["no_joint"])
    with pytest.raises(InputError, match="velocities"):
        robot.velocity(q, np.zeros(5))
    with pytest.raises(InputError):
        robot.batch_fk(np.full((3, 6), np.nan))


def test_reachability_is_kept_in_files_and_pickles(tmp_path):
    reach = ReachabilityMap(Robot("ur5e"), resolution=0.1, samples=100_000, seed=3)
    # The UR5e's data sheet says a reach of 0.85 m to the wrist; the tool adds at most 0.25 m.
    radii = np.linalg.norm(reach.centers - [0.0, 0.0, 0.1625], axis=1)
    assert radii.max() < 0.85 + 0.25 + 0.1 and len(reach) == len(reach.dexterity)
    assert reach.is_reachable(0.4, 0.2, 0.4) and not reach.is_reachable(1.5, 0.0, 0.0)
    assert 0 < reach.dexterity_at(0.4, 0.2, 0.4) <= 1 and reach.volume == pytest.approx(len(reach) * 1e-3)
    path = tmp_path / "reach.npz"
    reach.save(path)
    assert ReachabilityMap.load(path) == reach == pickle.loads(pickle.dumps(reach))
    assert ReachabilityMap(Robot("ur5e"), resolution=0.1, samples=100_000, seed=4) != reach
    np.savez(path, other=1)
    with pytest.raises(InputError, match="not a reachability map"):
        ReachabilityMap.load(path)
    with pytest.raises(InputError, match="resolution"):
        ReachabilityMap(Robot("ur5e"), resolution=0)
    with pytest.raises(InputError):
        ReachabilityMap(Robot("xarm5"), resolution=0.3, samples=1000, rolls=1)


def test_closed_form_directions_add_to_the_sampled_ones():
    sampled = ReachabilityMap(Robot("ur5e"), resolution=0.4, samples=2000, seed=1)
    solved = ReachabilityMap(Robot("ur5e"), resolution=0.4, samples=2000, seed=1, rolls=4)
    np.testing.assert_array_equal(solved.centers, sampled.centers)
    assert (solved.dexterity >= sampled.dexterity).all() and solved.dexterity.sum() > sampled.dexterity.sum()


def test_a_slice_shows_the_cubes_of_one_layer(tmp_path):
    pytest.importorskip("matplotlib")
    from kinetic.viz.reachability import layer, plot_slice

    reach = ReachabilityMap(Robot("ur5e"), resolution=0.1, samples=50_000)
    values, (left, right, low, high) = layer(reach, "y", 0.05)
    assert values.shape == (round((high - low) / 0.1), round((right - left) / 0.1))
    here = np.abs(reach.centers[:, 1] - 0.05) < 1e-9
    assert np.isfinite(values).sum() == here.sum()
    for (x, _, z), share in zip(reach.centers[here], reach.dexterity[here]):
        assert values[int((z - low) / 0.1), int((x - left) / 0.1)] == share
    plot_slice(reach, axis="z", at=0.3, path=tmp_path / "slice.png")
    assert (tmp_path / "slice.png").stat().st_size > 1000
    with pytest.raises(InputError):
        plot_slice(reach, axis="w")


def test_the_module_says_what_it_offers():
    assert "ReachabilityMap" in kinetic.__all__
