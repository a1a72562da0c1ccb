//! A clock on a trajectory that runs slower than time, and how fast its rate may change.
//!
//! With q(τ) the trajectory, r = τ̇ the rate and y = r², joint velocity is q′ r and joint acceleration q″ y + ½ q′ y′, with
//! y′ = dy/dτ (Verscheure et al. 2009; Pham and Pham 2018): linear in y and y′. Where the trajectory holds its limits, a
//! constant rate of at most 1 does too, so that y′ = 0 is always allowed and there is no dead end. Of all profiles the
//! one that always takes the least y′ is the slowest everywhere ahead, and the one that stops first.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{Coefficients, MAX_DEGREE};

use crate::totp::stage::{shifted, to_bernstein};

/// The allowed change of the rate may vary by this part in a segment.
const MAX_RATE_BOUND_VARIATION: f64 = 0.02;

/// A segment is halved this often where it varies more.
const MAX_RATE_SEGMENT_HALVINGS: usize = 5;

/// What is allowed at once is what is allowed in this part of a segment.
const INSTANT_SEGMENT_RATIO: f64 = 1e-3;

/// A segment may last this many times as long as its piece at the rate that it begins with, which falls.
pub(super) const MAX_SEGMENT_STRETCH: f64 = 1.1;

/// Lowest and highest acceleration of a joint, rad/s² or m/s².
pub(super) type AccelerationRange = [f64; 2];

/// Where a clock stands on a trajectory, s, and how many seconds of the trajectory pass in one second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    pub(super) time: f64,
    pub(super) rate: f64,
}

/// A segment of time during which the rate changes evenly, on one piece of the trajectory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockSegment {
    pub(super) piece: usize,
    /// Change of the rate per second.
    pub(super) change: f64,
}

/// What the clock runs on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track<'a> {
    pub(super) curve: &'a PiecewisePolynomial,
    pub(super) accelerations: &'a [AccelerationRange],
    /// True when the trajectory itself holds the limits.
    pub(super) is_within: bool,
}

impl Track<'_> {
    /// Lets `left` seconds pass while the rate goes to `target` as fast as the accelerations allow; shows every segment.
    /// Answers false where no change of the rate holds the limits.
    pub(super) fn advance(
        &self,
        clock: &mut Clock,
        target: f64,
        mut left: f64,
        visit: &mut dyn FnMut(&ClockSegment),
    ) -> bool {
        while left > 0.0 && clock.time < self.curve.duration() && (clock.rate > 0.0 || target > 0.0) {
            let (piece, offset) = self.curve.locate(clock.time);
            let (knot, rest) = (self.curve.knots()[piece + 1], self.curve.piece_duration(piece) - offset);
            if !(rest > 0.0) {
                clock.time = knot;
                continue;
            }
            let span = (clock.rate.max(target) * left).min(rest);
            let Some(change) = self.change(piece, [offset, offset + span], clock.rate, target) else { return false };
            if !change.is_finite() {
                // No joint moves here: nothing feels the rate.
                clock.rate = target;
                continue;
            }
            let to_target = if change == 0.0 { f64::INFINITY } else { ((target - clock.rate) / change).abs() };
            let to_knot = 2.0 * rest / (clock.rate + (clock.rate * clock.rate + 2.0 * change * rest).max(0.0).sqrt());
            let is_before = clock.rate * clock.rate + 2.0 * change * rest < 0.0;
            let to_knot = if is_before { f64::INFINITY } else { to_knot };
            let duration = left.min(to_target).min(to_knot);
            visit(&ClockSegment { piece, change });
            let moved = duration * (clock.rate + 0.5 * change * duration);
            clock.time = if duration == to_knot { knot } else { (clock.time + moved).clamp(clock.time, knot) };
            clock.rate = if duration == to_target { target } else { (clock.rate + change * duration).max(0.0) };
            left -= duration;
        }
        true
    }

    /// A time of at most `most` seconds from now on in which the allowed change of the rate hardly varies. It is even in a
    /// segment, so that where it varies the narrowest place of a segment rules all of it.
    pub(super) fn steady(&self, clock: &Clock, target: f64, most: f64) -> f64 {
        let (piece, offset) = self.curve.locate(clock.time);
        let rest = self.curve.piece_duration(piece) - offset;
        let change =
            |from: f64, to: f64| self.change(piece, [offset + from, offset + to], clock.rate, target).unwrap_or(0.0);
        // Hardly beyond the piece: what is steady on this one says nothing of the next.
        let mut time = if rest > 0.0 { most.min(MAX_SEGMENT_STRETCH * rest / clock.rate.max(target)) } else { most };
        for _ in 0..MAX_RATE_SEGMENT_HALVINGS {
            let span = (clock.rate.max(target) * time).min(rest);
            let whole = change(0.0, span);
            let near = |part: f64| {
                change((part - INSTANT_SEGMENT_RATIO).max(0.0) * span, (part + INSTANT_SEGMENT_RATIO).min(1.0) * span)
            };
            let is_like = |part: f64| (near(part) - whole).abs() <= MAX_RATE_BOUND_VARIATION * whole.abs();
            if !whole.is_finite() || [0.0, 0.5, 1.0].into_iter().all(is_like) {
                break;
            }
            time *= 0.5;
        }
        time
    }

    /// Change of the rate per second towards the target: as large as allowed.
    pub(super) fn change(&self, piece: usize, span: [f64; 2], rate: f64, target: f64) -> Option<f64> {
        if rate == target && self.is_within {
            return Some(0.0);
        }
        let [low, high] = self.slopes(piece, span, rate * rate);
        let [low, high] = if self.is_within { [low.min(0.0), high.max(0.0)] } else { [low, high] };
        let wanted = if rate > target {
            low
        } else if rate < target {
            high
        } else {
            0.0_f64.clamp(low.min(high), high.max(low))
        };
        (low <= high).then_some(wanted / 2.0)
    }

    /// Least and greatest y′ for which every joint holds its acceleration limits on the span, entered with y = `square`.
    ///
    /// At δ after the entry acceleration is α(δ) (y + y′ δ) + ½ v(δ) y′, with α and v the joint's acceleration and velocity
    /// on the trajectory: y times a polynomial of δ plus y′ times another. Bernstein coefficients of the two bound it.
    fn slopes(&self, piece: usize, [from, to]: [f64; 2], square: f64) -> [f64; 2] {
        let mut range = [f64::NEG_INFINITY, f64::INFINITY];
        for (joint, [lowest, highest]) in self.accelerations.iter().enumerate() {
            let [own, by_change] = acceleration_parts(self.curve.coefficients(piece, joint), from, to - from);
            for (own, factor) in own.into_iter().zip(by_change) {
                narrow(&mut range, [lowest - own * square, highest - own * square], factor);
            }
        }
        range
    }
}

/// Narrows the range of y′ to least ≤ factor · y′ ≤ most.
fn narrow([low, high]: &mut [f64; 2], [least, most]: [f64; 2], factor: f64) {
    if factor > 0.0 {
        (*low, *high) = (low.max(least / factor), high.min(most / factor));
    } else if factor < 0.0 {
        (*low, *high) = (low.max(most / factor), high.min(least / factor));
    } else if !(least <= 0.0 && most >= 0.0) {
        (*low, *high) = (f64::INFINITY, f64::NEG_INFINITY);
    }
}

/// Bernstein coefficients of α(δ) and of δ α(δ) + ½ v(δ) for δ from 0 to `span`, both as polynomials of fourth degree.
fn acceleration_parts(row: &Coefficients, from: f64, span: f64) -> [[f64; MAX_DEGREE]; 2] {
    let local = shifted(row, MAX_DEGREE, from);
    let (mut own, mut by_change) = ([0.0; MAX_DEGREE], [0.0; MAX_DEGREE]);
    let mut width = 1.0;
    for power in 0..MAX_DEGREE {
        let order = power as f64;
        // (power + 1) c spanᵖᵒʷᵉʳ is what the next coefficient gives to the velocity.
        let velocity = (order + 1.0) * local[power + 1] * width;
        by_change[power] = (order + 0.5) * velocity;
        if power > 0 {
            own[power - 1] = order * velocity / span;
        }
        width *= span;
    }
    to_bernstein(&mut own, MAX_DEGREE - 1);
    to_bernstein(&mut by_change, MAX_DEGREE - 1);
    [own, by_change]
}
