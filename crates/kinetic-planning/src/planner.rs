//! The planner of users: from robot, scene and options to a proven path or trajectory.

mod cartesian;
mod certify;
mod checkers;
mod limits;
pub(crate) mod metric;
mod optimizing;
mod own_path;
mod preference;
mod projecting;
mod refining;
mod regions;
mod roadmap;
mod running;
mod search;
mod sequence;
mod several;
mod solve;
mod start_fix;
mod timing;
pub(crate) mod torques;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use kinetic_core::{JointValues, KineticError, Limits, PlannerConfig, Pose, Result, Trajectory};
use kinetic_dynamics::DynamicsModel;
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{IKConfig, solve_ik_auto};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot, joined_group_name};
use kinetic_scene::{LiveScene, Scene};

pub use self::start_fix::LEAD_IN_SAMPLES;
use crate::batch_optimization::SharedOptimizer;
use crate::constraints::FunctionFailures;
use crate::planner_spec::{PlannerContext, PlannerSpec, RobotContext};
use crate::regions::ConvexDecomposition;
use crate::registry::PlannerType;
use crate::roadmap::Roadmap;

/// Plans for one planning group of a robot in a scene. A value: planning does not change it.
///
/// The joints outside the group stand where a configuration in robot length says: the start of a plan, the argument of
/// [`fk`](Self::fk) and [`is_in_collision`](Self::is_in_collision). Where there is only the group's length, they stand as
/// the scene [holds](Scene::held) them. That goes for everything which depends on them: obstacles and the group's own
/// chain, whose joints need not all be in the group.
///
/// The scene is a fixed one, or a [`LiveScene`] that others edit: every plan and every other question then takes one
/// snapshot when it begins, and [`PlanningResult::scene_version`](crate::PlanningResult::scene_version) says of which content.
#[derive(Debug, Clone)]
pub struct Planner {
    /// The scene; of a planner in a live scene, its content when the planner was made.
    scene: Scene,
    live: Option<LiveScene>,
    group: PlanningGroup,
    chain: KinematicChain,
    /// The closed form of the chain, made when a pose is to be reached for the first time, by this planner or a clone.
    closed_form: Arc<OnceLock<Option<Manipulator>>>,
    algorithm: PlannerType,
    config: PlannerConfig,
    roadmap: Option<Roadmap>,
    regions: Option<ConvexDecomposition>,
    optimizer: Option<SharedOptimizer>,
    warm_start: Option<Arc<Trajectory>>,
    /// Where functions of constraints report failures while a query is answered.
    failures: Option<FunctionFailures>,
}

/// What costs of motions and configurations are measured with, where there are such costs.
pub(crate) struct CostQuantities {
    limits: Option<Limits>,
    dynamics: Option<DynamicsModel>,
}

impl Planner {
    /// A planner for the robot's default group in an empty scene.
    ///
    /// # Errors
    /// What building the scene or the group's chain reports.
    pub fn new(robot: &Arc<Robot>) -> Result<Self> {
        Self::in_scene(Scene::new(robot)?)
    }

    /// A planner for the default group of the scene's robot.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`].
    pub fn in_scene(scene: Scene) -> Result<Self> {
        let group = scene.robot().groups[scene.robot().default_group].clone();
        let chain = KinematicChain::from_group_held(scene.robot(), &group, scene.held())?;
        let (live, closed_form) = (None, Arc::default());
        let (algorithm, config) = (PlannerType::Auto, PlannerConfig::default());
        Ok(Self {
            scene,
            live,
            group,
            chain,
            closed_form,
            algorithm,
            config,
            roadmap: None,
            regions: None,
            optimizer: None,
            warm_start: None,
            failures: None,
        })
    }

    /// A planner for the default group of a live scene's robot, see [`with_live_scene`](Self::with_live_scene).
    ///
    /// # Errors
    /// As [`in_scene`](Self::in_scene).
    pub fn in_live_scene(live: &LiveScene) -> Result<Self> {
        Ok(Self { live: Some(live.clone()), ..Self::in_scene(live.snapshot())? })
    }

    /// The same planner in another scene of the same robot, as the scene is now.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the scene holds another robot.
    pub fn with_scene(mut self, scene: &Scene) -> Result<Self> {
        if !Arc::ptr_eq(scene.robot(), self.scene.robot()) && scene.robot() != self.scene.robot() {
            let wanted = format!("a scene of robot \"{}\"", self.scene.robot().name);
            return Err(KineticError::invalid("scene", format!("of robot \"{}\"", scene.robot().name), wanted));
        }
        self.enter(scene.clone())?;
        self.live = None;
        Ok(self)
    }

    /// The same planner in a live scene of the same robot: every question takes one snapshot when it begins.
    ///
    /// # Errors
    /// As [`with_scene`](Self::with_scene).
    pub fn with_live_scene(self, live: &LiveScene) -> Result<Self> {
        Ok(Self { live: Some(live.clone()), ..self.with_scene(&live.snapshot())? })
    }

    /// This planner in the content that its scene has now: itself, or one in a snapshot of its live scene, for several
    /// questions about the same content.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`].
    pub fn now(&self) -> Result<Cow<'_, Self>> {
        let Some(live) = &self.live else { return Ok(Cow::Borrowed(self)) };
        let mut now = Self { live: None, ..self.clone() };
        now.enter(live.snapshot())?;
        Ok(Cow::Owned(now))
    }

    /// Puts another scene of the same robot in place, and with it the chain where a joint of it is held elsewhere.
    fn enter(&mut self, scene: Scene) -> Result<()> {
        if !self.chain.holds_alike(scene.robot(), self.scene.held(), scene.held()) {
            self.chain = KinematicChain::from_group_held(scene.robot(), &self.group, scene.held())?;
            self.closed_form = Arc::default();
        }
        self.scene = scene;
        Ok(())
    }

    /// The same planner with other options.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option; [`KineticError::UnknownName`] for a planner of
    /// [`fallback`](PlannerConfig::fallback) that does not exist.
    pub fn with_config(mut self, config: PlannerConfig) -> Result<Self> {
        config.check()?;
        config.fallback.iter().try_for_each(|name| name.parse::<PlannerType>().map(|_| ()))?;
        self.config = config;
        Ok(self)
    }

    /// The same planner with another algorithm.
    #[must_use]
    pub fn with_planner_type(mut self, planner_type: PlannerType) -> Self {
        self.algorithm = planner_type;
        self
    }

    /// The same planner with an algorithm that need not be in the registry. Its paths are simplified, verified, timed and
    /// certified as those of the registry's are.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic_core::{Control, Goal, Result, Trajectory};
    /// use kinetic_planning::{Algorithm, Plan, Planner, PlannerSpec, Problem, Validity};
    /// use kinetic_robot::Robot;
    ///
    /// struct StraightLine;
    ///
    /// impl Algorithm for StraightLine {
    ///     fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
    ///         let goal = &problem.goals()[0];
    ///         if !validity.is_motion_valid(problem.start(), goal) {
    ///             return Err(control.error(1));
    ///         }
    ///         let path = Trajectory::from_waypoints(&[problem.start(), goal])?;
    ///         let checks = validity.checks();
    ///         Ok(Plan { path, goal_index: 0, iterations: 1, tree_size: 2, checks, planner_used: SPEC.id, lower_bound: None })
    ///     }
    /// }
    ///
    /// static SPEC: PlannerSpec = PlannerSpec {
    ///     id: "straight_line",
    ///     summary: "the straight line in joint space, or nothing",
    ///     source: "Euclid",
    ///     is_anytime: false,
    ///     is_complete: false,
    ///     may_be_simplified: true,
    ///     build: &|_| Ok(Box::new(StraightLine)),
    /// };
    ///
    /// let robot = Arc::new(Robot::from_name("ur5e")?);
    /// let planner = Planner::new(&robot)?.with_algorithm(&SPEC);
    /// let planned = planner.plan(&[0.0, -1.57, 0.0, -1.57, 0.0, 0.0], &Goal::named("ready"))?;
    /// assert_eq!(planned.planner_used, "straight_line");
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    #[must_use]
    pub fn with_algorithm(self, spec: &'static PlannerSpec) -> Self {
        self.with_planner_type(PlannerType::Own(spec))
    }

    /// The same planner for another group, or for several whose [joined names](kinetic_robot::joined_group_name) it is given.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`] or [`KineticError::ChainExtraction`], and as [`with_groups`](Self::with_groups).
    pub fn with_group(mut self, group: &str) -> Result<Self> {
        self.group = self.scene.robot().resolve_group(group)?.into_owned();
        self.chain = KinematicChain::from_group_held(self.scene.robot(), &self.group, self.scene.held())?;
        self.closed_form = Arc::default();
        Ok(self)
    }

    /// The same planner for several groups together: configurations are those of the groups one after the other, in this order,
    /// and one validity holds for all of them. [`Goal::Groups`](kinetic_core::Goal::Groups) states a goal for each.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic_core::{Goal, Pose};
    /// use kinetic_planning::Planner;
    /// use kinetic_robot::Robot;
    ///
    /// let robot = Arc::new(Robot::from_name("baxter_left")?);
    /// let planner = Planner::new(&robot)?.with_groups(&["left_arm", "right_arm"])?;
    /// let start = robot.named_configuration(planner.group(), "home").unwrap_or_default();
    /// let planned = planner.plan(&start, &Goal::groups([("right_arm", Goal::named("ready"))]))?;
    /// // The left arm stays.
    /// assert_eq!(planned.end()[..7], start[..7]);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`]; [`KineticError::GroupsShareJoint`]; [`KineticError::InvalidValue`] for a group that is
    /// named twice, or for none.
    pub fn with_groups<N: AsRef<str>>(self, groups: &[N]) -> Result<Self> {
        if groups.is_empty() {
            return Err(KineticError::invalid("groups", "none", "at least one group"));
        }
        self.with_group(&joined_group_name(groups))
    }

    /// The chain of the planning group, with the joints outside the group where the scene holds them.
    pub fn chain(&self) -> &KinematicChain {
        &self.chain
    }

    /// The planning group.
    pub fn group(&self) -> &PlanningGroup {
        &self.group
    }

    /// The scene; of a planner in a live scene, its content when the planner was made (see [`now`](Self::now)).
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The live scene, where the planner is in one.
    pub fn live_scene(&self) -> Option<&LiveScene> {
        self.live.as_ref()
    }

    /// The algorithm, as it was chosen: `Auto` where none was.
    pub fn planner_type(&self) -> PlannerType {
        self.algorithm
    }

    /// The row of the planner that does the work.
    pub(crate) fn planner_spec(&self) -> &'static PlannerSpec {
        self.algorithm.resolved_for(&self.config).spec()
    }

    /// What costs of motions and configurations are measured with.
    pub(crate) fn cost_quantities(&self) -> Result<CostQuantities> {
        Ok(CostQuantities { limits: self.limits_of_cost()?, dynamics: self.dynamics_of_cost()? })
    }

    /// What the planner that does the work is built from, without a roadmap or an optimiser.
    pub(crate) fn context<'a>(&'a self, quantities: &'a CostQuantities) -> PlannerContext<'a> {
        let robot = RobotContext { robot: self.scene.robot(), group: &self.group, chain: &self.chain };
        PlannerContext {
            config: &self.config,
            robot: Some(robot),
            limits: quantities.limits.as_ref(),
            dynamics: quantities.dynamics.as_ref(),
            roadmap: None,
            regions: self.regions.as_ref(),
            optimizer: None,
        }
    }

    /// The options.
    pub fn config(&self) -> &PlannerConfig {
        &self.config
    }

    /// Tool pose in the group's base at `q` (group or robot length).
    ///
    /// # Errors
    /// Errors of `q`; [`KineticError::SeveralTips`] for a group of several arms.
    pub fn fk(&self, q: &[f64]) -> Result<Pose> {
        let now = self.now()?;
        let (robot, group) = (now.scene.robot(), &now.group);
        robot.check_single_tip(group)?;
        let short = robot.group_configuration(group, q)?;
        if q.len() == group.dof() || now.chain.holds_alike(robot, now.scene.held(), q) {
            return Ok(now.chain.tip_pose(&short));
        }
        Ok(KinematicChain::from_group_held(robot, group, q)?.tip_pose(&short))
    }

    /// A configuration inside the limits that reaches a tool pose, with the joints outside the group where the scene holds
    /// them; collisions are not looked at.
    ///
    /// # Errors
    /// [`KineticError::IKNotConverged`], [`KineticError::NoIKSolution`] or errors of the pose;
    /// [`KineticError::SeveralTips`] for a group of several arms.
    pub fn ik(&self, base_from_tcp: &Pose) -> Result<JointValues> {
        let now = self.now()?;
        now.scene.robot().check_single_tip(&now.group)?;
        let config = IKConfig { rng_seed: now.config.seed, ..IKConfig::for_robot(now.scene.robot()) };
        Ok(solve_ik_auto(now.closed_form(), &now.chain, base_from_tcp, &config)?.joints)
    }

    pub(crate) fn closed_form(&self) -> Option<&Manipulator> {
        let make = || Manipulator::from_chain(self.chain.clone(), TolerancePolicy::default()).ok();
        self.closed_form.get_or_init(make).as_ref()
    }
}

/// Seconds beyond the deadline or the stop that each of three steps may take which make a motion of a path that was found
/// before: shortening, proofs, and the time law. Together they stay below the 0.2 s in which a call ends.
const GRACE_S: f64 = 0.06;
