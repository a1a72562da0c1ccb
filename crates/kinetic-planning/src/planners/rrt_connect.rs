//! RRT-Connect: two trees that grow towards each other.
//!
//! Kuffner and `LaValle`, "RRT-Connect: An efficient approach to single-query path planning", ICRA 2000, with
//! - the straight line from the start to each goal tried before any sampling;
//! - the dynamic domain of Yershova, Jaillet, Siméon and `LaValle` (ICRA 2005), its radii adapted as Jaillet et al.
//!   (IROS 2005): samples far from a node whose extensions were blocked are not spent on it, but followed by one of the
//!   domain itself;
//! - trees kept balanced: the smaller one grows until it has half the size of the other;
//! - the connection walked greedily in equal steps from the new node to the nearest one of the other tree;
//! - several goals: each is a root of the goal tree;
//! - from nodes whose extensions were blocked again and again, extensions along what is near (`distance_constraints.rs`), and in
//!   parts: the first part first, kept where it is free;
//! - edges that are proven when a path needs them, not earlier (Bohlin and Kavraki, "Path planning using lazy PRM",
//!   ICRA 2000): the trees grow with discrete edge checks, and lose an edge that fails its continuous check with its subtree;
//! - a second pair of trees in long searches, which restarts again and again (`restart_schedule.rs`).

mod config;
mod distance_constraints;

use kinetic_core::{Control, Result, Trajectory};

use super::domain::DomainSampler;
use super::ends::check_ends;
use super::restart_schedule::RestartSchedule;
use super::turns::next_turn;
use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::near_distances::DistanceBounds;
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::sampler::Sampler;
use crate::space::Space;
use crate::tree::Tree;
use crate::validity::Validity;

pub use config::RrtConnectConfig;
use distance_constraints::DistanceConstraints;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "rrt_connect",
    summary: "two trees that grow towards each other; fast first solutions",
    source: "Kuffner and LaValle, ICRA 2000; dynamic domain: Yershova et al., ICRA 2005, Jaillet et al., IROS 2005",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        Ok(Box::new(RrtConnect::default()))
    },
};

/// Joints up to which the default lengths hold; see [`RrtConnect::default`].
const USUAL_DOF: f64 = 8.0;

/// The planner. Owns its trees; a second call reuses their memory.
#[derive(Debug, Clone)]
pub struct RrtConnect {
    config: RrtConnectConfig,
    /// Whether lengths are adapted to the number of joints.
    adapts: bool,
    trees: [Tree; 2],
    /// The pair of trees whose turn it is not.
    resting: [Tree; 2],
    /// Of the trees whose turn it is, and of the others.
    constraints: [DistanceConstraints; 2],
    resting_constraints: [DistanceConstraints; 2],
    buffers: Buffers,
}

/// Configurations in the making.
#[derive(Debug, Clone, Default)]
struct Buffers {
    sample: Vec<f64>,
    step: Vec<f64>,
    partial: Vec<f64>,
    base: Vec<f64>,
    target: Vec<f64>,
    path: Vec<f64>,
    near: DistanceBounds,
}

impl Default for RrtConnect {
    /// A planner with default options, adapted where there are more than eight joints. The range shrinks in inverse
    /// proportion to their number: more joints than an arm has are several chains that all have to stay free, and the
    /// chance that they do falls with the way of each. The radii of the dynamic domain grow with the root of their number,
    /// as distances between configurations do.
    fn default() -> Self {
        Self { adapts: true, ..Self::with_config(RrtConnectConfig::default()) }
    }
}

impl RrtConnect {
    fn with_config(config: RrtConnectConfig) -> Self {
        let (trees, resting, constraints, resting_constraints) = Default::default();
        let buffers = Buffers::default();
        Self { config, adapts: false, trees, resting, constraints, resting_constraints, buffers }
    }

    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`RrtConnectConfig::check`].
    pub fn new(config: RrtConnectConfig) -> Result<Self> {
        config.check()?;
        Ok(Self::with_config(config))
    }

    /// The options for a space.
    fn adapted(&self, space: &Space) -> RrtConnectConfig {
        let excess = if self.adapts { (space.dof() as f64 / USUAL_DOF).max(1.0) } else { 1.0 };
        RrtConnectConfig {
            range: self.config.range / excess,
            radius: self.config.radius * excess.sqrt(),
            min_radius: self.config.min_radius * excess.sqrt(),
            ..self.config
        }
    }

    /// Its options.
    pub fn config(&self) -> &RrtConnectConfig {
        &self.config
    }
}

impl Algorithm for RrtConnect {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        self.search(problem, validity, control, true)
    }

    fn plan_lazily(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<LazyPlan> {
        self.search(problem, validity, control, false).map(LazyPlan::from)
    }
}

impl RrtConnect {
    /// `proves` says whether the edges of the path are proven.
    fn search(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
        proves: bool,
    ) -> Result<Plan> {
        control.check(0)?;
        self.buffers.resize(problem.space().dof());
        let checks_before = validity.checks();
        let config = self.adapted(problem.space());
        let mut search = Search {
            space: problem.space(),
            config,
            range: config.range,
            trees: &mut self.trees,
            resting: &mut self.resting,
            constraints: &mut self.constraints,
            resting_constraints: &mut self.resting_constraints,
            schedule: RestartSchedule::new(config.second_after, config.second_range),
            buffers: &mut self.buffers,
            validity,
            proves,
            control,
            iterations: 0,
            domain: DomainSampler::new(config.radius, problem.seed()),
            was_rejected: false,
        };
        let goal_index = search.run(problem)?;
        let mut path = Trajectory::with_dof(problem.space().dof());
        for waypoint in search.buffers.path.chunks_exact(path.dof()) {
            path.push_waypoint(waypoint)?;
        }
        Ok(Plan {
            path,
            goal_index,
            iterations: search.iterations,
            tree_size: search.trees.iter().chain(&*search.resting).map(Tree::len).sum(),
            checks: search.validity.checks() - checks_before,
            planner_used: SPEC.id,
            lower_bound: None,
        })
    }
}

impl Buffers {
    fn resize(&mut self, dof: usize) {
        for buffer in [&mut self.sample, &mut self.step, &mut self.partial, &mut self.base, &mut self.target] {
            buffer.resize(dof, 0.0);
        }
    }
}

/// The trees by what their root is.
const START: usize = 0;
const GOAL: usize = 1;

/// The clock is read before every validity query, and once in so many iterations without one; these take some tens of
/// nanoseconds each, as reading the clock does.
const ITERATIONS_PER_CLOCK: u64 = 64;

/// One extension in so many from a node whose extensions go along what is near is straight; odd, so that samples of the whole space
/// and of the dynamic domain, which often take turns, both are.
const ITERATIONS_PER_STRAIGHT: u64 = 9;

/// What became of an extension.
enum Extension {
    Blocked,
    /// Its free part was kept.
    Partial(usize),
    Full(usize),
}

/// One run.
struct Search<'a> {
    space: &'a Space,
    config: RrtConnectConfig,
    /// Longest edge of the trees whose turn it is.
    range: f64,
    trees: &'a mut [Tree; 2],
    resting: &'a mut [Tree; 2],
    constraints: &'a mut [DistanceConstraints; 2],
    resting_constraints: &'a mut [DistanceConstraints; 2],
    schedule: RestartSchedule,
    buffers: &'a mut Buffers,
    validity: &'a mut dyn Validity,
    /// Whether the edges of the path are proven.
    proves: bool,
    control: &'a Control,
    iterations: u64,
    domain: DomainSampler,
    /// Whether the last sample was outside the dynamic domain.
    was_rejected: bool,
}

impl Search<'_> {
    /// Leaves the path in the buffers and returns the index of its goal.
    fn run(&mut self, problem: &Problem<'_>) -> Result<usize> {
        self.trees.iter_mut().chain(self.resting.iter_mut()).for_each(|tree| tree.reset(self.space));
        let mut goals = problem.goals_by_distance();
        for goal in &goals {
            self.control.check(0)?;
            if self.connects_straight(problem.start(), &problem.goals()[*goal]) {
                return Ok(*goal);
            }
        }
        check_ends(problem, &mut goals, &mut *self.validity)?;
        self.plant(problem, &goals);
        let mut sampler = Sampler::new(self.config.sampler, self.space, problem.seed());
        let mut active = GOAL;
        loop {
            if self.iterations >= self.control.max_iterations() || self.iterations.is_multiple_of(ITERATIONS_PER_CLOCK)
            {
                self.control.check(self.iterations)?;
            }
            self.take_turns(problem, &goals);
            self.iterations += 1;
            active = self.next_active(active);
            if std::mem::take(&mut self.was_rejected) {
                self.domain.sample_into(self.space, &self.trees[active], &mut self.buffers.sample);
            } else {
                sampler.next_into(&mut self.buffers.sample);
            }
            if let Some(meeting) = self.grow(active)?
                && self.prove_branch(active, meeting.0)?
                && self.prove_branch(1 - active, meeting.1)?
                && let Some(root) = self.build_path(active, meeting)
            {
                return Ok(goals[root]);
            }
        }
    }

    fn connects_straight(&mut self, start: &[f64], goal: &[f64]) -> bool {
        self.space.unwrap_into(start, goal, &mut self.buffers.target);
        let target = &self.buffers.target;
        let free = self.validity.motion_may_be_valid(start, target)
            && (!self.proves || self.validity.is_motion_valid(start, target));
        if free {
            self.buffers.path.clear();
            self.buffers.path.extend_from_slice(start);
            self.buffers.path.extend_from_slice(&self.buffers.target);
        }
        free
    }

    /// Trees of nothing but their roots.
    fn plant(&mut self, problem: &Problem<'_>, goals: &[usize]) {
        self.trees.iter_mut().for_each(|tree| tree.reset(self.space));
        self.constraints.iter_mut().for_each(DistanceConstraints::reset);
        self.trees[START].add_root(self.space, problem.start());
        for goal in goals {
            self.trees[GOAL].add_root(self.space, &problem.goals()[*goal]);
        }
    }

    /// Puts the other pair of trees in place when its turn begins.
    fn take_turns(&mut self, problem: &Problem<'_>, goals: &[usize]) {
        if let Some(switch) = self.schedule.switch(self.iterations) {
            std::mem::swap(self.trees, self.resting);
            std::mem::swap(self.constraints, self.resting_constraints);
            self.range = self.config.range * switch.range;
            if switch.restarts {
                self.plant(problem, goals);
            }
        }
    }

    /// The tree to grow next.
    fn next_active(&self, active: usize) -> usize {
        if self.config.balance { next_turn(active, [self.trees[0].len(), self.trees[1].len()]) } else { 1 - active }
    }

    /// One iteration: extends the active tree towards the sample, then towards the other tree. Returns the nodes of the
    /// active and the other tree between which the last edge seems free, when they met.
    fn grow(&mut self, active: usize) -> Result<Option<(usize, usize)>> {
        let (near, distance) = self.trees[active].nearest(self.space, &self.buffers.sample);
        let radius = self.trees[active].radius(near);
        if distance > radius {
            self.was_rejected = true;
            return Ok(None);
        }
        self.control.check(self.iterations - 1)?;
        let from = self.trees[active].node(near);
        self.space.steer(from, &self.buffers.sample, self.range, &mut self.buffers.step);
        match self.extend(active, near) {
            Extension::Full(node) => {
                self.trees[active].set_radius(near, radius * (1.0 + self.config.alpha));
                self.connect(active, node)
            }
            Extension::Partial(node) => {
                self.shrink_domain(active, near);
                self.connect(active, node)
            }
            Extension::Blocked => {
                self.shrink_domain(active, near);
                Ok(None)
            }
        }
    }

    fn shrink_domain(&mut self, active: usize, node: usize) {
        let radius = self.trees[active].radius(node);
        let shrunk = if radius == f64::INFINITY {
            self.config.radius
        } else {
            (radius * (1.0 - self.config.alpha)).max(self.config.min_radius)
        };
        self.trees[active].set_radius(node, shrunk);
    }

    /// Adds the edge from `node` to the configuration in `step`, or, where the node is boxed in, the free part of it.
    fn extend(&mut self, active: usize, node: usize) -> Extension {
        let blocked = self.trees[active].blocked(node);
        let is_along = blocked.is_some_and(|count| count >= self.config.along_after);
        // Distances say nothing certain: what they forbid is tried now and then.
        if is_along && !self.iterations.is_multiple_of(ITERATIONS_PER_STRAIGHT) && !self.constrain(active, node) {
            return Extension::Blocked;
        }
        if blocked.is_some_and(|count| count >= self.config.partial_after) {
            return self.extend_in_parts(active, node);
        }
        let reached = self.reach(active, node);
        if reached.is_none() {
            self.trees[active].count_blocked(node);
        }
        reached.map_or(Extension::Blocked, Extension::Full)
    }

    /// Moves the configuration in `step` so that the motion to it from `node` goes along what is near the node. False where next to
    /// nothing is left of it.
    fn constrain(&mut self, active: usize, node: usize) -> bool {
        let (constraints, Buffers { step, near, .. }) = (&mut self.constraints[active], &mut *self.buffers);
        let at = (node, self.trees[active].node(node));
        constraints.list(self.space, at, &mut *self.validity, near);
        constraints.project(self.space, at, step, self.range) >= self.config.min_partial * self.range
    }

    /// The new node, when the whole motion from `node` to the configuration in `step` seems free.
    fn reach(&mut self, active: usize, node: usize) -> Option<usize> {
        let tree = &mut self.trees[active];
        let is_free = self.validity.motion_may_be_valid(tree.node(node), &self.buffers.step);
        is_free.then(|| {
            tree.set_open(node);
            tree.add(self.space, &self.buffers.step, node)
        })
    }

    /// As [`extend`](Self::extend): a first part, then the rest.
    fn extend_in_parts(&mut self, active: usize, node: usize) -> Extension {
        let tree = &mut self.trees[active];
        let Buffers { step, partial, .. } = &mut *self.buffers;
        let fraction = self.validity.free_fraction(tree.node(node), step);
        if fraction < 1.0 {
            self.space.interpolate(tree.node(node), step, fraction, partial);
            let long_enough = self.space.distance(tree.node(node), partial) >= self.config.min_partial * self.range;
            if !long_enough || !self.validity.motion_may_be_valid(tree.node(node), partial) {
                return Extension::Blocked;
            }
            if !self.validity.motion_may_be_valid(partial, step) {
                return Extension::Partial(tree.add(self.space, partial, node));
            }
        }
        tree.set_open(node);
        Extension::Full(tree.add(self.space, step, node))
    }

    /// Walks from `node` of the active tree towards the nearest node of the other one, as far as the way is free.
    fn connect(&mut self, active: usize, mut node: usize) -> Result<Option<(usize, usize)>> {
        self.buffers.base.copy_from_slice(self.trees[active].node(node));
        let (other, distance) = self.trees[1 - active].nearest(self.space, &self.buffers.base);
        let Buffers { base, target, .. } = &mut *self.buffers;
        self.space.unwrap_into(base, self.trees[1 - active].node(other), target);
        let steps = (distance / self.range).ceil().max(1.0);
        let mut step = 1.0;
        while step < steps {
            self.control.check(self.iterations - 1)?;
            self.space.interpolate(&self.buffers.base, &self.buffers.target, step / steps, &mut self.buffers.step);
            let Some(next) = self.reach(active, node) else {
                return Ok(None);
            };
            node = next;
            step += 1.0;
        }
        self.control.check(self.iterations - 1)?;
        let met = self.validity.motion_may_be_valid(self.trees[active].node(node), &self.buffers.target);
        Ok(met.then_some((node, other)))
    }

    /// Proves the edges from the root to a node if edges are proven.
    fn prove_branch(&mut self, which: usize, node: usize) -> Result<bool> {
        if !self.proves {
            return Ok(true);
        }
        let (control, iterations, validity) = (self.control, self.iterations - 1, &mut *self.validity);
        self.trees[which].prove_branch(node, |from, to| {
            control.check(iterations)?;
            Ok(validity.is_motion_valid(from, to))
        })
    }

    /// Joins the two branches at the meeting into a path from the start to a goal; returns the goal's root.
    fn build_path(&mut self, active: usize, (node, other): (usize, usize)) -> Option<usize> {
        let (from_start, from_goal) = if active == START { (node, other) } else { (other, node) };
        let [start_tree, goal_tree] = &*self.trees;
        let Buffers { path, base, target, .. } = &mut *self.buffers;
        path.clear();
        let to_start: Vec<usize> = start_tree.branch(from_start).collect();
        to_start.iter().rev().for_each(|node| path.extend_from_slice(start_tree.node(*node)));
        // Full turns between the two trees' unwrappings of continuous joints.
        let meeting = goal_tree.node(from_goal);
        self.space.unwrap_into(start_tree.node(from_start), meeting, target);
        base.iter_mut().zip(target.iter().zip(meeting)).for_each(|(turn, (there, here))| *turn = there - here);
        let is_turned = self.space.has_continuous() && target.iter().zip(meeting).any(|(there, here)| there != here);
        let mut root = from_goal;
        for node in goal_tree.branch(from_goal) {
            path.extend(goal_tree.node(node).iter().zip(&*base).map(|(value, turn)| value + turn));
            root = node;
        }
        // Turned by full turns, edges are not bit for bit those that were proven.
        let unproven = if is_turned { usize::MAX } else { 1 };
        self.proves_path(to_start.len(), unproven).then_some(root)
    }

    /// Proves at most `count` of the path's edges from waypoint `first - 1` on, if edges are proven: the one between the
    /// trees, and more where they were proven in other values only.
    fn proves_path(&mut self, first: usize, count: usize) -> bool {
        if !self.proves {
            return true;
        }
        let dof = self.space.dof();
        let edges = &self.buffers.path[(first - 1) * dof..];
        let mut ends = edges.chunks_exact(dof).zip(edges.chunks_exact(dof).skip(1)).take(count);
        ends.all(|(from, to)| self.validity.is_motion_valid(from, to))
    }
}
