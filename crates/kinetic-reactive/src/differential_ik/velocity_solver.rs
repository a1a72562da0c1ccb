//! The trait of solvers of velocity problems.

use std::fmt::Debug;

use kinetic_core::Result;

use super::velocity_problem::{VelocityOutcome, VelocityProblem};

/// A solver of velocity problems of one size. After it is made it allocates nothing.
pub trait VelocitySolver: Debug + Send {
    /// Writes joint velocities (one per joint) that keep the bounds of all joints exactly.
    ///
    /// What gives way first is the task, then soft rows; hard rows and bounds never do. Where hard rows contradict the
    /// bounds, the joints stand still as far as their bounds allow, and the outcome names a row.
    ///
    /// # Errors
    /// Those of [`VelocityProblem::check`].
    fn solve(&mut self, problem: &VelocityProblem<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome>;

    /// Forgets what was kept from earlier problems. It changes no answer by more than rounding.
    fn reset(&mut self);
}
