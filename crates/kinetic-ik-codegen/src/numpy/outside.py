"""What every generated file has for those who call it: solutions, stories, refusals; and turns of 2 pi."""

import math
from dataclasses import dataclass

import numpy as np
from data import DOF

CLOSED_RESIDUAL = 1e-10
"""Residual up to which a branch counts as closed."""
ORTHONORMAL_TOLERANCE = 2e-5
"""How far a rotation may be from orthonormal; it is made orthonormal."""


@dataclass(frozen=True, eq=False)
class Solution:
    """One configuration that reaches the pose."""

    q: np.ndarray
    """Joint values in the order of ``JOINT_NAMES``, rad."""
    fk_residual: float
    """Frobenius norm of the difference between reached and wanted 4 x 4 pose."""
    refinement_used: str
    """"none", or "lm" for a near miss that was refined by Levenberg-Marquardt."""


@dataclass(frozen=True)
class Diagnostic:
    """How a solve went: tells "nothing found" from "found, then filtered"."""

    raw_candidates: int
    dropped_by_limits: int
    dropped_by_max_solutions: int
    final_count: int
    max_fk_residual: float


def vector_of(values, name):
    """A finite vector of one value per joint."""
    values = np.asarray(values, dtype=float)
    if values.shape != (DOF,) or not np.isfinite(values).all():
        raise ValueError(f"{name} must be {DOF} finite numbers")
    return values


def checked(target):
    """Rotation, made orthonormal, and translation of a pose."""
    matrix = np.array(target, dtype=float)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        raise ValueError("target must be a 4 x 4 matrix of finite numbers")
    if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > 1e-9:
        raise ValueError("the last row of target must be 0, 0, 0, 1")
    about = matrix[:3, :3]
    if np.abs(about.T @ about - np.eye(3)).max() > ORTHONORMAL_TOLERANCE or np.linalg.det(about) < 0.0:
        raise ValueError("target must hold an orthonormal rotation of determinant +1")
    for _ in range(2):  # Newton's iteration for the polar decomposition (Higham 1986)
        about = 0.5 * (about + np.linalg.inv(about).T)
    return about, matrix[:3, 3]


def nearest(values, near):
    """The value nearest to ``near``; of two that are equally near the first one, which has less turns."""
    best = values[0]
    for value in values[1:]:
        if abs(value - near) + EQUALLY_NEAR_RAD < abs(best - near):
            best = value
    return best


def onto_limits(value, low, high, tolerance):
    """The value, or the limit that it is outside of by at most ``tolerance``; None when it is farther outside."""
    kept = min(max(value, low), high)
    return kept if abs(value - kept) <= tolerance else None


LIMIT_TOLERANCE_RAD_M = 1e-6
"""How far outside a limit rounding may have put a joint value, rad or m: a double root loses half of the digits. Such a
value is put onto the limit, and counts where the other joints then bring the tool back to the target."""
LIMIT_ROUNDING_RAD_M = 1e-9
"""How far outside a limit a value that is given may be, rad or m: rounding."""
EQUALLY_NEAR_RAD = 1e-9
"""Differences of distances below this are rounding, rad."""


def at_turn(angle, near, low, high, tolerance):
    """The value nearest to ``near`` among ``angle`` and its turns of 2 pi inside the limits; None for none.

    Values outside by at most ``tolerance`` are put onto the limit.
    """
    if abs(near - angle) <= math.pi and low <= angle <= high:
        return angle
    first = math.floor((low - angle) / math.tau) if math.isfinite(low) else -math.inf
    last = math.ceil((high - angle) / math.tau) if math.isfinite(high) else math.inf
    below = math.floor((near - angle) / math.tau)
    tried = [min(max(turns, first), last) for turns in (below, below + 1, first, first + 1, last - 1, last)]
    tried = sorted((turns for turns in tried if math.isfinite(turns)), key=abs)
    inside = [onto_limits(angle + math.tau * turns, low, high, tolerance) for turns in tried]
    inside = [value for value in inside if value is not None]
    return nearest(inside, near) if inside else None


def travel(a, b, weights):
    """How far the joints travel, as they stand, each with its weight."""
    return math.sqrt(sum((weight * (x - y)) ** 2 for x, y, weight in zip(a, b, weights)))


def wrapped(angle):
    """An angle in [-pi, pi]."""
    return angle if abs(angle) <= math.pi else angle - math.tau * round(angle / math.tau)
