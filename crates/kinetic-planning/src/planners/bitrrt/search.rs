//! The search of BiTRRT.

use kinetic_core::{Control, Result, Trajectory};

use super::{BitrrtConfig, SPEC};
use crate::algorithm::Plan;
use crate::planners::configuration_cost::ConfigurationCost;
use crate::planners::ends::check_ends;
use crate::planners::joining::Joining;
use crate::planners::turns::next_turn;
use crate::problem::Problem;
use crate::sampler::{Sampler, SamplerKind};
use crate::tree::Tree;
use crate::validity::Validity;

const START: usize = 0;
const GOAL: usize = 1;

/// The clock is read before every validity query, and once in so many iterations without one.
const ITERATIONS_PER_CLOCK: u64 = 64;

/// Once in so many iterations the trees change turns whatever their sizes.
const ITERATIONS_PER_OTHER_TURN: u64 = 64;

/// Climbs of up to this part of the highest cost seen are none.
const NO_CLIMB_RATIO: f64 = 1e-4;

/// A climb of this part of the range of costs that is accepted divides the temperature by e.
const COOLING_PART: f64 = 0.1;

/// A tree with the costs of its nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct PricedTree {
    tree: Tree,
    costs: Vec<f64>,
}

/// Searches a path; the last of the options says whether its edges are proven.
pub(super) fn search(
    (config, cost, proves): (BitrrtConfig, &ConfigurationCost, bool),
    trees: &mut [PricedTree; 2],
    problem: &Problem<'_>,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Plan> {
    control.check(0)?;
    let checks_before = validity.checks();
    let mut search = BitrrtSearch {
        config,
        cost,
        proves,
        trees,
        problem,
        validity,
        control,
        iterations: 0,
        temperature: f64::MIN_POSITIVE,
        costs: (f64::INFINITY, f64::NEG_INFINITY),
        exploring: 1.0,
        refining: 1.0,
        step: vec![0.0; problem.space().dof()],
    };
    let (path, goal_index) = search.run()?;
    let (iterations, checks) = (search.iterations, search.validity.checks() - checks_before);
    let tree_size = search.trees.iter().map(|one| one.tree.len()).sum();
    Ok(Plan { path, goal_index, iterations, tree_size, checks, planner_used: SPEC.id, lower_bound: None })
}

/// One run.
struct BitrrtSearch<'a> {
    config: BitrrtConfig,
    cost: &'a ConfigurationCost,
    /// Whether the edges of the path are proven.
    proves: bool,
    trees: &'a mut [PricedTree; 2],
    problem: &'a Problem<'a>,
    validity: &'a mut dyn Validity,
    control: &'a Control,
    iterations: u64,
    temperature: f64,
    /// Least and largest cost of a node.
    costs: (f64, f64),
    /// Extensions that explored, and that refined.
    exploring: f64,
    refining: f64,
    step: Vec<f64>,
}

impl BitrrtSearch<'_> {
    fn run(&mut self) -> Result<(Trajectory, usize)> {
        let (problem, mut goals) = (self.problem, self.problem.goals_by_distance());
        check_ends(problem, &mut goals, &mut *self.validity)?;
        for tree in &mut *self.trees {
            tree.tree.reset(problem.space());
            tree.costs.clear();
        }
        self.plant(START, problem.start())?;
        for goal in &goals {
            self.plant(GOAL, &problem.goals()[*goal])?;
        }
        // A straight line on which the cost never climbs, in either direction, needs no search.
        if let Some(found) = self.level_line(&goals)? {
            return Ok(found);
        }
        let mut sampler = Sampler::new(SamplerKind::Halton, problem.space(), problem.seed());
        let (mut active, mut sample) = (GOAL, vec![0.0; problem.space().dof()]);
        loop {
            if self.iterations >= self.control.max_iterations() || self.iterations.is_multiple_of(ITERATIONS_PER_CLOCK)
            {
                self.control.check(self.iterations)?;
            }
            self.iterations += 1;
            active = self.next_turn(active);
            sampler.next_into(&mut sample);
            if let Some(node) = self.extend(active, None, &sample)?
                && let Some(nodes) = self.connect(active, node)?
                && let Some((path, root)) = self.join(nodes)?
            {
                return Ok((path, goals[root]));
            }
        }
    }

    /// The smaller tree keeps its turn, but not for ever: where it hardly can grow, the other one has to come to it.
    fn next_turn(&self, active: usize) -> usize {
        if self.iterations.is_multiple_of(ITERATIONS_PER_OTHER_TURN) {
            return 1 - active;
        }
        next_turn(active, [START, GOAL].map(|which| self.trees[which].tree.len()))
    }

    fn plant(&mut self, which: usize, q: &[f64]) -> Result<()> {
        self.control.check(0)?;
        let cost = self.cost.of(self.problem.space(), q, &mut *self.validity)?;
        self.trees[which].tree.add_root(self.problem.space(), q);
        self.note(which, cost);
        Ok(())
    }

    /// Keeps the cost of the last node.
    fn note(&mut self, which: usize, cost: f64) {
        self.trees[which].costs.push(cost);
        self.costs = (self.costs.0.min(cost), self.costs.1.max(cost));
    }

    /// The straight line to the first goal that is free and does not climb; sets the first temperature.
    fn level_line(&mut self, goals: &[usize]) -> Result<Option<(Trajectory, usize)>> {
        let space = self.problem.space();
        let (mut target, mut least_climb) = (vec![0.0; space.dof()], f64::INFINITY);
        let budget = (self.control, 0);
        for (root, goal) in goals.iter().enumerate() {
            self.control.check(0)?;
            let start = self.problem.start();
            space.unwrap_into(start, &self.problem.goals()[*goal], &mut target);
            if !self.validity.motion_may_be_valid(start, &target) {
                continue;
            }
            let from = (start, self.trees[START].costs[0]);
            let (work, _) =
                self.cost.climb(space, (from, &target), self.config.cost_step, &mut *self.validity, budget)?;
            if work <= self.no_climb()
                && let Some((path, _)) = self.join([0, root])?
            {
                return Ok(Some((path, *goal)));
            }
            least_climb = least_climb.min(work);
        }
        let climb = if least_climb.is_finite() { least_climb } else { self.costs.1 - self.costs.0 };
        self.temperature = (self.config.temperature * climb).max(self.no_climb());
        Ok(None)
    }

    /// Extends a tree from a node, or the nearest one, towards a configuration; the new node if the motion passes the tests.
    fn extend(&mut self, active: usize, from: Option<usize>, to: &[f64]) -> Result<Option<usize>> {
        let space = self.problem.space();
        let (node, distance) = match from {
            Some(node) => (node, space.distance(self.trees[active].tree.node(node), to)),
            None => self.trees[active].tree.nearest(space, to),
        };
        if from.is_none() && !self.may_refine(distance) {
            return Ok(None);
        }
        let PricedTree { tree, costs } = &self.trees[active];
        space.steer(tree.node(node), to, self.config.range, &mut self.step);
        let budget = (self.control, self.iterations - 1);
        self.control.check(budget.1)?;
        if !self.validity.motion_may_be_valid(tree.node(node), &self.step) {
            return Ok(None);
        }
        let from = (tree.node(node), costs[node]);
        let (work, cost) =
            self.cost.climb(space, (from, &self.step), self.config.cost_step, &mut *self.validity, budget)?;
        if !self.accepts(work) {
            return Ok(None);
        }
        let added = self.trees[active].tree.add(space, &self.step, node);
        self.note(active, cost);
        Ok(Some(added))
    }

    /// The refinement control of Jaillet, Cortés and Siméon, section III-C.
    fn may_refine(&mut self, distance: f64) -> bool {
        if distance > self.config.refinement_distance * self.config.range {
            self.exploring += 1.0;
            return true;
        }
        let may = self.refining <= self.config.refinement_ratio * self.exploring;
        self.refining += f64::from(u8::from(may));
        may
    }

    /// The largest climb that is none.
    fn no_climb(&self) -> f64 {
        NO_CLIMB_RATIO * self.costs.1
    }

    /// The transition test of Devaurs, Siméon and Cortés: a climb is accepted if its probability is at least one half, which makes the
    /// test a threshold that needs no random number.
    fn accepts(&mut self, work: f64) -> bool {
        if work <= self.no_climb() {
            return true;
        }
        if self.temperature == 0.0 {
            // Nothing cost anything before: this climb shows of which size costs are.
            self.temperature = self.config.temperature * work;
        }
        if (-work / self.temperature).exp() > 0.5 {
            // Of the costs seen, those of this climb among them.
            let range = (self.costs.1 - self.costs.0).max(work);
            self.temperature /= (work / (COOLING_PART * range)).exp();
            return true;
        }
        self.temperature *= self.config.temperature_rate.exp();
        false
    }

    /// Extends the active tree from a node towards the nearest of the other, step by step; the nodes at the last edge if it gets
    /// there.
    fn connect(&mut self, active: usize, mut node: usize) -> Result<Option<[usize; 2]>> {
        let space = self.problem.space();
        let from = self.trees[active].tree.node(node).to_vec();
        let (other, _) = self.trees[1 - active].tree.nearest(space, &from);
        let mut target = vec![0.0; from.len()];
        space.unwrap_into(&from, self.trees[1 - active].tree.node(other), &mut target);
        while space.distance(self.trees[active].tree.node(node), &target) > self.config.range {
            let Some(next) = self.extend(active, Some(node), &target)? else { return Ok(None) };
            node = next;
        }
        let budget = (self.control, self.iterations - 1);
        self.control.check(budget.1)?;
        let PricedTree { tree, costs } = &self.trees[active];
        if !self.validity.motion_may_be_valid(tree.node(node), &target) {
            return Ok(None);
        }
        let from = (tree.node(node), costs[node]);
        let (work, _) = self.cost.climb(space, (from, &target), self.config.cost_step, &mut *self.validity, budget)?;
        let nodes = if active == START { [node, other] } else { [other, node] };
        Ok(self.accepts(work).then_some(nodes))
    }

    fn join(&mut self, nodes: [usize; 2]) -> Result<Option<(Trajectory, usize)>> {
        let mut joining = Joining {
            space: self.problem.space(),
            validity: &mut *self.validity,
            control: self.control,
            iterations: self.iterations.saturating_sub(1),
            proves: self.proves,
        };
        let [start, goal] = &mut *self.trees;
        joining.join([&mut start.tree, &mut goal.tree], nodes)
    }
}
