//! Whether a change of the rate holds limits of velocity, acceleration and jerk on a trajectory, at every instant.
//!
//! With q(τ) the trajectory and r = τ̇ the rate, velocity is q′ r, acceleration q″ r² + q′ ṙ and jerk
//! q‴ r³ + 3 q″ r ṙ + q′ r̈ (the chain rule). On a short time each factor lies in an interval: those of q by Bernstein
//! coefficients, those of r and ṙ by the phase, in which they are polynomials of second and first degree. The time is halved
//! where the products of these intervals say less than is needed.

use std::cell::Cell;

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{enclosure, evaluate};

use super::rate_profile::{RateProfile, RateState};
use super::violations::is_range_inside;
use crate::state::AxisLimits;

/// Parts in which the time of a phase is looked at first.
const PHASE_PARTS: usize = 8;

/// Instants of a phase that say of most changes that they do not hold.
const PHASE_INSTANTS: usize = 4;

/// How often such a part is halved at most.
const MAX_PART_HALVINGS: usize = 4;

/// What is this near to a limit, as a part of its range, counts as on it where changes are left out that cannot begin.
const NEAR_LIMIT_RATIO: f64 = 1e-7;

/// Lowest and highest value.
type Interval = [f64; 2];

/// A trajectory from a time on, and the limits of its joints.
#[derive(Debug)]
pub(super) struct RateCheck<'a> {
    pub(super) curve: &'a PiecewisePolynomial,
    pub(super) limits: &'a [AxisLimits],
    /// Where on the trajectory the change begins, s.
    pub(super) time: f64,
    /// Instants and parts that may still be looked at, so that a cycle ends in time. When there are none, nothing holds.
    pub(super) looks: Cell<usize>,
}

impl RateCheck<'_> {
    /// True where the limits hold from the beginning of the change to its end, or to that of the trajectory.
    pub(super) fn holds(&self, profile: &RateProfile) -> bool {
        profile.is_possible()
            && profile.phases().all(|phase| self.instants_hold(phase))
            && profile.phases().all(|phase| self.phase_holds(phase))
    }

    /// Counts a look; false when there is none left.
    fn may_look(&self) -> bool {
        let left = self.looks.get();
        self.looks.set(left.saturating_sub(1));
        left > 0
    }

    /// True when no look is left.
    pub(super) fn is_spent(&self) -> bool {
        self.looks.get() == 0
    }

    /// Lowest and highest r̈ that the limits of jerk allow now; where a joint is at a limit of acceleration, none that exceeds it.
    pub(super) fn bends_now(&self, [rate, change]: [f64; 2]) -> Interval {
        let (piece, offset) = self.curve.locate(self.time.min(self.curve.duration()));
        let mut range = [f64::NEG_INFINITY, f64::INFINITY];
        for (joint, limits) in self.limits.iter().enumerate() {
            let [q1, q2, q3] = [1, 2, 3].map(|order| evaluate(self.curve.coefficients(piece, joint), order, offset));
            let acceleration = q2 * rate * rate + q1 * change;
            let own = rate * (q3 * rate * rate + 3.0 * q2 * change);
            let slack = NEAR_LIMIT_RATIO * (limits.acceleration[1] - limits.acceleration[0]);
            let lowest = if acceleration <= limits.acceleration[0] + slack { 0.0 } else { limits.jerk[0] };
            let highest = if acceleration >= limits.acceleration[1] - slack { 0.0 } else { limits.jerk[1] };
            let ends = [(lowest - own) / q1, (highest - own) / q1];
            if q1 > 0.0 {
                range = [range[0].max(ends[0]), range[1].min(ends[1])];
            } else if q1 < 0.0 {
                range = [range[0].max(ends[1]), range[1].min(ends[0])];
            }
        }
        let slack = NEAR_LIMIT_RATIO * (range[1] - range[0]).abs();
        [range[0] - slack, range[1] + slack]
    }

    /// The quick look that refuses most changes.
    fn instants_hold(&self, (begin, duration): (RateState, f64)) -> bool {
        let at = |index: usize| duration * index as f64 / (PHASE_INSTANTS - 1) as f64;
        duration <= 0.0 || (0..PHASE_INSTANTS).all(|index| self.instant_holds(&begin.after(at(index))))
    }

    fn phase_holds(&self, (begin, duration): (RateState, f64)) -> bool {
        let at = |end: usize| duration * end as f64 / PHASE_PARTS as f64;
        let holds = |part: usize| self.part_holds(&begin, [at(part), at(part + 1)], MAX_PART_HALVINGS);
        duration <= 0.0 || (0..PHASE_PARTS).all(holds)
    }

    fn part_holds(&self, begin: &RateState, [from, to]: Interval, halvings: usize) -> bool {
        if self.part_is_inside(begin, [from, to]) {
            return true;
        }
        let middle = f64::midpoint(from, to);
        halvings > 0
            && self.instant_holds(&begin.after(middle))
            && self.part_holds(begin, [from, middle], halvings - 1)
            && self.part_holds(begin, [middle, to], halvings - 1)
    }

    /// The state at an instant, or past the end of the trajectory.
    fn instant_holds(&self, state: &RateState) -> bool {
        let time = self.time + state.passed;
        if !self.may_look() {
            return false;
        }
        if time >= self.curve.duration() {
            return true;
        }
        let (piece, offset) = self.curve.locate(time);
        self.limits.iter().enumerate().all(|(joint, limits)| {
            let [q1, q2, q3] = [1, 2, 3].map(|order| evaluate(self.curve.coefficients(piece, joint), order, offset));
            let RateState { rate, change, bend, .. } = *state;
            is_inside([q1 * rate; 2], limits.velocity)
                && is_inside([q2 * rate * rate + q1 * change; 2], limits.acceleration)
                && is_inside([rate * (q3 * rate * rate + 3.0 * q2 * change) + q1 * bend; 2], limits.jerk)
        })
    }

    /// True where intervals say that the limits hold on a part of a phase.
    fn part_is_inside(&self, begin: &RateState, [from, to]: Interval) -> bool {
        if !self.may_look() {
            return false;
        }
        let [first, last] = [from, to].map(|t| begin.after(t));
        let turn = -begin.change / begin.bend;
        let mut rates = ordered(first.rate, last.rate);
        if turn > from && turn < to {
            let rate = begin.after(turn).rate;
            rates = [rates[0].min(rate), rates[1].max(rate)];
        }
        let rates = rates.map(|rate| rate.clamp(0.0, 1.0));
        let changes = ordered(first.change, last.change);
        let end = self.curve.duration();
        let [mut at, until] = [first, last].map(|state| (self.time + state.passed).clamp(0.0, end));
        while at < end {
            let (piece, offset) = self.curve.locate(at);
            let [knot, next] = [self.curve.knots()[piece], self.curve.knots()[piece + 1]];
            let span = [offset, until.min(next) - knot];
            if !self.piece_is_inside(piece, span, (rates, changes, begin.bend)) {
                return false;
            }
            if until <= next {
                break;
            }
            at = next;
        }
        true
    }

    fn piece_is_inside(&self, piece: usize, [from, to]: Interval, clock: (Interval, Interval, f64)) -> bool {
        let (rates, changes, bend) = clock;
        let power = |exponent: i32| rates.map(|rate| rate.powi(exponent));
        self.limits.iter().enumerate().all(|(joint, limits)| {
            let row = self.curve.coefficients(piece, joint);
            let [q1, q2, q3] = [1, 2, 3].map(|order| {
                let (low, high) = enclosure(row, order, from, to);
                [low, high]
            });
            let acceleration = sum(product(q2, power(2)), product(q1, changes));
            let mixed = product(product(q2, rates), changes).map(|value| 3.0 * value);
            let jerk = sum(sum(product(q3, power(3)), mixed), product(q1, [bend; 2]));
            is_inside(product(q1, rates), limits.velocity)
                && is_inside(acceleration, limits.acceleration)
                && is_inside(jerk, limits.jerk)
        })
    }
}

fn is_inside([low, high]: Interval, limits: Interval) -> bool {
    is_range_inside((low, high), limits)
}

fn ordered(a: f64, b: f64) -> Interval {
    [a.min(b), a.max(b)]
}

fn sum([a, b]: Interval, [c, d]: Interval) -> Interval {
    [a + c, b + d]
}

fn product([a, b]: Interval, [c, d]: Interval) -> Interval {
    let all = [a * c, a * d, b * c, b * d];
    [all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max)]
}
