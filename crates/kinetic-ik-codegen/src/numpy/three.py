"""Three rotating joints: the position of the tool, subproblem 5."""

import numpy as np
from cos_sin import angle_of, cross, from_angle
from data import HOME, SCREWS, SOLVER
from newton import both_sides, moved_axes, newton_settled
from rows import add
from shoulder import shoulder


def search(target, _displacement, _at, found):
    """Adds all branches."""
    for start in shoulder(SOLVER.shoulder, target[1]):
        for row in both_sides(list(start), lambda row: linear_model(row, target[1])):
            q = np.zeros(len(SCREWS))
            for screw, turn in zip(SCREWS, row):
                q[screw.variable] = angle_of(turn)
            add(found, q, task_residual(q, target), lambda q: task_residual(q, target))


def task_residual(q, target):
    """Distance from the position."""
    _, (about, shift) = moved_axes([from_angle(q[screw.variable]) for screw in SCREWS])
    return float(np.linalg.norm(about @ HOME[1] + shift - target[1]))


def linear_model(row, position):
    """Reached minus wanted position, and its derivatives."""
    axes, (about, shift) = moved_axes(row)
    tool = about @ HOME[1] + shift
    return tool - position, np.column_stack([cross(axis, tool - point) for axis, point in axes])


def parameters_of(_q):
    """There is no self-motion."""
    return []


def refined(_q, _target, _steps):
    """The class has no near misses."""
    return None


def settled_at(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    q, _ = newton_settled(q, held, lambda row: linear_model(row, target[1]))
    return q, task_residual(q, target)
