//! Queries: one way to plan, and its short forms.

use std::sync::Arc;

use kinetic_core::control::SystemClock;
use kinetic_core::{Control, Goal, PlannerConfig, Result, StopFlag};
use kinetic_scene::Checker;

use super::search::Call;
use super::torques::torque_limits;
use super::{GRACE_S, Planner};
use crate::query::Query;
use crate::result::{PlannedTrajectory, PlanningResult, Solution};

/// Part of the time that an anytime planner leaves to the timing of its path, and how much that is at most, s.
const TIMING_RATIO: f64 = 0.1;
const MOST_TIMING_S: f64 = 0.1;

impl Planner {
    /// Answers a query: a path that is proven free over its whole length, and, where the query names a time law, a timed
    /// motion along it with a certificate.
    ///
    /// # Errors
    /// Input errors for sizes, NaN and limits; [`StartInCollision`](kinetic_core::KineticError::StartInCollision),
    /// [`GoalInCollision`](kinetic_core::KineticError::GoalInCollision),
    /// [`GoalUnreachable`](kinetic_core::KineticError::GoalUnreachable);
    /// [`ConstraintViolated`](kinetic_core::KineticError::ConstraintViolated) for a start or goal that does not keep the constraints;
    /// [`ConstraintFunctionFailed`](kinetic_core::KineticError::ConstraintFunctionFailed);
    /// [`PlanningTimeout`](kinetic_core::KineticError::PlanningTimeout) or
    /// [`Cancelled`](kinetic_core::KineticError::Cancelled) when the budget ends before the first path. Of several planners, see
    /// [`fallback`](PlannerConfig::fallback), the time and iterations of all.
    pub fn solve(&self, mut query: Query<'_>) -> Result<Solution> {
        if let Some(limits) = query.limits.take() {
            return self.clone().with_limits(limits.clone())?.solve(query);
        }
        if !self.config.fallback.is_empty() {
            return self.solve_with_several(query);
        }
        let Query { start, goal, law, control, on_improvement, .. } = query;
        let (own, mut ignore) = (self.control(StopFlag::default()), |_| ());
        let control = control.unwrap_or(&own);
        let improved = on_improvement.unwrap_or(&mut ignore);
        if let Some((watched, failures, control)) = self.watching_functions(control) {
            let mut improved = |improvement| improved(improvement);
            let (control, on_improvement) = (Some(&control), Some(&mut improved as &mut dyn FnMut(_)));
            let outcome = watched.solve(Query { start, goal, law, limits: None, control, on_improvement });
            return failures.first().map_or(outcome, Err);
        }
        let (began, now) = (control.elapsed(), self.now()?);
        let scene_version = now.scene.version();
        now.limits()?;
        torque_limits(now.dynamics()?.as_ref())?;
        now.with_checker_at(start, |here, checker, start| {
            let lead_in = here.lead_in(checker, &start, control)?;
            // A start that was moved is where the way to it ends: it is not moved again.
            let start = match &lead_in {
                Some(lead_in) => lead_in.path.positions(1).into(),
                None => here.projected_start(start)?,
            };
            let cost = here.duration_cost(law, checker, control)?;
            let cost = cost.as_deref();
            // A search that uses all of its time would leave none to prove the corners of its path.
            let searching = match law {
                Some(_) if here.planner_spec().is_anytime => control.with_reserve(TIMING_RATIO, MOST_TIMING_S),
                _ => control.clone(),
            };
            let mut call = Call { start: &start, goal, control: &searching, improved, began, cost, scene_version };
            let mut result = here.search(checker, &mut call)?;
            result.lead_in = match (lead_in, law) {
                (Some(lead_in), Some(law)) => Some(here.timed_lead_in(lead_in, law, &control.with_grace(GRACE_S))?),
                (lead_in, _) => lead_in,
            };
            let trajectory = law.map(|law| here.time(&mut result, law, checker, control)).transpose()?;
            Ok(Solution { result, trajectory })
        })
    }

    /// Plans a path, with the budgets of the options: the short form of [`solve`](Self::solve) without a time law.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn plan(&self, start: &[f64], goal: &Goal) -> Result<PlanningResult> {
        Ok(self.solve(Query::new(start, goal))?.result)
    }

    /// Plans a path with other options for this call.
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config) and [`plan`](Self::plan).
    pub fn plan_with_config(&self, start: &[f64], goal: &Goal, config: PlannerConfig) -> Result<PlanningResult> {
        self.clone().with_config(config)?.plan(start, goal)
    }

    /// Plans a path and times it with the law of that name: the short form of [`solve`](Self::solve) with a time law.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and [`UnknownName`](kinetic_core::KineticError::UnknownName) for a time law that does not
    /// exist.
    pub fn plan_timed(&self, start: &[f64], goal: &Goal, law: &str) -> Result<PlannedTrajectory> {
        self.solve(Query::new(start, goal).with_time_law(law)?)?.try_into()
    }

    /// A control with this planner's budgets, on the system clock; time starts now.
    pub fn control(&self, stop: StopFlag) -> Control {
        Control::new(Arc::new(SystemClock::default()), self.config.timeout, self.config.max_iterations, stop)
    }

    /// True when `q` (group or robot length) misses a margin of this planner.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn is_in_collision(&self, q: &[f64]) -> Result<bool> {
        self.now()?.with_checker_at(q, |_, checker: &mut Checker, q| Ok(!checker.is_free(&q)))
    }
}
