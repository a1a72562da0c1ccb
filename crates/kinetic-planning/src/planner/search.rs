//! Search of a query: goal resolution, search with restarts, simplification, final collision check.

use kinetic_core::{ContentHash, Control, Goal, KineticError, Minimise, Result, Trajectory};
use kinetic_scene::Checker;

use super::metric::Metric;
use super::{GRACE_S, Planner};
use crate::algorithm::Plan;
use crate::certify::identity;
use crate::constraints::{ConstraintSet, Violation};
use crate::goal_context::{GoalContext, LIMIT_TOLERANCE, collision};
use crate::goal_set::GoalSet;
use crate::planner_spec::{PlannerContext, PlannerSpec};
use crate::planners::{bitrrt, stomp};
use crate::problem::Problem;
use crate::registry::PLANNERS;
use crate::restarts::{FIRST_POSES, GoalSamplingRestarts};
use crate::result::{Improvement, PlanningResult};
use crate::scene_validity::SceneValidity;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::space::Space;
use crate::verify;
use crate::windings;

/// Values of joints without limits where a query may begin at most, rad. There they are rounded to a tenth of the tolerance of positions.
const FARTHEST_START_RAD: f64 = 1e6;

impl Planner {
    pub(super) fn check_start(&self, checker: &mut Checker, start: &[f64]) -> Result<()> {
        self.scene.robot().check_limits(&self.group, start, LIMIT_TOLERANCE)?;
        self.check_turns(start)?;
        match collision(checker, start) {
            None => Ok(()),
            Some((link, other, distance, margin)) => {
                Err(KineticError::StartInCollision { link, other, distance, margin })
            }
        }
    }

    /// Refuses values of joints without limits that are so many turns away that their rounding is not far below the tolerances of motions.
    fn check_turns(&self, start: &[f64]) -> Result<()> {
        let is_far = |((_, value), (low, high)): &((&usize, &f64), &(f64, f64))| {
            !(low.is_finite() && high.is_finite()) && value.abs() > FARTHEST_START_RAD
        };
        match self.group.variables.iter().zip(start).zip(self.chain.bounds()).find(is_far) {
            None => Ok(()),
            Some(((variable, value), _)) => {
                let robot = self.scene.robot();
                let joint = &robot.joints[robot.active_joints[*variable]].name;
                let wanted = format!("at most {FARTHEST_START_RAD} rad from 0; full turns can be left out");
                Err(KineticError::invalid(format!("start of joint \"{joint}\""), value, wanted))
            }
        }
    }

    pub(super) fn search(&self, checker: &mut Checker, call: &mut Call<'_>) -> Result<PlanningResult> {
        let Call { start, goal, control, began, cost, .. } = *call;
        let improved = &mut *call.improved;
        let checks_before = checker.checks();
        self.check_start(checker, start)?;
        let closed_form = || self.closed_form();
        let around = self.goal_context(&closed_form, start);
        let mut goals = GoalSet::resolve(&around, checker, goal, FIRST_POSES, control)?;
        let metric = self.metric()?;
        let mut improvements = Improvements { metric: &metric, control, cost, least: f64::INFINITY, improved };
        let mut constraints = self.constraint_set()?;
        if let Some(constraints) = &mut constraints {
            check_ends((constraints, control), &metric.search, start, &mut goals)?;
        }
        self.rank(&around, &mut goals, checker, &metric, (constraints.as_mut(), control))?;
        let mut validity = SceneValidity::new(checker).with_constraints(constraints);
        let Found { plan, path, planned } = self.find(&around, &mut goals, &mut validity, &mut improvements)?;
        let simplified = control.elapsed();
        verify::verify_path(&path, self.chain.bounds(), &mut validity, &control.with_grace(GRACE_S))?;
        improvements.report(&path);
        let goal_turns = goals
            .stated(&around, plan.goal_index)
            .map_or_else(Vec::new, |stated| windings::between(&stated, path.positions(path.len() - 1)));
        let is_of_time = self.config().minimise == Some(Minimise::Time);
        Ok(PlanningResult {
            raw_length: metric.length(&plan.path),
            path_length: metric.length(&path),
            lower_bound: plan
                .lower_bound
                .map(|bound| if is_of_time { bound } else { metric.length_of_searched(bound) }),
            path: path.with_identity(identity(&self.scene, &self.group, &self.chain))?,
            planning_time: planned - began,
            simplification_time: simplified - planned,
            verification_time: control.elapsed() - simplified,
            refinement_time: 0.0,
            unrefined_duration: None,
            goal_index: goals.member(plan.goal_index),
            goal_turns,
            iterations: plan.iterations,
            tree_size: plan.tree_size,
            checks: checker.checks() - checks_before,
            planner_used: self.planner_spec().id,
            chosen_by_clock: false,
            passed_over: Vec::new(),
            lead_in: None,
            scene_version: call.scene_version,
        })
    }

    /// A plan that ends at the equivalent of a joint goal, or of the goal that is preferred, which is nearest to the start, where
    /// one ends at another and a search that is about as long finds it: trees meet where they meet, and joints without limits wrap.
    fn at_nearest_turn(
        &self,
        space: &Space,
        around: &GoalContext<'_>,
        goals: &GoalSet<'_>,
        (plan, is_lazy): (&Plan, bool),
        validity: &mut SceneValidity<'_>,
        control: &Control,
    ) -> Option<Plan> {
        if !space.has_continuous() || (goals.stated(around, plan.goal_index).is_none() && !goals.is_ranked()) {
            return None;
        }
        let mut nearest = goals.configurations()[plan.goal_index].clone();
        let end = plan.path.positions(plan.path.len() - 1);
        space.unwrap_into(around.start, &goals.configurations()[plan.goal_index], &mut nearest.0);
        if windings::between(&nearest, end).iter().all(|turn| *turn == 0) {
            return None;
        }
        let quantities = self.cost_quantities().ok()?;
        let left = control.max_iterations().saturating_sub(plan.iterations).min(plan.iterations + WINDING_ITERATIONS);
        let (unrolled, goal) = (space.unrolled(around.start, &nearest).ok()?, [nearest]);
        let problem = Problem::new(&unrolled, around.start, &goal, self.config.seed).ok()?;
        let mut algorithm = (self.planner_spec().build)(&self.context(&quantities)).ok()?;
        let left = control.with_max_iterations(left);
        let found = if is_lazy {
            algorithm.plan_lazily(&problem, validity, &left).ok()?.unproven
        } else {
            algorithm.plan(&problem, validity, &left).ok()?
        };
        verify::verify_ends(&problem, &found).ok()?;
        // A bound of one turn alone is none of the problem.
        let (goal_index, lower_bound) = (plan.goal_index, plan.lower_bound);
        Some(Plan { goal_index, lower_bound, iterations: plan.iterations + found.iterations, ..found })
    }

    /// A path and what simplification makes of it.
    ///
    /// Simplification replaces most edges of a path, and proves those that it leaves. So the search is lazy unless its paths are
    /// reported; in the rare case that an edge stays and fails its proof, the search is repeated with proofs of all edges.
    fn find(
        &self,
        around: &GoalContext<'_>,
        goals: &mut GoalSet<'_>,
        validity: &mut SceneValidity<'_>,
        improvements: &mut Improvements<'_>,
    ) -> Result<Found> {
        let spec = self.planner_spec();
        let (options, control) = (SimplifyOptions::from(&self.config), improvements.control);
        let cost = improvements.cost;
        let (mut is_lazy, mut used) = (!spec.is_anytime && spec.may_be_simplified && cost.is_none(), 0);
        loop {
            validity.obey(control);
            let plan = self.search_once(around, goals, validity, improvements, (is_lazy, used))?;
            let planned = control.elapsed();
            used = plan.iterations;
            let grace = control.with_grace(GRACE_S);
            validity.obey(&grace);
            if cost.is_some() && spec.is_anytime || !spec.may_be_simplified {
                // A path of least cost was chosen among simplified ones: what shortens it further may raise its cost.
                return Ok(Found { path: plan.path.clone(), plan, planned });
            }
            match simplify_in(&improvements.metric.search, &plan.path, &options, validity, control) {
                // What takes too long is refused, too.
                Err(KineticError::PlannerOutputInvalid { .. }) if grace.is_over(0) => return Err(control.error(used)),
                Err(KineticError::PlannerOutputInvalid { .. }) if is_lazy => is_lazy = false,
                simplified => {
                    let simplified = simplified?.path;
                    let is_worse = cost.is_some_and(|cost| cost(&plan.path) < cost(&simplified));
                    let path = if is_worse { plan.path.clone() } else { simplified };
                    return Ok(Found { plan, path, planned });
                }
            }
        }
    }

    /// Refuses a cost that a planner of the registry does not look at.
    fn check_state_cost(&self, spec: &PlannerSpec) -> Result<()> {
        let looks =
            [bitrrt::SPEC.id, stomp::SPEC.id].contains(&spec.id) || !PLANNERS.iter().any(|row| row.id == spec.id);
        match &self.config.state_cost {
            Some(cost) if !looks => {
                let wanted = format!("None for {}; bitrrt and stomp look at costs of configurations", spec.id);
                Err(KineticError::invalid("state_cost", format!("\"{}\"", cost.name()), wanted))
            }
            _ => Ok(()),
        }
    }

    /// What one search finds, with `used` iterations of those before counted.
    fn search_once(
        &self,
        around: &GoalContext<'_>,
        goals: &mut GoalSet<'_>,
        validity: &mut SceneValidity<'_>,
        improvements: &mut Improvements<'_>,
        (is_lazy, used): (bool, u64),
    ) -> Result<Plan> {
        let (spec, control, space) = (self.planner_spec(), improvements.control, &improvements.metric.search);
        self.check_state_cost(spec)?;
        let roadmap = self.roadmap_in_scope(space)?;
        let regions = self.regions_in(space)?;
        let (optimizer, warm_start) = (self.optimizer_in_scene()?, self.warm_start_of_search()?);
        let quantities = self.cost_quantities()?;
        let context = self.context(&quantities);
        let resources = PlannerContext { roadmap: roadmap.as_ref(), regions, optimizer: optimizer.as_ref(), ..context };
        let mut algorithm = (spec.build)(&resources)?;
        let left = control.with_max_iterations(control.max_iterations().saturating_sub(used));
        let mut search = GoalSamplingRestarts {
            algorithm: &mut *algorithm,
            is_anytime: spec.is_anytime,
            is_lazy,
            cost: improvements.cost,
            warm_start,
            control: &left,
        };
        let mut report = |plan: &Plan| {
            if spec.is_anytime {
                improvements.report(&plan.path);
            }
        };
        let found =
            search.run(space, around, goals, validity, &mut report).map_err(|error| after(used, error))?.unproven;
        let nearer = if spec.is_anytime {
            None
        } else {
            self.at_nearest_turn(space, around, goals, (&found, is_lazy), validity, &left)
        };
        let plan = nearer.unwrap_or(found);
        Ok(Plan { iterations: plan.iterations + used, ..plan })
    }
}

/// Refuses a start, or goals of which there will be no others, that do not keep the constraints. A goal that keeps them on the
/// turn of continuous joints on which a motion from the start ends, and not on its own, is put on that turn.
fn check_ends(
    (constraints, control): (&mut ConstraintSet, &Control),
    space: &Space,
    start: &[f64],
    goals: &mut GoalSet<'_>,
) -> Result<()> {
    if let Some(violation) = constraints.violation(start) {
        return Err(constraints.error("start", &violation));
    }
    let mut nearest = start.to_vec();
    for goal in goals.configurations_mut() {
        control.check(0)?;
        space.unwrap_into(start, goal, &mut nearest);
        if nearest != goal[..] && constraints.violation(goal).is_some() && constraints.violation(&nearest).is_none() {
            goal.copy_from_slice(&nearest);
        }
    }
    if goals.can_grow() {
        return Ok(());
    }
    let mut nearest: Option<Violation> = None;
    for goal in goals.configurations() {
        control.check(0)?;
        let Some(violation) = constraints.violation(goal) else { return Ok(()) };
        if nearest.as_ref().is_none_or(|nearest| violation.excess() < nearest.excess()) {
            nearest = Some(violation);
        }
    }
    nearest.map_or(Ok(()), |violation| Err(constraints.error("goal", &violation)))
}

/// Iterations for another search to a nearer turn, beside as many as the first one took.
const WINDING_ITERATIONS: u64 = 1_000;

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
pub(super) type PathCost<'a> = dyn Fn(&Trajectory) -> f64 + 'a;

/// What a planning call is given.
pub(super) struct Call<'a> {
    pub(super) start: &'a [f64],
    pub(super) goal: &'a Goal,
    pub(super) control: &'a Control,
    pub(super) improved: &'a mut dyn FnMut(Improvement),
    /// When the call began.
    pub(super) began: f64,
    pub(super) cost: Option<&'a PathCost<'a>>,
    /// Version of the scene that the caller knows.
    pub(super) scene_version: ContentHash,
}

/// Reports paths that cost less than all before to the callback of a query.
struct Improvements<'a> {
    metric: &'a Metric,
    control: &'a Control,
    cost: Option<&'a PathCost<'a>>,
    least: f64,
    improved: &'a mut dyn FnMut(Improvement),
}

impl Improvements<'_> {
    fn report(&mut self, path: &Trajectory) {
        let path_length = self.metric.length(path);
        let cost = self.cost.map_or(path_length, |cost| cost(path));
        if cost < self.least {
            self.least = cost;
            (self.improved)(Improvement { path: path.clone(), path_length, elapsed: self.control.elapsed() });
        }
    }
}
