//! How a path uses what its tolerance leaves free: a smooth curve of the freedom over the arc lengths.
//!
//! A uniform cubic B-spline lies in the convex hull of its control points, so that what is chosen inside a convex tolerance stays
//! inside between the choices too (de Boor 1978). It begins at zero, where the tool is: the control point before the first one is
//! the second one mirrored, and tolerances are symmetric.

use super::tolerance::{Freedom, STRICT};

/// A curve of the freedom over the arc lengths of a path, twice continuously differentiable.
#[derive(Debug, Clone, PartialEq)]
pub struct FreedomCurve {
    /// Distance of control points, m.
    spacing: f64,
    /// The first is zero.
    points: Vec<Freedom>,
}

impl FreedomCurve {
    /// Nothing of what is free is used.
    pub fn strict() -> Self {
        Self { spacing: 1.0, points: vec![STRICT] }
    }

    /// The curve over control points `spacing` apart, of which the first is zero; beyond the last it stays there.
    pub(super) fn new(spacing: f64, points: Vec<Freedom>) -> Self {
        Self { spacing, points }
    }

    /// Whether nothing of what is free is used.
    pub fn is_strict(&self) -> bool {
        self.points.iter().all(|point| *point == STRICT)
    }

    /// A curve closer to the polygon of the control points: points between neighbours are added.
    #[must_use]
    pub fn refined(&self) -> Self {
        let between = |pair: &[Freedom]| -> [Freedom; 2] {
            [pair[0], std::array::from_fn(|index| f64::midpoint(pair[0][index], pair[1][index]))]
        };
        let points = self.points.windows(2).flat_map(between).chain(self.points.last().copied()).collect();
        Self { spacing: 0.5 * self.spacing, points }
    }

    /// The freedom at an arc length, and its derivative by the arc length.
    pub(super) fn at(&self, arc_length: f64) -> [Freedom; 2] {
        let part = (arc_length / self.spacing).max(0.0);
        let before = part.floor();
        let (u, v) = (part - before, 1.0 - (part - before));
        let weights = [v * v * v, 3.0 * u * u * (u - 2.0) + 4.0, 3.0 * v * v * (v - 2.0) + 4.0, u * u * u];
        let slopes = [-3.0 * v * v, 3.0 * u * (3.0 * u - 4.0), 3.0 * v * (4.0 - 3.0 * v), 3.0 * u * u];
        let mut out = [STRICT; 2];
        for offset in 0..4 {
            let point = self.point(before + offset as f64 - 1.0);
            for index in 0..point.len() {
                out[0][index] += weights[offset] / 6.0 * point[index];
                out[1][index] += slopes[offset] / (6.0 * self.spacing) * point[index];
            }
        }
        out
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number of at least 0")]
    fn point(&self, index: f64) -> Freedom {
        let last = self.points.len() - 1;
        if index < 0.0 {
            return self.points[last.min(1)].map(|value| -value);
        }
        self.points[(index.min(last as f64)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> FreedomCurve {
        let point = |index: u32| std::array::from_fn(|part| f64::from(index) * (f64::from(index) + part as f64).sin());
        FreedomCurve::new(0.1, (0..7).map(point).collect())
    }

    #[test]
    fn it_begins_at_zero_and_stays_in_the_hull_of_its_control_points() {
        for curve in [curve(), curve().refined(), curve().refined().refined()] {
            assert!(curve.at(0.0)[0].iter().all(|value| value.abs() < 1e-15));
            for part in 0..6 {
                let most = curve.points.iter().fold(0.0, |most: f64, point| most.max(point[part].abs()));
                let all = (0..2000).map(|step| curve.at(f64::from(step) * 5e-4)[0][part].abs());
                assert!(all.fold(0.0, f64::max) <= most + 1e-12);
            }
        }
        assert_eq!(FreedomCurve::strict().at(0.3), [STRICT; 2]);
    }

    #[test]
    fn its_slope_is_that_of_differences_and_continuous() {
        let (curve, h) = (curve(), 1e-6);
        for step in 0..700 {
            let arc_length = 1e-3 * f64::from(step) + 3e-5;
            let [ahead, behind] = [h, -h].map(|by| curve.at(arc_length + by)[0]);
            for part in 0..6 {
                let slope = (ahead[part] - behind[part]) / (2.0 * h);
                assert!((slope - curve.at(arc_length)[1][part]).abs() < 1e-6, "{arc_length} {part}");
            }
        }
    }
}
