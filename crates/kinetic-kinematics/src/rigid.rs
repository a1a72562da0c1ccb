//! A rigid transform as rotation matrix and translation: cheaper to apply and to chain than a quaternion.

use kinetic_core::Pose;
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

/// `a_from_b`: maps coordinates in `b` to `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rigid {
    /// Rotation.
    pub rotation: Matrix3<f64>,
    /// Translation, m.
    pub translation: Vector3<f64>,
}

impl Default for Rigid {
    fn default() -> Self {
        Self::identity()
    }
}

impl Rigid {
    /// The identity.
    pub fn identity() -> Self {
        Self { rotation: Matrix3::identity(), translation: Vector3::zeros() }
    }

    /// `a_from_c` from `self = a_from_b` and `b_from_c`.
    #[inline]
    #[must_use]
    pub fn then(&self, b_from_c: &Self) -> Self {
        Self {
            rotation: self.rotation * b_from_c.rotation,
            translation: self.rotation * b_from_c.translation + self.translation,
        }
    }

    /// `b_from_a` of `a_from_b`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Coordinates in `a` of a point given in `b`.
    #[inline]
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.translation
    }

    /// `self` followed by a rotation about the local z axis.
    #[inline]
    #[must_use]
    pub fn rotated_z(&self, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let (x, y) = (self.rotation.column(0), self.rotation.column(1));
        let rotation = Matrix3::from_columns(&[x * c + y * s, y * c - x * s, self.rotation.column(2).into_owned()]);
        Self { rotation, translation: self.translation }
    }

    /// `self` followed by a translation along the local z axis.
    #[inline]
    #[must_use]
    pub fn moved_z(&self, distance: f64) -> Self {
        Self { rotation: self.rotation, translation: self.translation + self.rotation.column(2) * distance }
    }

    /// The local z axis.
    #[inline]
    pub fn z_axis(&self) -> Vector3<f64> {
        self.rotation.column(2).into_owned()
    }

    /// Writes the 4 × 4 homogeneous matrix, row after row; `out` must hold 16 values.
    #[inline]
    pub fn write_matrix(&self, out: &mut [f64]) {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rotation.data.0;
        let [x, y, z] = self.translation.data.0[0];
        out.copy_from_slice(&[a, d, g, x, b, e, h, y, c, f, i, z, 0.0, 0.0, 0.0, 1.0]);
    }

    /// As a quaternion pose.
    pub fn to_pose(&self) -> Pose {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(self.rotation));
        Pose(Isometry3::from_parts(self.translation.into(), rotation))
    }
}

impl From<&Pose> for Rigid {
    fn from(pose: &Pose) -> Self {
        Self { rotation: pose.rotation().to_rotation_matrix().into_inner(), translation: pose.translation() }
    }
}
