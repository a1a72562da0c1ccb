//! The verifier: nothing leaves the planner that has not passed it.

use kinetic_core::curve::{PiecewisePolynomial, tight_enclosure};
use kinetic_core::{Certificate, Control, KineticError, Limits, Result, TimedTrajectory, Trajectory};
use kinetic_scene::Checker;
use kinetic_trajectory::limit_ratios;

use crate::goal::LIMIT_TOLERANCE;
use crate::scene_validity::SceneValidity;
use crate::validity::Validity;

/// The least clearance in a certificate is at most this much above the true minimum, m.
pub const CLEARANCE_TOLERANCE: f64 = 1e-4;

/// Interval bounds carry rounding of a few ulps of the limit; this is far above them and far below any controller.
const RATIO_TOLERANCE: f64 = 1e-9;

/// Edges from one look at the clock to the next.
const EDGES_PER_CLOCK: usize = 256;

/// Proves every segment of a path that `validity` has not proven, and its joint limits at the waypoints (which bound the
/// segments between them).
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] or [`KineticError::CollisionDetected`]; what `control` says of long paths.
pub(crate) fn verify_path(
    path: &Trajectory,
    bounds: &[(f64, f64)],
    validity: &mut SceneValidity<'_>,
    control: &Control,
) -> Result<()> {
    for (index, q) in path.iter().enumerate() {
        check_bounds(index, q, bounds)?;
    }
    if path.len() == 1 && !validity.is_valid(path.positions(0)) {
        return Err(collision_at(0, path.positions(0), validity.checker()));
    }
    for (index, (from, to)) in path.segments().enumerate() {
        if index % EDGES_PER_CLOCK == EDGES_PER_CLOCK - 1 {
            control.check(0)?;
        }
        if !validity.prove(from, to) {
            // What takes too long is refused, too.
            control.check(0)?;
            return Err(collision_at(index, from, validity.checker()));
        }
    }
    Ok(())
}

fn check_bounds(waypoint: usize, q: &[f64], bounds: &[(f64, f64)]) -> Result<()> {
    for (joint, (value, (low, high))) in q.iter().zip(bounds).enumerate() {
        if !(*value >= low - LIMIT_TOLERANCE && *value <= high + LIMIT_TOLERANCE) {
            let reason = format!("joint {joint} = {value} is outside [{low}, {high}]");
            return Err(KineticError::PlannerOutputInvalid { waypoint, reason });
        }
    }
    Ok(())
}

/// Checks the enclosure of every piece against the joint limits.
fn check_positions(curve: &PiecewisePolynomial, bounds: &[(f64, f64)]) -> Result<()> {
    for piece in 0..curve.pieces() {
        let duration = curve.piece_duration(piece);
        let enclose =
            |joint| tight_enclosure(curve.coefficients(piece, joint), 0, 0.0, duration, LIMIT_TOLERANCE / 4.0);
        let (low, high): (Vec<f64>, Vec<f64>) = (0..curve.dof()).map(enclose).unzip();
        check_bounds(piece, &low, bounds)?;
        check_bounds(piece, &high, bounds)?;
    }
    Ok(())
}

fn collision_at(waypoint_index: usize, q: &[f64], checker: &mut Checker) -> KineticError {
    let pair = checker.clearance(q).pair;
    let (link, other) = pair.map_or_else(Default::default, |pair| (pair.link, pair.other));
    KineticError::CollisionDetected { waypoint_index, link, other }
}

/// Proves a timed curve between samples too: positions, velocities and accelerations by interval bounds, collisions by
/// conservative advancement; returns the trajectory with its certificate.
///
/// # Errors
/// [`KineticError::TrajectoryLimitExceeded`], [`KineticError::PlannerOutputInvalid`] or
/// [`KineticError::CollisionDetected`].
pub(crate) fn verify_timed(
    mut trajectory: TimedTrajectory,
    bounds: &[(f64, f64)],
    limits: &Limits,
    checker: &mut Checker,
    control: &Control,
) -> Result<TimedTrajectory> {
    let before = checker.checks();
    let curve = trajectory.curve();
    check_positions(curve, bounds)?;
    let ratios = limit_ratios(curve, limits)?;
    if ratios.velocity > 1.0 + RATIO_TOLERANCE || ratios.acceleration > 1.0 + RATIO_TOLERANCE {
        let detail =
            format!("velocity reaches {:.6} and acceleration {:.6} of the limit", ratios.velocity, ratios.acceleration);
        return Err(KineticError::TrajectoryLimitExceeded { waypoint_index: 0, detail });
    }
    if let Some((time, pair)) = checker.curve_contact(curve) {
        // What takes too long is refused, too.
        control.check(0)?;
        let waypoint_index = trajectory.waypoint_times().partition_point(|t| *t <= time).saturating_sub(1);
        return Err(KineticError::CollisionDetected { waypoint_index, link: pair.link, other: pair.other });
    }
    let (clearance, time) = checker.curve_clearance(curve, CLEARANCE_TOLERANCE);
    control.check(0)?;
    let margins = checker.least_margins();
    trajectory.certificate = Some(Certificate {
        checks: checker.checks() - before,
        min_clearance: clearance.distance,
        pair_margin: clearance.margin,
        pair: clearance.pair,
        time,
        margin: margins.world,
        self_margin: margins.own,
        max_velocity_ratio: ratios.velocity,
        max_acceleration_ratio: ratios.acceleration,
        max_jerk_ratio: ratios.jerk,
        path_deviation: trajectory.path_deviation,
    });
    Ok(trajectory)
}
