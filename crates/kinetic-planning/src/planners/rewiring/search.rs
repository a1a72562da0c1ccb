//! The search of RRT\* and of its bidirectional form.

mod grafting;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result, Trajectory};

use super::connections::{Connection, Connections};
use super::extension::{ExtensionBuffers, RewiringExtension, distance_to_roots};
use super::tree::RewiringTree;
use crate::algorithm::Plan;
use crate::planners::ends::check_ends;
use crate::planners::informed::InformedSampler;
use crate::planners::near_sample::sample_near;
use crate::planners::turns::next_turn;
use crate::planners::unwrapped::unwrapped_path;
use crate::problem::Problem;
use crate::sampler::{Sampler, SamplerKind};
use crate::smooth::SimplifyOptions;
use crate::space::Space;
use crate::validity::Validity;

const START: usize = 0;
const GOAL: usize = 1;

/// The clock is read before every validity query, and once in so many iterations without one.
const ITERATIONS_PER_CLOCK: u64 = 64;

/// A path as short as this part above the lower bound is the shortest: rounding of sums of a few hundred edges.
const PATH_LENGTH_ROUNDING: f64 = 1e-12;

/// Connections beyond which those that cannot improve are looked for.
const MANY_CONNECTIONS: usize = 256;

/// Which part of the samples are drawn around the best path.
const LOCAL_FRACTION: f64 = 0.5;

/// Which trees grow once there is a path; until then both do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::planners) enum Growth {
    /// The start tree alone.
    Start,
    /// Both.
    Both,
}

/// What a search needs beside its problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::planners) struct RewiringSetting {
    /// The id of the planner.
    pub(in crate::planners) id: &'static str,
    pub(in crate::planners) growth: Growth,
    /// Longest edge of an extension.
    pub(in crate::planners) range: f64,
    /// How paths are shortened.
    pub(in crate::planners) simplify: SimplifyOptions,
}

/// Trees and lists, kept from one search to the next.
#[derive(Debug, Clone, Default)]
pub(in crate::planners) struct RewiringMemory {
    trees: [RewiringTree; 2],
    connections: Connections,
    buffers: ExtensionBuffers,
    informed: InformedSampler,
    near: Vec<(usize, f32)>,
}

/// Searches a path and shorter ones until the budget ends or none can be shorter; `improved` is called with each. The last one
/// is returned.
pub(in crate::planners) fn search(
    setting: RewiringSetting,
    memory: &mut RewiringMemory,
    (problem, control): (&Problem<'_>, &Control),
    validity: &mut dyn Validity,
    improved: &mut dyn FnMut(&Plan),
) -> Result<Plan> {
    control.check(0)?;
    memory.buffers.resize(problem.space().dof());
    memory.connections.clear();
    let sampler = Sampler::new(SamplerKind::Halton, problem.space(), problem.seed());
    let mut search = RewiringSearch {
        setting,
        problem,
        space: problem.space(),
        control,
        checks_before: validity.checks(),
        validity,
        memory,
        improved,
        goals: problem.goals_by_distance(),
        sampler,
        rng: SeededRng::stream(problem.seed(), 1),
        active: GOAL,
        iterations: 0,
        bound: f64::INFINITY,
        worth_shortening: f64::INFINITY,
        least: 0.0,
        best: None,
    };
    search.begin()?;
    search.run()
}

/// One run.
struct RewiringSearch<'a> {
    setting: RewiringSetting,
    problem: &'a Problem<'a>,
    space: &'a Space,
    control: &'a Control,
    checks_before: u64,
    validity: &'a mut dyn Validity,
    memory: &'a mut RewiringMemory,
    improved: &'a mut dyn FnMut(&Plan),
    /// The goals by the number of their root.
    goals: Vec<usize>,
    sampler: Sampler,
    rng: SeededRng,
    active: usize,
    iterations: u64,
    /// Length of the shortest path so far.
    bound: f64,
    /// Paths shorter than this are shortened.
    worth_shortening: f64,
    /// No path is shorter.
    least: f64,
    /// The path that costs least so far, and its cost.
    best: Option<(f64, Plan)>,
}

impl RewiringSearch<'_> {
    /// Tries straight lines, drops goals that are not valid and plants the trees.
    fn begin(&mut self) -> Result<()> {
        self.least = self.distance_to_goal(self.goals[0]);
        let mut straight = None;
        for goal in self.goals.clone() {
            self.control.check(0)?;
            if let Some(path) = self.straight_line(goal)? {
                straight = Some((goal, path));
                break;
            }
        }
        if straight.as_ref().is_none_or(|(goal, _)| *goal != self.goals[0]) {
            check_ends(self.problem, &mut self.goals, &mut *self.validity)?;
            self.least = self.distance_to_goal(self.goals[0]);
        }
        let trees = &mut self.memory.trees;
        for tree in trees.iter_mut() {
            tree.reset(self.space);
        }
        trees[START].add_root(self.space, self.problem.start());
        self.goals.iter().for_each(|goal| trees[GOAL].add_root(self.space, &self.problem.goals()[*goal]));
        if let Some((goal, path)) = straight {
            self.bound = self.distance_to_goal(goal);
            self.adopt(path, goal);
        }
        Ok(())
    }

    fn distance_to_goal(&self, goal: usize) -> f64 {
        self.space.distance(self.problem.start(), &self.problem.goals()[goal])
    }

    fn straight_line(&mut self, goal: usize) -> Result<Option<Trajectory>> {
        let (start, goal) = (self.problem.start(), &self.problem.goals()[goal]);
        let mut target = vec![0.0; self.space.dof()];
        self.space.unwrap_into(start, goal, &mut target);
        let is_free =
            self.validity.motion_may_be_valid(start, &target) && self.validity.is_motion_valid(start, &target);
        is_free.then(|| Trajectory::from_waypoints(&[start, &target])).transpose()
    }

    fn run(mut self) -> Result<Plan> {
        while !self.is_shortest() {
            let reads_clock = self.iterations.is_multiple_of(ITERATIONS_PER_CLOCK);
            let may_go_on = if reads_clock || self.iterations >= self.control.max_iterations() {
                self.control.check(self.iterations)
            } else {
                Ok(())
            };
            self.iterations += u64::from(may_go_on.is_ok());
            match may_go_on.and_then(|()| self.iterate()) {
                Ok(()) => {}
                // After the first path, a used-up budget is no error.
                Err(_) if self.best.is_some() && self.control.is_over(self.iterations) => break,
                Err(error) => return Err(error),
            }
        }
        let (iterations, tree_size) = (self.iterations, self.tree_size());
        let checks = self.validity.checks() - self.checks_before;
        let best = self.best.map(|(_, plan)| Plan { iterations, tree_size, checks, ..plan });
        best.ok_or_else(|| self.control.error(iterations))
    }

    /// Whether no path can cost less; of other costs than length nothing is known.
    fn is_shortest(&self) -> bool {
        self.best.is_some()
            && (self.bound == 0.0
                || self.problem.costs_length() && self.bound <= self.least * (1.0 + PATH_LENGTH_ROUNDING))
    }

    fn tree_size(&self) -> usize {
        self.memory.trees.iter().map(RewiringTree::len).sum()
    }

    fn iterate(&mut self) -> Result<()> {
        self.sample();
        self.choose_tree();
        let Some(node) = self.extension().extend()? else { return Ok(()) };
        match self.setting.growth {
            _ if self.bound.is_infinite() => self.walk(node)?,
            Growth::Start => self.join_goals(node)?,
            Growth::Both => self.join_near(node)?,
        }
        self.take_best()
    }

    /// Which tree grows: before the first path the two take turns, except that one of less than half the other's size keeps its
    /// turn; then, of two, the one in which the sample costs less, so that they meet in the middle of the shortest path.
    fn choose_tree(&mut self) {
        let (trees, sample) = (&mut self.memory.trees, &self.memory.buffers.sample);
        self.active = match self.setting.growth {
            _ if self.bound.is_infinite() => next_turn(self.active, [trees[START].len(), trees[GOAL].len()]),
            Growth::Start => START,
            Growth::Both => {
                let costs = [START, GOAL].map(|which| {
                    let near = trees[which].nearest(self.space, sample);
                    trees[which].cost(near) + self.space.distance(trees[which].node(near), sample)
                });
                usize::from(costs[GOAL] < costs[START])
            }
        };
    }

    /// Draws a sample. Once there is a path, samples are configurations near one of its waypoints (Akgun and Stilman 2011), or such
    /// as a shorter one could pass (Gammell, Srinivasa and Barfoot 2014).
    fn sample(&mut self) {
        if self.sample_near_path() {
            return;
        }
        let sample = &mut self.memory.buffers.sample;
        if self.bound.is_finite() {
            let is_within = |goal: &usize| {
                self.problem.space().distance(self.problem.start(), &self.problem.goals()[*goal]) < self.bound
            };
            let within = self.goals.iter().take_while(|goal| is_within(goal)).count();
            if within > 0 {
                let goal = &self.problem.goals()[self.goals[self.rng.below(within)]];
                let ends = (self.problem.start(), &**goal);
                if self.memory.informed.sample(self.space, ends, self.bound, &mut self.rng, sample) {
                    return;
                }
            }
        }
        self.sampler.next_into(sample);
    }

    /// Draws some of the samples around a waypoint of the best path, between its neighbours; false where none is drawn.
    fn sample_near_path(&mut self) -> bool {
        let Some((_, plan)) = self.best.as_ref().filter(|(_, plan)| plan.path.len() > 2) else { return false };
        if self.rng.unit() >= LOCAL_FRACTION {
            return false;
        }
        let at = 1 + self.rng.below(plan.path.len() - 2);
        let [before, q, after] = [at - 1, at, at + 1].map(|index| plan.path.positions(index));
        let reach = 0.5 * (self.space.straight_length(before, q) + self.space.straight_length(q, after));
        let radius = reach * self.rng.unit().powi(2);
        sample_near(self.space, q, radius, &mut self.rng, &mut self.memory.buffers.sample);
        true
    }

    /// The active tree, ready to grow.
    fn extension(&mut self) -> RewiringExtension<'_, '_> {
        let [start, goal] = &mut self.memory.trees;
        let (tree, other) = if self.active == START { (start, &*goal) } else { (goal, &*start) };
        RewiringExtension {
            space: self.space,
            tree,
            other,
            validity: &mut *self.validity,
            control: self.control,
            iterations: self.iterations - 1,
            range: self.setting.range,
            bound: self.bound,
            most_cost: if self.setting.growth == Growth::Both { 0.5 * self.bound } else { f64::INFINITY },
            buffers: &mut self.memory.buffers,
        }
    }

    /// Connects a node of the start tree with the goals within the range that it makes cheaper.
    fn join_goals(&mut self, node: usize) -> Result<()> {
        for root in 0..self.goals.len() {
            let [start, goal] = &self.memory.trees;
            let length = self.space.distance(start.node(node), goal.node(root));
            if length <= self.setting.range && start.cost(node) + length < self.bound {
                self.connect(node, root, length)?;
            }
        }
        Ok(())
    }

    /// Connects a node with the one near it in the other tree over which a path is shortest, if that is below the bound (Jordan
    /// and Perez 2013).
    fn join_near(&mut self, node: usize) -> Result<()> {
        let (mut near, cost) = (std::mem::take(&mut self.memory.near), self.memory.trees[self.active].cost(node));
        let q = self.memory.trees[self.active].node(node).to_vec();
        let other = &mut self.memory.trees[1 - self.active];
        other.near(self.space, &q, &mut near);
        let edge = |(node, _): &(usize, f32)| (*node, self.space.distance(other.node(*node), &q));
        let mut edges: Vec<(usize, f64)> = near.iter().map(edge).collect();
        let radius = self.memory.buffers.radius();
        edges.retain(|(node, length)| *length <= radius && cost + length + other.cost(*node) < self.bound);
        edges.sort_by(|a, b| (a.1 + other.cost(a.0)).total_cmp(&(b.1 + other.cost(b.0))));
        self.memory.near = near;
        for (other, length) in edges {
            if self.connect(node, other, length)? {
                break;
            }
        }
        Ok(())
    }

    /// Walks from a node of the active tree towards the nearest of the other in equal steps no longer than the range, and connects
    /// them where all steps seem free. Steps become nodes.
    fn walk(&mut self, mut node: usize) -> Result<()> {
        let trees = &mut self.memory.trees;
        let (base, mut target) = (trees[self.active].node(node).to_vec(), vec![0.0; self.space.dof()]);
        let other = trees[1 - self.active].nearest(self.space, &base);
        self.space.unwrap_into(&base, trees[1 - self.active].node(other), &mut target);
        let length = self.space.distance(&base, &target);
        let steps = (length / self.setting.range).ceil().max(1.0);
        let (mut step, mut next) = (1.0, vec![0.0; base.len()]);
        while step < steps {
            self.space.interpolate(&base, &target, step / steps, &mut next);
            let Some(reached) = self.extension().add(node, &next, length / steps)? else { return Ok(()) };
            node = reached;
            step += 1.0;
        }
        self.connect(node, other, length / steps).map(|_| ())
    }

    /// Adds the edge between a node of the active tree and one of the other if it seems free, and says whether it does.
    fn connect(&mut self, node: usize, other: usize, length: f64) -> Result<bool> {
        self.control.check(self.iterations - 1)?;
        let trees = &self.memory.trees;
        let (from, mut target) = (trees[self.active].node(node), vec![0.0; self.space.dof()]);
        self.space.unwrap_into(from, trees[1 - self.active].node(other), &mut target);
        let is_free = self.validity.motion_may_be_valid(from, &target);
        if is_free {
            let nodes = if self.active == START { [node, other] } else { [other, node] };
            self.memory.connections.add(Connection { nodes, length });
        }
        Ok(is_free)
    }

    /// Proves the shortest path over the connections, if it is below the bound, and takes it; where a proof fails, the next one.
    fn take_best(&mut self) -> Result<()> {
        while let Some((place, edge, cost)) = self.memory.connections.best(&self.memory.trees)
            && cost < self.bound
        {
            if !(self.prove_branch(START, edge)? && self.prove_branch(GOAL, edge)?) {
                continue;
            }
            let (path, root) = self.path_over(edge)?;
            if self.proves_connection(edge, &path)? {
                let is_first = self.bound.is_infinite();
                self.bound = cost;
                self.adopt(path, self.goals[root]);
                if is_first && self.setting.growth == Growth::Start {
                    self.merge_trees(edge)?;
                }
                self.shorten()?;
            } else {
                self.memory.connections.forget(place);
            }
        }
        self.prune_connections();
        Ok(())
    }

    /// Forgets connections that rewiring cannot bring below the bound.
    fn prune_connections(&mut self) {
        let RewiringMemory { trees, connections, .. } = &mut *self.memory;
        if connections.len() > MANY_CONNECTIONS && connections.len().is_power_of_two() {
            connections.keep(|edge| {
                let rest = |own: usize| distance_to_roots(self.space, &trees[own], trees[own].node(edge.nodes[own]));
                edge.cost(trees) < f64::INFINITY && rest(START) + edge.length + rest(GOAL) < self.bound
            });
        }
    }

    fn prove_branch(&mut self, which: usize, edge: Connection) -> Result<bool> {
        let (control, iterations, validity) = (self.control, self.iterations - 1, &mut *self.validity);
        self.memory.trees[which].prove_branch(self.space, edge.nodes[which], |from, to| {
            control.check(iterations)?;
            Ok(validity.is_motion_valid(from, to))
        })
    }

    /// The path over a connection, continuous joints unwrapped from the start, and the root that it ends at.
    fn path_over(&self, edge: Connection) -> Result<(Trajectory, usize)> {
        let [start, goal] = &self.memory.trees;
        let to_start: Vec<usize> = start.branch(edge.nodes[START]).collect();
        let waypoints = to_start.iter().rev().map(|node| start.node(*node));
        let waypoints = waypoints.chain(goal.branch(edge.nodes[GOAL]).map(|node| goal.node(node)));
        let path = unwrapped_path(self.space, waypoints)?;
        let root = goal.branch(edge.nodes[GOAL]).last().unwrap_or(edge.nodes[GOAL]);
        Ok((path, root))
    }

    /// Proves the edges of a path that its branches do not: the connection, and all where unwrapping may have moved them by full
    /// turns, so that they are not bit for bit those that were proven.
    fn proves_connection(&mut self, edge: Connection, path: &Trajectory) -> Result<bool> {
        let connection = self.memory.trees[START].branch(edge.nodes[START]).count() - 1;
        let turns = self.space.has_continuous();
        for (_, (from, to)) in path.segments().enumerate().filter(|(place, _)| turns || *place == connection) {
            self.control.check(self.iterations - 1)?;
            if !self.validity.is_motion_valid(from, to) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes a path that was proven, if it costs less than the best one.
    fn adopt(&mut self, path: Trajectory, goal_index: usize) {
        let cost = self.problem.cost(&path);
        if self.best.as_ref().is_some_and(|(least, _)| cost >= *least) {
            return;
        }
        let plan = Plan {
            path,
            goal_index,
            iterations: self.iterations,
            tree_size: self.tree_size(),
            checks: self.validity.checks() - self.checks_before,
            planner_used: self.setting.id,
            lower_bound: None,
        };
        (self.improved)(&plan);
        self.best = Some((cost, plan));
    }
}
