//! Elements of paths as polynomials of the path parameter.

use kinetic_core::curve::Coefficients;
use kinetic_core::{PiecewisePolynomial, Result};

use crate::corners::wide::CurveSegment;

/// A segment of a path that is a polynomial of the path parameter `s`, of degree 5 at most.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveElement {
    /// Path parameter at which it begins.
    pub arc_length: f64,
    /// Extent in the path parameter.
    pub length: f64,
    /// True when the direction jumps where it begins, or the path does: the motion is at rest there.
    pub starts_at_rest: bool,
    /// Per joint the position at `arc_length + δ` as coefficients of powers of δ.
    pub shape: Vec<Coefficients>,
}

impl CurveElement {
    /// Highest power with a coefficient that is not zero.
    pub fn degree(&self) -> usize {
        self.shape.iter().map(|row| row.iter().rposition(|value| *value != 0.0).unwrap_or(0)).max().unwrap_or(0)
    }

    /// The element as a curve in its own parameter.
    pub(crate) fn curve(&self) -> Result<PiecewisePolynomial> {
        PiecewisePolynomial::new(self.shape.len(), vec![0.0, self.length], self.shape.clone())
    }
}

/// A segment with wide corners, by its index since the last stop.
impl From<(usize, &CurveSegment)> for CurveElement {
    fn from((index, segment): (usize, &CurveSegment)) -> Self {
        let (arc_length, length, shape) = (segment.arc_length, segment.length, segment.shape.clone());
        Self { arc_length, length, starts_at_rest: index == 0, shape }
    }
}
