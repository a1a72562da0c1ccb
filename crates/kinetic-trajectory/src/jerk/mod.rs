//! The jerk-limited time law: through all waypoints without a stop, acceleration continuous, jerk bounded.
//!
//! The path is a polyline whose corners are rounded with continuous curvature; the motion stops at its ends, at
//! reversals, where a corner may not be rounded, and where a stop is quicker (`stops`). Between two stops a straight is passed
//! by the fastest motion from rest to rest ([`state`](crate::state)); a path with corners by the speed that the barrier method
//! finds. That speed becomes a curve of quintics in time that share position, velocity and acceleration at their ends. Limits
//! are checked on this curve, by bounds of its polynomials; where it exceeds one between the nodes of the grid the limit
//! is tightened there, and what is left is taken out by making the motion slower as a whole.

mod band;
mod barrier;
mod curved;
mod derivatives;
mod grid;
mod newton;
mod nodes;
mod part;
mod piece;
mod rows;
mod spline;
mod stops;
mod straights;
mod timed;

use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory};

use crate::corners::wide::Run;
use crate::geometry::PathGeometry;
use crate::per_joint::PerJoint;
use crate::ratios::has_acceleration_step;
use timed::Timed;

/// Name of the law.
pub const ID: &str = "jerk_limited";

/// Jerk limits that are not given are this many times those of acceleration: full acceleration after 0.1 s.
pub const DEFAULT_JERK_PER_ACCELERATION: f64 = 10.0;

/// The law uses this much less of each limit, so that rounding never exceeds one.
const JERK_LAW_LIMIT_RESERVE: f64 = 1e-8;

/// Acceleration builds up over at least this part of the time that the path takes: in less than that, times are too coarse for
/// it to be continuous, and nothing is gained.
const LEAST_RAMP_RATIO: f64 = 1e-8;

/// Part by which the timed curve may exceed the allowed deviation: rounding.
const DEVIATION_ROUNDING: f64 = 1e-6;

/// The jerk limits of this law, per joint, rad/s³ or m/s³: those given, or else [`DEFAULT_JERK_PER_ACCELERATION`] times those of
/// acceleration.
pub fn jerk_limits(limits: &Limits) -> Vec<f64> {
    let from_acceleration = || limits.acceleration.iter().map(|limit| DEFAULT_JERK_PER_ACCELERATION * limit).collect();
    limits.jerk.clone().unwrap_or_else(from_acceleration)
}

/// Times a path geometry, corners stopped at or rounded as it says, within [`jerk_limits`].
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`] for limits that do not fit, or for numbers so
/// large or small that the times cannot be represented.
pub fn apply(geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    let usable = usable(geometry, limits)?;
    let runs = geometry.runs()?;
    if runs.is_empty() {
        let curve = PiecewisePolynomial::constant(geometry.start())?;
        return TimedTrajectory::new(curve, vec![0.0], geometry.reduction, ID);
    }
    let mut timed = time(geometry, &runs, &usable)?;
    if timed.deviation > geometry.allowed * (1.0 + DEVIATION_ROUNDING) {
        // Limits of so different sizes that quintics between nodes stray too far from the path: straights never do.
        timed = time(geometry, &geometry.straight_runs()?, &usable)?;
    }
    geometry.watch.check()?;
    let curve = timed.repair(&usable)?;
    if !geometry.is_at_goal(&curve.sample(curve.duration(), 0)) {
        return Err(unrepresentable());
    }
    if has_acceleration_step(&curve, &usable) {
        return Err(unrepresentable());
    }
    geometry.watch.check()?;
    let times = timed.waypoint_times(geometry.waypoint_arc_lengths());
    TimedTrajectory::new(curve, times, geometry.reduction + timed.deviation, ID)
}

fn time<'a>(geometry: &'a PathGeometry, runs: &[Run], usable: &Limits) -> Result<Timed<'a>> {
    let mut timed = Timed::new(geometry);
    for run in runs {
        geometry.watch.check()?;
        timed.push_run(run, usable).ok_or_else(|| geometry.watch.error_or(unrepresentable))?;
    }
    Ok(timed)
}

fn unrepresentable() -> KineticError {
    KineticError::invalid("path under these limits", "times out of range", "representable times")
}

/// The limits less the reserve, with jerk.
fn usable(geometry: &PathGeometry, limits: &Limits) -> Result<Limits> {
    let dof = geometry.dof();
    let (velocity, acceleration) = (limits.velocity.as_slice().into(), limits.acceleration.as_slice().into());
    let checked = PerJoint::limits(&velocity, &acceleration, dof)?;
    let less = |values: &[f64]| values.iter().map(|value| value * (1.0 - JERK_LAW_LIMIT_RESERVE)).collect::<Vec<_>>();
    let ramp = LEAST_RAMP_RATIO * least_time(geometry, &checked);
    let jerk = PerJoint::from(jerk_limits(limits)).expand("jerk limit", dof)?;
    let jerk: Vec<f64> = jerk.iter().zip(&checked.acceleration).map(|(jerk, a)| jerk.min(a / ramp)).collect();
    Limits::new(less(&checked.velocity), less(&checked.acceleration))?.with_jerk(less(&jerk))
}

/// A lower bound of the time that the path takes within limits of velocity and acceleration, s.
fn least_time(geometry: &PathGeometry, limits: &Limits) -> f64 {
    let way = |joint: usize| {
        let segments = geometry.lengths.iter().zip(&geometry.directions);
        segments.map(|(length, direction)| length * direction[joint].abs()).sum::<f64>()
    };
    let of_joint = |joint: usize| {
        let way = way(joint);
        (way / limits.velocity[joint]).max((way / limits.acceleration[joint]).sqrt())
    };
    (0..geometry.dof()).map(of_joint).fold(0.0, f64::max)
}
