//! Velocities of links and of points on them.

use kinetic_core::Result;
use nalgebra::{Vector3, Vector6};

use super::TreeKinematics;
use crate::program::Motion;
use crate::rigid::Rigid;

/// Velocity of a frame: of its origin, and angular.
#[derive(Debug, Clone, Copy)]
pub(super) struct Velocity {
    pub(super) linear: Vector3<f64>,
    pub(super) angular: Vector3<f64>,
}

impl Velocity {
    /// Of a point fixed on the frame, `arm` from its origin.
    pub(super) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }
}

impl TreeKinematics {
    /// Twist of a link at a point on it (given in the link's frame, m) for joint velocities `qd`: linear velocity of the
    /// point, then angular velocity, in the root's axes; the base is at rest.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`], [`kinetic_core::KineticError::DimensionMismatch`] or
    /// [`kinetic_core::KineticError::NotFinite`].
    pub fn point_velocity(&self, q: &[f64], qd: &[f64], link: &str, point: &Vector3<f64>) -> Result<Vector6<f64>> {
        kinetic_core::error::check_finite("point", point.as_slice())?;
        let frames = self.placed(q)?;
        let velocities = self.frame_velocities(&frames, qd)?;
        let (carrier, frame_from_link) = self.program().link(self.link_index(link)?);
        let arm = frames[carrier].rotation * frame_from_link.point(point);
        let (linear, angular) = (velocities[carrier].at(&arm), velocities[carrier].angular);
        Ok(Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z))
    }

    /// Velocities of all frames, parents first.
    pub(super) fn frame_velocities(&self, frames: &[Rigid], qd: &[f64]) -> Result<Vec<Velocity>> {
        self.check("joint velocities", qd)?;
        let mut out = vec![Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() }; frames.len()];
        for (index, frame) in self.program().frames().iter().enumerate() {
            let (parent, pose) = (out[frame.parent], &frames[index + 1]);
            let own = pose.z_axis() * (frame.multiplier * qd[frame.variable]);
            let carried = parent.at(&(pose.translation - frames[frame.parent].translation));
            out[index + 1] = match frame.motion {
                Motion::Rotation => Velocity { linear: carried, angular: parent.angular + own },
                Motion::Translation => Velocity { linear: carried + own, angular: parent.angular },
            };
        }
        Ok(out)
    }
}
