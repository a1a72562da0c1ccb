//! A planning query (MoveIt's motion plan request): start, goal, and the settings of one call.

use std::fmt;

use kinetic_core::{Control, Goal, MotionLimits, Result};
use kinetic_trajectory::{TimeLawSpec, time_law};

use crate::result::Improvement;

/// A start, a goal, and what belongs to one call alone. [`Planner::solve`](crate::Planner::solve) answers it.
///
/// ```
/// use std::sync::Arc;
///
/// use kinetic_core::{Goal, MotionLimits};
/// use kinetic_planning::{Planner, Query};
/// use kinetic_robot::Robot;
///
/// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// let (home, ready) = ([0.0, -1.57, 0.0, -1.57, 0.0, 0.0], Goal::named("ready"));
/// let half_speed = MotionLimits::scaled(0.5, 1.0)?;
/// let query = Query::new(&home, &ready).with_time_law("jerk_limited")?.with_limits(&half_speed);
/// let motion = planner.solve(query)?.into_trajectory()?;
/// assert!(motion.certificate().is_some());
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub struct Query<'a> {
    pub(crate) start: &'a [f64],
    pub(crate) goal: &'a Goal,
    pub(crate) law: Option<&'a TimeLawSpec>,
    pub(crate) limits: Option<&'a MotionLimits>,
    pub(crate) control: Option<&'a Control>,
    pub(crate) on_improvement: Option<&'a mut dyn FnMut(Improvement)>,
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let law = self.law.map(|law| law.id);
        let fields = (self.start, self.goal, law, self.limits);
        f.debug_tuple("Query").field(&fields).finish()
    }
}

impl<'a> Query<'a> {
    /// A path from `start` to `goal`, without a time law, under the planner's limits and within its budgets.
    ///
    /// The start has the length of the group or of the robot. With a robot-length start, the joints outside the group stand
    /// as it says.
    pub fn new(start: &'a [f64], goal: &'a Goal) -> Self {
        Self { start, goal, law: None, limits: None, control: None, on_improvement: None }
    }

    /// The path is timed by the time law of that name, and the timed curve is verified and certified.
    ///
    /// # Errors
    /// [`UnknownName`](kinetic_core::KineticError::UnknownName) with the laws that exist.
    pub fn with_time_law(self, law: &str) -> Result<Self> {
        Ok(self.with_time_law_spec(time_law(law)?))
    }

    /// As [`with_time_law`](Self::with_time_law), for a law that need not be in the registry. What it returns is verified as
    /// the motions of all laws are.
    #[must_use]
    pub fn with_time_law_spec(self, law: &'a TimeLawSpec) -> Self {
        Self { law: Some(law), ..self }
    }

    /// Speed and limits of this motion, instead of [those of the planner](kinetic_core::PlannerConfig::limits).
    #[must_use]
    pub fn with_limits(self, limits: &'a MotionLimits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Clock, budgets and stop flag, instead of [those of the planner](crate::Planner::control).
    #[must_use]
    pub fn with_control(self, control: &'a Control) -> Self {
        Self { control: Some(control), ..self }
    }

    /// A function that is called with the first path and with every path that costs less, at last with the path that is
    /// returned.
    ///
    /// Planners whose row in the registry is [anytime](crate::PlannerSpec::is_anytime) use up the budget; the others call
    /// it once, with the path that is returned.
    #[must_use]
    pub fn on_improvement(self, improved: &'a mut dyn FnMut(Improvement)) -> Self {
        Self { on_improvement: Some(improved), ..self }
    }
}
