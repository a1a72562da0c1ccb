//! Damping: a policy against the velocities of the joints.

use kinetic_core::Result;

use super::motion_policy::{MotionPolicy, MotionState};
use super::task_space::TaskSpaces;

/// Metric per joint, m²/rad² as the metrics of tools and distances pulled back: low, so that it decides where no other policy does.
const METRIC: f64 = 0.01;

/// `q̈ = −coefficient · q̇` in the space of the joints.
#[derive(Debug)]
pub(super) struct Damping {
    pub(super) coefficient: f64,
}

impl MotionPolicy for Damping {
    fn name(&self) -> &'static str {
        "damping"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        for (joint, velocity) in state.qd.iter().enumerate() {
            tasks.add_joint(joint, METRIC, -self.coefficient * velocity);
        }
        Ok(())
    }
}
