//! Motions that a robot under way can leave for.

use std::sync::Arc;

use kinetic_core::{Clock, Control, Goal, KineticError, PlannerConfig, Result, StopFlag, TimedTrajectory};
use kinetic_planning::{Planner, Query};
use kinetic_trajectory::blending::limits_used;
use kinetic_trajectory::online::{StopPlanner, stop_on_path};

/// Plans to one goal, from motions under way.
pub(super) struct SpliceSearch {
    pub(super) planner: Planner,
    pub(super) goal: Goal,
    pub(super) time_law: String,
    pub(super) clock: Arc<dyn Clock>,
}

impl SpliceSearch {
    /// A certified motion that begins in the state of `running` at `now`, follows it for `lead` seconds, and leads to the goal: from
    /// where the robot could stop on its path it is planned, and joined where that is quickest.
    ///
    /// `timeout` is how many seconds the search may take, where that is not what the planner allows.
    pub(super) fn find(
        &self,
        running: &TimedTrajectory,
        (now, lead): (f64, f64),
        timeout: Option<f64>,
        stop: &StopFlag,
    ) -> Result<TimedTrajectory> {
        let config: &PlannerConfig = self.planner.config();
        let timeout = timeout.map_or(config.timeout, |timeout| timeout.min(config.timeout));
        let control = Control::new(Arc::clone(&self.clock), timeout, config.max_iterations, stop.clone());
        let start = standstill(running, now + lead)?;
        let query = Query::new(&start, &self.goal).with_time_law(&self.time_law)?.with_control(&control);
        let next = self.planner.solve(query)?.into_trajectory()?;
        self.planner.splice_into(running, now, lead, &next, &control)
    }
}

/// Where a stop on the path that begins at `from` ends.
fn standstill(running: &TimedTrajectory, from: f64) -> Result<Vec<f64>> {
    let stop = stop_on_path(running, from, &limits_used(std::slice::from_ref(running))?)?;
    if !stop.on_path {
        return Err(KineticError::Aborted { reason: "no stop stays on the path".to_owned() });
    }
    Ok(stop.trajectory.curve().sample(stop.trajectory.duration(), 0))
}

/// The time on a trajectory at which to begin to stop before `contact`, with `latency` to spare; `now` where there is no later one.
pub(super) fn last_stop(running: &TimedTrajectory, [now, contact]: [f64; 2], latency: f64) -> f64 {
    let limits = limits_used(std::slice::from_ref(running));
    let Ok(planner) = limits.and_then(|limits| StopPlanner::new(running.clone(), limits)) else { return now };
    // As executors stop.
    let mut planner = planner.without_jerk_limits();
    // A stop is slower than the trajectory, so that it is at most as far along it as the time that it takes.
    let mut is_before = |from: f64| {
        planner.stop_on_path(from).is_ok_and(|duration| planner.is_on_path() && from + latency + duration < contact)
    };
    let (mut early, mut late) = (now, contact);
    for _ in 0..STOP_HALVINGS {
        let middle = f64::midpoint(early, late);
        (early, late) = if is_before(middle) { (middle, late) } else { (early, middle) };
    }
    early
}

/// Halvings of the time in which the last moment to stop lies: a thousandth of a second of a minute.
const STOP_HALVINGS: usize = 16;
