//! The motion straight to the target, which a servo makes by itself: one of the rollouts, and the way the last millimetres are
//! gone.

use std::sync::Arc;

use kinetic_core::Result;
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::{PlanningGroup, Robot};

use super::config::MpcConfig;
use super::model::JointModel;
use super::rollout_target::RolloutTarget;
use crate::differential_ik::{DifferentialIk, DifferentialIkOptions, SingularityDamping, TwistCommand, TwistFrame};
use crate::target::ServoTarget;

/// Kinematics of the tool in rollouts.
pub(super) struct StraightMotion {
    ik: DifferentialIk,
    group: PlanningGroup,
    /// All joints of the robot.
    full: Vec<f64>,
    /// `None` for a group without one tool.
    chain: Option<KinematicChain>,
    frames: Vec<Rigid>,
    gain: f64,
    rotation_weight: f64,
}

impl StraightMotion {
    pub(super) fn new(robot: &Arc<Robot>, group: &PlanningGroup, held: &[f64], config: &MpcConfig) -> Result<Self> {
        let options = DifferentialIkOptions {
            method: config.servo.method.clone(),
            period: config.step,
            damping: SingularityDamping {
                singular_value: config.servo.singularity_threshold,
                damping: config.servo.singularity_damping,
            },
            ..DifferentialIkOptions::default()
        };
        let mut straight = Self {
            ik: DifferentialIk::new(robot.clone(), Some(&group.name), options)?,
            group: group.clone(),
            full: Vec::new(),
            chain: None,
            frames: Vec::new(),
            // Of what is left, no step may take more than all.
            gain: config.servo.pose_tracking_gain.min(1.0 / config.step),
            rotation_weight: config.rotation_weight,
        };
        straight.hold(held);
        Ok(straight)
    }

    /// Takes over where a scene holds the joints outside the group.
    pub(super) fn hold(&mut self, held: &[f64]) {
        self.full.clear();
        self.full.extend_from_slice(held);
        self.chain = KinematicChain::from_group_held(self.ik.robot(), &self.group, &self.full).ok();
        self.frames = self.chain.as_ref().map_or_else(Vec::new, KinematicChain::frame_buffer);
    }

    /// How far `q` is from the target, as one number.
    pub(super) fn distance(&mut self, goal: &RolloutTarget, q: &[f64]) -> f64 {
        goal.distance(self.chain.as_ref(), q, &mut self.frames, self.rotation_weight)
    }

    /// Writes the velocities of the joints that lead straight to the target, all inside the limits.
    pub(super) fn velocities(
        &mut self,
        goal: &RolloutTarget,
        model: &JointModel,
        q: &[f64],
        out: &mut [f64],
    ) -> Result<()> {
        match (goal.target(), &self.chain) {
            (ServoTarget::Joints(wanted), _) => {
                for ((out, wanted), q) in out.iter_mut().zip(wanted).zip(q) {
                    *out = self.gain * (wanted - q);
                }
            }
            (ServoTarget::Pose(pose), Some(chain)) => {
                let twist = goal.twist(pose, &chain.tip_rigid(q, &mut self.frames), self.gain);
                for (value, variable) in q.iter().zip(&self.group.variables) {
                    self.full[*variable] = *value;
                }
                self.ik.twist(&self.full, &TwistCommand::new(twist, TwistFrame::Base), out)?;
            }
            (ServoTarget::Pose(_), None) => out.fill(0.0),
        }
        let parts = out.iter().enumerate().map(|(joint, velocity)| velocity.abs() / model.fastest(joint));
        let factor = parts.fold(1.0, f64::max);
        for velocity in out.iter_mut() {
            *velocity /= factor;
        }
        Ok(())
    }
}
