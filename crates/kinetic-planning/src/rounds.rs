//! The search, in rounds while more goals can be had.
//!
//! A region holds infinitely many goals. The search begins with those of a few of its poses and a small budget; when
//! that is used up, it begins anew with more of both. Budgets grow fourfold, so that all rounds but the last together
//! cost a third of it, whichever planner runs and whatever it keeps from one round to the next. Rounds are counted in
//! iterations: the same seed and the same budget of iterations give the same rounds.

use kinetic_core::{Control, KineticError, Result};

use crate::algorithm::{Algorithm, Plan};
use crate::goal_set::{GoalSet, Surroundings};
use crate::problem::Problem;
use crate::scene_validity::SceneValidity;
use crate::space::Space;

/// Poses taken from each region before the first round; as many again, doubled each time, before every other.
pub(crate) const FIRST_POSES: u64 = 8;

/// Iterations of the first round.
const FIRST_ITERATIONS: u64 = 1_000;

/// Growth of the budget from round to round.
const GROWTH: u64 = 4;

/// A planner with its budget.
pub(crate) struct Rounds<'a> {
    pub(crate) algorithm: &'a mut dyn Algorithm,
    /// Whether it goes on after the first path.
    pub(crate) is_anytime: bool,
    pub(crate) control: &'a Control,
}

impl Rounds<'_> {
    /// Searches; with regions among the goals, in rounds. An anytime planner uses up the budget, and `improved` hears of
    /// every path shorter than all before.
    ///
    /// # Errors
    /// Those of the planner before the first path, with the iterations of all rounds.
    pub(crate) fn run(
        &mut self,
        space: &Space,
        around: &Surroundings<'_>,
        goals: &mut GoalSet<'_>,
        validity: &mut SceneValidity<'_>,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<Plan> {
        let control = self.control;
        let mut best: Option<Plan> = None;
        // Iterations that were used, and those that the rounds so far were allowed.
        let (mut used, mut allowed) = (0_u64, 0_u64);
        let mut budget = if goals.can_grow() { FIRST_ITERATIONS } else { u64::MAX };
        let mut poses = FIRST_POSES;
        loop {
            let problem = Problem::new(space, around.start, goals.configurations(), around.reach.seed)?;
            let round = control.with_max_iterations(control.max_iterations().saturating_sub(allowed).min(budget));
            let mut hear = |plan: &Plan| {
                if is_shorter(space, plan, best.as_ref()) {
                    improved(plan);
                }
            };
            match self.algorithm.improve(&problem, validity, &round, &mut hear) {
                Ok(plan) => {
                    used += plan.iterations;
                    if is_shorter(space, &plan, best.as_ref()) {
                        best = Some(plan);
                    }
                    if !(self.is_anytime && goals.can_grow()) {
                        break;
                    }
                }
                Err(KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. }) => {
                    used += iterations;
                }
                Err(other) => return Err(other),
            }
            allowed = allowed.saturating_add(budget);
            if control.is_over(allowed) || !grows(goals.grow(around, validity.checker(), poses, control), control)? {
                break;
            }
            (budget, poses) = (budget.saturating_mul(GROWTH), poses.saturating_mul(2));
        }
        best.map(|plan| Plan { iterations: used, ..plan }).ok_or_else(|| control.error(used))
    }
}

/// Whether the goals grew; false when the budget ended meanwhile.
fn grows(outcome: Result<()>, control: &Control) -> Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(_) if control.is_over(0) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a plan is shorter than the best one so far.
fn is_shorter(space: &Space, plan: &Plan, best: Option<&Plan>) -> bool {
    best.is_none_or(|best| space.path_length(&plan.path) < space.path_length(&best.path))
}
