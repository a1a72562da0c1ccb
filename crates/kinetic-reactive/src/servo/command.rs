//! What an arm is commanded to do, until the next command.

use kinetic_core::{Pose, Twist};
use kinetic_trajectory::MotionState;

use crate::differential_ik::{TwistCommand, TwistFrame};

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
    pub(super) age: u64,
}

/// What of the last command is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandKind {
    /// To stand.
    Stand,
    /// Velocities of each joint.
    JointJog,
    /// Positions of each joint.
    JointTracking,
    /// A velocity of the tool.
    Twist,
    /// A pose of the tool.
    PoseTracking,
}

impl LastCommand {
    pub(super) fn new(dof: usize) -> Self {
        let twist = TwistCommand::new(Twist::default(), TwistFrame::Base);
        let target = MotionState::at_rest(&vec![0.0; dof]);
        Self { kind: CommandKind::Stand, velocities: vec![0.0; dof], target, twist, pose: Pose::identity(), age: 0 }
    }

    pub(super) fn begin(&mut self, kind: CommandKind) {
        (self.kind, self.age) = (kind, 0);
    }
}
