//! Velocities of links and of points on them.

use kinetic_core::Result;
use kinetic_core::error::check_len;
use nalgebra::{Vector3, Vector6};

use super::TreeKinematics;
use crate::program::Motion;
use crate::rigid::Rigid;

/// Velocity of a frame in the root's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameVelocity {
    /// Of the frame's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

impl FrameVelocity {
    /// At rest.
    pub fn zero() -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros() }
    }

    /// Velocity of a point fixed on the frame, `arm` (in the root's axes, m) from its origin.
    #[inline]
    pub fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
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

    /// Buffer for the velocities of all frames.
    pub fn velocity_buffer(&self) -> Vec<FrameVelocity> {
        vec![FrameVelocity::zero(); self.program().num_frames()]
    }

    /// Velocities of all frames, the root's first, for joint velocities `qd` and a base at rest, without allocation.
    /// `frames` comes from [`place`](Self::place), `out` is a [`velocity_buffer`](Self::velocity_buffer).
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
    pub fn frame_velocities_into(&self, frames: &[Rigid], qd: &[f64], out: &mut [FrameVelocity]) -> Result<()> {
        self.check("joint velocities", qd)?;
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        check_len("velocity buffer", out.len(), frames.len())?;
        out[0] = FrameVelocity::zero();
        for (index, frame) in self.program().frames().iter().enumerate() {
            let (parent, pose) = (out[frame.parent], &frames[index + 1]);
            let own = pose.z_axis() * (frame.multiplier * qd[frame.variable]);
            let carried = parent.at(&(pose.translation - frames[frame.parent].translation));
            out[index + 1] = match frame.motion {
                Motion::Rotation => FrameVelocity { linear: carried, angular: parent.angular + own },
                Motion::Translation => FrameVelocity { linear: carried + own, angular: parent.angular },
            };
        }
        Ok(())
    }

    /// Velocities of the origins of all links, in the robot's order, from poses and velocities of the frames, without
    /// allocation; `out` holds one per link.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`].
    pub fn link_velocities_into(
        &self,
        frames: &[Rigid],
        velocities: &[FrameVelocity],
        out: &mut [FrameVelocity],
    ) -> Result<()> {
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        check_len("velocities of the frames", velocities.len(), frames.len())?;
        check_len("velocities of the links", out.len(), self.program().num_links())?;
        for (link, out) in out.iter_mut().enumerate() {
            let (carrier, frame_from_link) = self.program().link(link);
            let arm = frames[carrier].rotation * frame_from_link.translation;
            let FrameVelocity { angular, .. } = velocities[carrier];
            *out = FrameVelocity { linear: velocities[carrier].at(&arm), angular };
        }
        Ok(())
    }

    /// Velocities of all frames, parents first.
    pub(super) fn frame_velocities(&self, frames: &[Rigid], qd: &[f64]) -> Result<Vec<FrameVelocity>> {
        let mut out = self.velocity_buffer();
        self.frame_velocities_into(frames, qd, &mut out)?;
        Ok(out)
    }
}
