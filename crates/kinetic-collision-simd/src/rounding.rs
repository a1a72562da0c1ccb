//! Rounding error bounds of single precision (Higham 2002, Accuracy and Stability of Numerical Algorithms, ch. 3).
//!
//! Conversions from double precision, and the constants by which thresholds are widened, so that a proof in single
//! precision is a proof.

use nalgebra::Vector3;

/// Unit roundoff of single precision.
pub(crate) const UNIT_ROUNDOFF: f32 = f32::EPSILON / 2.0;

/// Bound on the rounding of one frame's placement, in unit roundoffs per metre of extent: products of 3 × 3 matrices
/// (3 each), sine and cosine with their argument (6), the constants (1), the translation (4), and 2 to spare.
pub(crate) const ROUNDOFFS_PER_FRAME: f32 = 16.0;

/// Coordinates beyond this, m or rad, are left to double precision.
pub(crate) const LARGEST_COORDINATE: f64 = 1e4;

/// Relative widening of thresholds: squares and sums of a few terms.
pub(crate) const THRESHOLD_WIDENING: f32 = 1.0 + 1e-6;

/// Relative widening of sums of motion bounds, by more than their rounding.
pub(crate) const SUM_WIDENING: f32 = 1.0 + 1e-5;

/// Rounding of the difference of two points and of an obstacle's coordinates, per metre of extent.
pub(crate) const DIFFERENCE_ROUNDING: f32 = 8.0 * f32::EPSILON;

/// Rounds a vector to single precision.
pub(crate) fn single(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
}

/// Rounds to single precision, never downwards.
pub(crate) fn upward(value: f64) -> f32 {
    (value as f32).next_up()
}

/// The square of a distance, widened for the rounding of squares; -1 for a distance that is not positive, which no
/// squared distance is below. The widening is less than any bound on the rounding of positions: tests of certain
/// contact subtract that bound twice.
#[inline(always)]
pub(crate) fn squared(distance: f32) -> f32 {
    if distance > 0.0 { distance * distance * THRESHOLD_WIDENING } else { -1.0 }
}
