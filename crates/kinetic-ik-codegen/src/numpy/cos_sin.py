"""Angles as points of the unit circle: complex numbers of length 1."""

import cmath
import math

import numpy as np


def cross(a, b):
    """The vector product; np.cross takes far longer for single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def from_direction(x, y):
    """The direction of (x, y); NaN for nothing."""
    length = math.sqrt(x * x + y * y)
    return complex(x / length, y / length) if length > 0.0 else complex(math.nan, math.nan)


def from_angle(angle):
    """The turn by an angle, rad."""
    return complex(math.cos(angle), math.sin(angle))


def angle_of(turn):
    """The angle of a turn in (-pi, pi], rad."""
    return math.atan2(turn.imag, turn.real)


def rotate(axis, turn, v):
    """The vector ``v`` rotated about the unit vector ``axis`` (Rodrigues)."""
    return v * turn.real + cross(axis, v) * turn.imag + axis * (float(axis @ v) * (1.0 - turn.real))


def rotation(axis, turn):
    """The rotation matrix about the unit vector ``axis``."""
    x, y, z = axis
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return turn.real * np.eye(3) + turn.imag * across + (1.0 - turn.real) * np.outer(axis, axis)


def across(axis):
    """A unit vector across ``axis``."""
    other = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.7 else np.array([0.0, 1.0, 0.0])
    normal = cross(axis, other)
    return normal / np.linalg.norm(normal)


def is_finite(turn):
    """Whether neither part is NaN or infinite."""
    return cmath.isfinite(turn)
