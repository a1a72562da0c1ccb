"""Three rotating joints that bring a point to a position (subproblem 5), and three axes that share one."""

import math

import numpy as np
from cos_sin import cross, from_direction, rotate
from subproblems import circles, first_angle, linear, middle_angles

ON_AXIS = 1e-12
"""A point closer to an axis than this, relative to the size of the arm, is on it."""


def shoulder(arm, target):
    """All turns of three axes that bring the point that they carry to ``target``, at most four."""
    (h1, h2, h3), (o1, o2, o3), size = arm.axes, arm.points, arm.size
    reach, p0, p2 = target - o1, o1 - o2, o3 - o2
    equations = sp5_equations((p0, reach, p2, arm.arm), (-h1, h2, h3))
    if np.linalg.norm(cross(h1, reach)) <= ON_AXIS * size:
        pairs = first_is_free(equations, size)
    else:
        pairs = circles(*equations)
    rows = []
    for first, third in pairs:
        left = p0 + rotate(h1, first.conjugate(), reach)
        right = p2 + rotate(h3, third, arm.arm)
        x = float(right @ left) - float(h2 @ left) * float(h2 @ right)
        y = float(cross(h2, right) @ left)
        # On the second axis every second angle will do.
        is_free = math.sqrt(x * x + y * y) <= ON_AXIS * size * size
        rows.append((first, 1.0 + 0.0j if is_free else from_direction(x, y), third))
    return rows


def sp5_equations(p, k):
    """Two equations in the first and the third turn: the second one keeps a component and the length."""
    (p0, p1, p2, p3), (k1, k2, k3) = p, k
    along1, along3 = k1 * float(k1 @ p1), k3 * float(k3 @ p3)
    across1, across3, turned1, turned3 = p1 - along1, p3 - along3, cross(k1, p1), cross(k3, p3)
    base1, base3 = p0 + along1, p2 + along3
    first = np.array([[k2 @ across1, k2 @ turned1], [p0 @ across1, p0 @ turned1]])
    second = -np.array([[k2 @ across3, k2 @ turned3], [p2 @ across3, p2 @ turned3]])
    lengths = base3 @ base3 + across3 @ across3 - base1 @ base1 - across1 @ across1
    return first, second, np.array([k2 @ (base3 - base1), 0.5 * lengths])


def first_is_free(equations, size):
    """The target is on the first axis: the first angle is arbitrary, 0 stands for all of them."""
    first, second, right = equations
    row = 1 if math.hypot(*second[1]) / size > math.hypot(*second[0]) else 0
    a, b = second[row]
    thirds, _ = linear(a, b, right[row] - first[row][0], math.hypot(a, b))
    return [(1.0 + 0.0j, third) for third in thirds]


def wrist_angles(wrist, about):
    """All turns of three axes through one point that make a rotation, at most two."""
    direction, marked = about @ wrist.axes[2], about @ wrist.mark
    rows = []
    for middle in middle_angles(wrist.cone, direction):
        # In a singular pose the first and the last turn are one; the last takes all of it.
        first = first_angle(wrist.cone, middle, direction) or 1.0 + 0.0j
        mark = rotate(wrist.axes[1], middle.conjugate(), rotate(wrist.axes[0], first.conjugate(), marked))
        rows.append((first, middle, from_direction(float(mark @ wrist.mark), float(mark @ wrist.mark_turned))))
    return rows
