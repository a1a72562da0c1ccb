//! Turns of 2π: which ones the limits allow, and which one is near.

use std::f64::consts::{PI, TAU};

use kinetic_kinematics::KinematicChain;

use crate::tolerance::LIMIT_ROUNDING_RAD_M;

/// More turns than any joint makes; stands for "no limit".
const UNLIMITED_TURNS: i32 = 1 << 20;

/// Whole numbers of turns from the first to the second, both included.
pub(super) type Turns = (i32, i32);

/// The number of turns in a difference of angles; none in half a turn.
#[inline]
pub(super) fn turns_in(difference: f64) -> f64 {
    if difference.abs() <= PI { 0.0 } else { (difference / TAU).round() }
}

/// The step from `a` to `b`, for turning joints the short way.
#[inline]
pub(super) fn step(a: f64, b: f64, is_rotation: bool) -> f64 {
    let difference = b - a;
    if is_rotation { difference - TAU * turns_in(difference) } else { difference }
}

/// The value nearest to `near` among `value` and, for turning joints, the same angle on other turns.
#[inline]
pub(super) fn lifted(value: f64, near: f64, is_rotation: bool) -> f64 {
    if is_rotation { value + TAU * turns_in(near - value) } else { value }
}

/// The turns that bring joint `joint` from `value` into its limits; `None` when none does.
#[inline]
pub(super) fn turns_inside(chain: &KinematicChain, joint: usize, value: f64) -> Option<Turns> {
    let (low, high) = chain.bounds()[joint];
    let (below, above) = (low - LIMIT_ROUNDING_RAD_M - value, high + LIMIT_ROUNDING_RAD_M - value);
    if !chain.is_rotation(joint) {
        return (below <= 0.0 && above >= 0.0).then_some((0, 0));
    }
    let turns = (whole_above(below / TAU), -whole_above(-above / TAU));
    (turns.0 <= turns.1).then_some(turns)
}

/// The least whole number that is not below `turns`; as a cast, because `ceil` is a call on processors of the past.
#[inline]
fn whole_above(turns: f64) -> i32 {
    let near = whole(turns);
    near + i32::from(f64::from(near) < turns && near < UNLIMITED_TURNS)
}

#[allow(clippy::cast_possible_truncation, reason = "clamped to a range that fits")]
#[inline]
fn whole(turns: f64) -> i32 {
    turns.clamp(-f64::from(UNLIMITED_TURNS), f64::from(UNLIMITED_TURNS)) as i32
}

/// How far a joint is outside its limits on the given turns at best; 0 inside.
pub(super) fn excess(chain: &KinematicChain, joint: usize, value: f64, (first, last): Turns) -> f64 {
    let (low, high) = chain.bounds()[joint];
    let outside = |turns: i32| {
        let value = value + TAU * f64::from(turns);
        (low - value).max(value - high).max(0.0)
    };
    // Distance from an interval is convex in the number of turns: the best is next to where it is 0, or at an end.
    let middle = if low.is_finite() && high.is_finite() { f64::midpoint(low, high) } else { value };
    let best = whole(((middle - value) / TAU).round()).clamp(first, last);
    outside(best)
}
