//! Points of the unit circle: an angle as its cosine and sine.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use nalgebra::{Matrix3, Vector3};

/// A rotation angle as a point of the unit circle. Subproblems work with it, so that trigonometric functions are evaluated
/// once per joint of a solution and not once per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosSin {
    /// Cosine.
    pub cos: f64,
    /// Sine.
    pub sin: f64,
}

impl CosSin {
    /// No rotation.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// From an angle, rad.
    pub fn from_angle(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos, sin }
    }

    /// The direction of `(x, y)`, which must not be zero.
    #[inline]
    pub(crate) fn from_direction(x: f64, y: f64) -> Self {
        let scale = 1.0 / (x * x + y * y).sqrt();
        Self { cos: x * scale, sin: y * scale }
    }

    /// The angle in (−π, π], rad, to about 4e-16; see `angles`.
    #[inline]
    pub fn angle(self) -> f64 {
        let [angle] = angles([self.cos], [self.sin]);
        angle
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

/// Angles in (−π, π] by cosines and sines, rad, in SIMD lanes. The length of the pair does not matter, except for 0, which
/// has no angle.
///
/// In the first octant, and there measured from π/4 when nearer to it than to 0, the arc tangent is a Chebyshev
/// approximation of `(atan x − x) / x³` in `x²` (error 7e-18). There is no branch, so that several angles share wide
/// registers: solvers would spend most of their time in `atan2`.
#[allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]
#[inline(always)]
pub(crate) fn angles<const W: usize>(cos: [f64; W], sin: [f64; W]) -> [f64; W] {
    let (mut tangents, mut is_far, mut out) = ([0.0; W], [false; W], [0.0; W]);
    for lane in 0..W {
        let (x, y) = (cos[lane].abs(), sin[lane].abs());
        let (large, small) = if x >= y { (x, y) } else { (y, x) };
        is_far[lane] = small > large * TANGENT_OF_EIGHTH_TURN;
        let above = if is_far[lane] { small - large } else { small };
        let below = if is_far[lane] { large + small } else { large };
        tangents[lane] = above / below;
    }
    for lane in 0..W {
        let near = tangents[lane] + tangents[lane] * arc(tangents[lane] * tangents[lane]);
        let octant = if is_far[lane] { near + FRAC_PI_4 } else { near };
        let quarter = if cos[lane].abs() >= sin[lane].abs() { octant } else { FRAC_PI_2 - octant };
        let half = if cos[lane] < 0.0 { PI - quarter } else { quarter };
        out[lane] = if sin[lane] < 0.0 { -half } else { half };
    }
    out
}

/// `atan x / x − 1` by `square` = x², in Estrin's scheme.
#[allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]
#[inline(always)]
fn arc(square: f64) -> f64 {
    let c = &ARCTANGENT_COEFFICIENTS;
    let (fourth, eighth) = (square * square, (square * square) * (square * square));
    let low = (c[0] + c[1] * square) + fourth * (c[2] + c[3] * square);
    let middle = (c[4] + c[5] * square) + fourth * (c[6] + c[7] * square);
    let high = (c[8] + c[9] * square) + fourth * c[10];
    square * (low + eighth * (middle + eighth * high))
}

/// tan(π/8)
const TANGENT_OF_EIGHTH_TURN: f64 = 0.414_213_562_373_095_03;

const ARCTANGENT_COEFFICIENTS: [f64; 11] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_955_16,
    -0.142_857_142_846_656_82,
    0.111_111_110_151_870_18,
    -0.090_909_045_753_064_9,
    0.076_921_831_253_768_92,
    -0.066_645_105_255_089_36,
    0.058_581_409_048_663_28,
    -0.050_854_078_345_894_844,
    0.039_230_447_784_793_09,
    -0.019_175_404_711_104_935,
];

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
                let turn = CosSin { cos: value.cos() * length, sin: value.sin() * length };
                let expected = turn.sin.atan2(turn.cos);
                let error = (turn.angle() - expected).abs();
                // Three roundings of numbers below π; small angles keep their relative precision.
                assert!(error <= 9e-16 && error <= 4e-16 * expected.abs().max(1e-3) * 3.0, "{value}: {error:e}");
            }
        }
        assert_eq!(CosSin { cos: -1.0, sin: 0.0 }.angle(), PI);
        assert_eq!(CosSin { cos: -1.0, sin: -0.0 }.angle(), PI);
        assert_eq!(CosSin::ZERO.angle(), 0.0);
    }
}
