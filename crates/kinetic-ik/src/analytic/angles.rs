//! Wrapped angles and joint limits: turns of 2π, and values that rounding puts outside a limit.

use std::f64::consts::{PI, TAU};

/// An angle in [−π, π].
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// How far outside a limit rounding may have put a joint value, rad or m: a double root loses half of the digits. Such a
/// value is put onto the limit, and counts where the other joints then bring the tool back to the target.
pub const LIMIT_TOLERANCE_RAD_M: f64 = 1e-6;

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
        if (a - b).abs() <= EQUALLY_NEAR_RAD { a_turns.total_cmp(b_turns) } else { a.total_cmp(&b) }
    });
    best.map(|(_, value)| value)
}

/// Differences of distances below this are rounding, rad.
const EQUALLY_NEAR_RAD: f64 = 1e-9;
