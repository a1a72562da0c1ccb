//! How much of its limits a curve uses.

use kinetic_core::curve::{enclosure, evaluate, extremes};
use kinetic_core::error::check_len;
use kinetic_core::{Limits, PiecewisePolynomial, Result};

use crate::quick_check::{Block, QuickLimits, look};
use crate::watch::Watch;

/// Bounds are at most this part of a limit above the true maximum.
const RESOLUTION: f64 = 1e-10;

/// Largest |derivative| / limit over joints and time. At most 1 means that the limit holds at every instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitRatios {
    /// Of velocity.
    pub velocity: f64,
    /// Of acceleration.
    pub acceleration: f64,
    /// Of jerk inside pieces (where acceleration steps between pieces, jerk is infinite); `None` without jerk limits.
    pub jerk: Option<f64>,
}

/// Ratios of `curve` under `limits`, by interval bounds of the polynomials.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] when the limits are for another number of joints.
pub fn limit_ratios(curve: &PiecewisePolynomial, limits: &Limits) -> Result<LimitRatios> {
    limit_ratios_watched(curve, limits, &Watch::default())
}

/// As [`limit_ratios`], ended by a control.
pub(crate) fn limit_ratios_watched(curve: &PiecewisePolynomial, limits: &Limits, watch: &Watch) -> Result<LimitRatios> {
    check_len("velocity limits", limits.velocity.len(), curve.dof())?;
    check_len("acceleration limits", limits.acceleration.len(), curve.dof())?;
    if let Some(jerk) = &limits.jerk {
        check_len("jerk limits", jerk.len(), curve.dof())?;
    }
    Ok(LimitRatios {
        velocity: largest_ratio(curve, 1, &limits.velocity, watch)?,
        acceleration: largest_ratio(curve, 2, &limits.acceleration, watch)?,
        jerk: limits.jerk.as_ref().map(|jerk| largest_ratio(curve, 3, jerk, watch)).transpose()?,
    })
}

/// True when velocity and acceleration hold their limits at every instant; other limits are not looked at.
pub(crate) fn holds(curve: &PiecewisePolynomial, limits: &Limits) -> bool {
    let anything = f64::INFINITY;
    let quick = |(velocity, acceleration): (&f64, &f64)| QuickLimits {
        range: [-anything, anything],
        derivatives: [*velocity, *acceleration, anything],
        steps: [anything; 3],
    };
    let quick: Vec<QuickLimits> = limits.velocity.iter().zip(&limits.acceleration).map(quick).collect();
    let mut holds = true;
    look(curve, &Block::all(&quick), &mut |piece, joint| {
        let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
        holds = holds
            && [(1, limits.velocity[joint]), (2, limits.acceleration[joint])].into_iter().all(|(order, limit)| {
                let found = extremes(row, order, 0.0, duration, RESOLUTION * limit);
                found.high.max(-found.low) <= limit
            });
    });
    holds
}

fn largest_ratio(curve: &PiecewisePolynomial, order: usize, limits: &[f64], watch: &Watch) -> Result<f64> {
    // The largest value met, and a bound on all values; they differ by the resolution at most.
    let (mut met, mut bound) = (0.0_f64, 0.0_f64);
    for piece in 0..curve.pieces() {
        watch.check_at(piece)?;
        let duration = curve.piece_duration(piece);
        for (joint, limit) in limits.iter().enumerate() {
            let row = curve.coefficients(piece, joint);
            // The sum of the terms settles the joints that are far from their limits.
            if evaluate(&row.map(f64::abs), order, duration) <= met * limit {
                continue;
            }
            let ends = f64::max(evaluate(row, order, 0.0).abs(), evaluate(row, order, duration).abs());
            met = met.max(ends / limit);
            let mut range = enclosure(row, order, 0.0, duration);
            // Most pieces are settled by their loose bounds.
            if range.1.max(-range.0) / limit > met + RESOLUTION {
                let found = extremes(row, order, 0.0, duration, RESOLUTION * limit);
                range = (found.low, found.high);
                let value =
                    f64::max(evaluate(row, order, found.low_at).abs(), evaluate(row, order, found.high_at).abs());
                met = met.max(value / limit);
            }
            bound = bound.max(range.1.max(-range.0) / limit);
        }
    }
    Ok(bound)
}
