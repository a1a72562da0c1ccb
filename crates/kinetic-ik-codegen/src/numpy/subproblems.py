"""Small systems of trigonometric equations (Elias & Wen 2022), and the roots of polynomials up to degree four."""

import math

import numpy as np
from cos_sin import cross, from_direction, rotate
from data import POLICY, Record

EPSILON = 2.220446049250313e-16
ZERO = 1e-12
"""A value below this multiple of the magnitude of its terms counts as zero at a critical point."""
SINGULAR = 1e-10
"""A matrix whose least singular value is at most this (of entries scaled to 1) does not determine its angle alone."""
ALIGNED_SQUARED_SINE = 1e-24
"""Below this squared sine two axes are one line, and the angles about them are one angle."""


def horner(c, x):
    """Value of ``c[0] + c[1] x + ...``."""
    total = 0.0
    for coefficient in reversed(c):
        total = total * x + coefficient
    return total


def polynomial_roots(c):
    """Real roots in ascending order, isolated between critical points; double roots once."""
    largest = max(abs(value) for value in c)
    degree = max((power for power, value in enumerate(c) if abs(value) > EPSILON * largest), default=0)
    c = list(c[: degree + 1])
    if degree == 0:
        return []
    if degree == 1:
        return [-c[0] / c[1]]
    derivative = [c[power] * power for power in range(1, degree + 1)]
    bound = 1.0 + max(abs(value / c[degree]) for value in c[:degree])
    if not math.isfinite(bound):
        return []
    roots, low = [], -bound
    critical = polynomial_roots(derivative)
    for index, high in enumerate([*critical, bound]):
        at_high = horner(c, high)
        magnitude = horner([abs(value) for value in c], abs(high))
        if index < len(critical) and abs(at_high) <= ZERO * magnitude:
            roots.append(high)
        elif horner(c, low) * at_high < 0.0 and not (roots and roots[-1] == low):
            roots.append(bracketed(c, derivative, low, high))
        low = high
    return roots


def bracketed(c, derivative, low, high):
    """The root in an interval with a change of sign: Newton's method, halved when it leaves the interval or dawdles."""
    rising = horner(c, high) > 0.0
    x, width = 0.5 * (low + high), high - low
    for _ in range(200):
        f = horner(c, x)
        if f == 0.0:
            break
        if (f > 0.0) == rising:
            high = x
        else:
            low = x
        slope = horner(derivative, x)
        step = f / slope if slope != 0.0 else math.inf
        newton = x - step
        is_good = low <= newton <= high and abs(step) < 0.5 * width
        nearer = newton if is_good else 0.5 * (low + high)
        x, width = nearer, abs(nearer - x)
        if width <= 2.0 * EPSILON * abs(x):
            break
    return x


def harmonic(c, turn):
    """``c0 + c1 cos + c2 sin + c3 cos 2 + c4 sin 2`` of a turn."""
    double = turn * turn
    return c[0] + c[1] * turn.real + c[2] * turn.imag + c[3] * double.real + c[4] * double.imag


def harmonic_roots(c):
    """The real roots of ``harmonic``, at most four; double roots once."""
    # tan(angle / 2) is infinite at pi: turn the circle until no root is near there.
    far, largest, turn = 1.0 + 0.0j, -1.0, 1.0 + 0.0j
    for _ in range(8):
        size = abs(harmonic(c, turn))
        if size > largest:
            largest, far = size, turn
        turn *= complex(math.sqrt(0.5), math.sqrt(0.5))
    origin = -far
    double = origin * origin
    a1, b1 = c[1] * origin.real + c[2] * origin.imag, c[2] * origin.real - c[1] * origin.imag
    a2, b2 = c[3] * double.real + c[4] * double.imag, c[4] * double.real - c[3] * double.imag
    quartic = [
        c[0] + a1 + a2,
        2.0 * b1 + 4.0 * b2,
        2.0 * c[0] - 6.0 * a2,
        2.0 * b1 - 4.0 * b2,
        c[0] - a1 + a2,
    ]
    return [origin * complex(1.0 - x * x, 2.0 * x) / (1.0 + x * x) for x in polynomial_roots(quartic)]


def linear(a, b, c, size):
    """Solutions of ``a cos + b sin = c``, or the turn that comes nearest; and whether they are exact."""
    square = a * a + b * b
    radius = math.sqrt(square)
    if radius <= POLICY.subproblem_degeneracy * size:
        return [], True
    left = radius - abs(c)
    if not left > 0.0:
        scale = math.copysign(1.0, c) / radius
        return [complex(a * scale, b * scale)], -left <= POLICY.subproblem_feasibility * size
    root = math.sqrt(left * (radius + abs(c)))
    return [
        complex((a * c - b * root) / square, (b * c + a * root) / square),
        complex((a * c + b * root) / square, (b * c - a * root) / square),
    ], True


def circles(first, second, right):
    """All pairs of turns with ``first (cos, sin) + second (cos, sin) = right``, 2 x 2 matrices."""
    largest = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))
    scale = 1.0 / np.where(largest > 0.0, largest, 1.0)
    first, second, right = first * scale[:, None], second * scale[:, None], right * scale
    one, two = least_singular_value(first), least_singular_value(second)
    if two <= SINGULAR:
        return decoupled(first, second, right)
    if one <= SINGULAR:
        return [(a, b) for b, a in decoupled(second, first, right)]
    if two >= one:
        return coupled(first, second, right)
    return [(a, b) for b, a in coupled(second, first, right)]


def least_singular_value(m):
    """Of a 2 x 2 matrix."""
    (a, b), (c, d) = m
    return 0.5 * abs(math.hypot(a + d, b - c) - math.hypot(a - d, b + c))


def decoupled(first, second, right):
    """``second`` is singular: one combination of the equations is free of the second turn."""
    dominant = second[0] if second[0] @ second[0] >= second[1] @ second[1] else second[1]
    if math.sqrt(dominant @ dominant) <= SINGULAR:
        return []
    w = second @ dominant
    w = w / math.sqrt(w @ w)
    free = w[1] * first[0] - w[0] * first[1]
    alphas, is_exact = linear(free[0], free[1], w[1] * right[0] - w[0] * right[1], 1.0)
    if not is_exact:
        return []
    left, both, pairs = w @ first, w @ second, []
    for alpha in alphas:
        betas, is_exact = linear(both[0], both[1], w @ right - left[0] * alpha.real - left[1] * alpha.imag, 1.0)
        pairs += [(alpha, beta) for beta in betas if is_exact]
    return pairs


def coupled(first, second, right):
    """The second turn has length 1: a quartic for the first one."""
    (a, b), (c, d) = second
    inverse = np.array([[d, -b], [-c, a]]) / (a * d - b * c)
    constant, cosine, sine = inverse @ right, inverse @ -first[:, 0], inverse @ -first[:, 1]
    cc, ss = cosine @ cosine, sine @ sine
    coefficients = [
        constant @ constant - 1.0 + 0.5 * (cc + ss),
        2.0 * (constant @ cosine),
        2.0 * (constant @ sine),
        0.5 * (cc - ss),
        cosine @ sine,
    ]
    roots = harmonic_roots([float(value) for value in coefficients])
    return [(turn, from_direction(*(constant + cosine * turn.real + sine * turn.imag))) for turn in roots]


def middle_angles(cone: Record, direction):
    """The turns of the middle one of three axes that can bring the last one to ``direction``."""
    product = float(cone.first @ direction) - cone.constant
    left, right = cone.radius - product, cone.radius + product
    if product > 0.0:
        left = 0.5 * float((cone.first - direction) @ (cone.first - direction)) - cone.nearest
    else:
        right = 0.5 * float((cone.first + direction) @ (cone.first + direction)) - cone.farthest
    if left < -cone.feasibility or right < -cone.feasibility:
        return []
    scale = 1.0 / (cone.radius * cone.radius)
    root = math.sqrt(max(left * right, 0.0))
    at = complex(cone.cosine, cone.sine) * (product * scale)
    aside = complex(-cone.sine, cone.cosine) * (root * scale)
    return [at + aside, at - aside] if root > 0.0 else [at]


def first_angle(cone: Record, middle, direction):
    """The first turn that goes with a middle one; None when first and last axis lie on one line."""
    last = rotate(cone.middle, middle, cone.last)
    along = float(cone.first @ direction)
    x = float(last @ direction) - along * float(cone.first @ last)
    y = float(cross(cone.first, last) @ direction)
    return from_direction(x, y) if x * x + y * y > ALIGNED_SQUARED_SINE * ALIGNED_SQUARED_SINE else None
