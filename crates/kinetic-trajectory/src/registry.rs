//! The table of time laws: one row each.

use kinetic_core::{Control, KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};
use serde::{Deserialize, Serialize};

use crate::compose::stretched;
use crate::geometry::PathGeometry;
use crate::{cubic, jerk, totp, trapezoid};

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
    /// True when it enters and leaves paths at the speeds asked for; the others rest at both ends.
    pub moving_ends: bool,
    /// Times a path. Velocity and acceleration limits hold at every instant.
    pub apply: fn(&PathGeometry, &Limits) -> Result<TimedTrajectory>,
}

/// The corners that a law follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corners {
    /// Parabolas: tangents are continuous. Such a law follows [`PathGeometry::elements`].
    Parabolas,
    /// Narrow or wide, whichever is faster. Such a law follows [`PathGeometry::curve_elements`], splines among them, or what
    /// [`PathGeometry::rounded`] made.
    Fastest,
    /// Curvature is continuous, and corners may reach beyond their neighbours.
    Wide,
    /// None: a cubic spline of time meets every waypoint, whatever the shape.
    Spline,
}

/// All time laws.
pub static TIME_LAWS: &[TimeLawSpec] = &[
    TimeLawSpec {
        id: trapezoid::ID,
        summary: "trapezoids on straights, parabolic blends at corners; limits of velocity and acceleration",
        source: "Kunz and Stilman 2012 (blended polylines), Pham and Pham 2018 (backward and forward pass)",
        bounds_jerk: false,
        corners: Corners::Parabolas,
        moving_ends: false,
        apply: trapezoid::apply,
    },
    TimeLawSpec {
        id: totp::ID,
        summary: "as fast as velocity and acceleration limits allow, corners narrow or wide, whichever is faster",
        source: "Pham and Pham 2018 (TOPP-RA), with limits between grid points by Bernstein coefficients",
        bounds_jerk: false,
        corners: Corners::Fastest,
        moving_ends: true,
        apply: totp::apply,
    },
    TimeLawSpec {
        id: jerk::ID,
        summary: "continuous acceleration, corners of continuous curvature; limits of velocity, acceleration and jerk",
        source: "Verscheure et al. 2009 (squared speed as the unknown), with a barrier for jerk",
        bounds_jerk: true,
        corners: Corners::Wide,
        moving_ends: false,
        apply: jerk::apply,
    },
    TimeLawSpec {
        id: cubic::ID,
        summary: "a cubic spline of time through every waypoint, continuous acceleration, as fast as its shape allows",
        source: "de Boor 1978 (clamped cubic splines), Lee 1989 (centripetal times), stretched in time until the limits hold",
        bounds_jerk: false,
        corners: Corners::Spline,
        moving_ends: false,
        apply: cubic::apply,
    },
];

/// What is made of the waypoints of a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathShape {
    /// The polyline, its corners rounded.
    #[default]
    Blends,
    /// A cubic spline through all waypoints, for laws that take one.
    Spline,
}

impl PathShape {
    /// All shapes.
    pub const ALL: [Self; 2] = [Self::Blends, Self::Spline];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blends => "blends",
            Self::Spline => "spline",
        }
    }

    /// The shape of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|shape| shape.name() == name)
            .ok_or_else(|| KineticError::unknown_name("path shape", name, Self::ALL.map(Self::name)))
    }
}

/// The row of a time law.
///
/// # Errors
/// [`KineticError::UnknownName`] with the names that exist.
pub fn time_law(id: &str) -> Result<&'static TimeLawSpec> {
    TIME_LAWS
        .iter()
        .find(|law| law.id == id)
        .ok_or_else(|| KineticError::unknown_name("time law", id, TIME_LAWS.iter().map(|law| law.id)))
}

/// How a path is timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimingOptions {
    /// Largest distance between the timed curve and the path at corners, Euclidean in joint space; 0 stops at corners.
    pub max_deviation: f64,
    /// What is made of the waypoints.
    pub shape: PathShape,
    /// Indices of waypoints that are met exactly and not cut, for laws that take splines.
    pub through: Vec<usize>,
    /// Joint velocities with which the path is entered, along the path; `None` is rest.
    pub start_velocity: Option<Vec<f64>>,
    /// Joint velocities with which the path is left, along the path; `None` is rest.
    pub end_velocity: Option<Vec<f64>>,
    /// Wanted duration, s: a motion that could be faster is stretched evenly; `None` is as fast as the limits allow.
    pub duration: Option<f64>,
    /// Part of the velocity limits to use, in (0, 1].
    pub velocity_scaling: f64,
    /// Part of the acceleration limits to use, in (0, 1].
    pub acceleration_scaling: f64,
}

impl Default for TimingOptions {
    fn default() -> Self {
        Self {
            max_deviation: 0.01,
            shape: PathShape::Blends,
            through: Vec::new(),
            start_velocity: None,
            end_velocity: None,
            duration: None,
            velocity_scaling: 1.0,
            acceleration_scaling: 1.0,
        }
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
    time_parameterize_controlled(path, law, limits, options, accept, &Control::default())
}

/// As [`time_parameterize`], ended by `control`, whose iterations are not counted.
///
/// # Errors
/// As [`time_parameterize`], and [`KineticError::PlanningTimeout`] or [`KineticError::Cancelled`].
pub fn time_parameterize_controlled(
    path: &Trajectory,
    law: &str,
    limits: &Limits,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    control: &Control,
) -> Result<TimedTrajectory> {
    time_parameterize_with(time_law(law)?, path, limits, options, accept, control)
}

/// As [`time_parameterize_controlled`], by a law that need not be in the table.
///
/// # Errors
/// As [`time_parameterize_controlled`], but for the name.
pub fn time_parameterize_with(
    law: &TimeLawSpec,
    path: &Trajectory,
    limits: &Limits,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    control: &Control,
) -> Result<TimedTrajectory> {
    let (geometry, limits) = prepared((path, control), law, limits, options, accept)?;
    let timed = (law.apply)(&geometry, &limits)?.with_shared_identity(path.identity().cloned());
    match options.duration {
        Some(duration) => stretched(&timed, duration),
        None => Ok(timed),
    }
}

/// What [`TimeLawSpec::apply`] is given for a path: the path as the law cuts it, and the limits to use. For those who time a path
/// several times; `options.duration` is left to them.
///
/// # Errors
/// As [`time_parameterize_with`].
pub fn prepared(
    (path, control): (&Trajectory, &Control),
    law: &TimeLawSpec,
    limits: &Limits,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
) -> Result<(PathGeometry, Limits)> {
    let limits = limits.scaled(options.velocity_scaling, options.acceleration_scaling)?;
    let geometry = geometry((path, control), law, options, accept)?;
    let ends = (options.start_velocity.as_deref(), options.end_velocity.as_deref());
    Ok((geometry.with_end_velocities(ends.0, ends.1)?, limits))
}

fn geometry(
    (path, control): (&Trajectory, &Control),
    law: &TimeLawSpec,
    options: &TimingOptions,
    accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
) -> Result<PathGeometry> {
    let moving = options.start_velocity.is_some() || options.end_velocity.is_some();
    if moving && !law.moving_ends {
        let wanted = format!("none: the law \"{}\" rests at both ends", law.id);
        return Err(KineticError::invalid("velocities at the ends", "given", wanted));
    }
    if moving && options.duration.is_some() {
        let wanted = "none: stretching would change the velocities at the ends";
        return Err(KineticError::invalid("duration", "given", wanted));
    }
    if let Some(index) = options.through.iter().find(|index| **index >= path.len()) {
        let wanted = format!("indices of {} waypoints", path.len());
        return Err(KineticError::invalid("waypoint to pass through", index, wanted));
    }
    let polyline = || PathGeometry::polyline(path).map(|line| line.watched(control));
    match (law.corners, options.shape) {
        (Corners::Parabolas, PathShape::Blends) if options.through.is_empty() => {
            polyline()?.blended(options.max_deviation, accept)
        }
        (Corners::Wide, PathShape::Blends) if options.through.is_empty() => {
            polyline()?.rounded(options.max_deviation, accept)
        }
        // Every waypoint is met, so that those in `through` are.
        (Corners::Spline, _) => polyline()?.into_clamped_spline(path, options.max_deviation, accept),
        (Corners::Parabolas | Corners::Wide, _) => {
            let wanted = format!("none: the law \"{}\" cuts all corners of the polyline", law.id);
            Err(KineticError::invalid("a spline or waypoints to pass through", "given", wanted))
        }
        (Corners::Fastest, PathShape::Blends) if options.through.is_empty() => {
            // Parabolas are what a law that rests at both ends may follow, too: this one is never slower.
            let line = polyline()?;
            let line = if moving {
                line.smoothed(options.max_deviation, &[], accept)?
            } else {
                line.blended(options.max_deviation, accept)?
            };
            line.rounded(options.max_deviation, accept)
        }
        (Corners::Fastest, PathShape::Blends) => polyline()?.smoothed(options.max_deviation, &options.through, accept),
        (Corners::Fastest, PathShape::Spline) => polyline()?.into_spline(path, options.max_deviation, accept),
    }
}
