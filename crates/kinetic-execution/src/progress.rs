//! What is told while an execution runs.

use std::sync::Arc;

use crate::result::ExecutionState;

/// Where an execution is, after a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// Seconds since the start.
    pub elapsed: f64,
    /// Part of the trajectory that is done, 0 to 1; of the one that was spliced in, after a splice.
    pub fraction: f64,
    /// Number of trajectories that were spliced in so far.
    pub splices: usize,
    /// What is going on.
    pub state: ExecutionState,
    /// The last command, rad or m.
    pub positions: &'a [f64],
}

/// Is called after every command, by the thread that sends them: it has to be quick.
pub(crate) type Listener = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;
