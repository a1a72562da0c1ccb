"""Batches: Jacobians against Pinocchio, and results in arrays of the caller."""

import numpy as np
import pytest
from oracles import translation
from test_forward import LOCAL_WORLD_ALIGNED, TOLERANCE, Peer

import kinetic
from kinetic import InputError, Robot, Scene, Shape

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("name, link", [("ur5e", "tool0"), ("ur5e", "forearm_link"), ("fetch", "elbow_flex_link")])
def test_jacobians_of_a_batch_equal_pinocchio(name: str, link: str) -> None:
    peer = Peer(name)
    robot, rng = peer.robot, np.random.default_rng(1)
    columns = peer.columns(robot.joint_names)
    drawn = [peer.draw(rng) for _ in range(50)]
    # In the length of the robot: the other joints stand elsewhere, too.
    found = robot.batch_jacobian(np.array([values for values, _ in drawn]), link)
    assert found.shape == (50, 6, robot.dof)
    for (values, q), jacobian in zip(drawn, found):
        pin.computeJointJacobians(peer.model, peer.data, q)
        pin.updateFramePlacements(peer.model, peer.data)
        frame, base = (peer.model.getFrameId(body, pin.FrameType.BODY) for body in (link, robot.base))
        expected = pin.getFrameJacobian(peer.model, peer.data, frame, LOCAL_WORLD_ALIGNED)[:, columns]
        rotation = peer.data.oMf[base].rotation.T
        np.testing.assert_allclose(jacobian, np.kron(np.eye(2), rotation) @ expected, atol=TOLERANCE)
        np.testing.assert_array_equal(jacobian, robot.jacobian(values, link))


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "fetch"])
def test_jacobians_of_a_batch_have_the_bits_of_single_calls(name: str) -> None:
    robot, rng = Robot(name), np.random.default_rng(2)
    group = rng.uniform(-1.0, 1.0, (40, robot.dof))
    whole = rng.uniform(-1.0, 1.0, (40, len(robot.active_joints)))
    tool = translation(0.1, 0.2, 0.3)
    for configs in (group, whole):
        for options in ({}, {"tcp": tool}, {"link": robot.tip}, {"link": robot.tip, "tcp": tool}):
            expected = np.array([robot.jacobian(q, **options) for q in configs])
            np.testing.assert_array_equal(robot.batch_jacobian(configs, **options), expected)
    assert robot.batch_jacobian(np.empty((0, robot.dof))).shape == (0, 6, robot.dof)


def calls():
    """Batch calls with the array that each fills."""
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("box", Shape.box(0.3, 0.3, 0.3), translation(0.4, 0.2, 0.4))
    configs = np.random.default_rng(3).uniform(-2.0, 2.0, (100, 6))
    return {
        "batch_fk": (lambda **out: robot.batch_fk(configs, **out), (100, 4, 4), float),
        "batch_jacobian": (lambda **out: robot.batch_jacobian(configs, **out), (100, 6, 6), float),
        "are_free": (lambda **out: scene.are_free(configs, **out), (100,), bool),
    }


CALLS = calls()


@pytest.mark.parametrize("name", CALLS)
def test_results_go_into_the_array_of_the_caller(name: str) -> None:
    call, shape, kind = CALLS[name]
    out = np.zeros(shape, kind)
    assert call(out=out) is out
    np.testing.assert_array_equal(out, call())
    # A part of a larger array, in one piece.
    larger = np.zeros((3, *shape), kind)
    call(out=larger[1])
    np.testing.assert_array_equal(larger[1], out)
    assert not larger[0].any() and not larger[2].any()


@pytest.mark.parametrize("name", CALLS)
def test_arrays_that_cannot_be_filled_are_refused(name: str) -> None:
    call, shape, kind = CALLS[name]
    locked = np.zeros(shape, kind)
    locked.flags.writeable = False
    wide = np.zeros((*shape, 2), kind)[..., 0]
    for out in (np.zeros((99, *shape[1:]), kind), np.zeros(shape, np.float32), locked, wide, [1.0], "out"):
        with pytest.raises(InputError, match="out"):
            call(out=out)


def test_what_is_refused_leaves_the_array_as_it_was() -> None:
    robot, out = Robot("ur5e"), np.ones((2, 4, 4))
    with pytest.raises(InputError):
        robot.batch_fk([[0.0] * 6, [np.nan] * 6], out=out)
    assert (out == 1.0).all()
    with pytest.raises(InputError):
        robot.batch_jacobian(np.zeros((2, 5)))
    with pytest.raises(InputError):
        robot.batch_jacobian(np.zeros((2, 6)), "no_link")
    with pytest.raises(kinetic.KineticError):
        robot.batch_jacobian(np.zeros(6))
