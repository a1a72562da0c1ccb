//! Time laws as functions. Each has the meaning of its row in the registry with the default [`TimingOptions`]: corners are
//! rounded within 0.01 (Euclidean in joint space).
//!
//! [`time_parameterize`](crate::time_parameterize) takes other options ([`TimingOptions::exact`] stops at every corner) and a
//! collision check of the rounded corners.

use kinetic_core::{Control, Limits, Result, TimedTrajectory, Trajectory};

use crate::geometry::PathGeometry;
use crate::per_joint::PerJoint;
use crate::registry::{TimingOptions, prepared, time_law};
use crate::totp::{ID as TOTP, time_optimal};
use crate::{jerk, trapezoid};

/// Times `path` by trapezoids; limits are one number for all joints or one per joint (rad/s, rad/s²; m). Rounded corners are not
/// checked for collisions.
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for an empty path or a limit that is not positive and finite,
/// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for a wrong number of limits.
///
/// ```
/// use kinetic_core::Trajectory;
/// use kinetic_trajectory::trapezoidal;
/// let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.5]])?;
/// // 1 rad at 1 rad/s with ramps of 0.5 s.
/// let timed = trapezoidal(&path, 1.0, [2.0, 2.0])?;
/// assert!((timed.duration() - 1.5).abs() < 1e-6);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn trapezoidal(
    path: &Trajectory,
    velocity: impl Into<PerJoint>,
    acceleration: impl Into<PerJoint>,
) -> Result<TimedTrajectory> {
    let limits = PerJoint::limits(&velocity.into(), &acceleration.into(), path.dof())?;
    Ok(trapezoid::apply(&rounded(path, trapezoid::ID, &limits)?, &limits)?
        .with_shared_identity(path.identity().cloned()))
}

/// As [`trapezoidal`], with a limit for every joint.
///
/// # Errors
/// As [`trapezoidal`].
pub fn trapezoidal_per_joint(path: &Trajectory, velocity: &[f64], acceleration: &[f64]) -> Result<TimedTrajectory> {
    trapezoidal(path, velocity, acceleration)
}

/// Times `path` as fast as the limits allow; limits are one number for all joints or one per joint. Path accelerations are
/// constant in steps, which become shorter with a higher `resolution` (at least 2; [`RESOLUTION`](crate::totp::RESOLUTION) in the
/// registry) where the path bends. Rounded corners are not checked for collisions.
///
/// # Errors
/// As [`time_optimal`].
///
/// ```
/// use kinetic_core::Trajectory;
/// use kinetic_trajectory::totp;
/// let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.5]])?;
/// let timed = totp(&path, 1.0, 2.0, totp::RESOLUTION)?;
/// assert!((timed.duration() - 1.5).abs() < 1e-5);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn totp(
    path: &Trajectory,
    velocity: impl Into<PerJoint>,
    acceleration: impl Into<PerJoint>,
    resolution: usize,
) -> Result<TimedTrajectory> {
    let limits = PerJoint::limits(&velocity.into(), &acceleration.into(), path.dof())?;
    let timed = time_optimal(&rounded(path, TOTP, &limits)?, &limits, resolution, None)?;
    Ok(timed.with_shared_identity(path.identity().cloned()))
}

/// Times `path` with bounded jerk; limits are one number for all joints or one per joint (rad/s, rad/s², rad/s³; m). Rounded
/// corners are not checked for collisions.
///
/// # Errors
/// As [`trapezoidal`].
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
    Ok(jerk::apply(&rounded(path, jerk::ID, &limits)?, &limits)?.with_shared_identity(path.identity().cloned()))
}

/// The geometry that a law of the registry follows, with corners as it rounds them.
fn rounded(path: &Trajectory, law: &str, limits: &Limits) -> Result<PathGeometry> {
    let options = TimingOptions::default();
    let (geometry, _) = prepared((path, &Control::default()), time_law(law)?, limits, &options, &mut |_| true)?;
    Ok(geometry)
}
