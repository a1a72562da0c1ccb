//! Parabolic corners.
//!
//! A parabola is what a time law with constant path acceleration can follow exactly: joint acceleration on it is
//! linear in the path position, so that limits that hold at its ends hold inside. The tangent is continuous, the
//! curvature steps, as acceleration does at any corner of a trapezoid.

use crate::tolerance::{MAX_CORNER_HALVINGS, REVERSAL_COSINE, SHORTEST_CORNER};
use kinetic_core::{PiecewisePolynomial, Result};

/// The largest part of a segment that a blend takes unless it takes exactly half of it; what remains is then long
/// enough to be a piece of its own.
pub(crate) const MAX_BLEND_RATIO: f64 = 0.499;

/// A corner: its position, the unit directions before and after it, and the lengths of the two segments.
pub(crate) struct Corner<'a> {
    pub(crate) position: &'a [f64],
    pub(crate) before: &'a [f64],
    pub(crate) after: &'a [f64],
    pub(crate) lengths: [f64; 2],
}

impl Corner<'_> {
    /// Length of the change of direction, 0 (straight on) to 2 (back).
    fn bend(&self) -> f64 {
        self.before.iter().zip(self.after).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt()
    }

    /// Largest distance between the corner and the blend of half-length `half`: `half · bend / 4`.
    ///
    /// With Bézier points P0, P1 (the corner), P2 the blend at u ≤ ½ is u² (P0 − 2 P1 + P2) away from the point at the
    /// same parameter of the first leg, and likewise for the second: the largest distance is at u = ½.
    pub(crate) fn deviation(&self, half: f64) -> f64 {
        half * self.bend() / 4.0
    }

    /// Half-length of the longest blend within `max_deviation` that `accept` takes; 0 for a stop.
    pub(crate) fn fit(&self, max_deviation: f64, accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool) -> Result<f64> {
        let cosine: f64 = self.before.iter().zip(self.after).map(|(a, b)| a * b).sum();
        if cosine < REVERSAL_COSINE {
            return Ok(0.0);
        }
        let mut half = self.lengths.iter().fold(4.0 * max_deviation / self.bend(), |half, length| {
            if half >= length / 2.0 { length / 2.0 } else { half.min(MAX_BLEND_RATIO * length) }
        });
        for _ in 0..=MAX_CORNER_HALVINGS {
            if !(half >= SHORTEST_CORNER) {
                break;
            }
            if accept(&self.curve(half)?) {
                return Ok(half);
            }
            half /= 2.0;
        }
        Ok(0.0)
    }

    /// Position, tangent and curvature (γ, γ′, γ″ at the beginning of the blend) of every joint.
    pub(crate) fn shape(&self, half: f64) -> Vec<[f64; 3]> {
        let row = |joint: usize| {
            let (before, after) = (self.before[joint], self.after[joint]);
            [self.position[joint] - half * before, before, (after - before) / (2.0 * half)]
        };
        (0..self.position.len()).map(row).collect()
    }

    /// The blend as a curve in its own path parameter, from 0 to `2 · half`.
    fn curve(&self, half: f64) -> Result<PiecewisePolynomial> {
        let row = |[position, tangent, curvature]: [f64; 3]| [position, tangent, curvature / 2.0, 0.0, 0.0, 0.0];
        let rows = self.shape(half).into_iter().map(row).collect();
        PiecewisePolynomial::new(self.position.len(), vec![0.0, 2.0 * half], rows)
    }
}
