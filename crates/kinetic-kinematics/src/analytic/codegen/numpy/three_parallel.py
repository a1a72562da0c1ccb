"""Arms whose second, third and fourth axes are parallel: two angles from the common direction, then a planar arm."""

import math

import numpy as np
from data import SOLVER
from subproblems import circles, first_turn, linear, middle_turns
from turns import across, cross, rotate, towards


def branches_of(displacement):
    """All branches that make a displacement, and possibly some that do not close it."""
    about, shift = displacement
    o1, o2, o4, o5, o6 = SOLVER.points
    h = SOLVER.planar.common
    reach, last = about @ o6 + shift - o1, about @ SOLVER.last
    mark6 = across(SOLVER.last)
    marked = about @ mark6
    rows = []
    for first, fifth in outer(reach, last):
        back = first.conjugate()
        direction = rotate(SOLVER.first, back, last)
        wanted = o1 + rotate(SOLVER.first, back, reach) - o2
        carried = o5 + rotate(SOLVER.fifth, fifth, o6 - o5) - o4
        before = len(rows)
        for total in sums(fifth, direction):
            target = wanted - rotate(h, total, carried)
            target = target - h * float(h @ target)
            turned = rotate(h, total.conjugate(), rotate(SOLVER.first, back, marked))
            turned = rotate(SOLVER.fifth, fifth.conjugate(), turned)
            sixth = towards(float(turned @ mark6), float(turned @ cross(SOLVER.last, mark6)))
            for second, third in planar(target):
                fourth = total * (second * third).conjugate()
                rows.append([first, second, signed(third, 0), signed(fourth, 1), fifth, sixth])
            # In a singular pose one reachable value stands for the arbitrary ones.
            if len(rows) > before:
                break
    return rows


def signed(turn, joint):
    """The turn as its joint counts it."""
    return turn if SOLVER.planar.signs[joint] > 0.0 else turn.conjugate()


def outer(reach, last):
    """Turns 1 and 5."""
    o1, _, _, o5, o6 = SOLVER.points
    first, h = SOLVER.first, SOLVER.planar.common
    if not SOLVER.meets:
        parts = [
            term(h, -first, reach),
            term(-h, SOLVER.fifth, o6 - o5),
            term(h, -first, last),
            term(-h, SOLVER.fifth, SOLVER.last),
        ]
        right = [float(h @ (o5 - o1)) - parts[0][1] - parts[1][1], -parts[2][1] - parts[3][1]]
        one = np.array([parts[0][0], parts[2][0]])
        two = np.array([parts[1][0], parts[3][0]])
        return circles(one, two, np.array(right))
    along = float(first @ h) * float(first @ reach)
    a, b = float(h @ reach) - along, float(h @ cross(reach, first))
    turns, _ = linear(a, b, float(h @ (o6 - o1)) - along, float(np.linalg.norm(reach)))
    pairs = []
    for turn in turns:
        direction = rotate(first, turn.conjugate(), last)
        pairs += [(turn, fifth) for fifth in middle_turns(SOLVER.cone, direction)]
    return pairs


def term(h, k, p):
    """``h . R(k, angle) p``: coefficients of cosine and sine, and the constant part."""
    along = float(k @ h) * float(k @ p)
    return [float(h @ p) - along, float(cross(k, p) @ h)], along


def sums(fifth, direction):
    """Sums of angles 2, 3, 4 that are to be tried; eight stand for all of them where the last joint makes up for it."""
    total = first_turn(SOLVER.cone, fifth, direction)
    if total is not None:
        return [total]
    return [complex(math.sqrt(0.5), math.sqrt(0.5)) ** k for k in range(8)]


def planar(target):
    """Turns 2 and 3 that bring axis 4 to ``target`` from axis 2, across the axes."""
    near, far = SOLVER.planar.links
    h = SOLVER.planar.common
    a, b = float(near @ far), float(near @ cross(h, far))
    right = 0.5 * float(target @ target - near @ near - far @ far)
    elbows, is_exact = linear(a, b, right, math.hypot(a, b))
    pairs = []
    for elbow in elbows if is_exact else []:
        end = near + rotate(h, elbow, far)
        x, y = float(end @ target), float(h @ cross(end, target))
        is_folded = x * x + y * y <= 1e-24 * float(near @ near) ** 2
        pairs.append((1.0 + 0.0j if is_folded else towards(x, y), elbow))
    return pairs
