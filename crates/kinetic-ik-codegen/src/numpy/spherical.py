"""Arms whose last three axes share a point: position first, then orientation (Pieper 1968)."""

from cos_sin import rotation
from data import SOLVER
from shoulder import shoulder, wrist_angles


def branches_of(displacement):
    """All branches that make a displacement, and possibly some that do not close it."""
    about, shift = displacement
    h1, h2, h3 = SOLVER.shoulder_axes
    rows = []
    for a, b, c in shoulder(SOLVER.shoulder, about @ SOLVER.centre + shift):
        left = (rotation(h1, a) @ rotation(h2, b) @ rotation(h3, c)).T @ about
        rows += [[a, b, c, *wrist] for wrist in wrist_angles(SOLVER.wrist, left)]
    return rows
