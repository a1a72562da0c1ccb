//! Difference of two poses, axis by axis.

use nalgebra::{UnitQuaternion, Vector3};

use super::Pose;
use crate::axis_mask::AxisMask;
use crate::constraint::Axis;

impl Pose {
    /// Position of `other` seen from this pose, along its own axes (m), with 0 on the free axes.
    pub fn difference_position(&self, other: &Self, mask: AxisMask) -> Vector3<f64> {
        mask.apply(&(self.rotation().inverse() * (other.translation() - self.translation())))
    }

    /// Rotation vector (rad) about this pose's own axes that turns its orientation into that of `other`, of length at
    /// most π, with 0 on the free axes.
    ///
    /// With a `mirror` axis, `other` turned half about that axis of its own is as good; the one of the two counts whose
    /// constrained part is shorter, as given where both are equal.
    pub fn difference_rotation(&self, other: &Self, mask: AxisMask, mirror: Option<Axis>) -> Vector3<f64> {
        let relative = self.rotation().inverse() * other.rotation();
        let plain = mask.apply(&relative.scaled_axis());
        let Some(axis) = mirror else { return plain };
        let half_turn = UnitQuaternion::from_scaled_axis(axis.unit() * std::f64::consts::PI);
        let mirrored = mask.apply(&(relative * half_turn).scaled_axis());
        if mirrored.norm() < plain.norm() { mirrored } else { plain }
    }
}
