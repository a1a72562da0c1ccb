//! A clock on a trajectory that runs slower than time, and how fast its rate may change.
//!
//! With q(τ) the trajectory, r = τ̇ the rate and y = r², joint velocity is q′ r and joint acceleration q″ y + ½ q′ y′, with
//! y′ = dy/dτ (Verscheure et al. 2009; Pham and Pham 2018): linear in y and y′. Where the trajectory holds its limits, a
//! constant rate of at most 1 does too, so that y′ = 0 is always allowed and there is no dead end. Of all profiles the
//! one that always takes the least y′ is the slowest everywhere ahead, and the one that stops first.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::enclosure;

/// Lowest and highest acceleration of a joint, rad/s² or m/s².
pub(super) type Range = [f64; 2];

/// Where a clock stands on a trajectory, s, and how many seconds of the trajectory pass in one second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    pub(super) time: f64,
    pub(super) rate: f64,
}

/// A stretch of time during which the rate changes evenly, on one piece of the trajectory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) piece: usize,
    /// Time of the trajectory since the piece began.
    pub(super) offset: f64,
    pub(super) rate: f64,
    /// Change of the rate per second.
    pub(super) change: f64,
    pub(super) duration: f64,
}

/// What the clock runs on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track<'a> {
    pub(super) curve: &'a PiecewisePolynomial,
    pub(super) accelerations: &'a [Range],
    /// True when the trajectory itself holds the limits.
    pub(super) is_within: bool,
}

impl Track<'_> {
    /// Lets `left` seconds pass while the rate goes to `target` as fast as the accelerations allow; shows every stretch.
    /// Answers false where no change of the rate holds the limits.
    pub(super) fn advance(
        &self,
        clock: &mut Clock,
        target: f64,
        mut left: f64,
        visit: &mut dyn FnMut(&Stretch),
    ) -> bool {
        while left > 0.0 && clock.time < self.curve.duration() && (clock.rate > 0.0 || target > 0.0) {
            let (piece, offset) = self.curve.locate(clock.time);
            let (knot, rest) = (self.curve.knots()[piece + 1], self.curve.piece_duration(piece) - offset);
            if !(rest > 0.0) {
                clock.time = knot;
                continue;
            }
            let reach = (clock.rate.max(target) * left).min(rest);
            let Some(change) = self.change(piece, [offset, offset + reach], clock.rate, target) else { return false };
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
            visit(&Stretch { piece, offset, rate: clock.rate, change, duration });
            let moved = duration * (clock.rate + 0.5 * change * duration);
            clock.time = if duration == to_knot { knot } else { (clock.time + moved).clamp(clock.time, knot) };
            clock.rate = if duration == to_target { target } else { (clock.rate + change * duration).max(0.0) };
            left -= duration;
        }
        true
    }

    /// Change of the rate per second towards the target: as large as allowed.
    fn change(&self, piece: usize, span: [f64; 2], rate: f64, target: f64) -> Option<f64> {
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
    /// Acceleration is α (y + y′ δ) + ½ v y′, with α and v the joint's acceleration and velocity on the trajectory: linear
    /// in each of α, v and δ, so that the corners of their ranges bound it.
    fn slopes(&self, piece: usize, [from, to]: [f64; 2], square: f64) -> [f64; 2] {
        let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
        for (joint, [lowest, highest]) in self.accelerations.iter().enumerate() {
            let row = self.curve.coefficients(piece, joint);
            let (velocity, acceleration) = (enclosure(row, 1, from, to), enclosure(row, 2, from, to));
            for alpha in [acceleration.0, acceleration.1] {
                let [least, most] = [lowest - alpha * square, highest - alpha * square];
                for v in [velocity.0, velocity.1] {
                    for factor in [0.5 * v, 0.5 * v + alpha * (to - from)] {
                        if factor > 0.0 {
                            (low, high) = (low.max(least / factor), high.min(most / factor));
                        } else if factor < 0.0 {
                            (low, high) = (low.max(most / factor), high.min(least / factor));
                        } else if !(least <= 0.0 && most >= 0.0) {
                            (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
                        }
                    }
                }
            }
        }
        [low, high]
    }
}
