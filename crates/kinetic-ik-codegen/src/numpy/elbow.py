"""Arms whose third, fourth and fifth axes share a point: the target closes the loop, where the three are a wrist.

Pieper's decomposition (1968) about their point: joint 6 moved along with the target, joints 1 and 2 bring it there.
"""

import numpy as np
from cos_sin import cross, rotation
from data import POLICY, SOLVER, Record
from shoulder import shoulder, wrist_angles


def branches_of(displacement):
    """All branches that make a displacement, and possibly some that do not close it."""
    about, shift = displacement
    first, second, last = SOLVER.outer
    moved = Record(axis=about @ last.axis, point=about @ last.point + shift)
    arm = carrying([moved, first, second], SOLVER.centre)
    rows = []
    for sixth, a, b in shoulder(arm, about @ SOLVER.centre + shift) if arm is not None else []:
        before = rotation(first.axis, a) @ rotation(second.axis, b)
        left = before.T @ about @ rotation(last.axis, sixth.conjugate())
        rows += [[a, b, *wrist, sixth] for wrist in wrist_angles(SOLVER.wrist, left)]
    return rows


def carrying(screws, carried):
    """Three joints and the point that they carry, or None when the third one does not move it."""
    points = [screw.point for screw in screws]
    crossing = crossing_of(screws[0], screws[1])
    if crossing is not None:
        points[0] = points[1] = crossing
    else:
        crossing = crossing_of(screws[1], screws[2])
        if crossing is not None:
            points[1] = points[2] = crossing
    arm = carried - points[2]
    size = sum(float(np.linalg.norm(link)) for link in (arm, points[1] - points[0], points[2] - points[1]))
    if float(np.linalg.norm(cross(screws[2].axis, arm))) <= POLICY.axis_intersect:
        return None
    return Record(axes=[screw.axis for screw in screws], points=points, arm=arm, size=size)


def crossing_of(one, two):
    """The point where two axes meet, or None."""
    normal, between = cross(one.axis, two.axis), two.point - one.point
    sine = float(np.linalg.norm(normal))
    if sine <= INTERSECTING_AXES_SINE or abs(float(between @ normal)) > POLICY.axis_intersect * sine:
        return None
    on_one = one.point + one.axis * (float(cross(between, two.axis) @ normal) / sine**2)
    on_two = two.point + two.axis * (float(cross(between, one.axis) @ normal) / sine**2)
    return 0.5 * (on_one + on_two)


INTERSECTING_AXES_SINE = 1e-3
"""Sine from which axes that meet do so in a place that is near and well determined."""
