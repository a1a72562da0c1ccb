//! Rounding bounds of single precision that several kernels share (Higham 2002, Accuracy and Stability of Numerical
//! Algorithms, ch. 3). Thresholds are widened by them, so that a proof in single precision is a proof.

/// Unit roundoff of single precision.
pub(crate) const UNIT_ROUNDOFF: f32 = f32::EPSILON / 2.0;

/// Bound on the rounding of one frame's placement, in unit roundoffs per metre of extent: products of 3 × 3 matrices
/// (3 each), sine and cosine with their argument (6), the constants (1), the translation (4), and 2 to spare.
pub(crate) const ROUNDOFFS_PER_FRAME: f32 = 16.0;

/// Coordinates beyond this, m or rad, are left to double precision.
pub(crate) const LARGEST_COORDINATE_M_RAD: f64 = 1e4;

/// Relative widening of thresholds: squares and sums of a few terms.
pub(crate) const THRESHOLD_WIDENING_FACTOR: f32 = 1.0 + 1e-6;

/// Relative widening of sums of motion bounds, by more than their rounding.
pub(crate) const SUM_WIDENING_FACTOR: f32 = 1.0 + 1e-5;

/// Rounding of the difference of two points and of an obstacle's coordinates, per metre of extent.
pub(crate) const DIFFERENCE_ROUNDING_RATIO: f32 = 8.0 * f32::EPSILON;

/// Widening of cells for the rounding of angles and grid coordinates, rad.
pub(crate) const ANGLE_ROUNDING_RAD: f64 = 1e-5;
