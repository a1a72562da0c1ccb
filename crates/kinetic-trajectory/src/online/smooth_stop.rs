//! Stops along the path of a running trajectory with bounded jerk, as quintics.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{Limits, PiecewisePolynomial};

use super::clock::Clock;
use super::rate_profile::RateState;
use super::smooth_rate::SmoothRate;
use super::violations::{is_jerk_inside, is_piece_inside};
use crate::ratios::has_acceleration_step;
use crate::state::{AxisLimits, MotionLimits};
use crate::totp::compose::quintic_of_power;
use crate::totp::stage::shifted;

/// Part of the limits of acceleration and jerk that is left for what quintics change.
const QUINTIC_RESERVE: f64 = 1e-6;

/// A change of the rate is looked for anew this often in the time that the first one takes, and after this time where there is none, s.
const REPLANS: f64 = 48.0;
const RETRY_S: f64 = 4e-3;

/// Parts in which the time of the first change is cut at first.
const FIRST_PIECES: f64 = 48.0;

/// A piece that is farther from its path than this, rad or m, or leaves the limits, is halved, this often at most.
const MAX_DISTANCE_RAD_M: f64 = 5e-10;
const MAX_PIECE_HALVINGS: usize = 6;

/// Halvings of the time in which a knot of the trajectory is passed.
const KNOT_HALVINGS: usize = 50;

/// Degree of a quintic of a cubic.
const COMPOSED_DEGREE: usize = 3 * MAX_DEGREE;

/// What stops are made into.
pub(super) struct StopCurve<'a> {
    pub(super) knots: &'a mut Vec<f64>,
    pub(super) coefficients: &'a mut Vec<Coefficients>,
    /// Bound on the distance from the path.
    pub(super) deviation: f64,
}

/// Finds stops with bounded jerk along the path of one trajectory.
#[derive(Debug, Clone)]
pub(super) struct SmoothStops {
    rate: SmoothRate,
}

impl SmoothStops {
    /// `None` for a trajectory that does not hold the limits of jerk itself.
    pub(super) fn new(running: &PiecewisePolynomial, limits: &MotionLimits) -> Option<Self> {
        let dof = running.dof();
        let holds = |piece: usize| {
            let rows = &running.all_coefficients()[piece * dof..(piece + 1) * dof];
            is_jerk_inside(rows, [0.0, running.piece_duration(piece)], limits)
        };
        let least = |range: fn(&AxisLimits) -> [f64; 2]| {
            limits.axes().iter().map(range).map(|[lowest, highest]| highest.min(-lowest)).collect()
        };
        let symmetric = Limits::new(least(|axis| axis.velocity), least(|axis| axis.acceleration)).ok()?;
        if has_acceleration_step(running, &symmetric) || !(0..running.pieces()).all(holds) {
            return None;
        }
        let kept = |range: [f64; 2]| range.map(|limit| limit * (1.0 - QUINTIC_RESERVE));
        let axis =
            |axis: &AxisLimits| AxisLimits { acceleration: kept(axis.acceleration), jerk: kept(axis.jerk), ..*axis };
        Some(Self { rate: SmoothRate::unchecked(limits.axes().iter().map(axis).collect()) })
    }

    /// Writes the stop from `t` on, after which the clock stands where it ends; `None` where there is none inside the limits.
    pub(super) fn plan(
        &mut self,
        running: &PiecewisePolynomial,
        t: f64,
        limits: &MotionLimits,
        out: &mut StopCurve,
    ) -> Option<Clock> {
        self.rate.reset();
        let mut clock = Clock { time: t, rate: 1.0 };
        let mut first = None;
        while clock.rate > 0.0 && clock.time < running.duration() {
            self.rate.plan(running, clock, 0.0);
            let (target, left) = self.rate.left().map(|(profile, left)| (profile.target, left)).unzip();
            first = first.or(left);
            let longest = first.unwrap_or(RETRY_S * FIRST_PIECES) / FIRST_PIECES;
            let mut until = left.map_or(RETRY_S, |left| (first.unwrap_or(left) / REPLANS).min(left));
            while until > 0.0 && clock.rate > 0.0 && clock.time < running.duration() {
                let (state, most) = self.rate.phase(clock.rate, until);
                let duration = piece(running, &mut clock, (state, most.min(longest)), limits, out)?;
                self.rate.pass(state.rate, duration);
                until = if duration < until { until - duration } else { 0.0 };
            }
            if self.rate.left().is_none() {
                clock.rate = target.unwrap_or(clock.rate);
            }
        }
        Some(clock)
    }
}

/// Makes one piece of at most `most` seconds, and advances the clock to its end; answers with its time.
fn piece(
    running: &PiecewisePolynomial,
    clock: &mut Clock,
    (state, most): (RateState, f64),
    limits: &MotionLimits,
    out: &mut StopCurve,
) -> Option<f64> {
    let (index, offset) = running.locate(clock.time);
    let knot = running.knots()[index + 1];
    let to_knot = time_to(&state, knot - clock.time, most);
    let whole = to_knot.unwrap_or(most);
    let mut duration = whole;
    for _ in 0..=MAX_PIECE_HALVINGS {
        if out.push(running, (index, offset), (&state, duration), limits) {
            let end = state.after(duration);
            let time = (clock.time + end.passed).clamp(clock.time, knot);
            let is_at_knot = to_knot.is_some() && duration == whole;
            *clock = Clock { time: if is_at_knot { knot } else { time }, rate: end.rate.clamp(0.0, 1.0) };
            return Some(duration);
        }
        duration *= 0.5;
    }
    None
}

impl StopCurve<'_> {
    /// Takes the quintics of a piece where they are near the path and hold the limits.
    fn push(
        &mut self,
        running: &PiecewisePolynomial,
        (piece, offset): (usize, f64),
        (state, duration): (&RateState, f64),
        limits: &MotionLimits,
    ) -> bool {
        let begin = self.knots[self.knots.len() - 1];
        // Below the resolution of the clock nothing moves.
        if !(begin + duration > begin) {
            return true;
        }
        let (count, mut square) = (self.coefficients.len(), 0.0);
        for joint in 0..running.dof() {
            let local = shifted(running.coefficients(piece, joint), MAX_DEGREE, offset);
            let (row, change) = composed(&local, state, duration);
            self.coefficients.push(row);
            square += change * change;
        }
        let (rows, span, distance) = (&self.coefficients[count..], [0.0, duration], square.sqrt());
        let holds =
            distance <= MAX_DISTANCE_RAD_M && is_piece_inside(rows, span, limits) && is_jerk_inside(rows, span, limits);
        if holds {
            self.deviation = self.deviation.max(distance);
            self.knots.push(begin + duration);
        } else {
            self.coefficients.truncate(count);
        }
        holds
    }
}

/// Seconds until `distance` seconds of the trajectory have passed; `None` where that takes more than `most`. The rate is never
/// negative, so that halving finds it.
fn time_to(state: &RateState, distance: f64, most: f64) -> Option<f64> {
    let is_past = |t: f64| state.after(t).passed >= distance;
    let (mut early, mut late) = (0.0, most);
    if !is_past(late) {
        return None;
    }
    for _ in 0..KNOT_HALVINGS {
        let middle = f64::midpoint(early, late);
        (early, late) = if is_past(middle) { (early, middle) } else { (middle, late) };
    }
    Some(late)
}

/// The quintic of one joint with position, velocity and acceleration of q(τ(t)) at both ends, and a bound on its distance from
/// it. Of tᵏ on the unit interval the quintic is off by C(k, 6) / 64 at most: the remainder of Hermite's interpolation.
fn composed(local: &Coefficients, state: &RateState, duration: f64) -> (Coefficients, f64) {
    let clock = [
        state.rate * duration,
        0.5 * state.change * duration * duration,
        state.bend * duration * duration * duration / 6.0,
    ];
    let mut powers = [0.0; COMPOSED_DEGREE + 1];
    for (done, coefficient) in local.iter().rev().enumerate() {
        // Times the clock's cubic, from the highest power down; so far of degree 3 (done - 1).
        for index in (0..=(3 * done).min(COMPOSED_DEGREE)).rev() {
            let term = |power: usize| if index >= power { powers[index - power] * clock[power - 1] } else { 0.0 };
            powers[index] = term(1) + term(2) + term(3);
        }
        powers[0] += coefficient;
    }
    let mut row = [0.0; MAX_DEGREE + 1];
    row.copy_from_slice(&powers[..=MAX_DEGREE]);
    let (mut change, mut choose) = (0.0, 1.0);
    for (power, value) in powers.iter().enumerate().skip(MAX_DEGREE + 1) {
        for (coefficient, part) in row[3..].iter_mut().zip(quintic_of_power(power)) {
            *coefficient += value * part;
        }
        let k = power as f64;
        change += value.abs() * choose / 64.0;
        // C(k + 1, 6) from C(k, 6).
        choose *= (k + 1.0) / (k - 5.0);
    }
    let mut scale = 1.0;
    for value in &mut row {
        *value *= scale;
        scale /= duration;
    }
    (row, change)
}

#[cfg(test)]
mod tests {
    use kinetic_core::curve::evaluate;

    use super::*;

    #[test]
    fn quintics_meet_the_composition_at_their_ends_and_stay_within_their_bound() {
        let local = [0.3, -1.2, 0.7, 2.5, -3.1, 1.9];
        let state = RateState { passed: 0.0, rate: 0.8, change: -1.3, bend: -4.0 };
        let duration = 0.3;
        let (row, bound) = composed(&local, &state, duration);
        let exact = |t: f64| evaluate(&local, 0, state.after(t).passed);
        let mut worst = 0.0_f64;
        for step in 0..=1000 {
            let t = duration * f64::from(step) / 1000.0;
            worst = worst.max((evaluate(&row, 0, t) - exact(t)).abs());
        }
        assert!(worst <= bound && bound < 1e-3, "{worst} {bound}");
        for t in [0.0, duration] {
            let RateState { passed, rate, change, .. } = state.after(t);
            let [position, velocity, acceleration] = [0, 1, 2].map(|order| evaluate(&local, order, passed));
            let wanted = [position, velocity * rate, acceleration * rate * rate + velocity * change];
            for (order, wanted) in wanted.into_iter().enumerate() {
                assert!((evaluate(&row, order, t) - wanted).abs() < 1e-12, "{order} at {t}");
            }
        }
    }

    #[test]
    fn the_time_to_a_knot_passes_exactly_what_lies_before_it() {
        let state = RateState { passed: 0.0, rate: 0.8, change: -1.3, bend: 0.7 };
        assert!(time_to(&state, 0.1, 0.5).is_some_and(|time| (state.after(time).passed - 0.1).abs() < 1e-15));
        assert_eq!(time_to(&state, 10.0, 0.5), None);
    }
}
