//! `Planner.plan`.

use std::sync::{Arc, PoisonError};

use kinetic::core::StopFlag;
use kinetic::planning::{Improvement, PlanningResult, Query, Solution};
use kinetic::trajectory::time_law;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::TimeLaw;
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::planning::failure::{PyPlanningFailure, with_failure};
use crate::planning::goal::GoalArg;
use crate::planning::keywords::{PLANNER_PLAN, PlanCallKeywords};
use crate::planning::listener::Listener;
use crate::planning::python_planner::take_raised;
use crate::planning::speed::SpeedArgs;
use crate::planning::start::StartArg;
use crate::planning::state_cost;
use crate::trajectory::PyTrajectory;

#[pymethods]
impl PyPlanner {
    /// Plans a collision-free motion; what is returned has passed verification.
    ///
    /// Ctrl-C stops it.
    ///
    /// Args:
    ///     start_joints: Joint values of the group; in the length of the robot they say where its other joints stand.
    ///         Or the name of a pose of the group.
    ///     goal: A goal; or joint values, the name of a pose of the group, a pose of the tool (`Pose` or 4×4), or a dict of such by
    ///         names of groups.
    ///     time_parameterize: True for the default time law, the name of one, or False for a path without time.
    ///     stop: Ends the plan when another thread stops it: with the best path of an anytime planner, else with a
    ///         PlanningError.
    ///     on_improvement: Called with the first path and every shorter (or quicker, see `minimise`) one, each without time and proven free; the last
    ///         one is what is timed and returned. Anytime planners ("aorrtc") call it until the budget ends, others once.
    ///         What it raises ends the plan.
    ///     warm_start: A path (waypoints, dof), or a trajectory, that "chomp", "stomp" or "trajopt" start from first: as the last motion
    ///         in a scene that has changed a little. Its shape counts; its ends are moved to the start and to the goal. A planner of type
    ///         "auto" is "trajopt" then.
    ///     velocity_scaling: As for `Planner`, for this call; None for what the planner has, and so the following.
    ///     acceleration_scaling: As for `Planner`.
    ///     velocity_limits: As for `Planner`.
    ///     acceleration_limits: As for `Planner`.
    ///     jerk_limits: As for `Planner`.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
    ///     PlanningError: Start or goal in collision, goal out of reach, budget used up, stopped.
    #[pyo3(
        signature = (start_joints, goal, time_parameterize=TimeLaw::default_law(), **options),
        text_signature = "($self, start_joints, goal, time_parameterize=True, *, stop=None, on_improvement=None, \
                          warm_start=None, velocity_scaling=None, acceleration_scaling=None, velocity_limits=None, \
                          acceleration_limits=None, jerk_limits=None)"
    )]
    fn plan(
        &self,
        py: Python<'_>,
        start_joints: StartArg,
        goal: GoalArg,
        time_parameterize: TimeLaw,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyTrajectory> {
        let (keywords, speed) = PLANNER_PLAN.read(options)?;
        self.run(py, start_joints, goal, time_parameterize, speed, keywords)
    }
}

impl PyPlanner {
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        start: StartArg,
        goal: GoalArg,
        law: TimeLaw,
        speed: SpeedArgs,
        keywords: PlanCallKeywords,
    ) -> Result<PyTrajectory> {
        self.remember(None);
        let PlanCallKeywords { stop, on_improvement, warm_start } = keywords;
        let stop = &stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
        let planner = self.for_call(py, speed)?;
        let planner = match warm_start {
            Some(given) => {
                let path = given.of_group("warm_start", &planner)?;
                planner.with_warm_start(path)?
            }
            None => planner,
        };
        let start = start.values(&planner)?;
        let problem = planner.problem(&start, &goal.0)?.with_time_law(law.0.as_deref())?;
        let law = law.0.as_deref().map(time_law).transpose()?;
        let control = planner.control(stop.clone());
        let mut listener = Listener::new(on_improvement, planner.chain().joint_names(), stop);
        let (planned, raised_by_planner, raised_by_cost) = interruptible(py, stop, || {
            let mut improved = |improvement: Improvement| listener.report(improvement);
            let query = Query::new(&start, &goal.0).with_control(&control).on_improvement(&mut improved);
            let planned = planner.solve(match law {
                Some(law) => query.with_time_law_spec(law),
                None => query,
            });
            (planned, take_raised(), state_cost::take_raised())
        })?;
        listener.raised()?;
        if let Some(raised) = raised_by_planner {
            return Err(raised.into());
        }
        let problem = Arc::new(problem);
        let Solution { result, trajectory } = planned
            .map_err(|error| with_failure(py, PyPlanningFailure::new(&problem, error)))
            .map_err(|error| state_cost::caused(py, error, raised_by_cost))?;
        let path = || PyTrajectory::path(result.path.clone());
        let mut trajectory = trajectory.map_or_else(path, PyTrajectory::timed);
        trajectory.joint_names = planner.chain().joint_names().to_vec();
        trajectory.problem = Some(problem);
        trajectory.lead_in = result.lead_in.clone().map(Arc::new);
        self.remember(Some(result));
        Ok(trajectory)
    }

    pub(super) fn remember(&self, result: Option<PlanningResult>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = result;
    }
}
