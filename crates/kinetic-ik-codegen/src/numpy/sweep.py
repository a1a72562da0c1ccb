"""What is called from outside, and the way through the self-motion of an arm."""

import math
from dataclasses import dataclass

import numpy as np
from cos_sin import from_angle, rotation
from data import ARM, DOF, HAS_SWIVEL, HOME, IS_SLOW, LIMITS, RANGES, WEIGHTS
from outside import (
    CLOSED_RESIDUAL,
    LIMIT_ROUNDING_RAD_M,
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
from solver_class import parameters_of, refined, search, settled_at

FINEST_STEP_RATIO = 1e-7
"""Finest step of a search between samples, against the step of the sweep."""
PATTERN_SEARCH_STARTS = 12
"""Places from which the way into the limits is looked for."""
FINER_SWEEPS = 2
"""Sweeps between the samples, each with twice as many values."""
FINER_SWEEPS_WITHOUT_BRANCH = 5
"""As long as there is no branch at all, beside the edge of the workspace, where the self-motion is short."""
MOST_SWEEP_SAMPLES = 6000
"""Values of a finer sweep at most."""


def moved(a_from_b, b_from_c):
    """The product of two poses, each a rotation and a translation."""
    return a_from_b[0] @ b_from_c[0], a_from_b[0] @ b_from_c[1] + a_from_b[1]


def inverse_of(pose):
    """The inverse of a pose."""
    back = pose[0].T
    return back, -(back @ pose[1])


def exponential(screw, value):
    """The displacement that a joint value causes."""
    if screw.motion != "Motion::Rotation":
        return np.eye(3), screw.axis * value
    about = rotation(screw.axis, from_angle(value))
    return about, screw.point - about @ screw.point


def pose_of(q):
    """Rotation and translation of the tool."""
    pose = np.eye(3), np.zeros(3)
    for screw in ARM:
        pose = moved(pose, exponential(screw, q[screw.variable]))
    return moved(pose, HOME)


def fk(q):
    """Pose of the tool in the base of the chain, 4 x 4."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = pose_of(vector_of(q, "configuration"))
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
    swivel_samples=None,
    samples=None,
    at=None,
):
    """Configurations that reach a pose, as far as the arm can meet it; none for a pose out of reach.

    An arm with self-motion has infinitely many: they are sampled, the values nearest to the seed first.

    Args:
        target: Pose of the tool in the base of the chain, 4 x 4.
        explain: Whether to return ``(solutions, Diagnostic)`` instead of the solutions.
        max_solutions: At most so many, counted after filtering and ordering.
        q_seed: Joint values; the closest solutions come first, each with the turns of 2 pi that are closest.
        respect_limits: Whether joints are turned into their limits and solutions outside them are dropped.
        allow_refinement: Whether near misses are refined by Levenberg-Marquardt and returned.
        refinement_max_iters: Iterations of a refinement.
        swivel_samples: Number of swivel angles of an arm with spherical shoulder and wrist.
        samples: Number of values of a locked joint.
        at: Values of the self-motion to solve at instead of a sweep.

    Raises:
        ValueError: Wrong sizes, NaN, no rigid transform, samples of what the arm does not have, or values of the
            self-motion outside the limits.
    """
    pose = checked(target)
    seed = None if q_seed is None else vector_of(q_seed, "q_seed")
    count = sample_count(swivel_samples, samples)
    places = None if at is None else numbers_of(at, respect_limits)
    options = (seed, max_solutions, respect_limits, refinement_max_iters if allow_refinement else None, count)
    sweep = Sweep(pose, *options)
    if places is None:
        sweep.run(None if seed is None else parameters_of(seed))
    else:
        sweep.look(clamped(places) if respect_limits else places)
    kept, story = sweep.finished()
    return (kept, story) if explain else kept


def sample_count(swivel_samples, samples):
    """The number of samples under the keyword that fits the arm."""
    for name, count, fits in (
        ("swivel_samples", swivel_samples, HAS_SWIVEL),
        ("samples", samples, bool(RANGES) and not HAS_SWIVEL),
    ):
        most = 1000 if len(RANGES) == 2 else 100000
        if count is not None and not (fits and 1 <= count <= most):
            raise ValueError(f"{name} must be from 1 to {most}, for arms that have such samples")
    return samples if swivel_samples is None else swivel_samples


def numbers_of(at, respect_limits):
    """Finite values of the self-motion, inside the limits where these count."""
    values = np.asarray(at, dtype=float)
    if values.shape != (len(RANGES),) or not np.isfinite(values).all():
        raise ValueError(f"at must be {len(RANGES)} finite numbers")
    for value, limits in zip(values, RANGES):
        is_inside = limits.low - LIMIT_ROUNDING_RAD_M <= value <= limits.high + LIMIT_ROUNDING_RAD_M
        if respect_limits and not limits.is_circle and not is_inside:
            raise ValueError(f"at must be from {limits.low} to {limits.high}, or respect_limits off")
    return [float(value) for value in values]


def clamped(at):
    """The nearest values inside the ranges."""
    return [
        wrapped(value) if limits.is_circle else min(max(value, limits.low), limits.high)
        for value, limits in zip(at, RANGES)
    ]


def grid_of(samples, start):
    """A uniform grid over the ranges, nearest to the start (to the middle without one) first, and its steps."""
    own = [limits.samples if samples is None else samples * limits.samples // RANGES[0].samples for limits in RANGES]
    counts = [max(count, 1) for count in own]
    centre = [0.5 * (limits.low + limits.high) for limits in RANGES] if start is None else clamped(start)
    steps = [(limits.high - limits.low) / count for limits, count in zip(RANGES, counts)]
    inner = counts[1] if len(counts) > 1 else 1
    ordered = []
    for index in range(math.prod(counts)):
        places = (index // inner, index % inner)
        at = [limits.low + (place + 0.5) * step for limits, place, step in zip(RANGES, places, steps)]
        ordered.append((apart_in_ranges(at, centre), at))
    if start is not None:
        ordered.append((0.0, centre))
    ordered.sort(key=lambda entry: entry[0])
    return [at for _, at in ordered], steps


def apart_in_ranges(a, b):
    """Euclidean distance, turns of circles ignored."""
    steps = [wrapped(x - y) if limits.is_circle else x - y for x, y, limits in zip(a, b, RANGES)]
    return math.sqrt(sum(step * step for step in steps))


TURNING = [all(screw.variable != joint or screw.motion == "Motion::Rotation" for screw in ARM) for joint in range(DOF)]
"""Whether a joint rotates."""


@dataclass
class Sweep:
    """One solve."""

    target: tuple
    seed: object
    most: object
    respect_limits: bool
    steps: object
    samples: object

    def __post_init__(self):
        self.kept = []
        self.raw = 0
        self.displacement = moved(self.target, inverse_of(HOME))

    def run(self, start):
        """Goes through the self-motion from ``start`` outwards, until there are enough solutions."""
        if not RANGES:
            self.look([])
            self.look_at_seed()
            return
        places, steps = grid_of(self.samples, start)
        seen, end = [], len(places)
        for index, at in enumerate(places):
            if index >= end:
                break
            seen.append((self.look(at), at))
            if self.most is not None and len(self.kept) >= self.most:
                # Beside a fold the nearest branch may begin at a neighbour only.
                end = min(end, index + 1 + (2 * len(at) if start is not None else 0))
        self.look_at_seed()
        if not self.kept:
            self.search_between(steps, seen)

    def look_at_seed(self):
        """A seed that reaches the target is its own nearest solution; branches may be others of a continuum."""
        if self.seed is None or any(apart <= LIMIT_TOLERANCE_RAD_M for apart, _ in self.kept):
            return
        _, residual = settled_at(np.array(self.seed), self.target, set(range(DOF + 1)))
        is_inside = all(low <= value <= high for value, (low, high) in zip(self.seed, LIMITS))
        if residual <= CLOSED_RESIDUAL and (is_inside or not self.respect_limits):
            self.raw += 1
            self.kept.append((0.0, Solution(np.array(self.seed), residual, "none")))

    def search_between(self, steps, seen):
        """Finer sweeps, then from the best places on towards the limits."""
        own = RANGES[0].samples if self.samples is None else self.samples
        for level in range(1, FINER_SWEEPS_WITHOUT_BRANCH + 1):
            if level > FINER_SWEEPS and self.raw > 0:
                break
            places, _ = grid_of(own << level, None)
            if len(places) > MOST_SWEEP_SAMPLES or (IS_SLOW and level > 1):
                break
            for at in places:
                seen.append((self.look(at), at))
                if self.kept:
                    return
        tried = []
        for excess, at in sorted((entry for entry in seen if math.isfinite(entry[0])), key=lambda entry: entry[0]):
            if any(all(abs(a - b) < step for a, b, step in zip(at, other, steps)) for other in tried):
                continue
            tried.append(at)
            self.descend(excess, at, steps)
            if self.kept or len(tried) >= PATTERN_SEARCH_STARTS:
                return

    def descend(self, excess, at, steps):
        """Pattern search (Hooke & Jeeves 1961) for a place inside the limits."""
        scale = 0.5
        while scale > FINEST_STEP_RATIO and not self.kept:
            best = (excess, at)
            for direction in range(9):
                signs = (direction // 3 - 1, direction % 3 - 1)
                # A single parameter has two neighbours only.
                if direction == 4 or (len(steps) == 1 and signs[1] != 0):
                    continue
                place = clamped([value + sign * scale * step for value, sign, step in zip(at, signs, steps)])
                found = self.look(place)
                if found < best[0]:
                    best = (found, place)
            if best[0] < excess:
                excess, at = best
            else:
                scale *= 0.5

    def look(self, at):
        """Solves at a place; how far the best branch is outside the limits, infinite for none."""
        found, least = [], math.inf
        search(self.target, self.displacement, at, found)
        for q, residual in found:
            how = "none"
            if residual > CLOSED_RESIDUAL:
                better = None if self.steps is None else refined(q, self.target, self.steps)
                if better is None:
                    continue
                (q, residual), how = better, "lm"
            self.raw += 1
            q, residual, excess = self.inside(q, residual)
            if excess == 0.0:
                apart = 0.0 if self.seed is None else travel(q, self.seed, WEIGHTS)
                self.kept.append((apart, Solution(q, residual, how)))
            least = min(least, excess)
        return least

    def inside(self, q, residual):
        """Joint values inside their limits and their residual, and how far they are outside."""
        placed, excess, on_limits = self.placed(q, LIMIT_TOLERANCE_RAD_M)
        if excess == 0.0 and on_limits:
            closed = self.closed_on_limits(placed, on_limits)
            if closed is not None:
                return *closed, 0.0
            # More than rounding: what is outside on one turn may be inside on another.
            placed, excess, _ = self.placed(q, 0.0)
        return placed, residual, excess

    def closed_on_limits(self, q, held):
        """Joint values with those in ``held`` on their limits and the others where they reach the target.

        The others may come to their limits, too. None where that cannot be.
        """
        q, held = q.copy(), set(held)
        while True:
            settled, residual = settled_at(q, self.target, held)
            is_inside = True
            for joint in range(DOF):
                if joint in held or not TURNING[joint]:
                    continue
                value = q[joint] + wrapped(settled[joint] - q[joint])
                kept = onto_limits(value, *LIMITS[joint], LIMIT_TOLERANCE_RAD_M)
                if kept is None:
                    return None
                q[joint] = kept
                if kept != value:
                    held.add(joint)
                    is_inside = False
            if is_inside:
                return (q, residual) if residual <= CLOSED_RESIDUAL else None

    def placed(self, q, tolerance):
        """The joint values on the turns that limits and seed ask for, how far outside, and which are on a limit.

        Those that are outside by at most ``tolerance`` are put onto their limits.
        """
        q, square, on_limits = np.array(q), 0.0, []
        for joint, (low, high) in enumerate(LIMITS):
            is_endless = not (math.isfinite(low) and math.isfinite(high))
            # Joints without limits keep their angle unless a seed says which turn is meant.
            if TURNING[joint] and self.seed is None and (is_endless or not self.respect_limits):
                continue
            near = q[joint] if self.seed is None else self.seed[joint]
            limits = (low, high) if self.respect_limits else (-math.inf, math.inf)
            if TURNING[joint]:
                value = at_turn(q[joint], near, *limits, tolerance)
            else:
                value = onto_limits(q[joint], *limits, tolerance)
            if value is not None:
                q[joint] = value
                if value in limits:
                    on_limits.append(joint)
            else:
                turns = (0.0, -math.tau, math.tau) if TURNING[joint] else (0.0,)
                square += min(outside_by(q[joint] + turn, low, high) for turn in turns) ** 2
        return q, math.sqrt(square), on_limits

    def finished(self):
        """Solutions in order and not too many, and how it went."""
        if self.seed is not None:
            self.kept.sort(key=lambda entry: entry[0])
        kept = [solution for _, solution in self.kept][: self.most]
        worst = max((solution.fk_residual for solution in kept), default=math.nan)
        inside = len(self.kept)
        return kept, Diagnostic(self.raw, self.raw - inside, inside - len(kept), len(kept), worst)


def outside_by(value, low, high):
    """How far a value is outside its limits."""
    return max(low - value, value - high, 0.0)
