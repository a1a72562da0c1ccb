//! Forces and torques that act on links from outside.

use kinetic_core::Wrench;
use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use nalgebra::Vector3;

use crate::body::Body;
use crate::model::DynamicsModel;
use crate::state::State;
use crate::turn::{up, with_turn};
use crate::vectors::sub;

/// The axes that a wrench is expressed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WrenchAxes {
    /// Those of the link that it acts on.
    #[default]
    Link,
    /// Those of the robot's root link.
    Root,
}

/// A wrench that the surroundings exert on a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExternalWrench {
    /// Index of the link in the robot.
    pub link: usize,
    /// Force, N, and torque about the origin of the link, Nm.
    pub wrench: Wrench,
    /// The axes of both.
    pub axes: WrenchAxes,
}

impl ExternalWrench {
    /// A force at a point of a link, all in the link's frame.
    pub fn at_point(link: usize, force: Vector3<f64>, point: &Vector3<f64>) -> Self {
        Self { link, wrench: Wrench::new(force, point.cross(&force)), axes: WrenchAxes::Link }
    }
}

impl DynamicsModel {
    /// A wrench on a link by its name, in the link's axes, for [`ExternalWrench`].
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`].
    pub fn external(&self, link: &str, wrench: Wrench) -> Result<ExternalWrench> {
        Ok(ExternalWrench { link: self.tree().link_index(link)?, wrench, axes: WrenchAxes::Link })
    }

    pub(crate) fn check_external(&self, external: &[ExternalWrench]) -> Result<()> {
        for given in external {
            if given.link >= self.program().num_links() {
                let wanted = format!("below {}", self.program().num_links());
                return Err(KineticError::invalid("link of an external wrench", given.link, wanted));
            }
            check_finite("external wrench", &given.wrench.to_array())?;
        }
        Ok(())
    }

    /// Takes external wrenches from the forces that the bodies need. Wrenches on links that do not move meet no joint.
    pub(crate) fn relieve(&self, external: &[ExternalWrench], states: &mut [State<f64>]) {
        for ExternalWrench { link, wrench, axes } in external {
            let (frame, frame_from_link) = self.program().link(*link);
            if frame == 0 {
                continue;
            }
            let body_from_frame = self.frame_from_body(frame).transpose();
            let body_from_axes = match axes {
                WrenchAxes::Link => body_from_frame * frame_from_link.rotation,
                WrenchAxes::Root => {
                    nalgebra::Matrix3::from(axes_in_root(self.bodies(), states, frame)).transpose()
                        * self.frame_from_body(0).transpose()
                }
            };
            let arm = body_from_frame * frame_from_link.translation;
            let force = body_from_axes * wrench.force;
            let torque = body_from_axes * wrench.torque + arm.cross(&force);
            let state = &mut states[frame];
            state.force = sub(&state.force, &force.into());
            state.torque = sub(&state.torque, &torque.into());
        }
    }
}

/// Columns: the axes of a body in the root body.
fn axes_in_root(bodies: &[Body], states: &[State<f64>], body: usize) -> [[f64; 3]; 3] {
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut current = body;
    while current != 0 {
        let carrier = &bodies[current - 1];
        axes = axes.map(|axis| with_turn!(carrier.turn, turn => up(turn, &states[current].own, &axis)));
        current = carrier.parent;
    }
    axes
}
