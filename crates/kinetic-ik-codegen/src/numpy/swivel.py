"""Arms with spherical shoulder, elbow and spherical wrist: closed form over the swivel angle (Shimizu et al. 2008)."""

import math

import numpy as np
from cos_sin import across, cross, from_angle, rotate, rotation
from data import ARM, SOLVER
from rows import rows_refined, rows_settled, write
from shoulder import wrist_angles
from subproblems import linear

ALONG = 1e-12
"""Sine below which an axis lies along the line from shoulder to wrist."""


def search(target, displacement, at, found):
    """Adds the branches at a swivel angle."""
    reach = displacement[0] @ SOLVER.wrist_point + displacement[1] - SOLVER.shoulder_point
    distance = float(np.linalg.norm(reach))
    if not distance > 0.0:
        return
    line = reach / distance
    swung = line_frame(line, SOLVER.first) @ rotation(np.array([1.0, 0.0, 0.0]), from_angle(at[0]))
    rows = []
    for elbow in elbow_angles(distance):
        arm = arm_of(elbow)
        shoulder = swung @ line_frame(arm / np.linalg.norm(arm), SOLVER.elbow.axis).T
        left = (shoulder @ rotation(SOLVER.elbow.axis, elbow)).T @ displacement[0]
        lasts = wrist_angles(SOLVER.wrist, left)
        rows += [[*first, elbow, *last] for first in wrist_angles(SOLVER.shoulder, shoulder) for last in lasts]
    write(rows, target, np.zeros(len(ARM)), found)


def elbow_angles(distance):
    """Turns of the elbow that bring the wrist to a distance from the shoulder: the law of cosines."""
    axis = SOLVER.elbow.axis
    near, far = SOLVER.shoulder_point - SOLVER.elbow.point, SOLVER.wrist_point - SOLVER.elbow.point
    along = float(axis @ near) * float(axis @ far)
    a, b = float(near @ far) - along, float(cross(axis, far) @ near)
    right = 0.5 * (float(near @ near) + float(far @ far) - distance * distance) - along
    turns, is_exact = linear(a, b, right, float(np.linalg.norm(near) * np.linalg.norm(far)))
    return turns if is_exact else []


def line_frame(line, side):
    """Frame with the first axis along ``line``, the second across it towards ``side``."""
    flat = side - line * float(line @ side)
    length = float(np.linalg.norm(flat))
    flat = flat / length if length > ALONG else across(line)
    return np.column_stack([line, flat, cross(line, flat)])


def arm_of(elbow):
    """From the shoulder to the wrist with the elbow turned and the shoulder at zero."""
    far = SOLVER.wrist_point - SOLVER.elbow.point
    return SOLVER.elbow.point + rotate(SOLVER.elbow.axis, elbow, far) - SOLVER.shoulder_point


def parameters_of(q):
    """The swivel angle of joint values."""
    about = np.eye(3)
    for screw in ARM[:3]:
        about = about @ rotation(screw.axis, from_angle(q[screw.variable]))
    reach = about @ arm_of(from_angle(q[SOLVER.elbow.variable]))
    side = line_frame(reach / np.linalg.norm(reach), SOLVER.first).T @ (about @ SOLVER.elbow.axis)
    return [math.atan2(side[2], side[1])]


def refined(q, target, steps):
    """A near miss after Levenberg-Marquardt: joint values and residual."""
    return rows_refined(q, target, steps)


def settled_at(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    return rows_settled(q, target, held)
