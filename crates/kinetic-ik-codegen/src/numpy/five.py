"""Five rotating joints: position, and direction of an axis of the tool. The turn about it is a sixth joint."""

import math

import numpy as np
from data import DOF, TOOL_AXIS
from rows import rows_refined, rows_settled, six_rows, write
from sweep import pose_of


def search(target, displacement, _at, found):
    """Adds all branches."""
    six = []
    write(six_rows(displacement), target, np.zeros(DOF + 1), six)
    found += [(q[:DOF], residual) for q, residual in six]


def parameters_of(_q):
    """There is no self-motion."""
    return []


def refined(q, target, steps):
    """A near miss after Levenberg-Marquardt: joint values and residual."""
    q, residual = rows_refined(with_turn(q, target), target, steps)
    return q[:DOF], residual


def settled_at(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    q, residual = rows_settled(with_turn(q, target), target, held)
    return q[:DOF], residual


def with_turn(q, target):
    """The joint values and the turn about the tool's axis that the target asks for."""
    tool_from_target = pose_of(q)[0].T @ target[0]
    one, two = (TOOL_AXIS + 1) % 3, (TOOL_AXIS + 2) % 3
    return np.append(q, math.atan2(tool_from_target[two, one], tool_from_target[one, one]))
