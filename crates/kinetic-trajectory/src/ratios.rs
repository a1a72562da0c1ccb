//! Limit ratios of a curve: largest derivatives divided by their limits.

use kinetic_core::curve::{enclosure, evaluate, extremes};
use kinetic_core::error::check_len;
use kinetic_core::{Limits, PiecewisePolynomial, Result};

use crate::check::STEP_TOLERANCE;
use crate::quick_check::{LimitBlock, QuickLimits, look};
use crate::watch::Watch;

/// Bounds are at most this part of a limit above the true maximum.
const LIMIT_RATIO_RESOLUTION: f64 = 1e-10;

/// Largest |derivative| / limit over joints and time. At most 1 means that the limit holds at every instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitRatios {
    /// Of velocity.
    pub velocity: f64,
    /// Of acceleration.
    pub acceleration: f64,
    /// Of jerk; infinite where acceleration [steps](has_acceleration_step). `None` without jerk limits.
    pub jerk: Option<f64>,
}

/// Ratios of `curve` under `limits`, by interval bounds of the polynomials.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] when the limits are for another number of joints.
pub fn limit_ratios(curve: &PiecewisePolynomial, limits: &Limits) -> Result<LimitRatios> {
    let inside = limit_ratios_watched(curve, limits, &Watch::default())?;
    let jerk = inside.jerk.map(|jerk| if has_acceleration_step(curve, limits) { f64::INFINITY } else { jerk });
    Ok(LimitRatios { jerk, ..inside })
}

/// As [`limit_ratios`], ended by a control, and of jerk inside pieces only: for laws, which know their steps.
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

/// Whether acceleration steps: between two pieces, or where the motion leaves rest or comes to rest with an acceleration that
/// is not 0 (before and after, the joints stand still); by more than [`STEP_TOLERANCE`] of its limit.
pub fn has_acceleration_step(curve: &PiecewisePolynomial, limits: &Limits) -> bool {
    let (pieces, joints) = (curve.pieces(), 0..curve.dof());
    if pieces == 0 {
        return false;
    }
    let end = curve.piece_duration(pieces - 1);
    let at = |piece: usize, joint: usize, order: usize, s: f64| evaluate(curve.coefficients(piece, joint), order, s);
    let steps =
        |joint: usize, before: f64, after: f64| (after - before).abs() > STEP_TOLERANCE * limits.acceleration[joint];
    // Rest is a state of the whole arm: where others move, a joint may turn round.
    let jumps_from_rest = |piece: usize, s: f64| {
        let at_rest = |joint: usize| at(piece, joint, 1, s).abs() <= STEP_TOLERANCE * limits.velocity[joint];
        joints.clone().all(at_rest) && joints.clone().any(|joint| steps(joint, 0.0, at(piece, joint, 2, s)))
    };
    let jumps_between = |piece: usize| {
        let before = curve.piece_duration(piece);
        joints.clone().any(|joint| steps(joint, at(piece, joint, 2, before), at(piece + 1, joint, 2, 0.0)))
    };
    jumps_from_rest(0, 0.0) || jumps_from_rest(pieces - 1, end) || (0..pieces - 1).any(jumps_between)
}

/// Where a derivative uses most of its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Joint, in group order.
    pub joint: usize,
    /// The value with its sign.
    pub value: f64,
    /// When, s from the start.
    pub time: f64,
}

/// Where the derivative of an order uses most of its limits, one per joint; `None` for a curve that stays.
pub fn peak(curve: &PiecewisePolynomial, order: usize, limits: &[f64]) -> Option<Peak> {
    let of_piece = |piece: usize, joint: usize| {
        let row = curve.coefficients(piece, joint);
        let found = extremes(row, order, 0.0, curve.piece_duration(piece), LIMIT_RATIO_RESOLUTION * limits[joint]);
        let at = if found.high > -found.low { found.high_at } else { found.low_at };
        Peak { joint, value: evaluate(row, order, at), time: curve.knots()[piece] + at }
    };
    let peaks = (0..curve.pieces()).flat_map(|piece| (0..limits.len()).map(move |joint| of_piece(piece, joint)));
    let use_of = |peak: &Peak| peak.value.abs() / limits[peak.joint];
    peaks.max_by(|a, b| use_of(a).total_cmp(&use_of(b)))
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
    look(curve, &LimitBlock::all(&quick), &mut |piece, joint| {
        let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
        holds = holds
            && [(1, limits.velocity[joint]), (2, limits.acceleration[joint])].into_iter().all(|(order, limit)| {
                let found = extremes(row, order, 0.0, duration, LIMIT_RATIO_RESOLUTION * limit);
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
            // The sum of the terms decides the joints that are far from their limits.
            if evaluate(&row.map(f64::abs), order, duration) <= met * limit {
                continue;
            }
            let ends = f64::max(evaluate(row, order, 0.0).abs(), evaluate(row, order, duration).abs());
            met = met.max(ends / limit);
            let mut range = enclosure(row, order, 0.0, duration);
            // Most pieces are decided by their loose bounds.
            if range.1.max(-range.0) / limit > met + LIMIT_RATIO_RESOLUTION {
                let found = extremes(row, order, 0.0, duration, LIMIT_RATIO_RESOLUTION * limit);
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
