//! Restarts of the search with more sampled goals.
//!
//! A region contains infinitely many goal configurations, and a pose those of all windings of its joints. The first search
//! has those of a few poses, at the nearest windings, and a small budget. When that is used up, the search restarts with more
//! of both. Budgets grow fourfold, so that all searches but the last together cost a third of it, whichever planner runs and
//! whatever memory it reuses. Budgets are counted in iterations: the same seed and the same budget of iterations give the
//! same restarts.
//!
//! Where an order of the goals is [preferred](kinetic_core::PlannerConfig::prefer), the first search has the best one alone, and
//! restarts have the four best, the sixteen best, and so on,
//! with twice the budget each.

use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, Result, Trajectory};

use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::goal_context::GoalContext;
use crate::goal_set::GoalSet;
use crate::problem::Problem;
use crate::scene_validity::SceneValidity;
use crate::space::Space;
use crate::verify::verify_ends;

/// Poses sampled from each region before the first search; twice as many before each restart as before the one before.
pub(crate) const FIRST_POSES: u64 = 8;

/// Iterations of the first search.
const FIRST_ITERATIONS: u64 = 1_000;

/// Growth of the budget from one search to the next.
const BUDGET_GROWTH: u64 = 4;

/// As [`BUDGET_GROWTH`], where goals are in an order: less of the budget goes to goals that are not reached.
const RANKED_BUDGET_GROWTH: u64 = 2;

/// Part of the budget that the best of ordered goals has for itself at most: room for four more searches, each with twice as much.
const RANKED_BUDGET_PARTS: u64 = 32;

/// An algorithm with its budget.
pub(crate) struct GoalSamplingRestarts<'a> {
    pub(crate) algorithm: &'a mut dyn Algorithm,
    /// Whether it goes on after the first path.
    pub(crate) is_anytime: bool,
    /// The cost that it minimises instead of the length.
    pub(crate) cost: Option<&'a dyn Fn(&Trajectory) -> f64>,
    /// What a planner that starts from trajectories starts from first.
    pub(crate) warm_start: Option<&'a Trajectory>,
    /// Whether the continuous collision checks of its path are left to the caller (lazy collision checking).
    pub(crate) is_lazy: bool,
    pub(crate) control: &'a Control,
}

impl GoalSamplingRestarts<'_> {
    /// Searches, and restarts while more goals can be sampled. An anytime planner uses up the budget, and `improved` is called
    /// with every path that costs less than all before. Only the path of a search that is not lazy is proven.
    ///
    /// # Errors
    /// Those of the planner before the first path, with the iterations of all searches.
    pub(crate) fn run(
        &mut self,
        space: &Space,
        around: &GoalContext<'_>,
        goals: &mut GoalSet<'_>,
        validity: &mut SceneValidity<'_>,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<LazyPlan> {
        let control = self.control;
        let mut found = SearchOutcome::default();
        // Budget of the searches so far.
        let mut allowed = 0_u64;
        let mut budget = first_budget(goals, control);
        let mut poses = FIRST_POSES;
        loop {
            let problem = Problem::new(space, around.start, goals.configurations(), around.ik.seed)?;
            let problem = self.cost.map_or(problem, |cost| problem.with_cost(cost));
            let problem = self.warm_start.map_or(Ok(problem), |path| problem.with_warm_start(path))?;
            let budgeted = control.with_max_iterations(control.max_iterations().saturating_sub(allowed).min(budget));
            let is_solved = match self.search(&problem, validity, &budgeted, &mut found, improved) {
                // The next best goals may be reached.
                Err(error) if goals.is_ranked() && goals.can_grow() && gave_up(&error) => false,
                outcome => outcome?,
            };
            if is_solved && !(self.is_anytime && goals.can_grow()) {
                break;
            }
            allowed = allowed.saturating_add(budget);
            if is_solved && goals.is_ranked() {
                self.use_up(&problem, validity, allowed, &mut found, improved)?;
                break;
            }
            if control.is_over(allowed) || !grows(goals.grow(around, validity.checker(), poses, control), control)? {
                break;
            }
            budget = next_budget(goals, budget);
            poses = poses.saturating_mul(2);
        }
        let best = found.best.map(|plan| LazyPlan { unproven: Plan { iterations: found.used, ..plan } });
        best.ok_or_else(|| control.error(found.used))
    }

    /// Makes the way to goals that were reached small with what is left of the budget.
    fn use_up(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut SceneValidity<'_>,
        used: u64,
        found: &mut SearchOutcome,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<()> {
        let left = self.control.with_max_iterations(self.control.max_iterations().saturating_sub(used));
        if !left.is_over(0) {
            self.search(problem, validity, &left, found, improved)?;
        }
        Ok(())
    }

    /// One search; true when it found a path.
    fn search(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut SceneValidity<'_>,
        control: &Control,
        found: &mut SearchOutcome,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<bool> {
        let mut report = |plan: &Plan| {
            if is_better(problem, plan, found.best.as_ref()) {
                improved(plan);
            }
        };
        let plan = if self.is_lazy {
            self.algorithm.plan_lazily(problem, validity, control).map(|plan| plan.unproven)
        } else {
            self.algorithm.improve(problem, validity, control, &mut report)
        };
        match plan {
            Ok(plan) => {
                verify_ends(problem, &plan)?;
                found.used += plan.iterations;
                if is_better(problem, &plan, found.best.as_ref()) {
                    found.best = Some(plan);
                }
                Ok(true)
            }
            Err(KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. }) => {
                found.used += iterations;
                Ok(false)
            }
            Err(other) => Err(other),
        }
    }
}

/// The budget of the first search: a part of what there is, where more goals can be taken.
fn first_budget(goals: &GoalSet<'_>, control: &Control) -> u64 {
    match (goals.can_grow(), goals.is_ranked()) {
        (false, _) => u64::MAX,
        (true, false) => FIRST_ITERATIONS,
        (true, true) => FIRST_ITERATIONS.min(control.max_iterations() / RANKED_BUDGET_PARTS).max(1),
    }
}

/// The budget of the next search; the last one has the rest.
fn next_budget(goals: &GoalSet<'_>, budget: u64) -> u64 {
    let growth = if goals.is_ranked() { RANKED_BUDGET_GROWTH } else { BUDGET_GROWTH };
    if goals.can_grow() { budget.saturating_mul(growth) } else { u64::MAX }
}

/// Whether a planner says that it finds no path.
pub(crate) fn gave_up(error: &KineticError) -> bool {
    use reason::PlanningFailed::{NoChain, NoPath, NotRepaired, NotRepairedNear};
    let KineticError::PlanningFailed { reason } = error else { return false };
    matches!(reason, NoChain { .. } | NoPath { .. } | NotRepaired { .. } | NotRepairedNear { .. })
}

/// The outcome of the searches so far.
#[derive(Default)]
struct SearchOutcome {
    best: Option<Plan>,
    /// Iterations.
    used: u64,
}

/// Whether the goals grew; false when the budget ended meanwhile.
fn grows(outcome: Result<()>, control: &Control) -> Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(_) if control.is_over(0) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a plan costs less than the best one so far.
fn is_better(problem: &Problem<'_>, plan: &Plan, best: Option<&Plan>) -> bool {
    best.is_none_or(|best| problem.cost(&plan.path) < problem.cost(&best.path))
}
