//! How an execution went.

use crate::jitter::JitterHistogram;
use crate::privileges::RealTimePrivileges;

/// What an execution is doing, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionState {
    /// It follows the trajectory.
    Running,
    /// It slows down to a pause, or holds still in one.
    Paused,
    /// It slows down to its end.
    Stopping,
    /// It has reached the end of the trajectory.
    Completed,
    /// It was stopped before that, as asked.
    Stopped,
    /// It has ended with an error.
    Aborted,
}

impl ExecutionState {
    /// Its name for tables and for Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Paused => "Paused",
            Self::Stopping => "Stopping",
            Self::Completed => "Completed",
            Self::Stopped => "Stopped",
            Self::Aborted => "Aborted",
        }
    }

    /// True when nothing more happens.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Aborted)
    }
}

/// How to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StopMode {
    /// Along the path, as early as the limits of acceleration allow; jerk is not bounded (a pause bounds it). On the way to a trajectory that was spliced in, which is no path that was
    /// checked, as [`Jerk`](Self::Jerk).
    #[default]
    Path,
    /// Each joint for itself, as fast as limits of acceleration and jerk allow; it leaves the path.
    Jerk,
    /// At once: the velocity steps to zero, outside all limits.
    Hard,
}

/// A stop that was carried out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopReport {
    /// How it stopped.
    pub mode: StopMode,
    /// Seconds from the start of the execution to the first command of the stop.
    pub began: f64,
    /// True when the commands of the stop hold the limits of velocity and acceleration: of all stops but hard ones. That of jerk
    /// is held by [`Jerk`](StopMode::Jerk) stops alone.
    pub within_limits: bool,
}

/// How an execution went.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionResult {
    /// How it ended.
    pub state: ExecutionState,
    /// Seconds from the first command to the last.
    pub actual_duration: f64,
    /// Duration of the trajectory, s; after a splice, of all that was to be carried out.
    pub expected_duration: f64,
    /// Largest distance of a measured from the commanded position, rad or m; `None` without feedback.
    pub max_deviation: Option<f64>,
    /// Number of commands.
    pub commands_sent: u64,
    /// The last command, rad or m.
    pub final_positions: Vec<f64>,
    /// Number of cycles that were left out because the one before took too long.
    pub missed_cycles: u64,
    /// How late commands were begun.
    pub jitter: JitterHistogram,
    /// What the operating system has granted the thread.
    pub realtime: RealTimePrivileges,
    /// True when all that was carried out has a certificate.
    pub verified: bool,
    /// The stop, when there was one.
    pub stop: Option<StopReport>,
}
