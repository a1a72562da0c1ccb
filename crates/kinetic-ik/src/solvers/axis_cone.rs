//! Axis cones: bounds on the angle between an axis of the tool and a direction.

use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Rigid;
use nalgebra::{Unit, Vector3};

/// A cone that an axis of the tool must stay in, for [`IKSolver::SQP`](super::IKSolver::SQP).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisCone {
    /// The axis, in the frame of the tool.
    pub tool_axis: Unit<Vector3<f64>>,
    /// The middle of the cone, in the base.
    pub base_axis: Unit<Vector3<f64>>,
    /// Largest angle between the two, rad.
    pub max_angle: f64,
}

/// The cosine of the angle is linearised; its slope vanishes at 0.
const SMALLEST_CONE_ANGLE_RAD: f64 = 1e-3;

impl AxisCone {
    /// Refuses angles of no use.
    pub(super) fn check(&self) -> Result<()> {
        if self.max_angle >= SMALLEST_CONE_ANGLE_RAD && self.max_angle <= std::f64::consts::PI {
            return Ok(());
        }
        Err(KineticError::invalid("max_angle of the tool axis", self.max_angle, "1e-3 to pi, rad"))
    }

    /// Angle that is missing to the inside of the cone, rad; 0 inside.
    pub fn excess(&self, base_from_tcp: &Rigid) -> f64 {
        let axis = base_from_tcp.rotation * self.tool_axis.into_inner();
        (axis.angle(&self.base_axis) - self.max_angle).max(0.0)
    }
}
