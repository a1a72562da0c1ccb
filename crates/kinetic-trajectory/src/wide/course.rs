//! The path of a jerk-limited motion: polynomials with continuous curvature, between stops.

use kinetic_core::curve::{Coefficients, evaluate};

/// A stretch of the path, a polynomial of the path parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Path parameter at which it begins.
    pub(crate) station: f64,
    pub(crate) length: f64,
    /// Width of the narrowest corner that it belongs to; infinite on a straight.
    pub(crate) width: f64,
    /// Per joint the position at `station + δ`, coefficients of powers of δ.
    pub(crate) shape: Vec<Coefficients>,
}

impl Stretch {
    pub(crate) fn is_straight(&self) -> bool {
        self.shape.iter().all(|row| row[2..].iter().all(|value| *value == 0.0))
    }

    /// γ and its first three derivatives of a joint at `offset`.
    pub(crate) fn derivatives(&self, joint: usize, offset: f64) -> [f64; 4] {
        [0, 1, 2, 3].map(|order| evaluate(&self.shape[joint], order, offset))
    }
}

/// Stretches of continuous tangent and curvature between two stops.
pub(crate) type Run = Vec<Stretch>;
