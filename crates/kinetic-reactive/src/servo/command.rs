//! What an arm is commanded to do, until the next command.

use kinetic_core::{Pose, Twist};
use kinetic_trajectory::MotionState;
use kinetic_trajectory::state::AxisLimits;

use crate::chunks::{ChunkStream, JointChunk, ToolChunk, ToolTarget};
use crate::differential_ik::{TwistCommand, TwistFrame};

/// In this time, s, the acceleration of positions that are followed is expected to fade to 1 / e.
const FADING_TIME_S: f64 = 0.1;

/// The last command, and how many ticks ago it came.
#[derive(Debug)]
pub(super) struct LastCommand {
    pub(super) kind: CommandKind,
    /// Velocities of each joint.
    pub(super) velocities: Vec<f64>,
    /// Positions to follow, and velocities there.
    pub(super) target: MotionState,
    /// Velocity of the tool, and where it is to get.
    pub(super) twist: TwistCommand<'static>,
    pub(super) pose: Pose,
    /// Chunks, of the kind that the last command had.
    pub(super) joint_chunks: ChunkStream<JointChunk>,
    pub(super) tool_chunks: ChunkStream<ToolChunk>,
    /// Where a stop from the end of the last chunk leads.
    pub(super) rest: MotionState,
    /// Buffers for what chunks want.
    pub(super) wanted: [MotionState; 2],
    pub(super) wanted_of_tool: [ToolTarget; 2],
    pub(super) age: u64,
}

/// What of the last command is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandKind {
    /// To stand.
    Stand,
    /// Velocities of each joint.
    JointJog,
    /// Positions of each joint, and how they go on.
    JointTracking,
    /// A timed trajectory.
    Trajectory,
    /// A velocity of the tool.
    Twist,
    /// A pose of the tool.
    PoseTracking,
    /// Chunks of joint positions.
    JointChunks,
    /// Chunks of tool poses.
    ToolChunks,
}

impl LastCommand {
    pub(super) fn new(dof: usize, blend_time: f64) -> Self {
        let still = MotionState::at_rest(&vec![0.0; dof]);
        Self {
            kind: CommandKind::Stand,
            velocities: vec![0.0; dof],
            target: still.clone(),
            twist: TwistCommand::new(Twist::default(), TwistFrame::Base),
            pose: Pose::identity(),
            joint_chunks: ChunkStream::new(blend_time),
            tool_chunks: ChunkStream::new(blend_time),
            rest: still.clone(),
            wanted: [still.clone(), still],
            wanted_of_tool: [ToolTarget::default(); 2],
            age: 0,
        }
    }

    pub(super) fn begin(&mut self, kind: CommandKind) {
        if kind != CommandKind::JointChunks {
            self.joint_chunks.clear();
        }
        if kind != CommandKind::ToolChunks {
            self.tool_chunks.clear();
        }
        (self.kind, self.age) = (kind, 0);
    }

    /// Takes positions to follow, and velocities there. Their acceleration is how fast the velocities have changed since the
    /// positions before came, `period` seconds per tick; a change that is faster than the limits says nothing of what comes.
    pub(super) fn track(&mut self, positions: &[f64], velocities: &[f64], period: f64, limits: &[AxisLimits]) {
        let since = if self.kind == CommandKind::JointTracking { self.age as f64 * period } else { f64::INFINITY };
        let MotionState { positions: own, velocities: before, accelerations } = &mut self.target;
        own.copy_from_slice(positions);
        for (joint, velocity) in velocities.iter().enumerate() {
            if since > 0.0 {
                let [lowest, highest] = limits[joint].acceleration;
                let change = (velocity - before[joint]) / since;
                accelerations[joint] = if (lowest..=highest).contains(&change) { change } else { 0.0 };
            }
            before[joint] = *velocity;
        }
        self.begin(CommandKind::JointTracking);
    }

    /// Where the positions that are followed are `after` seconds from when they were to be met: their acceleration fades (Singer 1970,
    /// *Estimating Optimal Tracking Filter Performance for Manned Maneuvering Targets*).
    pub(super) fn write_tracked(&self, positions: &[f64], after: f64, state: &mut MotionState) {
        let faded = (-after / FADING_TIME_S).exp();
        let moved = FADING_TIME_S * (1.0 - faded);
        let MotionState { velocities, accelerations, .. } = &self.target;
        for (joint, (velocity, acceleration)) in velocities.iter().zip(accelerations).enumerate() {
            state.positions[joint] =
                positions[joint] + after * velocity + acceleration * FADING_TIME_S * (after - moved);
            state.velocities[joint] = velocity + acceleration * moved;
            state.accelerations[joint] = acceleration * faded;
        }
    }

    /// First and last time of the chunks that are followed, s; `None` without any.
    pub(super) fn chunk_span(&self) -> Option<[f64; 2]> {
        match self.kind {
            CommandKind::JointChunks => self.joint_chunks.span(),
            CommandKind::ToolChunks => self.tool_chunks.span(),
            _ => None,
        }
    }
}
