//! What a loop moves the robot to: a goal by any way that is free, or the end of a path of the tool.

use kinetic_core::{Control, Goal, Result, TimedTrajectory};
use kinetic_ik::CartesianPath;
use kinetic_planning::{CartesianConfig, CartesianResult, Planner, Query};
use kinetic_trajectory::time_law;

/// So much of a path is always left, m.
const LEAST_REST_M: f64 = 1e-6;

/// Where a loop moves the robot to.
pub(super) enum Destination {
    /// A goal, from wherever the robot is.
    Goal(Goal),
    /// The end of a path of the tool, along it.
    Path(Box<PathDestination>),
}

/// A path of the tool, of which a part may be done.
pub(super) struct PathDestination {
    /// What is left, from the next start on.
    path: CartesianPath,
    config: CartesianConfig,
    /// The last plan, and where it began.
    planned: Option<(Vec<f64>, CartesianResult)>,
}

impl Destination {
    pub(super) fn along(path: &CartesianPath, config: &CartesianConfig) -> Self {
        Self::Path(Box::new(PathDestination { path: path.clone(), config: config.clone(), planned: None }))
    }

    /// The goal that a motion can be spliced to; a path is not left for another one.
    pub(super) fn goal(&self) -> Option<&Goal> {
        match self {
            Self::Goal(goal) => Some(goal),
            Self::Path(_) => None,
        }
    }

    /// A motion from where the robot stands.
    pub(super) fn plan(
        &mut self,
        planner: &Planner,
        start: &[f64],
        law: &str,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        match self {
            Self::Goal(goal) => {
                let query = Query::new(start, goal).with_time_law(law)?.with_control(control);
                planner.solve(query)?.into_trajectory()
            }
            Self::Path(path) => path.plan(planner, start, law, control),
        }
    }

    /// Notes that the robot has stopped at `time` on the motion that was planned last.
    pub(super) fn stopped_at(&mut self, planner: &Planner, time: f64) -> Result<()> {
        match self {
            Self::Goal(_) => Ok(()),
            Self::Path(path) => path.stopped_at(planner, time),
        }
    }
}

impl PathDestination {
    fn plan(&mut self, planner: &Planner, start: &[f64], law: &str, control: &Control) -> Result<TimedTrajectory> {
        let law = Some(time_law(law)?);
        let mut result = planner.plan_cartesian_with(start, &self.path, &self.config, law, control)?;
        let trajectory = result.take_complete()?;
        self.planned = Some((start.to_vec(), result));
        Ok(trajectory)
    }

    /// Leaves out what is done. The end of the path stays to be gone to, for a robot that is measured elsewhere there.
    fn stopped_at(&mut self, planner: &Planner, time: f64) -> Result<()> {
        let Some((start, result)) = &self.planned else { return Ok(()) };
        let arc_length = result.arc_length_at(time).min(result.length - LEAST_REST_M).max(0.0);
        self.path = planner.remaining_path(start, &self.path, arc_length)?;
        Ok(())
    }
}
