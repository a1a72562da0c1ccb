//! Limits, order and number of solutions: the steps after a solve, usable alone.

use std::f64::consts::{PI, TAU};

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result};

use super::branches::CLOSED;
use super::solution::Solution;
pub use super::windings::windings;

/// How far two configurations are apart, turns of 2π ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedMetric {
    /// Euclidean.
    WrapL2,
    /// Largest single joint.
    WrapLinf,
}

impl std::str::FromStr for SeedMetric {
    type Err = KineticError;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "wrap_l2" => Ok(Self::WrapL2),
            "wrap_linf" => Ok(Self::WrapLinf),
            _ => Err(KineticError::UnknownName {
                kind: "metric".to_owned(),
                name: name.to_owned(),
                available: vec!["wrap_l2".to_owned(), "wrap_linf".to_owned()],
            }),
        }
    }
}

/// An angle in [−π, π].
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// Distance of two configurations of rotating joints.
pub(crate) fn distance(a: &[f64], b: &[f64], metric: SeedMetric) -> f64 {
    let steps = a.iter().zip(b).map(|(a, b)| wrapped(a - b).abs());
    match metric {
        SeedMetric::WrapL2 => steps.map(|step| step * step).sum::<f64>().sqrt(),
        SeedMetric::WrapLinf => steps.fold(0.0, f64::max),
    }
}

/// How far outside a limit rounding may have put a joint value, rad or m: a double root loses half of the digits. Such a
/// value is put onto the limit, and counts where the other joints then bring the tool back to the target.
pub const LIMIT_TOLERANCE: f64 = 1e-6;

/// How far outside a limit a joint value may be for no other joint to have to move, rad or m: what a solution may be off
/// the target.
pub(super) const ROUNDED: f64 = CLOSED;

/// A value inside its limits, or on the limit that it is outside of by at most `tolerance`.
#[inline]
pub(crate) fn onto(value: f64, (low, high): (f64, f64), tolerance: f64) -> Option<f64> {
    let kept = value.max(low).min(high);
    ((value - kept).abs() <= tolerance).then_some(kept)
}

/// The value nearest to `near` among `angle` and its turns by multiples of 2π inside `limits`, the limits included, or on a
/// limit that it is outside of by at most `tolerance`. Of two that are equally near the one with less turns: a wrist that
/// flips is half a turn from its seed on both sides, and rounding does not choose.
pub(crate) fn into_limits(angle: f64, near: f64, limits: Option<(f64, f64)>, tolerance: f64) -> Option<f64> {
    let (low, high) = limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    if (near - angle).abs() <= PI && (low..=high).contains(&angle) {
        return Some(angle);
    }
    if !(low <= high) {
        return None;
    }
    let turns = |value: f64| (value - angle) / TAU;
    // Rounding of the quotients does not decide at a limit: the turns beside it are tried too.
    let (first, last) = (turns(low).floor(), turns(high).ceil());
    let below = turns(near).floor();
    let tried = [below, below + 1.0, first, first + 1.0, last - 1.0, last].map(|turns| turns.clamp(first, last));
    let inside =
        tried.iter().filter_map(|turns| Some((turns.abs(), onto(angle + TAU * turns, (low, high), tolerance)?)));
    let best = inside.min_by(|(a_turns, a), (b_turns, b)| {
        let (a, b) = ((a - near).abs(), (b - near).abs());
        if (a - b).abs() <= EQUALLY_NEAR { a_turns.total_cmp(b_turns) } else { a.total_cmp(&b) }
    });
    best.map(|(_, value)| value)
}

/// Differences of distances below this are rounding, rad.
const EQUALLY_NEAR: f64 = 1e-9;

/// Keeps solutions inside the limits (`None`: no limits); values on a limit are inside.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] when a solution has another length than `limits`.
pub fn respect_limits(solutions: &[Solution], limits: &[Option<(f64, f64)>]) -> Result<Vec<Solution>> {
    check(solutions, limits.len())?;
    let inside = |q: &f64, limits: &Option<(f64, f64)>| limits.is_none_or(|(low, high)| (low..=high).contains(q));
    let kept = solutions.iter().filter(|solution| solution.q.iter().zip(limits).all(|(q, limits)| inside(q, limits)));
    Ok(kept.cloned().collect())
}

/// Shifts rotating joints by multiples of 2π into their limits, least turns first, and onto limits that they are outside of
/// by rounding (1e-10 rad); joints that do not fit, and joints without limits, stay as they are.
///
/// # Errors
/// As [`respect_limits`].
pub fn wrap_to_limits(
    solutions: &[Solution],
    limits: &[Option<(f64, f64)>],
    is_rotation: &[bool],
) -> Result<Vec<Solution>> {
    check(solutions, limits.len())?;
    check_len("is_rotation", is_rotation.len(), limits.len())?;
    let mut out = solutions.to_vec();
    for solution in &mut out {
        for (joint, q) in solution.q.iter_mut().enumerate() {
            if is_rotation[joint] && limits[joint].is_some() {
                *q = into_limits(*q, *q, limits[joint], ROUNDED).unwrap_or(*q);
            }
        }
    }
    Ok(out)
}

/// Orders by distance from a seed, closest first; equals keep their order.
///
/// # Errors
/// As [`respect_limits`].
pub fn nearest_to_seed(solutions: &[Solution], seed: &[f64], metric: SeedMetric) -> Result<Vec<Solution>> {
    check(solutions, seed.len())?;
    let mut out = solutions.to_vec();
    out.sort_by(|a, b| distance(&a.q, seed, metric).total_cmp(&distance(&b.q, seed, metric)));
    Ok(out)
}

/// The first `count` solutions.
pub fn take_first(solutions: &[Solution], count: usize) -> Vec<Solution> {
    solutions[..count.min(solutions.len())].to_vec()
}

fn check(solutions: &[Solution], wanted: usize) -> Result<()> {
    solutions.iter().try_for_each(|solution| check_len("solution", solution.q.len(), wanted))
}
