"""What is called from outside."""

import math

import numpy as np
from cos_sin import angle_of, from_angle
from data import DOF, HOME, LIMITS, POLICY, READ_FROM_TIP, SCREWS, TCP_FROM_HOME, WEIGHTS
from outside import (
    CLOSED_RESIDUAL,
    LIMIT_TOLERANCE_RAD_M,
    Diagnostic,
    Solution,
    at_turn,
    checked,
    onto_limits,
    travel,
    vector_of,
    wrapped,
)
from residual import polished, reached, residual_of
from solver_class import branches_of

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


def fk(q):
    """Pose of the tool in the base of the chain, 4 x 4."""
    q = vector_of(q, "configuration")
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = reached([from_angle(q[screw.variable]) for screw in SCREWS], HOME)
    return pose


def solve(
    target,
    *,
    explain=False,
    max_solutions=None,
    q_seed=None,
    respect_limits=True,
    allow_refinement=False,
    refinement_max_iters=15,
):
    """All configurations that reach a pose; none for a pose out of reach.

    Args:
        target: Pose of the tool in the base of the chain, 4 x 4.
        explain: Whether to return ``(solutions, Diagnostic)`` instead of the solutions.
        max_solutions: At most so many, counted after filtering and ordering.
        q_seed: Joint values; the closest solutions come first, each with the turns of 2 pi that are closest.
        respect_limits: Whether joints are turned into their limits and solutions outside them are dropped.
        allow_refinement: Whether near misses are refined by Levenberg-Marquardt and returned.
        refinement_max_iters: Iterations of a refinement.

    Raises:
        ValueError: Wrong sizes, NaN, or no rigid transform.
    """
    pose = checked(target)
    seed = None if q_seed is None else vector_of(q_seed, "q_seed")
    closed = []
    for q, residual in search(pose):
        if residual <= CLOSED_RESIDUAL:
            closed.append(Solution(q, residual, "none"))
        elif allow_refinement:
            closed.append(refined(q, pose, refinement_max_iters))
    kept = [found for found in (placed(found, pose, seed, respect_limits) for found in closed) if found is not None]
    if seed is not None:
        itself = solution_at(seed, kept, pose, respect_limits)
        closed += itself
        kept = sorted(kept + itself, key=lambda found: travel(found.q, seed, WEIGHTS))
    inside = len(kept)
    kept = kept[:max_solutions]
    if not explain:
        return kept
    worst = max((found.fk_residual for found in kept), default=math.nan)
    return kept, Diagnostic(len(closed), len(closed) - inside, inside - len(kept), len(kept), worst)


def solution_at(seed, kept, target, respect_limits):
    """A seed that reaches the target and is none of the solutions, which may be others of a continuum."""
    if any(travel(found.q, seed, WEIGHTS) <= LIMIT_TOLERANCE_RAD_M for found in kept):
        return []
    residual = residual_of([from_angle(seed[screw.variable]) for screw in SCREWS], target, HOME)
    is_inside = all(low <= value <= high for value, (low, high) in zip(seed, LIMITS))
    is_one = residual <= CLOSED_RESIDUAL and (is_inside or not respect_limits)
    return [Solution(seed.copy(), residual, "none")] if is_one else []


def search(target):
    """Joint values and residual of all branches that close or nearly do."""
    displacement = target[0] @ TCP_FROM_HOME[0], target[0] @ TCP_FROM_HOME[1] + target[1]
    if READ_FROM_TIP:
        back = displacement[0].T
        rows = [row[::-1] for row in branches_of((back, -(back @ displacement[1])))]
    else:
        rows = branches_of(displacement)
    found = []
    for row in rows:
        residual = residual_of(row, target, HOME)
        if SHARP_RESIDUAL < residual <= RECOVERABLE_RESIDUAL:
            row = polished(row, target, HOME, RECOVERY_STEPS)
            residual = residual_of(row, target, HOME)
        if residual <= POLICY.subproblem_numerical:
            add(found, values_of(row), residual, target)
    return found


def values_of(row):
    """Joint values of a branch, in the order of the configuration."""
    q = np.zeros(DOF)
    for screw, turn in zip(SCREWS, row):
        q[screw.variable] = angle_of(turn)
    return q


def add(found, q, residual, target):
    """Adds a branch unless it is known; of two that are the same the one that closes better stays.

    Branches that are near each other are two where the middle between them does not close.
    """
    for at, (known, known_residual) in enumerate(found):
        steps = [wrapped(a - b) for a, b in zip(known, q)]
        if all(abs(step) <= POLICY.subproblem_dedup for step in steps):
            middle = q + 0.5 * np.array(steps)
            alike = max(
                residual, known_residual, IMAGE_RESIDUAL, SAME_BRANCH_RESIDUAL_FACTOR * POLICY.subproblem_dedup**4
            )
            if residual_of([from_angle(middle[screw.variable]) for screw in SCREWS], target, HOME) > alike:
                continue
            if residual < known_residual:
                found[at] = (q, residual)
            return
    found.append((q, residual))


def refined(q, target, steps):
    """A near miss after Levenberg-Marquardt."""
    row = polished([from_angle(q[screw.variable]) for screw in SCREWS], target, HOME, steps)
    return Solution(values_of(row), residual_of(row, target, HOME), "lm")


def placed(solution, target, seed, respect_limits):
    """The solution inside its limits; None when it cannot be."""
    q, on_limits = with_turns(solution.q, seed, respect_limits, LIMIT_TOLERANCE_RAD_M)
    if q is None:
        return None
    if on_limits:
        closed = closed_on_limits(q, on_limits, target)
        if closed is not None:
            return Solution(*closed, solution.refinement_used)
        # More than rounding: what is outside on one turn may be inside on another.
        q, _ = with_turns(solution.q, seed, respect_limits, 0.0)
    return None if q is None else Solution(q, solution.fk_residual, solution.refinement_used)


def closed_on_limits(q, held, target):
    """Joint values with those in ``held`` on their limits and the others where they reach the target.

    The others may come to their limits, too. None where that cannot be.
    """
    q, held = q.copy(), set(held)
    while True:
        row = [from_angle(q[screw.variable]) for screw in SCREWS]
        still = [at for at, screw in enumerate(SCREWS) if screw.variable in held]
        row = polished(row, target, HOME, SETTLING_STEPS, still)
        is_inside = True
        for screw, turn in zip(SCREWS, row):
            joint = screw.variable
            if joint in held:
                continue
            value = q[joint] + wrapped(angle_of(turn) - q[joint])
            kept = onto_limits(value, *LIMITS[joint], LIMIT_TOLERANCE_RAD_M)
            if kept is None:
                return None
            q[joint] = kept
            if kept != value:
                held.add(joint)
                is_inside = False
        if is_inside:
            residual = residual_of(row, target, HOME)
            return (q, residual) if residual <= CLOSED_RESIDUAL else None


def with_turns(q, seed, respect_limits, tolerance):
    """Joint values with the turns of 2 pi that limits and seed ask for, and which are on a limit.

    Joints that are outside by at most ``tolerance`` are put onto their limits; None when others are outside.
    """
    q, on_limits = q.copy(), []
    for joint, (low, high) in enumerate(LIMITS):
        is_endless = not (math.isfinite(low) and math.isfinite(high))
        # Joints without limits keep their angle unless a seed says which turn is meant.
        if seed is None and (is_endless or not respect_limits):
            continue
        near = q[joint] if seed is None else seed[joint]
        limits = (low, high) if respect_limits else (-math.inf, math.inf)
        value = at_turn(q[joint], near, *limits, tolerance)
        if value is None:
            return None, []
        q[joint] = value
        if value in limits:
            on_limits.append(joint)
    return q, on_limits
