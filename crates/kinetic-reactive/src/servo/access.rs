//! What other parts of this crate need to know of a servo.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pose, Result, TimedTrajectory, Twist};
use kinetic_robot::PlanningGroup;
use kinetic_scene::{LiveScene, Margins};
use kinetic_trajectory::state::AxisLimits;

use super::Servo;
use super::guard::slack;
use super::state::is_at_rest;
use crate::differential_ik::{TwistCommand, TwistFrame};
use crate::target::ServoTarget;

/// What looks ahead stays this far above the stop distance, m, where proofs of stops fail by their resolution.
pub(crate) const ROOM_FOR_PROOFS_M: f64 = 1e-3;

/// Part of the velocity limits with which an arm leaves what it is too close to.
const ESCAPE_PART: f64 = 0.2;

impl Servo {
    /// Limits of the joints.
    pub(crate) fn axis_limits(&self) -> &[AxisLimits] {
        self.motions.limits()
    }

    /// Ranges of the positions.
    pub(crate) fn position_ranges(&self) -> &[[f64; 2]] {
        self.motions.position_ranges()
    }

    /// The planning group.
    pub(crate) fn group(&self) -> &PlanningGroup {
        self.tool.group()
    }

    /// The scene.
    pub(crate) fn scene(&self) -> &LiveScene {
        self.guard.scene()
    }

    /// Values of the joints outside the group.
    pub(crate) fn held(&self) -> &[f64] {
        self.guard.held()
    }

    /// Distances that stops keep where the scene states none.
    pub(crate) fn stop_margins(&self) -> Margins {
        self.guard.stop_margins()
    }

    /// Writes velocities with which the pairs that have at most `slack_m` above their stop distance come farther apart, as they were
    /// where the last tick began; false when there are none.
    pub(crate) fn write_escape(&self, slack_m: f64, velocities: &mut [f64]) -> bool {
        velocities.fill(0.0);
        let mut is_needed = false;
        for (_, gradient) in self.guard.near().filter(|(pair, _)| slack(pair) <= slack_m) {
            let norm = gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            if norm > 0.0 {
                is_needed = true;
                velocities.iter_mut().zip(gradient).for_each(|(velocity, slope)| *velocity += slope / norm);
            }
        }
        for (velocity, limits) in velocities.iter_mut().zip(self.motions.limits()) {
            *velocity *= ESCAPE_PART * limits.velocity[1];
        }
        is_needed
    }

    /// Whether the arm is on an escape from a singularity.
    pub(crate) fn is_leaving_singularity(&self) -> bool {
        self.tool.is_leaving_singularity()
    }

    /// Whether no joint moves.
    pub(crate) fn is_standing(&self) -> bool {
        is_at_rest(&self.output.state)
    }

    /// Whether a state was set.
    pub(crate) fn is_placed(&self) -> bool {
        self.is_placed
    }

    /// Refuses a target that is no number, of the wrong length or outside limits, and a pose for a group without one tool.
    pub(crate) fn check_target(&mut self, target: &ServoTarget) -> Result<()> {
        match target {
            ServoTarget::Pose(pose) => self.check_pose(pose),
            ServoTarget::Joints(positions) => self.check_positions(positions),
        }
    }

    fn check_pose(&mut self, base_from_tool: &Pose) -> Result<()> {
        base_from_tool.check_finite("target pose")?;
        let all = TwistCommand::new(Twist::default(), TwistFrame::Base);
        self.tool.check(&self.output.state.positions, &all)
    }

    /// Refuses a trajectory of another number of joints, or of joints with other names.
    pub(super) fn check_trajectory(&self, trajectory: &TimedTrajectory) -> Result<()> {
        check_len("trajectory", trajectory.dof(), self.dof())?;
        let own: Vec<&str> =
            self.group().joints.iter().map(|joint| self.robot().joints[*joint].name.as_str()).collect();
        let given = trajectory.joint_names();
        if given.is_empty() || given == own {
            return Ok(());
        }
        Err(KineticError::invalid("joints of the trajectory", given.join(", "), own.join(", ")))
    }

    fn check_positions(&self, positions: &[f64]) -> Result<()> {
        check_len("target", positions.len(), self.dof())?;
        check_finite("target", positions)?;
        for (joint, ([min, max], value)) in self.position_ranges().iter().zip(positions).enumerate() {
            if !(*min..=*max).contains(value) {
                let name = self.robot().joints[self.group().joints[joint]].name.clone();
                return Err(KineticError::JointLimitViolation { name, value: *value, min: *min, max: *max });
            }
        }
        Ok(())
    }
}
