//! The trait of planning algorithms, and the plans that they return.

use kinetic_core::{Control, Result, Trajectory};

use crate::problem::Problem;
use crate::validity::Validity;

/// A path with the figures of its search.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The path, from the start to a goal, at least two waypoints. Each of its edges was proven by
    /// [`Validity::is_motion_valid`]. Continuous joints are unwrapped from the start, so that the last waypoint may
    /// differ from the goal by full turns; in all other joints the ends are the start and the goal bit for bit.
    pub path: Trajectory,
    /// Which goal of the problem the path ends at.
    pub goal_index: usize,
    /// Iterations of the search; 0 when the straight line was free.
    pub iterations: u64,
    /// Configurations kept by the search.
    pub tree_size: usize,
    /// Configurations that the validity evaluated.
    pub checks: u64,
    /// [`id`](crate::PlannerSpec::id) of the planner that found it.
    pub planner_used: &'static str,
    /// What a path between its ends costs at least, among all those that the planner can find, where it knows that: its length in the metric of
    /// the space, or the time, s, that it takes under limits of velocity, where [time is made small](kinetic_core::PlannerConfig::minimise).
    pub lower_bound: Option<f64>,
}

/// A path of which nothing is proven: its edges passed [discrete checks](Validity::motion_may_be_valid) only. It is input of
/// steps that prove the edges which they keep, as simplification does.
#[derive(Debug, Clone, PartialEq)]
pub struct LazyPlan {
    /// The path and its figures, which holds to all that a [`Plan`] says but the proofs.
    pub unproven: Plan,
}

impl From<Plan> for LazyPlan {
    fn from(plan: Plan) -> Self {
        Self { unproven: plan }
    }
}

/// A planner.
///
/// # Laws
/// - The path runs from the start to one of the goals.
/// - Same problem, same answers of `validity`, same budget: same plan, byte for byte. Earlier calls leave
///   allocated memory in `self`, and nothing that changes a plan.
/// - `control` is tested before every extension, which makes a few queries of `validity` at most, and at least every few
///   microseconds in between.
/// - No valid start or no valid goal is [`PlanningFailed`](kinetic_core::KineticError::PlanningFailed), at once; an
///   exhausted budget is what [`Control::error`] says.
pub trait Algorithm: Send {
    /// Searches a path.
    ///
    /// # Errors
    /// [`PlanningTimeout`](kinetic_core::KineticError::PlanningTimeout),
    /// [`Cancelled`](kinetic_core::KineticError::Cancelled) or
    /// [`PlanningFailed`](kinetic_core::KineticError::PlanningFailed).
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan>;

    /// As [`plan`](Self::plan), without the proofs of its path where the planner supports lazy collision checking (Bohlin and
    /// Kavraki 2000). The default proves as `plan` does.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    fn plan_lazily(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<LazyPlan> {
        self.plan(problem, validity, control).map(LazyPlan::from)
    }

    /// Searches a path, and then shorter ones until the budget ends; `improved` is called with each, every one shorter than
    /// those before. The last one is returned: after the first path, a used-up budget is no error.
    ///
    /// The default stops at the first path, and does not call `improved`.
    ///
    /// # Errors
    /// As [`plan`](Self::plan), before the first path.
    fn improve(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<Plan> {
        let _ = improved;
        self.plan(problem, validity, control)
    }
}
