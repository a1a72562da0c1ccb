//! The path of a jerk-limited motion: polynomials with continuous curvature, between stops.

use kinetic_core::curve::Coefficients;

/// A curve segment of the path, a polynomial of the path parameter of degree 3 at most.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurveSegment {
    /// Path parameter at which it begins.
    pub(crate) arc_length: f64,
    pub(crate) length: f64,
    /// Width of the narrowest corner that it belongs to; infinite on a straight.
    pub(crate) width: f64,
    /// Per joint the position at `arc_length + δ`, coefficients of powers of δ.
    pub(crate) shape: Vec<Coefficients>,
}

impl CurveSegment {
    pub(crate) fn is_straight(&self) -> bool {
        self.shape.iter().all(|row| row[2..].iter().all(|value| *value == 0.0))
    }

    /// γ and its first three derivatives of a joint at `offset`.
    pub(crate) fn derivatives(&self, joint: usize, offset: f64) -> [f64; 4] {
        let [c0, c1, c2, c3, ..] = self.shape[joint];
        let thrice = 3.0 * c3;
        [
            c0 + offset * (c1 + offset * (c2 + offset * c3)),
            c1 + offset * (2.0 * c2 + offset * thrice),
            2.0 * (c2 + offset * thrice),
            6.0 * c3,
        ]
    }
}

/// Curve segments of continuous tangent and curvature between two stops.
pub(crate) type Run = Vec<CurveSegment>;
