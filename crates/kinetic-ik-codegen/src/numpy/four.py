"""Four rotating joints, the last three parallel: position, and the direction of an axis of the tool in their plane."""

import math

import numpy as np
from cos_sin import angle_of, cross, from_angle, from_direction, rotate
from data import HOME, SCREWS, SOLVER
from newton import both_sides, moved_axes, newton_settled
from rows import add
from subproblems import linear

NO_DIRECTION_RATIO = 1e-12
"""What is shorter than this, relative to the arm, has no direction."""


def search(target, _displacement, _at, found):
    """Adds all branches."""
    first, common = SOLVER.first, SOLVER.planar.common
    wanted, axis = target[0][:, SOLVER.axis], HOME[0][:, SOLVER.axis]
    for turn in first_angles(target[1]):
        back = turn.conjugate()
        direction = rotate(first.axis, back, wanted)
        x = float(axis @ direction) - float(common @ axis) * float(common @ direction)
        y = float(cross(common, axis) @ direction)
        total = 1.0 + 0.0j if math.hypot(x, y) <= NO_DIRECTION_RATIO else from_direction(x, y)
        reach = rotate(first.axis, back, target[1] - first.point)
        carried = rotate(common, total, HOME[1] - SOLVER.fourth)
        for planar in planar_angles(first.point + reach - carried - SOLVER.second, total):
            for row in both_sides([turn, *planar], lambda row: linear_model(row, target)):
                q = np.zeros(len(SCREWS))
                for screw, value in zip(SCREWS, row):
                    q[screw.variable] = angle_of(value)
                add(
                    found,
                    q,
                    task_residual(row, target),
                    lambda q: task_residual([from_angle(q[s.variable]) for s in SCREWS], target),
                )


def first_angles(position):
    """Turns of the first joint that turn the plane of the tool to ``position``."""
    axis, common = SOLVER.first.axis, SOLVER.planar.common
    reach, tool = position - SOLVER.first.point, HOME[1] - SOLVER.first.point
    along = float(axis @ common) * float(axis @ reach)
    a, b = float(common @ reach) - along, float(common @ cross(reach, axis))
    right = float(common @ tool) - along
    size = float(np.linalg.norm(tool) + np.linalg.norm(reach))
    if math.hypot(a, b) <= NO_DIRECTION_RATIO * size and abs(right) <= NO_DIRECTION_RATIO * size:
        # Over the first axis every plane will do.
        return [1.0 + 0.0j]
    turns, is_exact = linear(a, b, right, size)
    return turns if is_exact else []


def planar_angles(target, total):
    """Turns that bring the third parallel axis to ``target`` from the first one, with a sum of ``total``."""
    (near, far), common = SOLVER.planar.links, SOLVER.planar.common
    target = target - common * float(common @ target)
    a, b = float(near @ far), float(near @ cross(common, far))
    right = 0.5 * (float(target @ target) - float(near @ near) - float(far @ far))
    elbows, is_exact = linear(a, b, right, math.sqrt(a * a + b * b))
    rows = []
    for elbow in elbows if is_exact else []:
        reached = near + rotate(common, elbow, far)
        x, y = float(reached @ target), float(common @ cross(reached, target))
        is_folded = x * x + y * y <= 1e-24 * float(near @ near) ** 2
        first = 1.0 + 0.0j if is_folded else from_direction(x, y)
        last = total * (first * elbow).conjugate()
        rows.append([first, counted(elbow, 0), counted(last, 1)])
    return rows


def counted(turn, joint):
    """The turn as its joint counts it."""
    return turn if SOLVER.planar.signs[joint] > 0.0 else turn.conjugate()


def task_residual(row, target):
    """Length of the difference in position and in direction in the plane."""
    _, (about, shift) = moved_axes(row)
    normal = rotate(SOLVER.first.axis, row[0], SOLVER.planar.common)
    flat = []
    for pose_rotation in (about @ HOME[0], target[0]):
        axis = pose_rotation[:, SOLVER.axis]
        axis = axis - normal * float(normal @ axis)
        length = float(np.linalg.norm(axis))
        flat.append(axis / length if length > NO_DIRECTION_RATIO else None)
    apart = 0.0 if flat[0] is None or flat[1] is None else float(np.linalg.norm(flat[0] - flat[1]))
    return math.hypot(float(np.linalg.norm(about @ HOME[1] + shift - target[1])), apart)


def linear_model(row, target):
    """Reached minus wanted position and the sine of the angle to the direction in the plane, with derivatives."""
    axes, (about, shift) = moved_axes(row)
    tool, axis = about @ HOME[1] + shift, (about @ HOME[0])[:, SOLVER.axis]
    normal = rotate(SOLVER.first.axis, row[0], SOLVER.planar.common)
    wanted = target[0][:, SOLVER.axis]
    error = np.append(tool - target[1], normal @ cross(wanted, axis))
    columns = []
    for joint, (turning, point) in enumerate(axes):
        # The first joint turns the plane along.
        carried = float(cross(turning, normal) @ cross(wanted, axis)) if joint == 0 else 0.0
        angle = float(normal @ cross(wanted, cross(turning, axis))) + carried
        columns.append(np.append(cross(turning, tool - point), angle))
    return error, np.column_stack(columns)


def parameters_of(_q):
    """There is no self-motion."""
    return []


def refined(_q, _target, _steps):
    """The class has no near misses."""
    return None


def settled_at(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    q, row = newton_settled(q, held, lambda row: linear_model(row, target))
    return q, task_residual(row, target)
