//! Limits, order and number of solutions: the steps after a solve, usable alone.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result};

pub use super::angles::LIMIT_TOLERANCE_RAD_M;
use super::angles::{into_limits, wrapped};
use super::solution::{Solution, UNMOVED_LIMIT_TOLERANCE_RAD_M};
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
            _ => Err(KineticError::unknown_name("metric", name, ["wrap_l2", "wrap_linf"])),
        }
    }
}

/// Distance of two configurations of rotating joints.
pub(crate) fn distance(a: &[f64], b: &[f64], metric: SeedMetric) -> f64 {
    let steps = a.iter().zip(b).map(|(a, b)| wrapped(a - b).abs());
    match metric {
        SeedMetric::WrapL2 => steps.map(|step| step * step).sum::<f64>().sqrt(),
        SeedMetric::WrapLinf => steps.fold(0.0, f64::max),
    }
}

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
                *q = into_limits(*q, *q, limits[joint], UNMOVED_LIMIT_TOLERANCE_RAD_M).unwrap_or(*q);
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
