"""Arms with one or two joints too many: these are locked, and the six others are solved by their class."""

import numpy as np
from data import DOF, HOME, LOCKS
from rows import rows_refined, rows_settled, six_rows, write
from sweep import exponential, inverse_of, moved


def search(_target, displacement, at, found):
    """Adds the branches at values of the locked joints."""
    q = np.zeros(DOF)
    for lock, value in zip(LOCKS, at):
        q[lock.screw.variable] = value
    displacement = seen(displacement, at)
    write(six_rows(displacement), moved(displacement, HOME), q, found)


def seen(displacement, at):
    """What the joints have to do that are not locked."""
    for lock, value in zip(LOCKS, at):
        if lock.is_before:
            displacement = moved(exponential(lock.screw, -value), displacement)
    for lock, value in reversed(list(zip(LOCKS, at))):
        if not lock.is_before:
            displacement = moved(displacement, exponential(lock.screw, -value))
    return displacement


def parameters_of(q):
    """The values of the locked joints."""
    return [float(q[lock.screw.variable]) for lock in LOCKS]


def refined(q, target, steps):
    """A near miss after Levenberg-Marquardt in the six joints: joint values and residual."""
    return rows_refined(q, target_of_six(q, target), steps)


def settled_at(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    return rows_settled(q, target_of_six(q, target), held)


def target_of_six(q, target):
    """The target as the joints see it that are not locked."""
    displacement = moved(target, inverse_of(HOME))
    return moved(seen(displacement, parameters_of(q)), HOME)
