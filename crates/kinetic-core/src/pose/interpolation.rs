//! Interpolation between two poses.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::Pose;

impl Pose {
    /// Between this pose (`ratio` 0) and another (`ratio` 1): straight translation, rotation about a fixed axis at a
    /// constant rate the shorter way (Shoemake 1985). Ratios outside [0, 1] go on beyond the ends.
    ///
    /// Half a turn apart both ways are equally short; the axis is then that of the relative quaternion as it is stored.
    #[must_use]
    pub fn slerp(&self, other: &Self, ratio: f64) -> Self {
        let relative = (self.rotation().inverse() * other.rotation()).scaled_axis();
        let rotation = self.rotation() * UnitQuaternion::from_scaled_axis(relative * ratio);
        Self(Isometry3::from_parts(between(self, other, ratio), rotation))
    }

    /// The same as [`slerp`](Self::slerp).
    #[must_use]
    pub fn interpolate(&self, other: &Self, ratio: f64) -> Self {
        self.slerp(other, ratio)
    }

    /// As [`slerp`](Self::slerp), with quaternions interpolated in a straight line and normalised: cheaper, the same
    /// rotations in the same order, but faster in the middle than at the ends.
    #[must_use]
    pub fn lerp(&self, other: &Self, ratio: f64) -> Self {
        let (from, to) = (self.rotation().coords, other.rotation().coords);
        // Of the two quaternions of a rotation the nearer one; the line between them stays away from 0.
        let to = if from.dot(&to) < 0.0 { -to } else { to };
        let rotation = UnitQuaternion::from_quaternion(Quaternion::from(from + (to - from) * ratio));
        Self(Isometry3::from_parts(between(self, other, ratio), rotation))
    }
}

fn between(from: &Pose, to: &Pose, ratio: f64) -> Translation3<f64> {
    let line: Vector3<f64> = from.translation() * (1.0 - ratio) + to.translation() * ratio;
    line.into()
}
