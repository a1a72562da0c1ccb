"""Carry shapes and inertials of a rounded description over to the frames of an exact one of the same robot.

Some published descriptions print angles with four digits, while exact link lengths are published elsewhere. Where the
reference data hold both (``joints`` exact, ``joints_rounded_source`` as the description has them), kinematics follow
the exact one, and what hangs on the links moves by the constant transform between the frames of a link in both.
Python 3.9 and NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from derive import rotation

Json = dict[str, Any]

SEED = 7
SLACK = 2e-3
"""m and rad; a frame of the rounded description may wander this far in its link: its angles have four digits."""


def pose(xyz: Sequence[float], rpy: Sequence[float]) -> np.ndarray:
    """A transform from a URDF origin."""
    transform = np.eye(4)
    transform[:3, :3], transform[:3, 3] = rotation(rpy), xyz
    return transform


def turn(axis: Sequence[float], angle: float) -> np.ndarray:
    """Rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    transform = np.eye(4)
    transform[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return transform


def frames(base: np.ndarray, joints: list[Json], q: np.ndarray) -> list[np.ndarray]:
    """The frames of the base and of the children of a chain of turning joints."""
    found = [base]
    for joint, value in zip(joints, q):
        found.append(found[-1] @ pose(joint["origin_xyz"], joint["origin_rpy"]) @ turn(joint["axis"], value))
    return found


def rpy_of(turned: np.ndarray) -> list[float]:
    """Fixed-axis angles of a rotation matrix."""
    pitch = np.arctan2(-turned[2, 0], np.hypot(turned[2, 1], turned[2, 2]))
    angles = np.arctan2(turned[2, 1], turned[2, 2]), pitch, np.arctan2(turned[1, 0], turned[0, 0])
    return [float(angle) for angle in angles]


def offsets(facts: Json, base_rpy: Sequence[float], signs: Sequence[float]) -> dict[str, np.ndarray]:
    """Per link of the rounded chain: its frame in the exact frame of that link.

    ``base_rpy`` turns the rounded base onto the exact one; ``signs`` is -1 where a joint turns the other way.
    """
    exact, rounded = facts["joints"], facts["joints_rounded_source"]
    names = [rounded[0]["parent"], *(joint["child"] for joint in rounded)]
    base = pose((0.0, 0.0, 0.0), base_rpy)
    at_zero, elsewhere = (
        [
            np.linalg.inv(wanted) @ given
            for wanted, given in zip(frames(np.eye(4), exact, q), frames(base, rounded, q * signs))
        ]
        for q in (np.zeros(len(exact)), np.random.default_rng(SEED).uniform(-1.0, 1.0, len(exact)))
    )
    for name, one, other in zip(names, at_zero, elsewhere):
        if np.abs(one - other).max() > SLACK:
            raise ValueError(f"link {name!r} does not move with its exact counterpart")
    return dict(zip(names, at_zero))


def moved_inertial(inertial: Json | None, offset: np.ndarray) -> Json | None:
    """An inertial in another frame; its tensor gets the axes of that frame."""
    if inertial is None:
        return None
    axes = offset[:3, :3] @ rotation(inertial["rpy"])
    xx, xy, xz, yy, yz, zz = inertial["inertia"]
    tensor = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
    return {
        "mass": inertial["mass"],
        "xyz": (offset[:3, :3] @ inertial["xyz"] + offset[:3, 3]).round(9).tolist(),
        "rpy": [0.0, 0.0, 0.0],
        "inertia": [float(tensor[index]) for index in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))],
    }


def moved_piece(piece: Json, offset: np.ndarray) -> Json:
    """A collision piece in another frame."""
    if piece["type"] == "convex":
        points = np.array(piece["vertices"]) @ offset[:3, :3].T + offset[:3, 3]
        return {**piece, "vertices": points.round(6).tolist()}
    placed = offset @ pose(piece["origin_xyz"], piece["origin_rpy"])
    return {**piece, "origin_xyz": placed[:3, 3].round(6).tolist(), "origin_rpy": rpy_of(placed[:3, :3])}
