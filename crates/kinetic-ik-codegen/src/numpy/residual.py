"""Does a branch close forward kinematics? And Newton's method for those that nearly do."""

import math

import numpy as np
from cos_sin import cross, from_angle, rotation
from data import SCREWS

CONVERGED_RESIDUAL = 2e-14
"""A residual that another step would not better."""
ROUNDING_RESIDUAL = 1e-11
"""Below this a step that betters nothing shows that rounding is reached."""


def joint_frames(row):
    """Displacement before each joint, and after the last one, as pairs of rotation and translation."""
    frames = [(np.eye(3), np.zeros(3))]
    for screw, turn in zip(SCREWS, row):
        before_rotation, before = frames[-1]
        about = rotation(screw.axis, turn)
        shift = screw.point - about @ screw.point
        frames.append((before_rotation @ about, before_rotation @ shift + before))
    return frames


def reached(row, end):
    """Pose that a branch reaches."""
    displacement = joint_frames(row)[-1]
    return displacement[0] @ end[0], displacement[0] @ end[1] + displacement[1]


def residual_of(row, target, end):
    """Frobenius norm of reached minus wanted pose (lengths in m)."""
    pose = reached(row, end)
    return math.sqrt(((pose[0] - target[0]) ** 2).sum() + ((pose[1] - target[1]) ** 2).sum())


def polished(row, target, end, steps, held=()):
    """The branch after at most ``steps`` damped Newton steps, or as it was when they do not bring it nearer.

    Joints in ``held`` stay where they are.
    """
    best, least = row, residual_of(row, target, end)
    for _ in range(steps):
        if least <= CONVERGED_RESIDUAL:
            break
        row = newton_step(row, target, end, held)
        residual = residual_of(row, target, end)
        if not math.isfinite(residual):
            break
        is_settled = residual >= least and least <= ROUNDING_RESIDUAL
        if residual < least:
            best, least = row, residual
        if is_settled:
            break
    return best


def newton_step(row, target, end, held=()):
    """One step, damped by the error: singular poses are approached, and good ones keep quadratic convergence."""
    frames = joint_frames(row)
    last_rotation, last = frames[-1]
    pose_rotation, position = last_rotation @ end[0], last_rotation @ end[1] + last
    turning = 0.5 * sum(cross(pose_rotation[:, axis], target[0][:, axis]) for axis in range(3))
    error = np.concatenate([target[1] - position, turning])
    jacobian = np.empty((6, len(SCREWS)))
    for joint, screw in enumerate(SCREWS):
        before_rotation, before = frames[joint]
        axis = before_rotation @ screw.axis
        jacobian[:3, joint] = cross(axis, position - before_rotation @ screw.point - before)
        jacobian[3:, joint] = axis
    jacobian[:, list(held)] = 0.0
    damping = max(1e-2 * float(error @ error), 1e-14)
    try:
        step = np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(len(SCREWS)), jacobian.T @ error)
    except np.linalg.LinAlgError:
        return row
    # Linearisation holds to about 0.3 rad.
    step *= min(0.3 / max(float(np.abs(step).max()), 1e-300), 1.0)
    return [turn * from_angle(angle) for turn, angle in zip(row, step)]
