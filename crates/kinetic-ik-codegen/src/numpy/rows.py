"""From rows of turns to branches: forward kinematics decides, Newton's method takes back what rounding did."""

from cos_sin import angle_of, from_angle
from data import HOME, POLICY, READ_FROM_TIP, SCREWS
from outside import wrapped
from residual import polished, residual_of
from solver_class import branches_of
from sweep import inverse_of

SHARP_RESIDUAL = 1e-12
"""Residual above which a branch has lost digits that Newton's method can bring back."""
RECOVERABLE_RESIDUAL = 1e-3
"""Residual up to which rounding, and not reach, may be why a branch does not close."""
RECOVERY_STEPS = 3
"""Newton steps that take back what rounding did to a branch near a singularity."""
SETTLING_STEPS = 10
"""And that bring the others back to the target when joints were put onto their limits."""
IMAGE_RESIDUAL = 1e-12
"""Residual of the middle between two images of one root."""
SAME_BRANCH_RESIDUAL_FACTOR = 0.1
"""And between two branches that the policy calls the same, against the fourth power of its distance."""


def six_rows(displacement):
    """Rows of the class of six joints, base first."""
    if not READ_FROM_TIP:
        return branches_of(displacement)
    return [row[::-1] for row in branches_of(inverse_of(displacement))]


def write(rows, target, q, found):
    """Adds the rows that close or nearly do, and are new; ``q`` has the values of all other joints."""

    def task_residual(values):
        return residual_of([from_angle(values[screw.variable]) for screw in SCREWS], target, HOME)

    known = []
    for row in rows:
        residual = residual_of(row, target, HOME)
        if SHARP_RESIDUAL < residual <= RECOVERABLE_RESIDUAL:
            row = polished(row, target, HOME, RECOVERY_STEPS)
            residual = residual_of(row, target, HOME)
        values = q.copy()
        for screw, turn in zip(SCREWS, row):
            values[screw.variable] = angle_of(turn)
        add(known, values, residual, task_residual)
    found += known


def add(found, q, residual, task_residual):
    """Adds a branch unless it is known; of two that are the same the one that closes better stays.

    Branches that are near each other are two where the middle between them does not close.
    """
    if not residual <= POLICY.subproblem_numerical:
        return
    for at, (known, known_residual) in enumerate(found):
        steps = [wrapped(b - a) for a, b in zip(known, q)]
        if all(abs(step) <= POLICY.subproblem_dedup for step in steps):
            alike = max(
                residual, known_residual, IMAGE_RESIDUAL, SAME_BRANCH_RESIDUAL_FACTOR * POLICY.subproblem_dedup**4
            )
            if task_residual([a + 0.5 * step for a, step in zip(known, steps)]) > alike:
                continue
            if residual < known_residual:
                found[at] = (q, residual)
            return
    found.append((q, residual))


def rows_settled(q, target, held):
    """Joint values with the others than those in ``held`` where they reach the target, and their residual."""
    still = [at for at, screw in enumerate(SCREWS) if screw.variable in held]
    row = polished([from_angle(q[screw.variable]) for screw in SCREWS], target, HOME, SETTLING_STEPS, still)
    values = q.copy()
    for screw, turn in zip(SCREWS, row):
        if screw.variable not in held:
            values[screw.variable] = angle_of(turn)
    return values, residual_of(row, target, HOME)


def rows_refined(q, target, steps):
    """Joint values after Levenberg-Marquardt, and their residual."""
    row = polished([from_angle(q[screw.variable]) for screw in SCREWS], target, HOME, steps)
    values = q.copy()
    for screw, turn in zip(SCREWS, row):
        values[screw.variable] = angle_of(turn)
    return values, residual_of(row, target, HOME)
