//! Rounding to single precision in the direction that a proof needs (Higham 2002, Accuracy and Stability of Numerical Algorithms, ch. 3).
//!
//! Conversions from double precision; the bounds are in `tolerance.rs`.

use nalgebra::Vector3;

use crate::tolerance::THRESHOLD_WIDENING_FACTOR;

/// Rounds a vector to single precision.
pub(crate) fn single(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
}

/// Rounds to single precision, never downwards.
pub(crate) fn upward(value: f64) -> f32 {
    (value as f32).next_up()
}

/// Rounds to single precision, never upwards.
pub(crate) fn downward(value: f64) -> f32 {
    (value as f32).next_down()
}

/// The square of a distance, widened for the rounding of squares; -1 for a distance that is not positive, which no
/// squared distance is below. The widening is less than any bound on the rounding of positions: tests of certain
/// contact subtract that bound twice.
#[inline(always)]
pub(crate) fn squared(distance: f32) -> f32 {
    if distance > 0.0 { distance * distance * THRESHOLD_WIDENING_FACTOR } else { -1.0 }
}
