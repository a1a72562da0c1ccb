//! The cubic spline law: one cubic spline of time through every waypoint.
//!
//! Position, velocity and acceleration are continuous, from rest to rest. Times between knots are as the roots of their
//! distances (Lee 1989); the whole is then stretched in time until the limits hold, which is exact, because velocity falls
//! with the time scale and acceleration with its square. For motions that must meet their waypoints smoothly; `totp` is faster.
//!
//! Between waypoints a spline swings out. As a law of the registry it gets knots on the polyline until it stays within the
//! deviation, and rests at reversals; [`cubic_spline_time`] is the plain spline, and says how far it swings.

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};

use crate::compose::stretched;
use crate::curve_element::CurveElement;
use crate::geometry::PathGeometry;
use crate::ratios::limit_ratios_watched;
use crate::tolerance::ARC_LENGTH_ROUNDING;
use crate::watch::Watch;

/// Name of the law.
pub const ID: &str = "cubic_spline";

/// Parts of the limits that are left for rounding, tried in this order.
const LIMIT_RESERVES: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// The plain cubic spline of time through every waypoint of `path`, at rest at both ends.
///
/// With limits it is as fast as they allow, or takes `duration` seconds when that is longer; without limits it takes
/// `duration` seconds. [`path_deviation`](TimedTrajectory::path_deviation) says how far it leaves the polyline.
///
/// # Errors
/// [`KineticError::InvalidValue`] for an empty path, for neither a duration nor limits, for limits that are not positive and
/// finite, or a duration that is not positive or shorter than the limits allow; [`KineticError::DimensionMismatch`].
///
/// ```
/// use kinetic_core::{Limits, Trajectory};
/// use kinetic_trajectory::cubic_spline_time;
/// let path = Trajectory::from_waypoints(&[[0.0], [1.0]])?;
/// // From rest to rest the largest velocity of a cubic is 1.5 times the mean one.
/// let timed = cubic_spline_time(&path, None, Some(&Limits::new(vec![1.0], vec![100.0])?))?;
/// assert!((timed.duration() - 1.5).abs() < 1e-6);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn cubic_spline_time(path: &Trajectory, duration: Option<f64>, limits: Option<&Limits>) -> Result<TimedTrajectory> {
    let timed = spline_time(&PathGeometry::free_spline(path)?, duration, limits)?;
    Ok(timed.with_shared_identity(path.identity().cloned()))
}

fn spline_time(geometry: &PathGeometry, duration: Option<f64>, limits: Option<&Limits>) -> Result<TimedTrajectory> {
    match (limits, duration) {
        (Some(limits), None) => apply(geometry, limits),
        (Some(limits), Some(duration)) => stretched(&apply(geometry, limits)?, duration),
        (None, Some(duration)) => {
            if !(duration > 0.0 && duration.is_finite()) {
                return Err(KineticError::invalid("duration", duration, "a positive finite time"));
            }
            let runs = runs(geometry);
            let whole: f64 = runs.iter().map(RestToRest::length).sum();
            timed(geometry, &runs, &vec![duration / whole; runs.len()])
        }
        (None, None) => Err(KineticError::invalid("duration and limits", "neither", "one of them, or both")),
    }
}

/// Times a path geometry: the clamped spline if it is one, else its polyline with stops at corners.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`] for limits that do not fit, or for numbers so
/// large or small that the times cannot be represented.
pub fn apply(geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
    limits.check()?;
    check_len("velocity limits", limits.velocity.len(), geometry.dof())?;
    let limits = Limits { jerk: None, ..limits.clone() };
    let runs = runs(geometry);
    let watch = &geometry.watch;
    let scales = runs.iter().map(|run| run.scale(&limits, watch)).collect::<Result<Vec<f64>>>()?;
    for reserve in LIMIT_RESERVES {
        let slower: Vec<f64> = scales.iter().map(|scale| scale * (1.0 + reserve)).collect();
        let timed = timed(geometry, &runs, &slower)?;
        let ratios = limit_ratios_watched(timed.curve(), &limits, watch)?;
        if ratios.velocity <= 1.0 && ratios.acceleration <= 1.0 {
            return Ok(timed);
        }
    }
    Err(out_of_range())
}

fn out_of_range() -> KineticError {
    KineticError::invalid("path under these limits", "times out of range", "representable times")
}

/// A part of the path from rest to rest.
struct RestToRest {
    pieces: Vec<CurveElement>,
}

impl RestToRest {
    /// Extent in the parameter of the path.
    fn length(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.length).sum()
    }

    /// Seconds per unit of the parameter for which the limits hold.
    fn scale(&self, limits: &Limits, watch: &Watch) -> Result<f64> {
        let mut scale = 0.0_f64;
        for (index, piece) in self.pieces.iter().enumerate() {
            watch.check_at(index)?;
            for (joint, row) in piece.shape.iter().enumerate() {
                let [velocity, acceleration] = largest(row, piece.length);
                scale = scale.max(velocity / limits.velocity[joint]);
                scale = scale.max((acceleration / limits.acceleration[joint]).sqrt());
            }
        }
        Ok(scale)
    }
}

/// Largest first and second derivative of a cubic on [0, `length`], absolute: at its ends, or where the second vanishes.
fn largest(row: &Coefficients, length: f64) -> [f64; 2] {
    let at = |order: usize, s: f64| evaluate(row, order, s).abs();
    let flat = -row[2] / (3.0 * row[3]);
    let inside = if flat > 0.0 && flat < length { at(1, flat) } else { 0.0 };
    [at(1, 0.0).max(at(1, length)).max(inside), at(2, 0.0).max(at(2, length))]
}

fn runs(geometry: &PathGeometry) -> Vec<RestToRest> {
    let mut runs: Vec<RestToRest> = Vec::new();
    if geometry.clamped.is_empty() {
        runs.extend(
            (0..geometry.lengths.len()).map(|segment| RestToRest { pieces: vec![straight(geometry, segment)] }),
        );
        return runs;
    }
    for piece in &geometry.clamped {
        match runs.last_mut() {
            Some(run) if !piece.starts_at_rest => run.pieces.push(piece.clone()),
            _ => runs.push(RestToRest { pieces: vec![piece.clone()] }),
        }
    }
    runs
}

/// A segment of the polyline as a cubic from rest to rest.
fn straight(geometry: &PathGeometry, segment: usize) -> CurveElement {
    let length = geometry.lengths[segment];
    let row = |(position, direction): (&f64, &f64)| {
        let displacement = direction * length;
        [*position, 0.0, 3.0 * displacement / length.powi(2), -2.0 * displacement / length.powi(3), 0.0, 0.0]
    };
    let shape = geometry.vertices[segment].iter().zip(&geometry.directions[segment]).map(row).collect();
    CurveElement { arc_length: geometry.arc_lengths[segment], length, starts_at_rest: true, shape }
}

/// The runs one after another, each at its time scale.
fn timed(geometry: &PathGeometry, runs: &[RestToRest], scales: &[f64]) -> Result<TimedTrajectory> {
    if runs.is_empty() {
        let curve = PiecewisePolynomial::constant(geometry.start())?;
        return TimedTrajectory::new(curve, vec![0.0], geometry.deviation(), ID);
    }
    let (mut knots, mut coefficients, mut times) = (vec![0.0], Vec::new(), Vec::new());
    let mut waypoints = geometry.waypoint_arc_lengths().iter().peekable();
    for (run, scale) in runs.iter().zip(scales) {
        for (index, piece) in run.pieces.iter().enumerate() {
            geometry.watch.check_at(index)?;
            let begin: f64 = knots[knots.len() - 1];
            let last = piece.arc_length + piece.length * (1.0 - ARC_LENGTH_ROUNDING);
            while let Some(arc_length) = waypoints.next_if(|arc_length| **arc_length < last) {
                times.push(begin + scale * offset_at(geometry, piece, arc_length - piece.arc_length));
            }
            let end = begin + scale * piece.length;
            if !(end > begin && end.is_finite()) {
                return Err(out_of_range());
            }
            knots.push(end);
            coefficients.extend(piece.shape.iter().map(|row| slower(row, *scale)));
        }
    }
    times.extend(waypoints.next().map(|_| knots[knots.len() - 1]));
    let curve = PiecewisePolynomial::new(geometry.dof(), knots, coefficients)?;
    if !geometry.is_at_goal(&curve.sample(curve.duration(), 0)) {
        return Err(out_of_range());
    }
    TimedTrajectory::new(curve, times, geometry.deviation(), ID)
}

/// Where in the parameter of a piece a waypoint is met: splines meet theirs at knots; on the cubic of a straight, whose way
/// is 3w² − 2w³, those between its ends are where this is the part of the way.
fn offset_at(geometry: &PathGeometry, piece: &CurveElement, displacement: f64) -> f64 {
    if geometry.clamped.is_empty() && displacement > 0.0 {
        let part = (displacement / piece.length).min(1.0);
        return piece.length * (0.5 - ((1.0 - 2.0 * part).asin() / 3.0).sin());
    }
    displacement.max(0.0)
}

/// Coefficients in time, which passes `scale` seconds per unit of the parameter.
fn slower(row: &Coefficients, scale: f64) -> Coefficients {
    let mut factor = 1.0;
    row.map(|value| {
        let scaled = value / factor;
        factor *= scale;
        scaled
    })
}
