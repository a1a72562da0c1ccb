//! Options of the loop.

use kinetic_core::{KineticError, Result};
use kinetic_trajectory::time_law;

/// When the robot leaves a motion that has become blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplanStrategy {
    /// It begins to stop at once, and a new motion is planned when it stands.
    #[default]
    Immediate,
    /// It goes on as long as a stop on the path still ends before the contact. What has left the way by then changes nothing.
    Deferred,
    /// As deferred; meanwhile a new motion is planned that the robot can leave for without a stop. Where one is found whose
    /// connection with the running motion is proven, in time for the declared latency, it is spliced in.
    Splice,
}

impl ReplanStrategy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Immediate, Self::Deferred, Self::Splice];

    /// Its name in every language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Deferred => "deferred",
            Self::Splice => "splice",
        }
    }
}

/// What is done when no motion is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecoveryStrategy {
    /// The error of the planner is the answer; the robot stands.
    #[default]
    Abort,
    /// The robot holds its position until the scene changes, and plans again then.
    Hold,
    /// The planner tries once more with another seed and four times the time and iterations. Margins and limits stay.
    RelaxedRetry,
}

impl RecoveryStrategy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Abort, Self::Hold, Self::RelaxedRetry];

    /// Its name in every language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abort => "abort",
            Self::Hold => "hold",
            Self::RelaxedRetry => "relaxed_retry",
        }
    }
}

/// How the loop plans, replans and recovers.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanExecuteConfig {
    /// Name of the time law.
    pub time_law: String,
    /// New motions that may follow the first one, spliced in or after a stop.
    pub max_replans: usize,
    /// When a blocked motion is left.
    pub replan: ReplanStrategy,
    /// What is done when no motion is found.
    pub recovery: RecoveryStrategy,
    /// Seconds from a change of the scene to the first command of a stop, at most: what the check of the remaining motion takes,
    /// and a cycle of the driver; with [`Splice`](ReplanStrategy::Splice), what planning and proving the new motion take as well.
    /// Deferred stops begin earlier by this.
    pub latency: f64,
    /// Seconds in which the goal has to be reached, planning, holding and moving together.
    pub timeout: f64,
}

impl Default for PlanExecuteConfig {
    fn default() -> Self {
        Self {
            time_law: crate::DEFAULT_TIME_LAW.to_owned(),
            max_replans: 5,
            replan: ReplanStrategy::default(),
            recovery: RecoveryStrategy::default(),
            latency: 0.05,
            timeout: f64::INFINITY,
        }
    }
}

impl PlanExecuteConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field, [`KineticError::UnknownName`] for a time law that there is not.
    pub fn check(&self) -> Result<()> {
        time_law(&self.time_law)?;
        if !(self.latency >= 0.0 && self.latency.is_finite()) {
            return Err(KineticError::invalid("latency", self.latency, "a finite time of at least 0"));
        }
        if !(self.timeout > 0.0) {
            return Err(KineticError::invalid("timeout", self.timeout, "a positive time"));
        }
        Ok(())
    }
}
