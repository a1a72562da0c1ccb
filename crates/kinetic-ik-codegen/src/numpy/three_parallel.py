"""Arms whose second, third and fourth axes are parallel: two angles from the common direction, then a planar arm."""

import math

import numpy as np
from cos_sin import across, cross, from_angle, from_direction, rotate
from data import SOLVER
from subproblems import circles, first_angle, linear, middle_angles


def branches_of(displacement):
    """All branches that make a displacement, and possibly some that do not close it."""
    about, shift = displacement
    o1, o6 = SOLVER.points[0], SOLVER.points[4]
    h = SOLVER.planar.common
    reach, last = about @ o6 + shift - o1, about @ SOLVER.last
    mark6 = across(SOLVER.last)
    marked = about @ mark6
    rows = []
    for first, fifth in outer(reach, last):
        back = first.conjugate()
        direction = rotate(SOLVER.first, back, last)
        wanted, carried = planar_target(back, fifth, reach)
        # Where the last axis is parallel to the three, any sum of their angles will do: the last joint makes up for it.
        only = first_angle(SOLVER.cone, fifth, direction)
        for total in [only] if only is not None else reaching(wanted, carried):
            target = wanted - rotate(h, total, carried)
            target = target - h * float(h @ target)
            mark = rotate(h, total.conjugate(), rotate(SOLVER.first, back, marked))
            mark = rotate(SOLVER.fifth, fifth.conjugate(), mark)
            sixth = from_direction(float(mark @ mark6), float(mark @ cross(SOLVER.last, mark6)))
            for second, third in planar(target):
                fourth = total * (second * third).conjugate()
                rows.append([first, second, signed(third, 0), signed(fourth, 1), fifth, sixth])
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
    right, size = float(h @ (o6 - o1)) - along, float(np.linalg.norm(reach))
    is_free = math.hypot(a, b) <= ON_AXIS * size and abs(right) <= ON_AXIS * size
    turns = [free_first(reach, last)] if is_free else linear(a, b, right, size)[0]
    pairs = []
    for turn in turns:
        direction = rotate(first, turn.conjugate(), last)
        pairs += [(turn, fifth) for fifth in middle_angles(SOLVER.cone, direction)]
    return pairs


ON_AXIS = 1e-10
"""A wrist closer to the first axis than this, relative to its distance, is on it."""


def free_first(reach, last):
    """The first turn where any would do: with the planar arm as far as can be from both ends of its reach."""
    step = math.tau / 32
    best = min((step * index for index in range(32)), key=lambda angle: outside_reach(from_angle(angle), reach, last))
    low, high = best - step, best + step
    for _ in range(60):
        third = (high - low) / 3.0
        if outside_reach(from_angle(low + third), reach, last) <= outside_reach(from_angle(high - third), reach, last):
            high -= third
        else:
            low += third
    return from_angle(0.5 * (low + high))


def outside_reach(first, reach, last):
    """How far the planar arm is from reaching at best with the first joint turned so; below zero within reach."""
    h, back = SOLVER.planar.common, first.conjugate()
    near, far = (float(np.linalg.norm(link)) for link in SOLVER.planar.links)
    direction, least = rotate(SOLVER.first, back, last), math.inf
    for fifth in middle_angles(SOLVER.cone, direction):
        wanted, carried = planar_target(back, fifth, reach)
        total = first_angle(SOLVER.cone, fifth, direction)
        target = wanted - rotate(h, 1.0 + 0.0j if total is None else total, carried)
        distance = float(np.linalg.norm(target - h * float(h @ target)))
        least = min(least, max(distance - near - far, abs(near - far) - distance))
    return least


def planar_target(back, fifth, reach):
    """The target seen from axis 2 before its turn, and where the fifth joint has the point of the last axis."""
    o1, o2, o4, o5, o6 = SOLVER.points
    carried = o5 + rotate(SOLVER.fifth, fifth, o6 - o5) - o4
    return o1 + rotate(SOLVER.first, back, reach) - o2, carried


def term(h, k, p):
    """``h . R(k, angle) p``: coefficients of cosine and sine, and the constant part."""
    along = float(k @ h) * float(k @ p)
    return [float(h @ p) - along, float(cross(k, p) @ h)], along


def reaching(wanted, carried):
    """Sums of angles 2, 3, 4 that bring axis 4 within reach where any would do: the middle of these, on both sides."""
    h = SOLVER.planar.common
    wanted, carried = wanted - h * float(h @ wanted), carried - h * float(h @ carried)
    near, far = (float(np.linalg.norm(link)) for link in SOLVER.planar.links)
    x, y = float(carried @ wanted), float(h @ cross(carried, wanted))
    if x * x + y * y <= 1e-24 * near**4:
        return [1.0 + 0.0j]
    # The law of cosines for the distance that is left.
    squares, product = float(wanted @ wanted + carried @ carried), 2.0 * math.hypot(x, y)
    ends = [(squares - distance * distance) / product for distance in (near + far, near - far)]
    middle = 0.5 * sum(min(max(end, -1.0), 1.0) for end in ends)
    sine = math.sqrt(max((1.0 - middle) * (1.0 + middle), 0.0))
    aligned = from_direction(x, y)
    return [aligned * complex(middle, sine)] + ([aligned * complex(middle, -sine)] if sine > 0.0 else [])


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
        pairs.append((1.0 + 0.0j if is_folded else from_direction(x, y), elbow))
    return pairs
