//! Time-optimal parameterisation under path constraints of the caller's own (Pham and Pham 2018).

use kinetic_core::{Control, KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};

use crate::registry::{TimingOptions, prepared, time_law};
use crate::totp::{PathPoint, PathRow, RESOLUTION, time_optimal};

/// As [`time_parameterize`](crate::time_parameterize) by the law `totp`, under path constraints as well: `constraints` appends
/// the rows of a point of the path, `acceleration · s̈ + speed · ṡ² + constant ≤ limit`. Torques, forces at the tool or the
/// speed of a point are of this form.
///
/// Rows hold at the points of a grid that is fine where the path bends; between them they can be exceeded by some percent,
/// unlike the limits of velocity and acceleration, which hold everywhere.
///
/// # Errors
/// As [`time_parameterize`](crate::time_parameterize); [`KineticError::InvalidValue`] for a wanted duration, since a slower
/// motion need not keep rows that a faster one keeps, and for rows that leave no speed; [`KineticError::NotFinite`] for
/// rows with NaN or infinity.
pub fn time_optimal_within(
    path: &Trajectory,
    limits: &Limits,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    constraints: &mut dyn FnMut(&PathPoint<'_>, &mut Vec<PathRow>),
) -> Result<TimedTrajectory> {
    if let Some(duration) = options.duration {
        return Err(KineticError::invalid(
            "duration",
            duration,
            "none: a slower motion need not hold path constraints",
        ));
    }
    let (geometry, limits) = prepared((path, &Control::default()), time_law("totp")?, limits, options, accept)?;
    let timed = time_optimal(&geometry, &limits, RESOLUTION, Some(constraints))?;
    Ok(timed.with_shared_identity(path.identity().cloned()))
}
