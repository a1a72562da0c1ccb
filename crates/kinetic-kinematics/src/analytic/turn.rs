//! An angle as its cosine and sine.

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

    /// The angle in (−π, π], rad.
    #[inline]
    pub fn angle(self) -> f64 {
        self.sin.atan2(self.cos)
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
