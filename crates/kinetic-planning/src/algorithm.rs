//! The planner trait and what it returns.

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
}

/// A planner.
///
/// # Laws
/// - The path runs from the start to one of the goals.
/// - Same problem, same answers of `validity`, same budget: same plan, byte for byte. What earlier calls
///   left in `self` is memory, not state.
/// - `control` is looked at before every extension, which asks `validity` a few questions at most, and at least every
///   few microseconds in between.
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

    /// Searches a path, and goes on to shorter ones until the budget ends; `improved` hears of each, every one shorter
    /// than those before. The last one is returned: with a path in hand, a used-up budget is no error.
    ///
    /// The default stops at the first path, and says nothing.
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
