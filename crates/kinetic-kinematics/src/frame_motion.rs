//! Motion of frames without joint accelerations: velocities, and the bias accelerations `J̇ q̇`.
//!
//! The forward recursion of the recursive Newton–Euler algorithm (Luh, Walker, Paul 1980) with `q̈ = 0`: the acceleration of a
//! point is `J q̈ + J̇ q̇`, so that what is left without joint accelerations is the bias `J̇ q̇`. One pass over the frames gives
//! it for every point of the robot, where the matrix `J̇` would have to be made for each.

use nalgebra::Vector3;

use crate::program::{JointProgram, Motion};
use crate::rigid::Rigid;

/// Velocity and bias acceleration of a frame, in the root's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameMotion {
    /// Velocity of the frame's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
    /// Acceleration of the frame's origin without joint accelerations, m/s².
    pub linear_bias: Vector3<f64>,
    /// Angular acceleration without joint accelerations, rad/s².
    pub angular_bias: Vector3<f64>,
}

impl FrameMotion {
    /// At rest.
    pub fn zero() -> Self {
        let zero = Vector3::zeros();
        Self { linear: zero, angular: zero, linear_bias: zero, angular_bias: zero }
    }

    /// Velocity of a point that is fixed on the frame, `arm` (in the root's axes, m) from its origin.
    #[inline]
    pub fn velocity_at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }

    /// Bias acceleration of such a point: `J̇ q̇` with the Jacobian of the point.
    #[inline]
    pub fn bias_at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear_bias + self.angular_bias.cross(arm) + self.angular.cross(&self.angular.cross(arm))
    }
}

impl JointProgram {
    /// Buffer for the motions of all frames.
    pub fn motion_buffer(&self) -> Vec<FrameMotion> {
        vec![FrameMotion::zero(); self.num_frames()]
    }

    /// Motions of all frames, the root's first, for joint velocities `qd` and a root at rest. `frames` are the poses that
    /// [`frames_into`](Self::frames_into) wrote; both buffers hold [`num_frames`](Self::num_frames).
    pub fn motions_into(&self, frames: &[Rigid], qd: &[f64], out: &mut [FrameMotion]) {
        out[0] = FrameMotion::zero();
        for (index, frame) in self.frames().iter().enumerate() {
            let (parent, pose) = (out[frame.parent], &frames[index + 1]);
            let arm = pose.translation - frames[frame.parent].translation;
            let own = pose.z_axis() * (frame.multiplier * qd[frame.variable]);
            let turning = parent.angular.cross(&own);
            let (linear, linear_bias) = (parent.velocity_at(&arm), parent.bias_at(&arm));
            out[index + 1] = match frame.motion {
                Motion::Rotation => FrameMotion {
                    linear,
                    linear_bias,
                    angular: parent.angular + own,
                    angular_bias: parent.angular_bias + turning,
                },
                // The sliding direction turns, and the point slides to where the parent is faster: the two terms of Coriolis.
                Motion::Translation => FrameMotion {
                    linear: linear + own,
                    linear_bias: linear_bias + 2.0 * turning,
                    angular: parent.angular,
                    angular_bias: parent.angular_bias,
                },
            };
        }
    }
}
