//! Stops of a running trajectory: along its path where the limits allow it, else beside it.

use kinetic_core::curve::Coefficients;
use kinetic_core::{PiecewisePolynomial, Result, TimedTrajectory};

use super::clock::{Clock, ClockSegment, Range, Track};
use super::splice::{SPLICED, Stop, state_at, stop};
use super::violations::is_inside;
use crate::check::RELATIVE_TOLERANCE;
use crate::compose::piece_between;
use crate::curve_element::CurveElement;
use crate::state::MotionLimits;
use crate::totp::compose::{Composition, Motion};

/// The time that the fastest joint needs to brake is cut in this many parts at first.
const PARTS: f64 = 100.0;

/// What is left of the trajectory is cut in at most this many parts at first.
const MOST_PARTS: f64 = 4000.0;

/// Parts of the acceleration limits that are left for the curve between the ends of parts, and by what the parts are cut,
/// tried in this order. Where a trajectory brakes with all it has, what is left decides when a stop can begin to differ.
const ATTEMPTS: [(f64, f64); 6] = [(0.0, 1.0), (1e-8, 1.0), (1e-7, 1.0), (1e-6, 1.0), (1e-6, 4.0), (1e-6, 16.0)];

/// A stop that is farther from its path than this, rad or m, is cut finer.
const NEAR: f64 = 5e-10;

/// The stop of `running` from `t` on that leaves its path last: along the path with the largest braking that the limits of
/// acceleration allow at each point, which is the earliest stop on the path. Jerk is not bounded on the path.
///
/// Where no change of speed along the path holds the limits of velocity and acceleration, because the trajectory was made
/// for others, it is the jerk-limited [`stop`], with its distance from the path. [`Stop::on_path`] says which, and
/// [`Stop::violations`] what that stop cannot hold.
///
/// # Errors
/// As [`stop`].
pub fn stop_on_path(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<Stop> {
    let state = state_at(running, t, limits)?;
    let rest = piece_between(running, t, running.duration())?;
    let is_within = is_inside(rest.curve(), limits);
    let braking = |joint: usize| {
        let ([lowest, highest], velocity) = (limits.axes()[joint].acceleration, state.velocities[joint]);
        velocity.abs() / if velocity > 0.0 { -lowest } else { highest }
    };
    let longest = (0..running.dof()).map(braking).fold(0.0, f64::max);
    let mut part = (longest / PARTS).max((running.duration() - t) / MOST_PARTS);
    if !(part > 0.0) {
        // It stands at its end; there is nothing to cut.
        part = 1.0;
    }
    for (reserve, cut) in ATTEMPTS {
        let Some(found) = braked(running, t, limits, is_within, (reserve, part / cut))? else { continue };
        if found.deviation > NEAR {
            let finer = braked(running, t, limits, is_within, (reserve, part / (4.0 * cut)))?;
            if let Some(finer) = finer.filter(|finer| is_inside(finer.trajectory.curve(), limits)) {
                return Ok(finer);
            }
        }
        if is_inside(found.trajectory.curve(), limits) {
            return Ok(found);
        }
    }
    stop(running, t, limits)
}

/// The slowest profile along the path, as a curve; `None` where there is none inside the limits.
fn braked(
    running: &TimedTrajectory,
    t: f64,
    limits: &MotionLimits,
    is_within: bool,
    (reserve, part): (f64, f64),
) -> Result<Option<Stop>> {
    let curve = running.curve();
    let accelerations: Vec<Range> =
        limits.axes().iter().map(|axis| axis.acceleration.map(|limit| limit * (1.0 - reserve))).collect();
    let track = Track { curve, accelerations: &accelerations, is_within };
    let mut clock = Clock { time: t, rate: 1.0 };
    let mut pieces = Pieces { curve, knots: vec![0.0], coefficients: Vec::new(), deviation: 0.0 };
    let is_done = |clock: &Clock| clock.rate == 0.0 || clock.time >= curve.duration();
    while !is_done(&clock) {
        let before = clock;
        let part = track.steady(&clock, 0.0, part);
        if !track.advance(&mut clock, 0.0, part, &mut |segment| pieces.push(segment)) || clock.rate > 1.0 {
            return Ok(None);
        }
        if clock == before {
            return Ok(None);
        }
    }
    let end = curve.sample(clock.time, 0);
    // A trajectory that ends under way has no stop on its path.
    let moving = curve.sample(clock.time, 1).iter().any(|velocity| (velocity * clock.rate).abs() > RELATIVE_TOLERANCE);
    if moving {
        return Ok(None);
    }
    let deviation = pieces.deviation;
    let stopped = pieces.curve(&end)?;
    let times = if stopped.duration() > 0.0 { vec![0.0, stopped.duration()] } else { vec![0.0] };
    let trajectory = TimedTrajectory::new(stopped, times, 0.0, SPLICED)?;
    Ok(Some(Stop { trajectory, deviation, on_path: true, violations: Vec::new() }))
}

/// Segments of a clock as quintics of time.
struct Pieces<'a> {
    curve: &'a PiecewisePolynomial,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Bound on the distance of the quintics from the path.
    deviation: f64,
}

impl Pieces<'_> {
    fn push(&mut self, segment: &ClockSegment) {
        let begin = self.knots[self.knots.len() - 1];
        let end = begin + segment.duration;
        // Below the resolution of the clock nothing moves.
        if !(end > begin) {
            return;
        }
        self.knots.push(end);
        let shape = (0..self.curve.dof()).map(|joint| *self.curve.coefficients(segment.piece, joint)).collect();
        let length = self.curve.piece_duration(segment.piece);
        let element = CurveElement { arc_length: 0.0, length, starts_at_rest: false, shape };
        let ClockSegment { offset, rate: speed, change: acceleration, duration, .. } = *segment;
        let composed = Composition::new(element.degree(), &Motion { offset, speed, acceleration, duration });
        let locals: Vec<Coefficients> = element.shape.iter().map(|row| composed.local(row)).collect();
        let square: f64 = locals.iter().map(|local| composed.changes(local)[0].powi(2)).sum();
        self.deviation = self.deviation.max(square.sqrt());
        self.coefficients.extend(locals.iter().map(|local| composed.coefficients(local)));
    }

    fn curve(self, end: &[f64]) -> Result<PiecewisePolynomial> {
        if self.knots.len() == 1 {
            return PiecewisePolynomial::constant(end);
        }
        PiecewisePolynomial::new(self.curve.dof(), self.knots, self.coefficients)
    }
}
