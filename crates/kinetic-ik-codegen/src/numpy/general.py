"""Any arm with six rotating joints: elimination to a matrix whose eigenvalues are the tangents of one half angle.

Raghavan & Roth 1993 with the eigenvalues of Manocha & Canny 1994; the loop is cut so that joints 6 and 1 stand on one
side.
"""

import math

import numpy as np
from cos_sin import across, cross, from_direction, is_finite, rotate, rotation
from data import SOLVER
from residual import polished, residual_of

NEARLY_REAL_RATIO = 1e-2
"""Eigenvalues this close to the real line are tried; forward kinematics decides."""
DEGENERATE_AXES_RATIO = 1e-3
"""Axes 6 and 1 closer than this to meeting or to being parallel make the elimination lose digits."""
SAME_BRANCH_RAD = 1e-6
"""Turns that differ by less are one branch."""
HIDDEN_BRANCH_RAD = 1.0
"""Turns that differ by less may have another branch beside them that rounding hides."""
BRANCH_RESIDUAL = 1e-4
"""What closes to less than this is a branch or, beside a double root, nearly one."""
ELIMINATION_STEPS = 25
"""Newton steps from a root of the elimination to a branch."""

NODES = (1.0 + 0.0j, complex(-0.5, math.sqrt(0.75)), complex(-0.5, -math.sqrt(0.75)))
"""Three turns that determine a function a + b cos + c sin."""
NODE_WEIGHTS = np.array([[1.0, 2.0 * turn.real, 2.0 * turn.imag] for turn in NODES]).T / 3.0
"""How the value at a node (column) counts in a coefficient (row)."""
HALF_ANGLE_POLYNOMIALS = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])
"""Parts (1, cos, sin) times 1 + x^2 as polynomials in x."""
STILL = (np.eye(3), np.zeros(3))
LEFT = np.array(SOLVER.left).T.reshape(14, 3, 3, 3)
"""Fourteen equations in the products of parts of joints 2, 3, 4."""


def branches_of(displacement):
    """All branches that make a displacement."""
    shift = displacement[0] @ SOLVER.origin + displacement[1] - SOLVER.origin
    scaled = displacement[0], shift / SOLVER.size
    degenerate, rows = is_degenerate(scaled), []
    for index, linearity_joint in enumerate(SOLVER.linearity_joints):
        is_doubtful = attempt(rows, displacement, scaled, linearity_joint, False)
        # What hides a branch at the pose itself does not do so beside it.
        if degenerate or index > 0:
            is_doubtful = attempt(rows, displacement, scaled, linearity_joint, True) or is_doubtful
        # Real roots come in even number: an odd one says that rounding has hidden one, and another linearity joint
        # shows it again. So may roots that lead to the same branch or to none.
        if len(rows) % 2 == 0 and not (is_doubtful and (index == 0 or not rows)):
            return rows
    if not degenerate:
        attempt(rows, displacement, scaled, SOLVER.linearity_joints[0], True)
    if len(rows) % 2 == 1:
        complete(rows, displacement)
    return rows


def complete(rows, displacement):
    """Looks for the branch that an odd number of them lacks: between those that are close to each other, and beyond."""
    known = list(rows)
    for index, one in enumerate(known):
        for two in (row for row in known[:index] if gap(one, row) <= HIDDEN_BRANCH_RAD):
            middle = [from_direction((a + b).real, (a + b).imag) for a, b in zip(one, two)]
            for start in (middle, mirrored(one, two), mirrored(two, one)):
                if added(rows, start, displacement)[2]:
                    return


def mirrored(start, row):
    """The start on the other side of the row that it led to."""
    return [a * a * b.conjugate() for a, b in zip(start, row)]


def attempt(rows, displacement, scaled, linearity_joint, is_beside):
    """Adds the branches that a linearity joint gives; True when one may be hidden: roots led to none, or to one that is
    known, or are a pair beside the real line."""
    is_doubtful = False
    for beside in poses_beside(linearity_joint) if is_beside else (STILL,):
        pose = scaled[0] @ beside[0], scaled[0] @ beside[1] + scaled[1]
        for start, is_pair in eliminated_rows(pose, linearity_joint):
            if start is None:
                is_doubtful = True
                continue
            row, closes, is_new_branch = added(rows, start, displacement)
            is_doubtful = is_doubtful or is_pair or not is_new_branch
            # Two roots that are close lie on both sides of what stands for them.
            if closes and (is_pair or not is_new_branch or is_beside):
                added(rows, mirrored(start, row), displacement)
    return is_doubtful


def added(rows, start, displacement):
    """The branch that a start leads to, whether it closes, and whether it was added because it is new."""
    row = polished(start, displacement, STILL, ELIMINATION_STEPS)
    closes = residual_of(row, displacement, STILL) <= BRANCH_RESIDUAL
    is_new_branch = closes and is_new(rows, row)
    if is_new_branch:
        rows.append(row)
    return row, closes, is_new_branch


def is_new(rows, row):
    """Whether a branch is not among those that are known."""
    return all(not gap(known, row) <= SAME_BRANCH_RAD for known in rows)


def gap(one, two):
    """Largest difference of turns."""
    return max(abs((a - b).real) + abs((a - b).imag) for a, b in zip(one, two))


def is_degenerate(displacement):
    """Whether axes 6 and 1 nearly meet or are nearly parallel."""
    first, last = SOLVER.screws[0], SOLVER.screws[5]
    normal = cross(first.axis, displacement[0] @ last.axis)
    sine = float(np.linalg.norm(normal))
    between = displacement[0] @ last.point + displacement[1] - first.point
    return sine < DEGENERATE_AXES_RATIO or abs(float(between @ normal)) < DEGENERATE_AXES_RATIO * sine


def pose_beside(axis, angle, shift):
    """A small displacement."""
    axis = np.array(axis) / np.linalg.norm(axis)
    return rotation(axis, complex(math.cos(angle), math.sin(angle))), np.array(shift)


def poses_beside(linearity_joint):
    """Two opposite ones: where one puts a pose out of reach, or two of its roots together, the other one does not."""
    axis, shift = DIRECTIONS[linearity_joint]
    return [
        pose_beside(axis, size, [size * value for value in shift])
        for size in (BESIDE_POSE_SIZE_RAD, -BESIDE_POSE_SIZE_RAD)
    ]


BESIDE_POSE_SIZE_RAD = 0.006
"""Size of small displacements, rad and in units of the arm."""
DIRECTIONS = (
    ((-0.31, -0.44, 0.72), (-0.55, 0.42, 0.37)),
    ((-0.71, 0.23, 0.52), (-0.45, 0.68, 0.31)),
    ((0.48, -0.62, 0.35), (0.5, 0.33, -0.58)),
)
"""Their axes and shifts, one for each linearity joint."""


def functions(point, direction):
    """p, p.p, l, p.l, p x l, (p.p) l - 2 (p.l) p of a line: the left-hand sides of Raghavan & Roth 1993."""
    pp, pl = float(point @ point), float(point @ direction)
    mirrored = direction * pp - point * (2.0 * pl)
    return np.concatenate([point, [pp], direction, [pl], cross(point, direction), mirrored])


def eliminated_rows(displacement, linearity_joint):
    """Branches with a few digits, and whether each stands for a pair. An eigenvalue that leads to none, as one that two
    branches share, gives None."""
    system = System(displacement, linearity_joint)
    companion = system.companion()
    if companion is None:
        return
    origin, matrix = companion
    for value in np.linalg.eigvals(matrix):
        is_real = abs(value.imag) <= NEARLY_REAL_RATIO * (1.0 + abs(value) ** 2)
        # A pair is looked at once.
        if not is_real or value.imag < 0.0 or not math.isfinite(value.real):
            continue
        row = system.branch(displacement, origin * half_angle(1.0, float(value.real)))
        yield row, value.imag > 0.0


class System:
    """The equations of one pose, triangular in the eliminated products of joints 6 and 1."""

    def __init__(self, displacement, linearity_joint):
        first = SOLVER.screws[0]
        right = np.zeros((3, 3, 14))
        for node6, line in enumerate(SOLVER.swung):
            point = displacement[0] @ line.point + displacement[1]
            direction = displacement[0] @ line.direction
            for node1, turn in enumerate(NODES):
                back = rotation(first.axis, turn.conjugate())
                seen = functions(back @ (point - first.point) + first.point, back @ direction)
                right += NODE_WEIGHTS[:, node6][:, None, None] * NODE_WEIGHTS[:, node1][None, :, None] * seen
        right = right.reshape(9, 14)
        equations = LEFT.copy()
        equations[:, 0, 0, 0] -= right[0]
        orthogonal, self.triangle = np.linalg.qr(right[1:].T, mode="complete")
        self.equations = np.tensordot(orthogonal.T, equations, axes=1)
        # The part of the linearity joint stands first.
        self.free = np.moveaxis(self.equations[8:], 1 + linearity_joint, 1)
        self.linearity_joint = linearity_joint

    def matrix(self, turn):
        """The 12 x 12 matrix at an angle of the linearity joint."""
        parts = np.array([1.0, turn.real, turn.imag])
        polynomials = HALF_ANGLE_POLYNOMIALS
        at = np.einsum("p,epab,ai,bj->eij", parts, self.free, polynomials, polynomials).reshape(6, 9)
        out = np.zeros((12, 12))
        out[:6, :9] = at
        out[6:, 3:] = at
        return out

    def companion(self):
        """An origin, and the matrix whose eigenvalues are the tangents of half the angle of that joint from there."""
        turns = [complex(math.cos(k * math.tau / 16.0), math.sin(k * math.tau / 16.0)) for k in range(16)]
        # Farthest from all roots is where the determinant is largest: there the tangent may be infinite.
        sizes = np.abs(np.linalg.det(np.array([self.matrix(turn) for turn in turns])))
        far = turns[int(np.argmax(sizes))]
        ahead, behind, beside = self.matrix(-far), self.matrix(far), self.matrix(-far * 1j)
        middle = (beside - (ahead + behind) * 0.5) * 2.0
        out = np.zeros((24, 24))
        out[:12, 12:] = np.eye(12)
        try:
            out[12:, :12] = -np.linalg.solve(behind, ahead)
            out[12:, 12:] = -np.linalg.solve(behind, middle)
        except np.linalg.LinAlgError:
            return None
        return (-far, out) if np.isfinite(out).all() else None

    def branch(self, displacement, angle):
        """All turns that go with `angle` of the linearity joint."""
        others = tangents(np.linalg.svd(self.matrix(angle))[2][-1])
        if others is None:
            return None
        inner = list(others)
        inner.insert(self.linearity_joint, angle)
        products = self.products(inner)
        sixth, first = from_direction(products[2], products[5]), from_direction(products[0], products[1])
        # What is left for the fifth joint, read off a vector across it.
        screws = SOLVER.screws
        mark = across(screws[4].axis)
        seen = displacement[0] @ rotate(screws[5].axis, sixth.conjugate(), mark)
        for screw, turn in zip(screws, [first, *inner]):
            seen = rotate(screw.axis, turn.conjugate(), seen)
        fifth = from_direction(float(seen @ mark), float(seen @ cross(screws[4].axis, mark)))
        row = [first, *inner, fifth, sixth]
        return row if all(is_finite(turn) for turn in row) else None

    def products(self, inner):
        """Products of parts of joints 6 and 1, from the equations that were set aside."""
        parts = [np.array([1.0, turn.real, turn.imag]) for turn in inner]
        right = np.einsum("eabc,a,b,c->e", self.equations[:8], *parts)
        try:
            return np.linalg.solve(self.triangle[:8], right)
        except np.linalg.LinAlgError:
            return np.full(8, math.nan)


def tangents(monomials):
    """The two turns whose half-angle tangents x, y make the monomials x^i y^j."""
    grid = monomials.reshape(4, 3)
    column, row = int((grid**2).sum(axis=0).argmax()), int((grid**2).sum(axis=1).argmax())
    one, two = ratio(grid[:3, column], grid[1:, column]), ratio(grid[row, :2], grid[row, 1:])
    return None if one is None or two is None else (one, two)


def ratio(a, b):
    """The turn with tangent of the half b / a for all pairs, in the sense of least squares."""
    aa, ab, bb = float(a @ a), float(a @ b), float(b @ b)
    if not aa + bb > 0.0:
        return None
    return half_angle(aa, ab) if aa >= bb else half_angle(ab, bb)


def half_angle(x, y):
    """The turn with tangent of the half y / x."""
    return complex(x * x - y * y, 2.0 * x * y) / (x * x + y * y)
