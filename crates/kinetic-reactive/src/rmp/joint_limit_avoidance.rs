//! Joint limit avoidance: a barrier before each end of the range of a joint.
//!
//! The limits themselves hold in any case (`acceleration_bounds`). This policy makes joints slow down before them and, where
//! nothing else decides, move away.

use kinetic_core::Result;

use super::barrier::{Barrier, Wanted};
use super::motion_policy::{MotionPolicy, MotionState};
use super::task_space::TaskSpaces;

/// Keeps joints a margin away from their limits.
#[derive(Debug)]
pub(super) struct JointLimitAvoidance {
    /// rad or m.
    pub(super) margin: f64,
    pub(super) gain: f64,
}

impl JointLimitAvoidance {
    fn barrier(&self) -> Barrier {
        Barrier {
            gain: self.gain,
            influence: self.margin,
            gate_speed: 0.1,
            nearest: 0.2 * self.margin,
            metric: 0.05,
            rest_metric: 1e-4,
        }
    }
}

impl MotionPolicy for JointLimitAvoidance {
    fn name(&self) -> &'static str {
        "joint_limit_avoidance"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        let barrier = self.barrier();
        for (joint, bounds) in state.bounds.iter().enumerate() {
            let (q, qd) = (state.q[joint], state.qd[joint]);
            if let Some(Wanted { metric, acceleration }) =
                barrier.wanted((q - bounds.lower, qd), bounds.acceleration, state.dt)
            {
                tasks.add_joint(joint, metric, acceleration);
            }
            if let Some(Wanted { metric, acceleration }) =
                barrier.wanted((bounds.upper - q, -qd), bounds.acceleration, state.dt)
            {
                tasks.add_joint(joint, metric, -acceleration);
            }
        }
        Ok(())
    }
}
