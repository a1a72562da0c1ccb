//! An angle as its cosine and sine.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_8, PI};

use nalgebra::{Matrix3, Vector3};

/// A rotation angle as a point of the unit circle: what subproblems work with, so that trigonometric functions are
/// evaluated once per joint of a solution and not once per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Cosine.
    pub cos: f64,
    /// Sine.
    pub sin: f64,
}

impl Turn {
    /// No rotation.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// From an angle, rad.
    pub fn of(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos, sin }
    }

    /// The direction of `(x, y)`, which must not be zero.
    #[inline]
    pub(crate) fn towards(x: f64, y: f64) -> Self {
        let scale = 1.0 / (x * x + y * y).sqrt();
        Self { cos: x * scale, sin: y * scale }
    }

    /// The angle in (−π, π], rad, to about 4e-16.
    ///
    /// The nearest of five angles of the first octant is taken away, and the rest is small enough for the first terms of
    /// the series of the arc tangent: a third of the time of `atan2`, which solvers would spend most of theirs in.
    #[inline]
    pub fn angle(self) -> f64 {
        let (x, y) = (self.cos.abs(), self.sin.abs());
        let (large, small) = if x >= y { (x, y) } else { (y, x) };
        let place: usize = BETWEEN.iter().map(|tangent| usize::from(small > large * tangent)).sum();
        let (known, near) = SIXTEENTHS[place];
        let tangent = (small * near.cos - large * near.sin) / (large * near.cos + small * near.sin);
        let square = tangent * tangent;
        let series = SERIES.iter().fold(0.0, |sum, term| sum * square + term);
        let octant = known + tangent * series;
        let quarter = if x >= y { octant } else { FRAC_PI_2 - octant };
        let half = if self.cos < 0.0 { PI - quarter } else { quarter };
        if self.sin < 0.0 { -half } else { half }
    }

    /// The opposite rotation.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { cos: self.cos, sin: -self.sin }
    }

    /// The sum of two angles.
    #[inline]
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        Self { cos: self.cos * other.cos - self.sin * other.sin, sin: self.sin * other.cos + self.cos * other.sin }
    }

    /// `v` rotated about the unit vector `axis` (Rodrigues).
    #[inline]
    pub fn rotate(self, axis: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
        v * self.cos + axis.cross(v) * self.sin + axis * (axis.dot(v) * (1.0 - self.cos))
    }

    /// The rotation matrix about the unit vector `axis`.
    #[inline]
    pub fn matrix(self, axis: &Vector3<f64>) -> Matrix3<f64> {
        let (x, y, z) = (axis.x, axis.y, axis.z);
        let (c, s, t) = (self.cos, self.sin, 1.0 - self.cos);
        Matrix3::new(
            t * x * x + c,
            t * x * y - s * z,
            t * x * z + s * y,
            t * x * y + s * z,
            t * y * y + c,
            t * y * z - s * x,
            t * x * z - s * y,
            t * y * z + s * x,
            t * z * z + c,
        )
    }
}

/// Tangents between the angles of [`SIXTEENTHS`]: of 1, 3, 5 and 7 times π/32.
const BETWEEN: [f64; 4] =
    [0.098_491_403_357_164_25, 0.303_346_683_607_342_4, 0.534_511_135_950_791_6, 0.820_678_790_828_660_2];

/// Multiples of π/16 up to π/4.
const SIXTEENTHS: [(f64, Turn); 5] = [
    (0.0, Turn { cos: 1.0, sin: 0.0 }),
    (0.5 * FRAC_PI_8, Turn { cos: 0.980_785_280_403_230_4, sin: 0.195_090_322_016_128_25 }),
    (FRAC_PI_8, Turn { cos: 0.923_879_532_511_286_7, sin: 0.382_683_432_365_089_8 }),
    (1.5 * FRAC_PI_8, Turn { cos: 0.831_469_612_302_545_2, sin: 0.555_570_233_019_602_2 }),
    (FRAC_PI_4, Turn { cos: std::f64::consts::FRAC_1_SQRT_2, sin: std::f64::consts::FRAC_1_SQRT_2 }),
];

/// Of the arc tangent, from the highest power of the square down; the next term is below 1e-18 at π/32.
const SERIES: [f64; 8] = [-1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0, 1.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_atan2() {
        let mut values: Vec<f64> = (0..200_000).map(|k| (f64::from(k) / 100_000.0 - 1.0) * PI).collect();
        values.extend((0..300).map(|power| 0.9_f64.powi(power * 3)));
        values.extend((0..=64).flat_map(|k| [-1e-15, 0.0, 1e-15].map(|aside| f64::from(k - 32) * PI / 32.0 + aside)));
        for value in values {
            for length in [1.0, 1.0 + 1e-9, 3.0] {
                let turn = Turn { cos: value.cos() * length, sin: value.sin() * length };
                let expected = turn.sin.atan2(turn.cos);
                let error = (turn.angle() - expected).abs();
                // Three roundings of numbers below π; small angles keep their relative precision.
                assert!(error <= 9e-16 && error <= 4e-16 * expected.abs().max(1e-3) * 3.0, "{value}: {error:e}");
            }
        }
        assert_eq!(Turn { cos: -1.0, sin: 0.0 }.angle(), PI);
        assert_eq!(Turn { cos: -1.0, sin: -0.0 }.angle(), PI);
        assert_eq!(Turn::ZERO.angle(), 0.0);
    }
}
