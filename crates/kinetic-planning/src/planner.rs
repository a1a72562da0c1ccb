//! The planner that users see: robot, scene and options in, a proven path or trajectory out.

mod certify;
mod limits;
pub(crate) mod metric;
mod search;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use kinetic_core::control::SystemClock;
use kinetic_core::{
    Control, Goal, JointValues, KineticError, Minimise, PiecewisePolynomial, PlannerConfig, Pose, Result, StopFlag,
    TimedTrajectory,
};
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_ik::{IKConfig, solve_ik_auto};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{Checker, LiveScene, Margins, Scene};
use kinetic_trajectory::{TimingOptions, time_law, time_parameterize, time_parameterize_controlled};

use self::search::{Call, PathCost};
use crate::goal_context::{GoalContext, IkContext};
use crate::goal_set::GoalSet;
use crate::planner_spec::PlannerSpec;
use crate::proven_path::is_free_off_path;
use crate::registry::PlannerType;
use crate::result::{Improvement, PlannedTrajectory, PlanningResult};
use crate::rounds::FIRST_POSES;

/// Plans for one planning group of a robot in a scene. A value: planning does not change it.
///
/// The joints outside the group stand where a configuration in robot length says: the start of a plan, the argument of
/// [`fk`](Self::fk) and [`is_in_collision`](Self::is_in_collision). Where there is only the group's length, they stand as
/// the scene [holds](Scene::held) them. That goes for everything which depends on them: obstacles and the group's own
/// chain, whose joints need not all be in the group.
///
/// The scene is a fixed one, or a [`LiveScene`] that others edit: every plan and every other question then takes one
/// snapshot when it begins, and [`PlanningResult::scene_version`] says of which content.
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
        Ok(Self { scene, live, group, chain, closed_form, algorithm, config })
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
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn with_config(mut self, config: PlannerConfig) -> Result<Self> {
        config.check()?;
        self.config = config;
        Ok(self)
    }

    /// The same planner with another algorithm.
    #[must_use]
    pub fn with_planner_type(mut self, planner_type: PlannerType) -> Self {
        self.algorithm = planner_type;
        self
    }

    /// The same planner for another group.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`] or [`KineticError::ChainExtraction`].
    pub fn with_group(mut self, group: &str) -> Result<Self> {
        self.group = self.scene.robot().group(group)?.clone();
        self.chain = KinematicChain::from_group_held(self.scene.robot(), &self.group, self.scene.held())?;
        self.closed_form = Arc::default();
        Ok(self)
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

    /// The algorithm that was asked for.
    pub fn planner_type(&self) -> PlannerType {
        self.algorithm
    }

    /// The row of the planner that does the work.
    pub(crate) fn planner_spec(&self) -> &'static PlannerSpec {
        self.algorithm.resolved_for(self.config.minimise).spec()
    }

    /// The options.
    pub fn config(&self) -> &PlannerConfig {
        &self.config
    }

    /// Tool pose in the group's base at `q` (group or robot length).
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn fk(&self, q: &[f64]) -> Result<Pose> {
        let now = self.now()?;
        let (robot, group) = (now.scene.robot(), &now.group);
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
    /// [`KineticError::IKNotConverged`], [`KineticError::NoIKSolution`] or errors of the pose.
    pub fn ik(&self, base_from_tcp: &Pose) -> Result<JointValues> {
        let now = self.now()?;
        let config = IKConfig { rng_seed: now.config.seed, ..IKConfig::for_robot(now.scene.robot()) };
        Ok(solve_ik_auto(now.closed_form(), &now.chain, base_from_tcp, &config)?.joints)
    }

    pub(crate) fn closed_form(&self) -> Option<&Manipulator> {
        let make = || Manipulator::from_chain(self.chain.clone(), TolerancePolicy::default()).ok();
        self.closed_form.get_or_init(make).as_ref()
    }

    /// True when `q` (group or robot length) misses a margin of this planner.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn is_in_collision(&self, q: &[f64]) -> Result<bool> {
        self.now()?.ask_at(q, |_, checker, q| Ok(!checker.is_free(&q)))
    }

    /// Plans a path, with the time budget of the options.
    ///
    /// # Errors
    /// See [`plan_controlled`](Self::plan_controlled).
    pub fn plan(&self, start: &[f64], goal: &Goal) -> Result<PlanningResult> {
        self.plan_controlled(start, goal, &self.control(StopFlag::default()))
    }

    /// Plans a path with other options for this call.
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config) and [`plan`](Self::plan).
    pub fn plan_with_config(&self, start: &[f64], goal: &Goal, config: PlannerConfig) -> Result<PlanningResult> {
        self.clone().with_config(config)?.plan(start, goal)
    }

    /// Plans a path and times it with the law of that name, with the time budget of the options.
    ///
    /// # Errors
    /// See [`plan_timed_controlled`](Self::plan_timed_controlled).
    pub fn plan_timed(&self, start: &[f64], goal: &Goal, law: &str) -> Result<PlannedTrajectory> {
        self.plan_timed_controlled(start, goal, law, &self.control(StopFlag::default()))
    }

    /// Plans a path and times it with other options for this call, for example another [speed](PlannerConfig::limits).
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config) and [`plan_timed`](Self::plan_timed).
    pub fn plan_timed_with_config(
        &self,
        start: &[f64],
        goal: &Goal,
        law: &str,
        config: PlannerConfig,
    ) -> Result<PlannedTrajectory> {
        self.clone().with_config(config)?.plan_timed(start, goal, law)
    }

    /// A control with this planner's budgets, on the system clock; time starts now.
    pub fn control(&self, stop: StopFlag) -> Control {
        Control::new(Arc::new(SystemClock::default()), self.config.timeout, self.config.max_iterations, stop)
    }

    /// Plans a path from `start` (group or robot length) to `goal`.
    ///
    /// With a robot-length start, the joints outside the group stand as it says.
    ///
    /// # Errors
    /// Input errors for sizes, NaN and limits; [`KineticError::StartInCollision`], [`KineticError::GoalInCollision`],
    /// [`KineticError::GoalUnreachable`]; [`KineticError::PlanningTimeout`] or [`KineticError::Cancelled`].
    pub fn plan_controlled(&self, start: &[f64], goal: &Goal, control: &Control) -> Result<PlanningResult> {
        self.plan_anytime(start, goal, control, &mut |_| ())
    }

    /// As [`plan_controlled`](Self::plan_controlled); `improved` is called with the first path and with every shorter
    /// one, at last with the path that is returned.
    ///
    /// Planners whose row in the registry is [anytime](crate::PlannerSpec::is_anytime) use up the budget; the others call
    /// it once, with the path that is returned.
    ///
    /// # Errors
    /// As [`plan_controlled`](Self::plan_controlled), before the first path.
    pub fn plan_anytime(
        &self,
        start: &[f64],
        goal: &Goal,
        control: &Control,
        improved: &mut dyn FnMut(Improvement),
    ) -> Result<PlanningResult> {
        let (began, now) = (control.elapsed(), self.now()?);
        let scene_version = now.scene.version();
        now.limits()?;
        now.ask_at(start, |here, checker, start| {
            let cost = here.duration_cost(kinetic_trajectory::totp::ID, checker)?;
            let cost = cost.as_deref();
            here.search(checker, &mut Call { start: &start, goal, control, improved, began, cost, scene_version })
        })
    }

    /// Plans a path, times it, and verifies the timed curve.
    ///
    /// # Errors
    /// As [`plan_controlled`](Self::plan_controlled), and [`KineticError::UnknownName`] for a time law that does not
    /// exist.
    pub fn plan_timed_controlled(
        &self,
        start: &[f64],
        goal: &Goal,
        law: &str,
        control: &Control,
    ) -> Result<PlannedTrajectory> {
        self.plan_timed_anytime(start, goal, law, control, &mut |_| ())
    }

    /// As [`plan_timed_controlled`](Self::plan_timed_controlled); `improved` hears of paths as in
    /// [`plan_anytime`](Self::plan_anytime).
    ///
    /// # Errors
    /// As [`plan_timed_controlled`](Self::plan_timed_controlled).
    pub fn plan_timed_anytime(
        &self,
        start: &[f64],
        goal: &Goal,
        law: &str,
        control: &Control,
        improved: &mut dyn FnMut(Improvement),
    ) -> Result<PlannedTrajectory> {
        time_law(law)?;
        let (began, now) = (control.elapsed(), self.now()?);
        let scene_version = now.scene.version();
        now.limits()?;
        now.ask_at(start, |here, checker, start| {
            let cost = here.duration_cost(law, checker)?;
            let cost = cost.as_deref();
            let mut call = Call { start: &start, goal, control, improved, began, cost, scene_version };
            let mut result = here.search(checker, &mut call)?;
            let trajectory = here.time(&mut result, law, checker, control)?;
            Ok(PlannedTrajectory { trajectory, result })
        })
    }

    /// The duration of paths under a time law, with corners rounded where that is free, where it is to be made small.
    fn duration_cost(&self, law: &str, checker: &Checker) -> Result<Option<Box<PathCost>>> {
        if self.config.minimise != Some(Minimise::Time) {
            return Ok(None);
        }
        let (law, limits) = (time_law(law)?.id, self.limits()?);
        let checker = RefCell::new(checker.clone());
        Ok(Some(Box::new(move |path| {
            let mut is_blend_free = |curve: &_| checker.borrow_mut().curve_contact(curve).is_none();
            let timed = time_parameterize(path, law, &limits, &TimingOptions::default(), &mut is_blend_free);
            // What cannot be timed at all is told when the path that is left is timed.
            timed.map_or(f64::INFINITY, |timed| timed.duration())
        })))
    }

    /// Times a path that `checker` has proven, and verifies the timed curve; what that takes is added to the result.
    ///
    /// Segments of the path need no other proof; the corners that the law rounds do. Most are free: they are proven once, in the
    /// finished motion, and only where one is not, before they are timed.
    fn time(
        &self,
        result: &mut PlanningResult,
        law: &str,
        checker: &mut Checker,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        let (began, checks_before) = (control.elapsed(), checker.checks());
        let control = &control.with_grace(GRACE);
        checker.obey(Some(control));
        let limits = self.limits()?;
        let (path, options) = (&result.path, TimingOptions::default());
        let timing = |is_corner_free: &mut dyn FnMut(&PiecewisePolynomial) -> bool| {
            time_parameterize_controlled(path, law, &limits, &options, is_corner_free, control)
        };
        let verifier = self.verifier(&limits, control);
        let mut timed = timing(&mut |_| true)?;
        if !is_free_off_path(&timed, path, checker) {
            timed = timing(&mut |corner| checker.curve_contact(corner).is_none())?;
            if !is_free_off_path(&timed, path, checker) {
                verifier.check_contact(timed.curve(), checker)?;
            }
        }
        let ratios = verifier.check_limits(timed.curve())?;
        let trajectory = verifier.certified(timed, &ratios, checker, checks_before - result.checks)?;
        result.verification_time += control.elapsed() - began;
        result.checks += checker.checks() - checks_before;
        Ok(trajectory)
    }

    /// The planner with the joints outside its group where `q` says, when it has robot length; and the group's values.
    pub(crate) fn standing_at(&self, q: &[f64]) -> Result<(Cow<'_, Self>, JointValues)> {
        let short = self.scene.robot().group_configuration(&self.group, q)?;
        let held = self.scene.held();
        let is_elsewhere = |variable: usize| q[variable] != held[variable] && !self.group.variables.contains(&variable);
        if q.len() == self.group.dof() || !(0..q.len()).any(is_elsewhere) {
            return Ok((Cow::Borrowed(self), short));
        }
        let mut scene = self.scene.clone();
        scene.hold(q)?;
        let mut here = self.clone();
        here.enter(scene)?;
        Ok((Cow::Owned(here), short))
    }

    /// Asks the planner that [stands at](Self::standing_at) `q` and a checker with its margins, with the group's
    /// configuration.
    fn ask_at<T>(&self, q: &[f64], question: impl FnOnce(&Self, &mut Checker, JointValues) -> Result<T>) -> Result<T> {
        let (here, short) = self.standing_at(q)?;
        let bounds = here.config.workspace_bounds.as_ref();
        let ask = |checker: &mut Checker| {
            let answer = question(&here, checker, short);
            checker.obey(None);
            answer
        };
        here.scene.ask_checker_within(&here.group.name, here.margins(), bounds, ask)?
    }

    pub(crate) fn margins(&self) -> Margins {
        Margins::new(self.config.collision_margin, self.config.self_margin)
    }

    /// A checker of the caller's own, otherwise as [`ask_at`](Self::ask_at).
    pub(crate) fn checker_at(&self, q: &[f64]) -> Result<(Checker, JointValues)> {
        self.now()?.ask_at(q, |_, checker, q| Ok((checker.clone(), q)))
    }

    /// A checker, the start and the goals of a search, in group length, as far as the goals can be used. The joints outside
    /// the group stand as the scene holds them.
    pub(crate) fn ends(&self, start: &[f64], goal: &Goal) -> Result<(Checker, JointValues, Vec<JointValues>)> {
        let (mut checker, start) = self.checker_at(start)?;
        let closed_form = || self.closed_form();
        let around = self.goal_context(&closed_form, &start);
        let goals = GoalSet::resolve(&around, &mut checker, goal, FIRST_POSES, &Control::default())?;
        let goals = goals.configurations().to_vec();
        Ok((checker, start, goals))
    }

    /// What goals are resolved with.
    fn goal_context<'a>(
        &'a self,
        closed_form: &'a dyn Fn() -> Option<&'a Manipulator>,
        start: &'a [f64],
    ) -> GoalContext<'a> {
        let (robot, held) = (&**self.scene.robot(), self.scene.held());
        let ik = IkContext { robot, chain: &self.chain, closed_form, seed: self.config.seed };
        GoalContext { ik, group: &self.group, start, held }
    }
}

/// Seconds beyond the deadline or the stop that each of three steps may take which make a motion of a path that was found
/// before: shortening, proofs, and the time law. Together they stay below the 0.2 s in which a call ends.
const GRACE: f64 = 0.06;
