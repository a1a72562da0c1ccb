//! The time-optimal law: as fast along the path as velocity and acceleration limits allow.
//!
//! TOPP-RA (Pham and Pham 2018, "A new approach to time-optimal path parameterization based on reachability analysis")
//! with rows that hold between grid points too (`rows`); a straight is one stage with a trapezoid inside. From the profile
//! on a coarse grid follows where time is lost (`time_loss`), and where the grid has to be finer (`refine`). The result is
//! composed to quintics of time (`compose`), and that curve is checked by interval bounds before it is returned.
//! Acceleration steps, so jerk is not bounded. A path with narrow and with wide corners is timed with those that are faster
//! (`fastest`): narrow ones are parabolas as those of the trapezoidal law are, and the first grid has its stages, so that no
//! motion is slower than that one; wide ones are those of the jerk-limited law.

pub(crate) mod compose;
mod fastest;
mod law;
mod parts;
mod pieces;
mod reachability;
mod refine;
mod row;
mod rows;
pub(crate) mod stage;
mod time_loss;
mod width;

use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory};

use self::fastest::{faster_of, faster_within};
use self::law::Law;
use self::stage::PathConstraints;
use crate::geometry::PathGeometry;
use crate::per_joint::PerJoint;

/// Name of the law.
pub const ID: &str = "totp";

/// How finely the law looks at bends unless asked otherwise: the grid gets finer until by an estimate 0.55 % of the time is
/// lost. What really is lost is below 1 % on every path of the tests, corners and splines. It falls with the inverse of the
/// resolution.
pub const RESOLUTION: usize = 16;

/// A point of the path, one value per joint: position γ, tangent γ′ and curvature γ″ in the path parameter.
#[derive(Debug, Clone, Copy)]
pub struct PathPoint<'a> {
    /// The path parameter, from the beginning of the path.
    pub parameter: f64,
    /// γ, rad or m.
    pub position: &'a [f64],
    /// γ′.
    pub tangent: &'a [f64],
    /// γ″.
    pub curvature: &'a [f64],
}

/// A path constraint at a point of the path: `acceleration · s̈ + speed · ṡ² + constant ≤ limit`.
///
/// Torques are of this form: M(γ) γ′ s̈ + (M γ″ + C(γ, γ′) γ′) ṡ² + g(γ) ≤ τ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathRow {
    /// Factor of s̈.
    pub acceleration: f64,
    /// Factor of ṡ².
    pub speed: f64,
    /// What does not depend on the motion.
    pub constant: f64,
    /// Upper bound.
    pub limit: f64,
}

impl PathRow {
    fn check(&self) -> Result<()> {
        let values = [self.acceleration, self.speed, self.constant, self.limit];
        kinetic_core::error::check_finite("row of a path limit", &values)
    }
}

/// The law as the registry calls it.
///
/// # Errors
/// As [`time_optimal`].
pub fn apply(geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    time_optimal(geometry, limits, RESOLUTION, None)
}

/// Times a path geometry from and to the path speeds at its ends, under velocity and acceleration limits and, if given,
/// path constraints.
///
/// `constraints` appends its rows for a point of the path. They hold at the ends of all stages, with the path acceleration of
/// the stages on both sides; straights are cut into `resolution` stages too. Between grid points they are not looked at.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`] for limits that do not fit, velocities at the
/// ends that cannot be reached or braked, path constraints that leave no speed, or numbers so large or small that the times
/// cannot be represented.
pub fn time_optimal(
    geometry: &PathGeometry,
    limits: &Limits,
    resolution: usize,
    constraints: Option<&mut PathConstraints<'_>>,
) -> Result<TimedTrajectory> {
    let limits =
        PerJoint::limits(&limits.velocity.as_slice().into(), &limits.acceleration.as_slice().into(), geometry.dof())?;
    if resolution < 2 {
        return Err(KineticError::invalid("resolution", resolution, "at least 2"));
    }
    let (shape, wide) = geometry.shapes();
    if shape.elements.is_empty() {
        let curve = PiecewisePolynomial::constant(geometry.start())?;
        return TimedTrajectory::new(curve, vec![0.0], geometry.deviation(), ID);
    }
    let law = Law::new(geometry, &shape, &limits, resolution);
    law.check_end_velocities()?;
    let wide = wide.as_ref().map(|wide| Law::new(geometry, wide, &limits, resolution));
    match (wide, constraints) {
        (None, constraints) => law.timed(None, constraints),
        (Some(wide), None) => faster_of(&law, &wide),
        (Some(wide), Some(constraints)) => faster_within(&law, &wide, constraints),
    }
}
