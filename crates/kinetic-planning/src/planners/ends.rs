//! Start and goals of a search, before its trees are planted.

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Result};

use crate::problem::Problem;
use crate::validity::Validity;

/// Drops goals that are not valid, given by their indices; an invalid start or no valid goal ends the search before it begins.
///
/// # Errors
/// [`KineticError::PlanningFailed`].
pub(super) fn check_ends(problem: &Problem<'_>, goals: &mut Vec<usize>, validity: &mut dyn Validity) -> Result<()> {
    let failed = |reason| Err(KineticError::PlanningFailed { reason });
    if !validity.is_valid(problem.start()) {
        return failed(reason::PlanningFailed::InvalidStart);
    }
    goals.retain(|goal| validity.is_valid(&problem.goals()[*goal]));
    match (goals.len(), problem.goals().len()) {
        (0, 1) => failed(reason::PlanningFailed::InvalidGoal),
        (0, goals) => failed(reason::PlanningFailed::InvalidGoals { goals }),
        _ => Ok(()),
    }
}
