//! The planner that users see: robot, scene and options in, a proven path or trajectory out.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use kinetic_core::control::SystemClock;
use kinetic_core::{
    ContentHash, Control, Goal, JointValues, KineticError, Minimise, PlannerConfig, Pose, Result, StopFlag,
    TimedTrajectory, Trajectory,
};
use kinetic_kinematics::analytic::{Manipulator, TolerancePolicy};
use kinetic_kinematics::{IKConfig, KinematicChain, solve_ik_auto};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{Checker, Margins, Scene};
use kinetic_trajectory::{TimingOptions, time_law, time_parameterize, time_parameterize_controlled};

use crate::algorithm::Plan;
use crate::certify::Verifier;
use crate::goal::{self, LIMIT_TOLERANCE, Reach};
use crate::goal_set::{GoalSet, Surroundings};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::registry::{PlannerSpec, PlannerType};
use crate::rounds::{FIRST_POSES, Rounds};
use crate::scene_validity::SceneValidity;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::space::Space;
use crate::turns;
use crate::verify;

/// A planned path, proven free over its whole length.
#[derive(Debug, Clone)]
pub struct PlanningResult {
    /// The path in group order, from the start to a configuration that meets the goal.
    pub path: Trajectory,
    /// Length of the path before simplification, Euclidean in joint space with the [weights](Planner::joint_weights) of the
    /// joints.
    pub raw_length: f64,
    /// Length of the path, measured alike.
    pub path_length: f64,
    /// Seconds spent on compiling the scene, checking start and goal, and on the search.
    pub planning_time: f64,
    /// Seconds spent on shortening and smoothing.
    pub simplification_time: f64,
    /// Seconds spent on the final proof.
    pub verification_time: f64,
    /// Which member of a set of goals the path ends at; 0 for other goals.
    pub goal_index: usize,
    /// By how many full turns each joint ends away from the values that a joint goal or a named goal states; empty for other
    /// goals. Not zero for joints without limits whose equivalent value is nearer to the start or on the way there, and for
    /// joint goals [with turns](Goal::JointTurns).
    pub goal_turns: Vec<i64>,
    /// Iterations of the search.
    pub iterations: u64,
    /// Nodes of the search.
    pub tree_size: usize,
    /// Configurations at which distances were evaluated, over the whole call.
    pub checks: u64,
    /// The planner that found the path.
    pub planner_used: PlannerType,
    /// [Version](Scene::version) of the planner's scene.
    pub scene_version: ContentHash,
}

impl PlanningResult {
    /// Number of waypoints.
    pub fn num_waypoints(&self) -> usize {
        self.path.len()
    }

    /// First waypoint.
    pub fn start(&self) -> &[f64] {
        self.path.positions(0)
    }

    /// Last waypoint.
    pub fn end(&self) -> &[f64] {
        self.path.positions(self.path.len() - 1)
    }
}

/// A path that is shorter than all that a planning call found before it, or quicker where
/// [time is made small](PlannerConfig::minimise).
#[derive(Debug, Clone)]
pub struct Improvement {
    /// The path in group order, from the start to a configuration that meets the goal; every edge proven free.
    pub path: Trajectory,
    /// Its length, Euclidean in joint space with the [weights](Planner::joint_weights) of the joints.
    pub path_length: f64,
    /// Seconds since the budget began.
    pub elapsed: f64,
}

/// A planned, timed and verified trajectory.
#[derive(Debug, Clone)]
pub struct PlannedTrajectory {
    /// The trajectory; its certificate says what was proven.
    pub trajectory: TimedTrajectory,
    /// The path it follows and the figures of the search.
    pub result: PlanningResult,
}

/// Plans for one planning group of a robot in a scene. A value: planning does not change it.
///
/// The joints outside the group stand where a configuration in robot length says: the start of a plan, the argument of
/// [`fk`](Self::fk) and [`is_in_collision`](Self::is_in_collision). Where there is only the group's length, they stand as
/// the scene [holds](Scene::held) them. That goes for everything which depends on them: obstacles and the group's own
/// chain, whose joints need not all be in the group.
#[derive(Debug, Clone)]
pub struct Planner {
    scene: Scene,
    group: PlanningGroup,
    chain: KinematicChain,
    /// The closed form of the chain, made when a pose is to be reached for the first time.
    closed_form: OnceLock<Option<Arc<Manipulator>>>,
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
        let closed_form = OnceLock::new();
        Ok(Self { scene, group, chain, closed_form, algorithm: PlannerType::Auto, config: PlannerConfig::default() })
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
        Ok(self)
    }

    /// Puts another scene of the same robot in place, and with it the chain where a joint of it is held elsewhere.
    fn enter(&mut self, scene: Scene) -> Result<()> {
        if !self.chain.holds_alike(scene.robot(), self.scene.held(), scene.held()) {
            self.chain = KinematicChain::from_group_held(scene.robot(), &self.group, scene.held())?;
            self.closed_form = OnceLock::new();
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
        self.closed_form = OnceLock::new();
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

    /// The scene.
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
        let (robot, group) = (self.scene.robot(), &self.group);
        let short = robot.group_configuration(group, q)?;
        if q.len() == group.dof() || self.chain.holds_alike(robot, self.scene.held(), q) {
            return Ok(self.chain.tip_pose(&short));
        }
        Ok(KinematicChain::from_group_held(robot, group, q)?.tip_pose(&short))
    }

    /// A configuration inside the limits that reaches a tool pose, with the joints outside the group where the scene holds
    /// them; collisions are not looked at.
    ///
    /// # Errors
    /// [`KineticError::IKNotConverged`], [`KineticError::NoIKSolution`] or errors of the pose.
    pub fn ik(&self, base_from_tcp: &Pose) -> Result<JointValues> {
        let config = IKConfig { rng_seed: self.config.seed, ..IKConfig::for_robot(self.scene.robot()) };
        Ok(solve_ik_auto(self.closed_form(), &self.chain, base_from_tcp, &config)?.joints)
    }

    pub(crate) fn closed_form(&self) -> Option<&Manipulator> {
        let make = || Manipulator::from_chain(self.chain.clone(), TolerancePolicy::default()).ok().map(Arc::new);
        self.closed_form.get_or_init(make).as_deref()
    }

    /// True when `q` (group or robot length) misses a margin of this planner.
    ///
    /// # Errors
    /// Errors of `q`.
    pub fn is_in_collision(&self, q: &[f64]) -> Result<bool> {
        self.ask_at(q, |_, checker, q| Ok(!checker.is_free(&q)))
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
        let began = control.elapsed();
        let scene_version = self.scene.version();
        self.ask_at(start, |here, checker, start| {
            let cost = here.duration_cost(kinetic_trajectory::totp::ID, checker)?;
            let mut call = Call { start: &start, goal, control, improved, began, cost: cost.as_deref() };
            let result = here.search(checker, &mut call)?;
            Ok(PlanningResult { scene_version, ..result })
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
        let began = control.elapsed();
        let scene_version = self.scene.version();
        self.ask_at(start, |here, checker, start| {
            let cost = here.duration_cost(law, checker)?;
            let mut call = Call { start: &start, goal, control, improved, began, cost: cost.as_deref() };
            let result = here.search(checker, &mut call)?;
            let mut result = PlanningResult { scene_version, ..result };
            let trajectory = here.time(&mut result, law, checker, control)?;
            Ok(PlannedTrajectory { trajectory, result })
        })
    }

    /// The duration of paths under a time law, with corners rounded where that is free, where it is to be made small.
    fn duration_cost(&self, law: &str, checker: &Checker) -> Result<Option<Box<PathCost>>> {
        if self.config.minimise != Some(Minimise::Time) {
            return Ok(None);
        }
        let (law, limits) = (time_law(law)?.id, self.scene.robot().limits(&self.group));
        let checker = RefCell::new(checker.clone());
        Ok(Some(Box::new(move |path| {
            let mut is_blend_free = |curve: &_| checker.borrow_mut().curve_contact(curve).is_none();
            let timed = time_parameterize(path, law, &limits, &TimingOptions::default(), &mut is_blend_free);
            // What cannot be timed at all is told when the path that is left is timed.
            timed.map_or(f64::INFINITY, |timed| timed.duration())
        })))
    }

    /// Times a path, and verifies the timed curve; what that takes is added to the result.
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
        let limits = self.scene.robot().limits(&self.group);
        let mut is_blend_free = |curve: &kinetic_core::PiecewisePolynomial| checker.curve_contact(curve).is_none();
        let options = TimingOptions::default();
        let timed = time_parameterize_controlled(&result.path, law, &limits, &options, &mut is_blend_free, control)?;
        let trajectory = Verifier { planner: self, limits: &limits, control }.verify(timed, checker)?;
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
        self.ask_at(q, |_, checker, q| Ok((checker.clone(), q)))
    }

    /// A checker, the start and the goals of a search, in group length, as far as the goals can be used. The joints outside
    /// the group stand as the scene holds them.
    pub(crate) fn ends(&self, start: &[f64], goal: &Goal) -> Result<(Checker, JointValues, Vec<JointValues>)> {
        let (mut checker, start) = self.checker_at(start)?;
        let closed_form = || self.closed_form();
        let around = self.surroundings(&closed_form, &start);
        let goals = GoalSet::resolve(&around, &mut checker, goal, FIRST_POSES, &Control::default())?;
        let goals = goals.configurations().to_vec();
        Ok((checker, start, goals))
    }

    /// What goals are looked at with.
    fn surroundings<'a>(
        &'a self,
        closed_form: &'a dyn Fn() -> Option<&'a Manipulator>,
        start: &'a [f64],
    ) -> Surroundings<'a> {
        let (robot, held) = (&**self.scene.robot(), self.scene.held());
        let reach = Reach { robot, chain: &self.chain, closed_form, seed: self.config.seed };
        Surroundings { reach, group: &self.group, start, held }
    }

    fn check_start(&self, checker: &mut Checker, start: &[f64]) -> Result<()> {
        self.scene.robot().check_limits(&self.group, start, LIMIT_TOLERANCE)?;
        match goal::collision(checker, start) {
            None => Ok(()),
            Some((link, other, distance, margin)) => {
                Err(KineticError::StartInCollision { link, other, distance, margin })
            }
        }
    }

    fn search(&self, checker: &mut Checker, call: &mut Call<'_>) -> Result<PlanningResult> {
        let Call { start, goal, control, began, cost, .. } = *call;
        let improved = &mut *call.improved;
        let checks_before = checker.checks();
        self.check_start(checker, start)?;
        let closed_form = || self.closed_form();
        let around = self.surroundings(&closed_form, start);
        let mut goals = GoalSet::resolve(&around, checker, goal, FIRST_POSES, control)?;
        let metric = self.metric()?;
        let mut listener = Listener { metric: &metric, control, cost, least: f64::INFINITY, improved };
        let mut validity = SceneValidity::new(checker);
        let Found { plan, path, planned } = self.find(&around, &mut goals, &mut validity, &mut listener)?;
        let simplified = control.elapsed();
        verify::verify_path(&path, self.chain.bounds(), &mut validity, &control.with_grace(GRACE))?;
        listener.hear(&path);
        let stated = goals.stated(&around, plan.goal_index);
        let goal_turns = stated.map_or_else(Vec::new, |stated| turns::between(&stated, path.positions(path.len() - 1)));
        Ok(PlanningResult {
            raw_length: metric.length(&plan.path),
            path_length: metric.length(&path),
            path,
            planning_time: planned - began,
            simplification_time: simplified - planned,
            verification_time: control.elapsed() - simplified,
            goal_index: goals.member(plan.goal_index),
            goal_turns,
            iterations: plan.iterations,
            tree_size: plan.tree_size,
            checks: checker.checks() - checks_before,
            planner_used: self.algorithm.resolved_for(self.config.minimise),
            scene_version: self.scene.version(),
        })
    }

    /// A plan that ends at the equivalent of a joint goal which is nearest to the start, where one ends at another and a
    /// search that is about as long finds it: trees meet where they meet, and joints without limits wrap.
    fn unwound(
        &self,
        space: &Space,
        around: &Surroundings<'_>,
        goals: &GoalSet<'_>,
        (plan, is_lazy): (&Plan, bool),
        validity: &mut SceneValidity<'_>,
        control: &Control,
    ) -> Option<Plan> {
        goals.stated(around, plan.goal_index).filter(|_| space.has_continuous())?;
        let mut nearest = goals.configurations()[plan.goal_index].clone();
        let end = plan.path.positions(plan.path.len() - 1);
        space.unwrap_into(around.start, &goals.configurations()[plan.goal_index], &mut nearest.0);
        if turns::between(&nearest, end).iter().all(|turn| *turn == 0) {
            return None;
        }
        let left = control.max_iterations().saturating_sub(plan.iterations).min(plan.iterations + UNWINDING);
        let (unrolled, goal) = (space.unrolled(around.start, &nearest).ok()?, [nearest]);
        let problem = Problem::new(&unrolled, around.start, &goal, self.config.seed).ok()?;
        let mut algorithm = (self.planner_spec().build)(&self.config).ok()?;
        let left = control.with_max_iterations(left);
        let found = if is_lazy {
            algorithm.plan_lazily(&problem, validity, &left).ok()?.unproven
        } else {
            algorithm.plan(&problem, validity, &left).ok()?
        };
        Some(Plan { goal_index: plan.goal_index, iterations: plan.iterations + found.iterations, ..found })
    }

    /// A path and what simplification makes of it.
    ///
    /// Simplification replaces most edges of a path that is not heard of, and proves those that it leaves. So the search is
    /// lazy; in the rare case that an edge stays and is refused, the search is made again with all of them.
    fn find(
        &self,
        around: &Surroundings<'_>,
        goals: &mut GoalSet<'_>,
        validity: &mut SceneValidity<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Found> {
        let spec = self.planner_spec();
        let (options, control) = (SimplifyOptions::from(&self.config), listener.control);
        let space = &listener.metric.search;
        let (mut is_lazy, mut used) = (!spec.is_anytime, 0);
        loop {
            validity.obey(control);
            let mut algorithm = (spec.build)(&self.config)?;
            let left = control.with_max_iterations(control.max_iterations().saturating_sub(used));
            let mut search = Rounds {
                algorithm: &mut *algorithm,
                is_anytime: spec.is_anytime,
                is_lazy,
                cost: listener.cost,
                control: &left,
            };
            let mut hear = |plan: &Plan| {
                if spec.is_anytime {
                    listener.hear(&plan.path);
                }
            };
            let mut plan = search.run(space, around, goals, validity, &mut hear).map(|found| found.unproven);
            if let Ok(wound) = &plan
                && !spec.is_anytime
                && let Some(unwound) = self.unwound(space, around, goals, (wound, is_lazy), validity, &left)
            {
                plan = Ok(unwound);
            }
            let (mut plan, planned) = (plan.map_err(|error| after(used, error))?, control.elapsed());
            plan.iterations += used;
            used = plan.iterations;
            let grace = control.with_grace(GRACE);
            validity.obey(&grace);
            if listener.cost.is_some() {
                // A path that was chosen among simplified ones: what shortens it further may make it slower.
                return Ok(Found { path: plan.path.clone(), plan, planned });
            }
            match simplify_in(space, &plan.path, &options, validity, control) {
                // What takes too long is refused, too.
                Err(KineticError::PlannerOutputInvalid { .. }) if grace.is_over(0) => return Err(control.error(used)),
                Err(KineticError::PlannerOutputInvalid { .. }) if is_lazy => is_lazy = false,
                simplified => return Ok(Found { plan, path: simplified?.path, planned }),
            }
        }
    }
}

/// Seconds beyond the deadline or the stop that each of three steps may take which make a motion of a path that was found
/// before: shortening, proofs, and the time law. Together they stay below the 0.2 s in which a call ends.
const GRACE: f64 = 0.06;

/// Iterations for another search to a nearer turn, beside as many as the first one took.
const UNWINDING: u64 = 1_000;

/// An error that ended a search, with the iterations before that search counted.
fn after(used: u64, mut error: KineticError) -> KineticError {
    if let KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. } = &mut error {
        *iterations += used;
    }
    error
}

/// What a search found.
struct Found {
    plan: Plan,
    /// Simplified.
    path: Trajectory,
    /// When the search ended.
    planned: f64,
}

/// What a path costs, where that is not its length.
type PathCost = dyn Fn(&Trajectory) -> f64;

/// What a planning call is given.
struct Call<'a> {
    start: &'a [f64],
    goal: &'a Goal,
    control: &'a Control,
    improved: &'a mut dyn FnMut(Improvement),
    /// When the call began.
    began: f64,
    cost: Option<&'a PathCost>,
}

/// Passes on paths that cost less than all before.
struct Listener<'a> {
    metric: &'a Metric,
    control: &'a Control,
    cost: Option<&'a PathCost>,
    least: f64,
    improved: &'a mut dyn FnMut(Improvement),
}

impl Listener<'_> {
    fn hear(&mut self, path: &Trajectory) {
        let path_length = self.metric.length(path);
        let cost = self.cost.map_or(path_length, |cost| cost(path));
        if cost < self.least {
            self.least = cost;
            (self.improved)(Improvement { path: path.clone(), path_length, elapsed: self.control.elapsed() });
        }
    }
}
