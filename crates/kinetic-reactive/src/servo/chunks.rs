//! Commands that are chunks of targets ahead.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result, Twist};

use super::Servo;
use super::command::{CommandKind, LastCommand};
use super::output::ServoStatus;
use super::state::copy_state;
use crate::chunks::{JointChunk, ToolChunk};
use crate::differential_ik::{TwistCommand, TwistFrame};

impl Servo {
    /// Time of the servo, s: its ticks since it was made, times the period. Chunks are in this time.
    pub fn time(&self) -> f64 {
        self.num_ticks as f64 * self.config.period()
    }

    /// Commands a chunk of joint positions: `positions[i]` at `times[i]`, and a natural cubic spline between.
    ///
    /// A chunk that comes while another one is followed takes over at its first time, or now if that is past, along a blend of
    /// [`blend_time`](super::ServoConfig::blend_time) seconds. After the last time the arm stops. Where the limits do not allow to
    /// be where the chunk wants, the arm catches up with it; [`joint_deviations`](super::ServoOutput::joint_deviations) says how far
    /// it is from it.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`], [`kinetic_core::KineticError::NotFinite`];
    /// [`kinetic_core::KineticError::InvalidValue`] for no positions, times that do not grow, and a chunk whose last time is past.
    /// The last command then goes on.
    pub fn stream_joints(&mut self, positions: &[Vec<f64>], times: &[f64]) -> Result<()> {
        for (index, row) in positions.iter().enumerate() {
            check_len(&format!("chunk positions {index}"), row.len(), self.dof())?;
        }
        let chunk = JointChunk::new(positions, times)?;
        let now = self.time();
        let Self { command, motions, .. } = self;
        command.joint_chunks.push(chunk, now)?;
        let LastCommand { joint_chunks, wanted: [end, buffer], rest, .. } = &mut *command;
        if let Some([_, last]) = joint_chunks.span() {
            joint_chunks.sample(last, end, buffer);
            motions.rest_after(end, rest)?;
        }
        command.begin(CommandKind::JointChunks);
        Ok(())
    }

    /// Commands a chunk of tool poses, `base_from_tool`: `poses[i]` at `times[i]`, and natural cubic splines of position and rotation
    /// vector between. Otherwise as [`stream_joints`](Self::stream_joints); after the last time the last pose is approached until
    /// [`command_timeout`](super::ServoConfig::command_timeout).
    ///
    /// # Errors
    /// As [`stream_joints`](Self::stream_joints), and [`kinetic_core::KineticError::ChainExtraction`] for a group without one tool.
    pub fn stream_poses(&mut self, base_from_tool: &[Pose], times: &[f64]) -> Result<()> {
        let all = TwistCommand::new(Twist::default(), TwistFrame::Base);
        self.tool.check(&self.output.state.positions, &all)?;
        let chunk = ToolChunk::new(base_from_tool, times)?;
        self.command.tool_chunks.push(chunk, self.time())?;
        self.command.begin(CommandKind::ToolChunks);
        Ok(())
    }

    /// Plans towards what chunks of joint positions want.
    pub(super) fn want_joint_chunk(&mut self) -> Result<()> {
        let now = self.time();
        let Self { motions, command, output, .. } = self;
        let LastCommand { joint_chunks, wanted: [_, buffer], rest, .. } = command;
        let [_, end] = joint_chunks.span().unwrap_or_default();
        let approach = motions.plan_pursuit(&output.state, |after, wanted| {
            if now + after > end {
                copy_state(rest, wanted);
            } else {
                joint_chunks.sample(now + after, wanted, buffer);
            }
        })?;
        motions.want_planned();
        self.kept_by = if now > end {
            Some(ServoStatus::NoCommand)
        } else if approach.is_beyond {
            Some(ServoStatus::JointBound)
        } else {
            approach.is_late.then_some(ServoStatus::DecelerateForLimits)
        };
        Ok(())
    }

    /// Wants the velocity of the tool that chunks of poses have, and to make up for where it is.
    pub(super) fn want_tool_chunk(&mut self) -> Result<()> {
        let (now, period) = (self.time(), self.config.period());
        let Self { tool, command, output, config, .. } = self;
        let LastCommand { tool_chunks, wanted_of_tool: [wanted, buffer], .. } = command;
        let [_, end] = tool_chunks.span().unwrap_or_default();
        tool_chunks.sample((now + period).min(end), wanted, buffer);
        if now + period > end {
            wanted.twist = Twist::default();
        }
        // One period of the motion is still to come.
        let missing = tool.towards(&output.state.positions, &wanted.pose, 1.0);
        let gain = config.pose_tracking_gain;
        let correct =
            |missing: nalgebra::Vector3<f64>, rate: nalgebra::Vector3<f64>| rate + gain * (missing - period * rate);
        let twist =
            Twist::new(correct(missing.linear, wanted.twist.linear), correct(missing.angular, wanted.twist.angular));
        self.want_twist(TwistCommand::new(twist, TwistFrame::Base))?;
        if now > end {
            self.kept_by = Some(ServoStatus::NoCommand);
        }
        Ok(())
    }

    /// Says how far the arm is from what chunks want now, and from a trajectory.
    pub(super) fn measure_deviation(&mut self, kind: CommandKind) {
        let now = self.time();
        let Self { tool, command, trajectory, output, .. } = self;
        output.joint_deviations.fill(0.0);
        output.tool_deviation = [0.0; 2];
        let end = command.chunk_span().map_or(now, |[_, end]| end);
        match kind {
            CommandKind::JointChunks => {
                let LastCommand { joint_chunks, wanted: [wanted, buffer], .. } = command;
                joint_chunks.sample(now.min(end), wanted, buffer);
                let pairs = wanted.positions.iter().zip(&output.state.positions);
                output.joint_deviations.iter_mut().zip(pairs).for_each(|(own, (wanted, is))| *own = wanted - is);
            }
            CommandKind::Trajectory => {
                let pairs = trajectory.here().positions.iter().zip(&output.state.positions);
                output.joint_deviations.iter_mut().zip(pairs).for_each(|(own, (wanted, is))| *own = wanted - is);
            }
            CommandKind::ToolChunks => {
                let LastCommand { tool_chunks, wanted_of_tool: [wanted, buffer], .. } = command;
                tool_chunks.sample(now.min(end), wanted, buffer);
                let missing = tool.towards(&output.state.positions, &wanted.pose, 1.0);
                output.tool_deviation = [missing.linear.norm(), missing.angular.norm()];
            }
            _ => {}
        }
    }
}
