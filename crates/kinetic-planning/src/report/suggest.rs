//! Candidate changes from the evidence; planning decides whether they help.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Goal, JointValues, KineticError, Pair};
use kinetic_ik::{IKConfig, IkReport, nearest_ik};

use super::state::{IkEvidence, StateEvidence};
use super::{Change, Evidence, unit_changes};
use crate::goal_set::flatten;
use crate::planner::Planner;
use crate::planning_problem::PlanningProblem;
use crate::registry::{PLANNERS, PlannerType};
use crate::windings;

/// Deepest contact that touching may be meant by, m.
const MAX_INTENDED_CONTACT_M: f64 = 0.01;

/// Margins are suggested this much below the distance that there is, and to the tenth of a millimetre.
const SUGGESTED_MARGIN_RATIO: f64 = 0.9;
const MARGIN_STEP_M: f64 = 1e-4;

/// Tolerances are suggested this much wider than the deviation: what uses all of its tolerance leaves nothing to prove motions with.
const WIDENED_RATIO: f64 = 1.25;

/// Distances in joint space (rad or m) around a configuration in contact at which free ones are sought.
const RING_RADII_RAD_M: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8];
const TRIES_PER_RING: usize = 60;

/// Joints are moved so far inside their limits, rad or m.
const LIMIT_CLEARANCE_RAD_M: f64 = 1e-6;

/// Iterations for problems whose own budget may have been too small.
const MORE_ITERATIONS: u64 = 20_000;

/// Collects changes, each once, in the order of their promise.
struct Suggestions<'a> {
    problem: &'a PlanningProblem,
    planner: Planner,
    found: Vec<Change>,
}

/// The changes that are worth a try, the likeliest first.
pub(super) fn changes(problem: &PlanningProblem, error: &KineticError, evidence: &Evidence) -> Vec<Change> {
    let Ok(planner) = problem.planner_at_start() else { return Vec::new() };
    let mut suggestions = Suggestions { problem, planner, found: Vec::new() };
    suggestions.units();
    suggestions.constraint(error);
    if evidence.search.is_some() || evidence.outside().is_some() {
        suggestions.turns();
    }
    if let Some(state) = &evidence.start {
        suggestions.state(state, Change::StartAt);
    }
    if let Some(state) = &evidence.goal {
        suggestions.state(state, Change::GoalAt);
    }
    if let Some(ik) = &evidence.ik {
        suggestions.goal_pose(ik);
    }
    for member in &evidence.members {
        member.goal.iter().for_each(|state| suggestions.state(state, Change::GoalAt));
        member.ik.iter().for_each(|ik| suggestions.goal_pose(ik));
    }
    if let Some(search) = &evidence.search {
        let blocking: Vec<Pair> =
            search.gap.iter().chain(search.blocking.iter().map(|(pair, _)| pair)).cloned().collect();
        suggestions.search(&blocking, iterations_of(error).max(search.iterations));
    }
    suggestions.found
}

impl Suggestions<'_> {
    fn add(&mut self, change: Change) {
        if !self.found.contains(&change) {
            self.found.push(change);
        }
    }

    /// Mistakes of units: they explain everything else.
    fn units(&mut self) {
        for change in unit_changes::changes(self.problem, &self.planner) {
            self.add(change);
        }
    }

    /// A goal configuration that has further turns inside the limits.
    fn turns(&mut self) {
        let (robot, group) = (self.problem.scene().robot(), self.planner.group());
        let Ok(start) = robot.group_configuration(group, self.problem.start()) else { return };
        let mut members = Vec::new();
        flatten(self.problem.goal(), &mut members);
        let has_others = |goal: &&Goal| {
            let stated = match goal {
                Goal::Joints(values) => robot.group_configuration(group, values).ok(),
                Goal::Named(name) => robot.named_configuration(group, name),
                _ => None,
            };
            stated.is_some_and(|q| {
                let turned = windings::equivalents(self.planner.chain(), &q, &start, 2);
                turned.iter().any(|other| windings::between(&q, other).iter().any(|turn| *turn != 0))
            })
        };
        if members.iter().any(has_others) {
            self.add(Change::Turns);
        }
    }

    /// A start or goal that does not keep a constraint.
    fn constraint(&mut self, error: &KineticError) {
        let KineticError::ConstraintViolated { context, constraint, value, tolerance } = error else { return };
        if context == "start"
            && let Ok(start) = self.planner.project(self.problem.start())
        {
            self.add(Change::ProjectedStart(start));
        }
        if context == "goal"
            && let Some(goal) = self.problem.goal_configuration(&self.planner, self.problem.goal())
            && let Ok(goal) = self.planner.project(&goal)
        {
            self.add(Change::ProjectedGoal(goal));
        }
        let constraints = &self.problem.config().constraints;
        let violated = constraints.iter().position(|one| one.to_string() == *constraint);
        if let Some(index) = violated.filter(|_| value.is_finite() && *tolerance > 0.0) {
            let wider = constraints[index].with_tolerance_scaled(WIDENED_RATIO * value / tolerance);
            self.add(Change::Constraint(index, wider));
        }
    }

    /// A start or goal that cannot be used.
    fn state(&mut self, state: &StateEvidence, at: fn(JointValues) -> Change) {
        if !state.outside.is_empty() {
            self.add(at(self.inside_limits(&state.joints)));
            return;
        }
        let contacts: Vec<_> = state.contacts.iter().map(|contact| (contact.pair.clone(), contact.distance)).collect();
        for (pair, distance) in &contacts {
            self.pair(pair, *distance);
        }
        // One margin for all that are too near.
        let least = contacts.iter().map(|(_, distance)| *distance).fold(f64::INFINITY, f64::min);
        if let ([_, _, ..], true) = (contacts.as_slice(), least > 0.0) {
            self.general_margin(&contacts[0].0, least);
        }
        if let Some(free) = self.free_nearby(&state.joints) {
            self.add(at(free));
        }
    }

    fn inside_limits(&self, q: &JointValues) -> JointValues {
        let inside = |(value, (min, max)): (&f64, &(f64, f64))| {
            let room = LIMIT_CLEARANCE_RAD_M.min(0.5 * (max - min));
            value.max(min + room).min(max - room)
        };
        q.iter().zip(self.planner.chain().bounds()).map(inside).collect()
    }

    /// Two bodies that are closer than their required clearance.
    fn pair(&mut self, pair: &Pair, distance: f64) {
        let scene = self.problem.scene().clone();
        if scene.object(&pair.other).is_err() && pair.other.starts_with("outside of the workspace") {
            self.add(Change::NoWorkspaceBounds);
            return;
        }
        if distance > 0.0 {
            self.general_margin(pair, distance);
            self.add(Change::PairMargin(pair.clone(), margin_below(distance)));
        }
        self.stated(pair);
        let carried = [&pair.link, &pair.other].into_iter().find(|name| scene.attached().contains_key(*name)).cloned();
        if distance > -MAX_INTENDED_CONTACT_M || carried.is_some() {
            self.add(Change::AllowCollision(pair.clone()));
        }
        if let Some(name) = carried {
            self.add(Change::RemoveBody(name));
        }
        if scene.objects().contains_key(&pair.other) {
            self.add(Change::RemoveObject(pair.other.clone()));
        }
    }

    /// What the scene states about either body, which precedes the margins of the planner or adds to them.
    fn stated(&mut self, pair: &Pair) {
        let scene = self.problem.scene().clone();
        let stated = scene.margins();
        for name in [&pair.link, &pair.other] {
            if stated.names().any(|(known, ..)| known == name) {
                self.add(Change::NoMarginOf(name.clone()));
            }
            if stated.paddings().any(|(known, _)| known == name) {
                self.add(Change::NoPadding(name.clone()));
            }
            if stated.scales().any(|(known, _)| known == name) {
                self.add(Change::NoScale(name.clone()));
            }
        }
    }

    /// The margin of the side that the pair is on.
    fn general_margin(&mut self, pair: &Pair, distance: f64) {
        let is_world = self.problem.scene().objects().contains_key(&pair.other);
        let config = self.problem.config();
        let margin = margin_below(distance);
        if is_world && config.collision_margin > margin {
            self.add(Change::CollisionMargin(margin));
        }
        if !is_world && config.self_margin > margin {
            self.add(Change::SelfMargin(margin));
        }
    }

    /// The first free configuration on rings of growing size.
    fn free_nearby(&self, q: &JointValues) -> Option<JointValues> {
        let (mut checker, _) = self.planner.checker_at(self.problem.start()).ok()?;
        let mut rng = SeededRng::new(self.problem.config().seed);
        RING_RADII_RAD_M.iter().find_map(|radius| {
            (0..TRIES_PER_RING).find_map(|_| {
                let near = self.on_ring(q, *radius, &mut rng);
                checker.is_free(&near).then_some(near)
            })
        })
    }

    fn on_ring(&self, q: &JointValues, radius: f64, rng: &mut SeededRng) -> JointValues {
        let direction: Vec<f64> = q.iter().map(|_| rng.uniform(-1.0, 1.0)).collect();
        let length = direction.iter().map(|value| value * value).sum::<f64>().sqrt().max(1e-9);
        let moved = q.iter().zip(direction).map(|(value, step)| value + radius * step / length).collect();
        self.inside_limits(&moved)
    }

    /// A pose that nothing usable reaches.
    fn goal_pose(&mut self, ik: &IkEvidence) {
        if let Some((pair, distance)) = ik.nearest_to_free() {
            let pair = pair.clone();
            self.pair(&pair, distance);
        }
        self.add(Change::GoalPose(ik.report.nearest_pose));
        if let Some(change) = self.free_orientation(&ik.report) {
            self.add(change);
        }
    }

    /// The pose of a configuration that brings the tool to the position, whatever its orientation; a free one first.
    fn free_orientation(&self, report: &IkReport) -> Option<Change> {
        let (mut checker, start) = self.planner.checker_at(self.problem.start()).ok()?;
        let chain = self.planner.chain();
        let mut first = None;
        for rng_seed in 0..8 {
            let seed = (rng_seed == 0).then(|| start.clone());
            let config = IKConfig { seed, rng_seed, num_restarts: 4, ..IKConfig::position_only() };
            let Ok(found) = nearest_ik(chain, &report.target, &config) else { break };
            if !found.converged {
                break;
            }
            let pose = chain.tip_pose(&found.joints);
            if checker.is_free(&found.joints) {
                return Some(Change::FreeOrientation(pose));
            }
            first = first.or(Some(Change::FreeOrientation(pose)));
        }
        first
    }

    /// A search that ended without a plan.
    fn search(&mut self, blocking: &[Pair], iterations: u64) {
        let config = self.problem.config().clone();
        self.add(Change::MoreIterations(MORE_ITERATIONS.max(config.max_iterations).max(10 * iterations)));
        self.add(Change::Seed(config.seed.wrapping_add(1)));
        if config.collision_margin > 0.0 {
            self.add(Change::CollisionMargin(round_down(0.5 * config.collision_margin)));
            self.add(Change::CollisionMargin(0.0));
        }
        if config.workspace_bounds.is_some() {
            self.add(Change::NoWorkspaceBounds);
        }
        let bodies: Vec<String> = self.problem.scene().attached().keys().cloned().collect();
        for name in bodies {
            self.add(Change::RemoveBody(name));
        }
        let objects = blocking.iter().filter(|pair| self.problem.scene().objects().contains_key(&pair.other));
        let objects: Vec<String> = objects.map(|pair| pair.other.clone()).collect();
        for name in objects.into_iter().take(3) {
            self.add(Change::RemoveObject(name));
        }
        let used = self.planner.planner_spec().id;
        for planner in PLANNERS.iter().filter(|planner| planner.id != used) {
            if let Ok(planner) = planner.id.parse::<PlannerType>() {
                self.add(Change::Planner(planner));
            }
        }
    }
}

fn margin_below(distance: f64) -> f64 {
    round_down(SUGGESTED_MARGIN_RATIO * distance)
}

fn round_down(value: f64) -> f64 {
    // As people write it: 0.0123 and not 0.012299999999999999.
    let steps = (value / MARGIN_STEP_M).floor().max(0.0);
    steps / (1.0 / MARGIN_STEP_M).round()
}

fn iterations_of(error: &KineticError) -> u64 {
    if let KineticError::PlanningTimeout { iterations, .. } = error { *iterations } else { 0 }
}
