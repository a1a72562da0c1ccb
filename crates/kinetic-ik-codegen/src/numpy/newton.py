"""Newton's method for rows of arms with fewer than six joints, whose axes are off by rounding."""

import numpy as np
from cos_sin import angle_of, from_angle, rotation
from data import SCREWS

CONVERGED_ROW_ERROR = 1e-13
"""Residual above which a row has lost digits that Newton's method can bring back."""
RECOVERABLE_ROW_ERROR = 1e-2
"""And up to which it can."""
ROW_NEWTON_STEPS = 25
DOUBLE_ROOT_ANGLE_RAD = 1e-5
"""A row that was moved farther than this, rad, came from a double root of the arm nearby: two roots lie beside it."""


def both_sides(row, linear_model):
    """The rows that Newton's method reaches from ``row`` and, where that is far away, from the other side of it."""
    one = descended(row, linear_model)
    apart = max(abs(a.real - b.real) + abs(a.imag - b.imag) for a, b in zip(one, row))
    if not apart > DOUBLE_ROOT_ANGLE_RAD:
        return [one]
    return [one, descended([start * start * end.conjugate() for start, end in zip(row, one)], linear_model)]


def descended(start, linear_model):
    """The best row on the way of damped Newton steps; ``linear_model`` has what is to vanish and its derivatives."""
    row = best = start
    error, jacobian = linear_model(row)
    least = float(np.linalg.norm(error))
    for _ in range(ROW_NEWTON_STEPS):
        if not CONVERGED_ROW_ERROR <= least < RECOVERABLE_ROW_ERROR:
            break
        damping = max(1e-2 * float(error @ error), 1e-14)
        try:
            step = np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(len(row)), jacobian.T @ error)
        except np.linalg.LinAlgError:
            break
        # Linearisation holds to about 0.3 rad.
        step *= min(0.3 / max(float(np.abs(step).max()), 1e-300), 1.0)
        row = [turn * from_angle(-angle) for turn, angle in zip(row, step)]
        error, jacobian = linear_model(row)
        if float(np.linalg.norm(error)) < least:
            best, least = row, float(np.linalg.norm(error))
    return best


def newton_settled(q, held, linear_model):
    """Joint values with the others than those in ``held`` where Newton's method brings them, and their row."""
    still = [at for at, screw in enumerate(SCREWS) if screw.variable in held]

    def of_the_others(row):
        error, jacobian = linear_model(row)
        jacobian[:, still] = 0.0
        return error, jacobian

    row = descended([from_angle(q[screw.variable]) for screw in SCREWS], of_the_others)
    values = np.array(q)
    for screw, turn in zip(SCREWS, row):
        if screw.variable not in held:
            values[screw.variable] = angle_of(turn)
    return values, row


def moved_axes(row):
    """Axis and point of each joint along a row, and the displacement after the last one."""
    about, shift, axes = np.eye(3), np.zeros(3), []
    for screw, turn in zip(SCREWS, row):
        axes.append((about @ screw.axis, about @ screw.point + shift))
        own = rotation(screw.axis, turn)
        shift = about @ (screw.point - own @ screw.point) + shift
        about = about @ own
    return axes, (about, shift)
