//! Rigid poses: construction, access and composition; further operations are in the files of this folder.

mod difference;
mod editing;
mod interpolation;
mod orthonormal;
mod pointing;
mod vectors;

pub use crate::tolerance::ORTHONORMAL_TOLERANCE;
use crate::tolerance::UNIT_LENGTH_TOLERANCE;
pub use editing::Wrt;

use std::fmt;
use std::ops::{Deref, Mul};

use nalgebra::{Isometry3, Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{KineticError, Result, check_finite};
use crate::joint_values::write_list;

/// A rigid pose: rotation and translation in metres, `f64`.
///
/// A variable `a_from_b` maps coordinates in frame `b` to frame `a`, which is the pose of `b` expressed in `a`.
/// Dereferences to [`Isometry3`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose(#[serde(deserialize_with = "checked_isometry")] pub Isometry3<f64>);

/// Reads an isometry as [`Pose::from_xyz_quat`] does.
fn checked_isometry<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Isometry3<f64>, D::Error> {
    let raw = Isometry3::<f64>::deserialize(deserializer)?;
    let (t, q) = (raw.translation.vector, raw.rotation.coords);
    Pose::from_xyz_quat(t.x, t.y, t.z, q.x, q.y, q.z, q.w).map(|pose| pose.0).map_err(D::Error::custom)
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}

impl Pose {
    /// The identity.
    pub fn identity() -> Self {
        Self(Isometry3::identity())
    }

    /// Pure translation, m.
    pub fn from_xyz(x: f64, y: f64, z: f64) -> Self {
        Self(Isometry3::translation(x, y, z))
    }

    /// Translation (m) and fixed-axis roll, pitch, yaw (rad), as URDF has them: `R = Rz(yaw) Ry(pitch) Rx(roll)`.
    pub fn from_xyz_rpy(x: f64, y: f64, z: f64, roll: f64, pitch: f64, yaw: f64) -> Self {
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        Self(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
    }

    /// Translation (m) and quaternion in order x, y, z, w; the quaternion is normalised. One that has unit length up to the
    /// rounding of products is taken bit for bit, so that what was written reads back.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a quaternion of length below 1e-9.
    pub fn from_xyz_quat(x: f64, y: f64, z: f64, qx: f64, qy: f64, qz: f64, qw: f64) -> Result<Self> {
        check_finite("pose (x, y, z, qx, qy, qz, qw)", &[x, y, z, qx, qy, qz, qw])?;
        let quaternion = Quaternion::new(qw, qx, qy, qz);
        if quaternion.norm() < 1e-9 {
            return Err(KineticError::invalid(
                "quaternion",
                format!("[{qx}, {qy}, {qz}, {qw}]"),
                "a quaternion (x, y, z, w) of non-zero length",
            ));
        }
        let is_unit = (quaternion.norm() - 1.0).abs() < UNIT_LENGTH_TOLERANCE;
        let rotation = if is_unit {
            UnitQuaternion::new_unchecked(quaternion)
        } else {
            UnitQuaternion::from_quaternion(quaternion)
        };
        Ok(Self(Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
    }

    /// From a 4 × 4 homogeneous matrix; a rotation off by at most [`ORTHONORMAL_TOLERANCE`] is made orthonormal.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] saying what is not rigid, by how much, and that
    /// [`orthonormalised`](Self::orthonormalised) takes what is off by more.
    pub fn from_matrix(matrix: &Matrix4<f64>) -> Result<Self> {
        let (rotation, translation) = orthonormal::parts(matrix)?;
        Ok(Self(Isometry3::from_parts(translation.into(), orthonormal::nearly(&rotation)?)))
    }

    /// As [`from_matrix`](Self::from_matrix) with the rotation nearest to the upper left 3 × 3 part (least squares over its
    /// entries), however far that is: for matrices with few digits. A scale or a shear is lost without a word.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for another last row than 0, 0, 0, 1, and for a 3 × 3
    /// part that is singular or left-handed, so that no single rotation is nearest.
    pub fn orthonormalised(matrix: &Matrix4<f64>) -> Result<Self> {
        let (rotation, translation) = orthonormal::parts(matrix)?;
        Ok(Self(Isometry3::from_parts(translation.into(), orthonormal::nearest(&rotation)?)))
    }

    /// The 4 × 4 homogeneous matrix.
    pub fn to_matrix(&self) -> Matrix4<f64> {
        self.0.to_homogeneous()
    }

    /// Translation, m.
    pub fn translation(&self) -> Vector3<f64> {
        self.0.translation.vector
    }

    /// Rotation.
    pub fn rotation(&self) -> UnitQuaternion<f64> {
        self.0.rotation
    }

    /// Fixed-axis roll, pitch, yaw, rad. At pitch = ±90° the split of roll and yaw is not unique; roll is 0 there.
    pub fn rpy(&self) -> (f64, f64, f64) {
        let r = self.0.rotation.to_rotation_matrix();
        let m = r.matrix();
        let horizontal = m[(0, 0)].hypot(m[(1, 0)]);
        let pitch = (-m[(2, 0)]).atan2(horizontal);
        // Below this the first column is vertical up to rounding and carries no yaw.
        if horizontal < 1e-13 {
            return (0.0, pitch, (-m[(0, 1)]).atan2(m[(1, 1)]));
        }
        let (sine, cosine) = (m[(1, 0)] / horizontal, m[(0, 0)] / horizontal);
        // Roll of what is left after undoing this yaw: near the vertical yaw is noisy, and roll makes up for it.
        let roll = (sine * m[(0, 2)] - cosine * m[(1, 2)]).atan2(cosine * m[(1, 1)] - sine * m[(0, 1)]);
        (roll, pitch, sine.atan2(cosine))
    }

    /// The isometry.
    pub fn isometry(&self) -> &Isometry3<f64> {
        &self.0
    }

    /// `self * other`: from `a_from_b` and `b_from_c`, `a_from_c`.
    #[must_use]
    pub fn compose(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }

    /// From `a_from_b`, `b_from_a`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// Distance of the origins, m.
    pub fn translation_distance(&self, other: &Self) -> f64 {
        (self.translation() - other.translation()).norm()
    }

    /// Angle of the rotation between the two, rad, in [0, π].
    pub fn rotation_distance(&self, other: &Self) -> f64 {
        self.0.rotation.angle_to(&other.0.rotation)
    }

    /// # Errors
    /// [`KineticError::NotFinite`] when any number is NaN or infinite.
    pub fn check_finite(&self, context: &str) -> Result<()> {
        let t = self.translation();
        let q = self.0.rotation.coords;
        check_finite(context, &[t.x, t.y, t.z, q.x, q.y, q.z, q.w])
    }
}

impl Deref for Pose {
    type Target = Isometry3<f64>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Mul for Pose {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.compose(&other)
    }
}

impl From<Isometry3<f64>> for Pose {
    fn from(isometry: Isometry3<f64>) -> Self {
        Self(isometry)
    }
}

impl From<Vector3<f64>> for Pose {
    fn from(translation: Vector3<f64>) -> Self {
        Self::from_xyz(translation.x, translation.y, translation.z)
    }
}

impl From<Pose> for Isometry3<f64> {
    fn from(pose: Pose) -> Self {
        pose.0
    }
}

impl From<Translation3<f64>> for Pose {
    fn from(translation: Translation3<f64>) -> Self {
        Self(translation.into())
    }
}

impl From<UnitQuaternion<f64>> for Pose {
    fn from(rotation: UnitQuaternion<f64>) -> Self {
        Self(Isometry3::from_parts(Translation3::identity(), rotation))
    }
}

/// `xyz [0.4, 0, 0.2] xyzw [0, 0, 0, 1]`: what [`Pose::from_xyz_quat`] takes, in the digits that read back the same, or in
/// as many decimals as `{:.3}` asks for.
impl fmt::Display for Pose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("xyz ")?;
        write_list(f, self.0.translation.vector.as_slice())?;
        f.write_str(" xyzw ")?;
        write_list(f, self.0.rotation.coords.as_slice())
    }
}
