//! A rate whose own change is bounded, so that jerk is.
//!
//! With q(τ) the trajectory and r = τ̇ the rate, acceleration is q″ r² + q′ ṙ and jerk q‴ r³ + 3 q″ r ṙ + q′ r̈ (the chain
//! rule). For 0 ≤ r ≤ 1 and where |q′|, |q″| and |q‴| are at most V, A and K they stay inside limits a and j when
//!
//! ```text
//! A + V |ṙ| ≤ a        K + 3 A |ṙ| + V |r̈| ≤ j
//! ```
//!
//! on every piece and for every joint. What the trajectory leaves of its limits is what changes of the rate may use; the
//! largest |ṙ| and |r̈| of which that is true are found once, and the rate then goes to any target like a velocity under
//! limits of acceleration and jerk: three phases of even r̈ at most, without overshoot. A target may change at any moment,
//! since nothing but |ṙ| and |r̈| has to be inside bounds that never change.

use kinetic_core::curve::{evaluate, extremes};
use kinetic_core::{KineticError, PiecewisePolynomial, Result};

use super::clock::Clock;
use crate::check::{RELATIVE_TOLERANCE, STEP_TOLERANCE};
use crate::tolerance::LIMIT_RESERVE;

/// Part of what the jerk limits leave that 3 A |ṙ| may take; the rest is for V |r̈|.
const RATE_SHARE_OF_JERK: f64 = 0.5;

/// Bounds where no joint moves, 1/s and 1/s².
const UNBOUNDED_RATE: f64 = 1e6;

/// How fast a rate changes, and how fast it may.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SmoothRate {
    /// Largest |ṙ| and |r̈|.
    most: [f64; 2],
    /// ṙ now.
    pub(super) change: f64,
}

/// The largest |q′|, |q″| and |q‴| of a joint on a piece.
struct Use {
    joint: usize,
    largest: [f64; 3],
}

impl SmoothRate {
    /// The bounds for a trajectory under limits of acceleration and jerk, one per joint.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming joint and quantity where acceleration steps, or where the trajectory leaves
    /// nothing of a limit.
    pub(super) fn new(curve: &PiecewisePolynomial, accelerations: &[f64], jerks: &[f64]) -> Result<Self> {
        check_steps(curve, accelerations)?;
        let uses = uses(curve, accelerations, jerks);
        let (mut change, mut bend) = (UNBOUNDED_RATE, UNBOUNDED_RATE);
        for Use { joint, largest: [velocity, acceleration, jerk] } in &uses {
            let slacks = [accelerations[*joint] - acceleration, jerks[*joint] - jerk];
            check_slack(*joint, "acceleration", *acceleration, slacks[0], *velocity)?;
            check_slack(*joint, "jerk", *jerk, slacks[1], *velocity)?;
            change = change.min(slacks[0] / velocity).min(RATE_SHARE_OF_JERK * slacks[1] / (3.0 * acceleration));
        }
        for Use { joint, largest: [velocity, acceleration, jerk] } in &uses {
            bend = bend.min((jerks[*joint] - jerk - 3.0 * acceleration * change) / velocity);
        }
        Ok(Self { most: [change, bend].map(|bound| bound * (1.0 - LIMIT_RESERVE)), change: 0.0 })
    }

    /// Lets `left` seconds pass while the rate goes to `target`; the clock stays between 0 and `end`.
    pub(super) fn advance(&mut self, clock: &mut Clock, target: f64, mut left: f64, end: f64) {
        for (duration, bend) in self.phases(clock.rate, target) {
            let t = duration.min(left);
            clock.time += t * (clock.rate + t * (0.5 * self.change + t * bend / 6.0));
            clock.rate += t * (self.change + 0.5 * t * bend);
            self.change += t * bend;
            left -= t;
            if left <= 0.0 {
                break;
            }
        }
        if left > 0.0 {
            // The phases are over: exactly at the target.
            (clock.rate, self.change) = (target, 0.0);
            clock.time += target * left;
        }
        (clock.time, clock.rate) = (clock.time.clamp(0.0, end), clock.rate.clamp(0.0, 1.0));
    }

    /// Durations and r̈ of the fastest way to `target`: away from ṙ, along the largest |ṙ|, back to ṙ = 0.
    fn phases(&self, rate: f64, target: f64) -> [(f64, f64); 3] {
        let [most, bend] = self.most;
        // Where the rate ends when ṙ is brought to 0 at once says in which direction the way leads.
        let ends = rate + self.change * self.change.abs() / (2.0 * bend);
        let sign = if target >= ends { 1.0 } else { -1.0 };
        let (displacement, change) = (sign * (target - rate), sign * self.change);
        let peak = (bend * displacement + 0.5 * change * change).max(0.0).sqrt().min(most).max(change.max(0.0));
        let ramps = (2.0 * peak * peak - change * change) / (2.0 * bend);
        let hold = if peak > 0.0 { ((displacement - ramps) / peak).max(0.0) } else { 0.0 };
        [((peak - change) / bend, sign * bend), (hold, 0.0), (peak / bend, -sign * bend)]
    }
}

fn check_slack(joint: usize, quantity: &str, largest: f64, slack: f64, velocity: f64) -> Result<()> {
    if slack > 0.0 || velocity == 0.0 {
        return Ok(());
    }
    let wanted = format!(
        "less than the limit {}: changes of the speed need room (time the trajectory with lower limits)",
        largest + slack
    );
    Err(KineticError::invalid(format!("{quantity} of joint {joint}"), largest, wanted))
}

/// Of every joint on every piece on which it moves.
fn uses(curve: &PiecewisePolynomial, accelerations: &[f64], jerks: &[f64]) -> Vec<Use> {
    let mut uses = Vec::with_capacity(curve.pieces() * curve.dof());
    for piece in 0..curve.pieces() {
        for joint in 0..curve.dof() {
            let scales = [accelerations[joint], accelerations[joint], jerks[joint]];
            let largest = std::array::from_fn(|index| {
                let tolerance = RELATIVE_TOLERANCE * scales[index];
                let row = curve.coefficients(piece, joint);
                let range = extremes(row, index + 1, 0.0, curve.piece_duration(piece), tolerance);
                range.high.max(-range.low)
            });
            if largest[0] > 0.0 {
                uses.push(Use { joint, largest });
            }
        }
    }
    uses
}

/// Refuses a curve whose acceleration steps: its jerk is infinite there at any speed.
fn check_steps(curve: &PiecewisePolynomial, accelerations: &[f64]) -> Result<()> {
    for piece in 1..curve.pieces() {
        for (joint, limit) in accelerations.iter().enumerate() {
            let before = evaluate(curve.coefficients(piece - 1, joint), 2, curve.piece_duration(piece - 1));
            let step = (evaluate(curve.coefficients(piece, joint), 2, 0.0) - before).abs();
            if !(step <= STEP_TOLERANCE * limit) {
                let name = format!("step of the acceleration of joint {joint} at {} s", curve.knots()[piece]);
                return Err(KineticError::invalid(name, step, "none: a trajectory with bounded jerk (jerk_limited)"));
            }
        }
    }
    Ok(())
}
