//! Motions of two arms of one robot: one path in their joint space, a path of its own for each arm and the coordination of both
//! (O'Donnell & Lozano-Pérez 1989), or the closed chain of two arms that hold one rigid object.
//!
//! In all modes the joined motion is what is checked, timed and certified: collisions between the arms, of each with itself
//! and with the scene.

mod closed_chain;
mod coordination;
mod split;

use std::str::FromStr;
use std::sync::Arc;

use kinetic_core::{Control, Goal, KineticError, PlannerConfig, Pose, Result, StopFlag, TimedTrajectory};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::Scene;

pub use self::closed_chain::GraspTolerance;
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
    /// Both arms hold one rigid object: the pose of the right tip in the left one stays, within a [`GraspTolerance`], what it is
    /// at the start, at every instant of the timed motion. A
    /// [`RelativePose`](kinetic_core::Constraint::RelativePose) constraint, which the certificate proves, beside those of the options.
    Coordinated,
}

impl DualArmMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Independent, Self::Synchronized, Self::Coordinated];

    /// `independent`, `synchronized` or `coordinated`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Synchronized => "synchronized",
            Self::Coordinated => "coordinated",
        }
    }
}

impl FromStr for DualArmMode {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::UnknownName`] with the modes there are.
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.id() == name)
            .ok_or_else(|| KineticError::unknown_name("mode", name, Self::ALL.iter().map(|mode| mode.id())))
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
    tolerance: GraspTolerance,
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
        Ok(Self { joined, left: left?, right: right?, mode, tolerance: GraspTolerance::default() })
    }

    /// The same planner with other options.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option; for a start that is to be moved, since a motion of two arms has no part
    /// without a certificate.
    pub fn with_config(self, config: PlannerConfig) -> Result<Self> {
        if config.fix_start > 0.0 {
            return Err(KineticError::invalid("fix_start", config.fix_start, "0 for a planner of two arms"));
        }
        Ok(Self { joined: self.joined.with_config(config)?, ..self })
    }

    /// The same planner in another scene of the same robot.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the scene holds another robot.
    pub fn with_scene(self, scene: &Scene) -> Result<Self> {
        Ok(Self { joined: self.joined.with_scene(scene)?, ..self })
    }

    /// The same planner with another tolerance of the relative pose in coordinated mode.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] or [`KineticError::NotFinite`] for a distance that is not positive, or an angle outside (0, π].
    pub fn with_grasp_tolerance(self, tolerance: GraspTolerance) -> Result<Self> {
        tolerance.check()?;
        Ok(Self { tolerance, ..self })
    }

    /// The tolerance of the relative pose in coordinated mode.
    pub fn grasp_tolerance(&self) -> GraspTolerance {
        self.tolerance
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
    /// coordinated: synchronized mode may find others; [`ConstraintViolated`](KineticError::ConstraintViolated) in coordinated mode for
    /// goals that do not keep the relative pose of the start.
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
            DualArmMode::Coordinated => {
                let query = Query::new(&start, &goal).with_time_law_spec(law).with_control(control);
                closed_chain::holding(self, &start)?.solve(query)?.try_into()?
            }
        };
        self.motion(planned)
    }

    /// Plans to bring an object that both arms hold to a pose, timed by the default law: the goals of both tips are those that
    /// they have on the object at the start. `object` is the name of a body that the scene has [attached](Scene::attached) to a
    /// link of either arm; `root_from_object` is where its frame is to be, in the robot's root frame.
    ///
    /// # Errors
    /// As [`plan_object_controlled`](Self::plan_object_controlled).
    pub fn plan_object(
        &self,
        start_left: &[f64],
        start_right: &[f64],
        object: &str,
        root_from_object: &Pose,
    ) -> Result<DualArmMotion> {
        let control = self.joined.control(StopFlag::default());
        let law = kinetic_trajectory::totp::ID;
        self.plan_object_controlled((start_left, start_right), object, root_from_object, law, &control)
    }

    /// As [`plan_object`](Self::plan_object) from the configurations of the left and the right arm, timed by the law of that name,
    /// with a clock, budgets and a stop flag of the caller's.
    ///
    /// # Errors
    /// As [`plan_controlled`](Self::plan_controlled); [`KineticError::UnknownName`] for an object that neither arm carries;
    /// [`KineticError::InvalidValue`] in another mode than coordinated.
    pub fn plan_object_controlled(
        &self,
        (start_left, start_right): (&[f64], &[f64]),
        object: &str,
        root_from_object: &Pose,
        law: &str,
        control: &Control,
    ) -> Result<DualArmMotion> {
        let start = self.start(start_left, start_right)?;
        let goal = closed_chain::goal_of_object(self, &start, object, root_from_object)?;
        self.plan_controlled(start_left, start_right, &goal, law, control)
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
