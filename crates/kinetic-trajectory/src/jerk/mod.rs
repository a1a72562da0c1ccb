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

use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};

use crate::geometry::PathGeometry;
use crate::per_joint::PerJoint;
use crate::wide::Run;
use timed::Timed;

/// Name of the law.
pub const ID: &str = "jerk_limited";

/// Jerk limits that are not given are this many times those of acceleration: full acceleration after 0.1 s.
pub const DEFAULT_JERK: f64 = 10.0;

/// The law uses this much less of each limit, so that rounding never exceeds one.
const RESERVE: f64 = 1e-8;

/// Where times are so short beside the whole that the goal is missed by more than this, rad or m, there is no motion.
const GOAL_TOLERANCE: f64 = 1e-10;

/// Part by which the timed curve may exceed the allowed deviation: rounding.
const DEVIATION_TOLERANCE: f64 = 1e-6;

/// Times `path` with bounded jerk; limits are one number for all joints or one per joint (rad/s, rad/s², rad/s³; m).
///
/// It stops at every corner; [`time_parameterize`](crate::time_parameterize) rounds corners within a deviation.
///
/// # Errors
/// [`KineticError::InvalidValue`] for an empty path or a limit that is not positive and finite,
/// [`KineticError::DimensionMismatch`] for a wrong number of limits.
///
/// ```
/// use kinetic_core::Trajectory;
/// use kinetic_trajectory::jerk_limited;
/// let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.5]])?;
/// // 1 rad at 1 rad/s, 0.5 s to get there, and 0.25 s for the ramps of acceleration.
/// let timed = jerk_limited(&path, 1.0, [2.0, 2.0], 8.0)?;
/// assert!((timed.duration() - 1.75).abs() < 1e-6);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn jerk_limited(
    path: &Trajectory,
    velocity: impl Into<PerJoint>,
    acceleration: impl Into<PerJoint>,
    jerk: impl Into<PerJoint>,
) -> Result<TimedTrajectory> {
    let limits = PerJoint::limits(&velocity.into(), &acceleration.into(), path.dof())?;
    let limits = limits.with_jerk(jerk.into().expand("jerk limit", path.dof())?)?;
    Ok(apply(&PathGeometry::polyline(path)?, &limits)?.with_shared_identity(path.identity().cloned()))
}

/// Times a path geometry, corners stopped at or rounded as it says. Without jerk limits they are
/// [`DEFAULT_JERK`] times those of acceleration.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`] for limits that do not fit, or for numbers so
/// large or small that the times cannot be represented.
pub fn apply(geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    let usable = usable(geometry.dof(), limits)?;
    let runs = geometry.runs()?;
    if runs.is_empty() {
        let curve = PiecewisePolynomial::constant(geometry.start())?;
        return TimedTrajectory::new(curve, vec![0.0], geometry.reduction, ID);
    }
    let mut timed = time(geometry, &runs, &usable)?;
    if timed.deviation > geometry.allowed * (1.0 + DEVIATION_TOLERANCE) {
        // Limits of so different sizes that quintics between nodes stray too far from the path: straights never do.
        timed = time(geometry, &geometry.straight_runs()?, &usable)?;
    }
    geometry.watch.check()?;
    let curve = timed.repair(&usable)?;
    let goal = &geometry.vertices[geometry.vertices.len() - 1];
    if curve.sample(curve.duration(), 0).iter().zip(goal).any(|(end, goal)| !((end - goal).abs() <= GOAL_TOLERANCE)) {
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
fn usable(dof: usize, limits: &Limits) -> Result<Limits> {
    let (velocity, acceleration) = (limits.velocity.as_slice().into(), limits.acceleration.as_slice().into());
    let checked = PerJoint::limits(&velocity, &acceleration, dof)?;
    let less = |values: &[f64], factor: f64| -> Vec<f64> {
        values.iter().map(|value| value * factor * (1.0 - RESERVE)).collect()
    };
    let jerk = match &limits.jerk {
        Some(jerk) => less(&PerJoint::from(jerk).expand("jerk limit", dof)?, 1.0),
        None => less(&limits.acceleration, DEFAULT_JERK),
    };
    Limits::new(less(&checked.velocity, 1.0), less(&checked.acceleration, 1.0))?.with_jerk(jerk)
}
