//! Tolerances and rounding bounds that several files share. Constants of a single algorithm are in its file.

/// A vector or quaternion whose length differs from 1 by less was one before rounding.
pub(crate) const UNIT_LENGTH_TOLERANCE: f64 = 1e-12;

/// Largest entry of `RᵀR − 1` with which a matrix still counts as a rotation, and is made orthonormal.
///
/// Entries rounded to five decimals leave up to 2 · √3 · 0.5e-5 = 1.74e-5. More is a matrix of fewer digits, for which
/// there is [`Pose::orthonormalised`](crate::Pose::orthonormalised), or a scale, a shear or a mistake.
pub const ORTHONORMAL_TOLERANCE: f64 = 2e-5;
