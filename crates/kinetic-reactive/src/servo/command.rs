//! What an arm is commanded to do, until the next command.

use kinetic_trajectory::MotionState;

/// The last command, and how many ticks ago it came.
#[derive(Debug, Clone)]
pub(super) struct LastCommand {
    pub(super) kind: CommandKind,
    /// Velocities of each joint.
    pub(super) velocities: Vec<f64>,
    /// Positions to follow, and velocities there.
    pub(super) target: MotionState,
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
}

impl LastCommand {
    pub(super) fn new(dof: usize) -> Self {
        let target = MotionState::at_rest(&vec![0.0; dof]);
        Self { kind: CommandKind::Stand, velocities: vec![0.0; dof], target, age: 0 }
    }

    pub(super) fn begin(&mut self, kind: CommandKind) {
        (self.kind, self.age) = (kind, 0);
    }
}
