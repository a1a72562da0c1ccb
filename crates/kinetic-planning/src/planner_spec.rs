//! Rows of the planner registry, and the context that a planner is built from.

use std::fmt;
use std::sync::Arc;

use kinetic_core::{KineticError, Limits, PlannerConfig, Result};
use kinetic_dynamics::DynamicsModel;
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};

use crate::algorithm::Algorithm;
use crate::batch_optimization::OptimizerInScene;
use crate::regions::ConvexDecomposition;
use crate::roadmap::RoadmapInScope;

/// A planner: a row of the registry, or one of the caller's own ([registered](crate::register_planner), or given as a
/// [value](crate::Planner::with_algorithm)).
pub struct PlannerSpec {
    /// Its name in every language and file.
    pub id: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// Paper or URL.
    pub source: &'static str,
    /// Whether it goes on after the first path, until the budget ends.
    pub is_anytime: bool,
    /// Whether the probability that it finds a path, where there is one, tends to 1 with its budget. False for planners that move
    /// a trajectory towards a local minimum of its cost.
    pub is_complete: bool,
    /// Whether its paths may be shortened and their corners cut, as the options say. False for planners whose waypoints
    /// have a meaning of their own.
    pub may_be_simplified: bool,
    /// Builds one; refuses a configuration outside its domain.
    pub build: &'static (dyn Fn(&PlannerContext<'_>) -> Result<Box<dyn Algorithm>> + Send + Sync),
}

/// Rows are the same where they are one value.
impl PartialEq for PlannerSpec {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for PlannerSpec {}

impl fmt::Debug for PlannerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannerSpec").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a planner is built from.
#[derive(Debug, Clone, Copy)]
pub struct PlannerContext<'a> {
    /// The options.
    pub config: &'a PlannerConfig,
    /// The robot; `None` in a space that is not a robot's.
    pub robot: Option<RobotContext<'a>>,
    /// The limits of motions, where [time is made small](PlannerConfig::minimise).
    pub limits: Option<&'a Limits>,
    /// The dynamics of the group, where configurations [cost](PlannerConfig::state_cost) torques.
    pub dynamics: Option<&'a DynamicsModel>,
    /// The roadmap of the planner, where it has one.
    pub roadmap: Option<&'a RoadmapInScope>,
    /// The convex regions of the planner, where it has some.
    pub regions: Option<&'a ConvexDecomposition>,
    /// What optimises many trajectories at once, where the planner has it.
    pub optimizer: Option<&'a OptimizerInScene>,
}

impl<'a> PlannerContext<'a> {
    /// The context of a space that is not a robot's.
    pub fn without_robot(config: &'a PlannerConfig) -> Self {
        Self { config, robot: None, limits: None, dynamics: None, roadmap: None, regions: None, optimizer: None }
    }

    /// Refuses to make anything small, for a planner that ends with its first path.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`].
    pub(crate) fn check_ends_with_first_path(&self, planner: &str) -> Result<()> {
        let Some(minimise) = self.config.minimise else { return Ok(()) };
        let wanted = format!("None: {planner} ends with its first path; aorrtc goes on");
        Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted))
    }
}

/// The robot that a planner plans for.
#[derive(Debug, Clone, Copy)]
pub struct RobotContext<'a> {
    /// The robot.
    pub robot: &'a Arc<Robot>,
    /// The planning group.
    pub group: &'a PlanningGroup,
    /// The chain of the group, with the joints outside the group where the scene holds them.
    pub chain: &'a KinematicChain,
}
