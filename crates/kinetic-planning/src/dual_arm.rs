//! Motions of two arms of one robot: one path in their joint space, or a path of its own for each arm and the coordination of
//! both (O'Donnell & Lozano-Pérez 1989).
//!
//! In both modes the joined motion is what is checked, timed and certified: collisions between the arms, of each with itself
//! and with the scene. Arms that hold one rigid object are a closed chain, which no mode plans.

mod coordination;
mod split;

use std::str::FromStr;
use std::sync::Arc;

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Result, StopFlag, TimedTrajectory};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::Scene;

use self::split::of_joints;
use crate::planner::Planner;
use crate::query::Query;
use crate::result::{PlannedTrajectory, PlanningResult};

/// How the motions of two arms depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DualArmMode {
    /// Each arm has a path of its own, found as if the other were not there, and keeps its shape; how far each has come when is
    /// chosen so that the arms do not meet.
    Independent,
    /// One path in the joint space of both arms: they start, round corners and end together.
    #[default]
    Synchronized,
}

impl DualArmMode {
    /// All modes.
    pub const ALL: [Self; 2] = [Self::Independent, Self::Synchronized];

    /// `independent` or `synchronized`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Synchronized => "synchronized",
        }
    }
}

impl FromStr for DualArmMode {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::UnknownName`] with the modes there are.
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == name).ok_or_else(|| KineticError::UnknownName {
            kind: "mode".to_owned(),
            name: name.to_owned(),
            available: Self::ALL.iter().map(|mode| mode.id().to_owned()).collect(),
        })
    }
}

/// A goal for each arm, of any kind that its group has.
#[derive(Debug, Clone, PartialEq)]
pub struct DualGoal {
    /// Of the left group.
    pub left: Goal,
    /// Of the right group.
    pub right: Goal,
}

/// The motion of two arms. All trajectories begin and end together.
#[derive(Debug, Clone)]
pub struct DualArmMotion {
    /// Both arms, the left group's joints first; its certificate says what was proven.
    pub joined: TimedTrajectory,
    /// The left arm's part of it.
    pub left: TimedTrajectory,
    /// The right arm's part of it.
    pub right: TimedTrajectory,
    /// The joined path and the figures of the search.
    pub result: PlanningResult,
}

/// Plans motions of two groups of a robot.
///
/// ```
/// use std::sync::Arc;
///
/// use kinetic_core::Goal;
/// use kinetic_planning::{DualArmMode, DualArmPlanner, DualGoal};
/// use kinetic_robot::Robot;
///
/// let robot = Arc::new(Robot::from_name("abb_yumi_left")?);
/// let planner = DualArmPlanner::new(&robot, "left_arm", "right_arm", DualArmMode::Synchronized)?;
/// let home = |name: &str| robot.named_configuration(robot.group(name).unwrap(), "home").unwrap();
/// let goal = DualGoal { left: Goal::named("ready"), right: Goal::named("ready") };
/// let motion = planner.plan(&home("left_arm"), &home("right_arm"), &goal)?;
/// assert_eq!(motion.left.duration(), motion.right.duration());
/// assert!(motion.joined.certificate().is_some());
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct DualArmPlanner {
    joined: Planner,
    left: PlanningGroup,
    right: PlanningGroup,
    mode: DualArmMode,
}

impl DualArmPlanner {
    /// A planner for two groups in an empty scene.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`]; [`KineticError::GroupsShareJoint`]; [`KineticError::InvalidValue`] for one group named
    /// twice; what building the scene reports.
    pub fn new(robot: &Arc<Robot>, left: &str, right: &str, mode: DualArmMode) -> Result<Self> {
        Self::in_scene(Scene::new(robot)?, left, right, mode)
    }

    /// A planner for two groups of the scene's robot.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn in_scene(scene: Scene, left: &str, right: &str, mode: DualArmMode) -> Result<Self> {
        Self::of_planner(Planner::in_scene(scene)?, left, right, mode)
    }

    /// A planner for two groups with the scene, the algorithm and the options of another planner.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_planner(planner: Planner, left: &str, right: &str, mode: DualArmMode) -> Result<Self> {
        let robot = Arc::clone(planner.scene().robot());
        let joined = planner.with_groups(&[left, right])?;
        let [left, right] = [left, right].map(|name| Ok(robot.resolve_group(name)?.into_owned()));
        Ok(Self { joined, left: left?, right: right?, mode })
    }

    /// The same planner with other options.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn with_config(self, config: PlannerConfig) -> Result<Self> {
        Ok(Self { joined: self.joined.with_config(config)?, ..self })
    }

    /// The same planner in another scene of the same robot.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the scene holds another robot.
    pub fn with_scene(self, scene: &Scene) -> Result<Self> {
        Ok(Self { joined: self.joined.with_scene(scene)?, ..self })
    }

    /// The planner of both groups together.
    pub fn joined(&self) -> &Planner {
        &self.joined
    }

    /// The left group.
    pub fn left(&self) -> &PlanningGroup {
        &self.left
    }

    /// The right group.
    pub fn right(&self) -> &PlanningGroup {
        &self.right
    }

    /// How the motions depend on each other.
    pub fn mode(&self) -> DualArmMode {
        self.mode
    }

    /// Plans from the configurations of both arms to their goals, timed by the default law.
    ///
    /// # Errors
    /// As [`plan_controlled`](Self::plan_controlled).
    pub fn plan(&self, start_left: &[f64], start_right: &[f64], goal: &DualGoal) -> Result<DualArmMotion> {
        let control = self.joined.control(StopFlag::default());
        self.plan_controlled(start_left, start_right, goal, kinetic_trajectory::totp::ID, &control)
    }

    /// As [`plan`](Self::plan), timed by the law of that name, with a clock, budgets and a stop flag of the caller's.
    ///
    /// # Errors
    /// As [`Planner::solve`] for the group of both arms; [`KineticError::DimensionMismatch`] naming the arm;
    /// [`PlanningFailed`](KineticError::PlanningFailed) in independent mode where the paths that were found cannot be
    /// coordinated: synchronized mode may find others.
    pub fn plan_controlled(
        &self,
        start_left: &[f64],
        start_right: &[f64],
        goal: &DualGoal,
        law: &str,
        control: &Control,
    ) -> Result<DualArmMotion> {
        let start = self.start(start_left, start_right)?;
        let (left, right) = (self.left.name.clone(), self.right.name.clone());
        let goal = Goal::groups([(left, goal.left.clone()), (right, goal.right.clone())]);
        let law = kinetic_trajectory::time_law(law)?;
        let planned = match self.mode {
            DualArmMode::Synchronized => {
                let query = Query::new(&start, &goal).with_time_law_spec(law).with_control(control);
                self.joined.solve(query)?.try_into()?
            }
            DualArmMode::Independent => coordination::plan(self, &start, &goal, law, control)?,
        };
        self.motion(planned)
    }

    /// Both starts, one after the other.
    fn start(&self, left: &[f64], right: &[f64]) -> Result<Vec<f64>> {
        for (group, values) in [(&self.left, left), (&self.right, right)] {
            kinetic_core::error::check_len(&format!("start of group \"{}\"", group.name), values.len(), group.dof())?;
        }
        Ok([left, right].concat())
    }

    fn motion(&self, planned: PlannedTrajectory) -> Result<DualArmMotion> {
        let PlannedTrajectory { trajectory: joined, result } = planned;
        let dof = self.left.dof();
        let left = of_joints(&joined, 0..dof, &self.left.name)?;
        let right = of_joints(&joined, dof..joined.dof(), &self.right.name)?;
        Ok(DualArmMotion { joined, left, right, result })
    }
}
