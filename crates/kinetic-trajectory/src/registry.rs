//! The table of time laws: one row each.

use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};
use serde::{Deserialize, Serialize};

use crate::geometry::PathGeometry;
use crate::{jerk, trapezoid};

/// A time law.
pub struct TimeLawSpec {
    /// Its name in every language and file.
    pub id: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// Paper or textbook.
    pub source: &'static str,
    /// True when jerk limits hold; a law that does not bound jerk leaves [`Limits::jerk`] unread.
    pub bounds_jerk: bool,
    /// What its corners are.
    pub corners: Corners,
    /// Times a path. Velocity and acceleration limits hold at every instant; rest at both ends.
    pub apply: fn(&PathGeometry, &Limits) -> Result<TimedTrajectory>,
}

/// The corners that a law follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corners {
    /// Parabolas: tangents are continuous.
    Parabolas,
    /// Curvature is continuous, and corners may reach beyond their neighbours.
    Wide,
}

/// All time laws.
pub static TIME_LAWS: &[TimeLawSpec] = &[
    TimeLawSpec {
        id: trapezoid::ID,
        summary: "trapezoids on straights, parabolic blends at corners; limits of velocity and acceleration",
        source: "Kunz and Stilman 2012 (blended polylines), Pham and Pham 2018 (backward and forward pass)",
        bounds_jerk: false,
        corners: Corners::Parabolas,
        apply: trapezoid::apply,
    },
    TimeLawSpec {
        id: jerk::ID,
        summary: "continuous acceleration, corners of continuous curvature; limits of velocity, acceleration and jerk",
        source: "Verscheure et al. 2009 (squared speed as the unknown), with a barrier for jerk",
        bounds_jerk: true,
        corners: Corners::Wide,
        apply: jerk::apply,
    },
];

/// The row of a time law.
///
/// # Errors
/// [`KineticError::UnknownName`] with the names that exist.
pub fn time_law(id: &str) -> Result<&'static TimeLawSpec> {
    TIME_LAWS.iter().find(|law| law.id == id).ok_or_else(|| KineticError::UnknownName {
        kind: "time law".to_owned(),
        name: id.to_owned(),
        available: TIME_LAWS.iter().map(|law| law.id.to_owned()).collect(),
    })
}

/// How a path is timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimingOptions {
    /// Largest distance between the timed curve and the path at corners, Euclidean in joint space; 0 stops at corners.
    pub max_deviation: f64,
    /// Part of the velocity limits to use, in (0, 1].
    pub velocity_scaling: f64,
    /// Part of the acceleration limits to use, in (0, 1].
    pub acceleration_scaling: f64,
}

impl Default for TimingOptions {
    fn default() -> Self {
        Self { max_deviation: 0.01, velocity_scaling: 1.0, acceleration_scaling: 1.0 }
    }
}

impl TimingOptions {
    /// Stops at every corner, so that the path is kept exactly.
    pub fn exact() -> Self {
        Self { max_deviation: 0.0, ..Self::default() }
    }
}

/// Times `path` by the law named `law` under `limits`.
///
/// Corners are blended within `options.max_deviation` where `accept` takes the blend, a curve in joint space in its own
/// parameter; planning passes its collision check. A refused blend is halved, finally dropped: the motion then stops at
/// that corner. The reported [`path_deviation`](TimedTrajectory::path_deviation) covers blends and dropped duplicates.
///
/// # Errors
/// [`KineticError::UnknownName`] for an unknown law, [`KineticError::DimensionMismatch`] or
/// [`KineticError::InvalidValue`] for limits, options or paths that cannot be used.
pub fn time_parameterize(
    path: &Trajectory,
    law: &str,
    limits: &Limits,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
) -> Result<TimedTrajectory> {
    let law = time_law(law)?;
    let limits = limits.scaled(options.velocity_scaling, options.acceleration_scaling)?;
    let geometry = PathGeometry::polyline(path)?;
    let geometry = match law.corners {
        Corners::Parabolas => geometry.blended(options.max_deviation, accept)?,
        Corners::Wide => geometry.rounded(options.max_deviation, accept)?,
    };
    (law.apply)(&geometry, &limits)
}
