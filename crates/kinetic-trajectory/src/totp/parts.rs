//! First grid of a path: the number of stages of each element before anything is known of speeds.

use kinetic_core::Limits;
use kinetic_core::curve::evaluate;

use crate::curve_element::CurveElement;

/// Stages of an element at most, in resolutions.
const MAX_STAGES_PER_ELEMENT: usize = 8;

/// Stages of an element: `per_turn` for a change of its tangent by all of its length, in units of acceleration limits.
pub(crate) fn first_parts(element: &CurveElement, limits: &Limits, per_turn: f64) -> usize {
    let places = [0.0, 0.5 * element.length, element.length];
    let (mut steepest, mut turn) = (0.0_f64, 0.0_f64);
    for (row, limit) in element.shape.iter().zip(&limits.acceleration) {
        let [a, b, c] = places.map(|at| evaluate(row, 1, at) / limit);
        steepest = steepest.max(a.abs()).max(b.abs()).max(c.abs());
        turn = turn.max((b - a).abs() + (c - b).abs());
    }
    whole(per_turn * turn / steepest).clamp(1, whole(MAX_STAGES_PER_ELEMENT as f64 * per_turn))
}

/// The next whole number; 0 of what is none.
pub(crate) fn whole(value: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is clamped")]
    let whole = value.ceil() as usize;
    whole
}
