//! Improvement of the first path: searches below the cost bound and simplifications of the best path, by turns.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result, Trajectory};

use super::AorrtcConfig;
use super::bounded::{Bounded, End, Memory};
use super::shortening::Shortening;
use crate::algorithm::Plan;
use crate::problem::Problem;
use crate::space::Space;
use crate::validity::Validity;

/// Lengths that searches may reach, one after the other, as parts of the bound. The first is what makes the planner
/// optimal: there is always a next search for paths that are shorter without help.
const BOUND_RATIOS: [f64; 4] = [1.0, 1.1, 1.25, 1.5];

/// A path as short as this part above the lower bound is the shortest: rounding of sums of a few hundred edges.
const PATH_LENGTH_ROUNDING: f64 = 1e-12;

/// What every round needs and none changes.
pub(super) struct Setting<'a> {
    pub(super) config: &'a AorrtcConfig,
    pub(super) problem: &'a Problem<'a>,
    pub(super) control: &'a Control,
    /// Checks of the validity before the whole.
    pub(super) checks_before: u64,
}

/// The best path so far on its way to a better one.
pub(super) struct Improving<'a> {
    setting: Setting<'a>,
    shortening: Shortening<'a>,
    validity: &'a mut dyn Validity,
    improved: &'a mut dyn FnMut(&Plan),
    memory: &'a mut Memory,
    rng: SeededRng,
    /// The valid goals, nearest first.
    roots: Vec<usize>,
    /// The space of configuration and cost.
    with_cost: Space,
    /// Nodes at which the next search gives up.
    most_nodes: usize,
    best: Plan,
    /// Its length.
    bound: f64,
    /// Its cost.
    cost: f64,
    /// No path is shorter.
    least: f64,
}

impl<'a> Improving<'a> {
    /// Begins with a first path, which is shortened.
    pub(super) fn begin(
        setting: Setting<'a>,
        mut best: Plan,
        memory: &'a mut Memory,
        validity: &'a mut dyn Validity,
        improved: &'a mut dyn FnMut(&Plan),
    ) -> Result<Self> {
        let Setting { config, problem, control, checks_before } = setting;
        let space = problem.space();
        let shortening = Shortening { problem, options: config.simplify, control };
        // What the many simplifications of the first path gain takes a hundred times as long as the first one.
        best.path = shortening.once(&best.path, validity)?;
        best.checks = validity.checks() - checks_before;
        improved(&best);
        match shortening.shortened(best.path.clone(), f64::INFINITY, validity) {
            Ok(path) if problem.cost(&path) < problem.cost(&best.path) => {
                best = Plan { path, checks: validity.checks() - checks_before, ..best };
                improved(&best);
            }
            // Proofs of long motions end with the budget; the first path stays.
            Err(error) if !control.is_over(best.iterations) => return Err(error),
            _ => {}
        }
        let (bound, cost) = (space.path_length(&best.path), problem.cost(&best.path));
        let mut roots = problem.goals_by_distance();
        roots.retain(|goal| validity.is_valid(&problem.goals()[*goal]));
        let least = roots.iter().map(|goal| distance_to(problem, *goal)).fold(f64::INFINITY, f64::min);
        let with_cost = with_cost(space, config.cost_weight, bound)?;
        let (rng, most_nodes) = (SeededRng::stream(problem.seed(), 0), config.restart_nodes);
        Ok(Self {
            setting,
            shortening,
            validity,
            improved,
            memory,
            rng,
            roots,
            with_cost,
            most_nodes,
            best,
            bound,
            cost,
            least,
        })
    }

    /// Goes on until the budget is used up or no path can be shorter.
    pub(super) fn run(mut self) -> Result<Plan> {
        let mut round = 0;
        while !self.is_shortest() && !self.setting.control.is_over(self.best.iterations) {
            match self.search(self.bound * BOUND_RATIOS[round % BOUND_RATIOS.len()]) {
                End::Found { goal, path } => match self.shortening.shortened(path, self.bound, self.validity) {
                    Ok(path) => self.take(path, goal, self.memory.nodes()),
                    // Proofs of long motions end with the budget; the best path so far stays.
                    Err(_) if self.setting.control.is_over(self.best.iterations) => break,
                    Err(error) => return Err(error),
                },
                End::Grown => self.most_nodes = self.most_nodes.saturating_mul(2),
                End::Over => break,
            }
            match self.shortening.polished(&self.best.path, round, self.validity) {
                Ok(path) => self.take(path, self.best.goal_index, self.best.tree_size),
                Err(_) if self.setting.control.is_over(self.best.iterations) => break,
                Err(error) => return Err(error),
            }
            round += 1;
        }
        self.best.checks = self.validity.checks() - self.setting.checks_before;
        Ok(self.best)
    }

    /// Whether no path can cost less; of other costs than length nothing is known.
    fn is_shortest(&self) -> bool {
        self.bound == 0.0
            || self.setting.problem.costs_length() && self.bound <= self.least * (1.0 + PATH_LENGTH_ROUNDING)
    }

    /// Searches a path no longer than `reach`.
    fn search(&mut self, reach: f64) -> End {
        let Setting { config, problem, control, .. } = self.setting;
        // The others are too far for any path below the bound.
        let is_within = |goal: &usize| distance_to(problem, *goal) < reach;
        let within: Vec<usize> = self.roots.iter().copied().filter(is_within).collect();
        if within.is_empty() {
            // The best path is a straight line, and its cost is not its length: the next search reaches farther.
            return End::Grown;
        }
        let mut search = Bounded {
            space: problem.space(),
            with_cost: &self.with_cost,
            problem,
            roots: &within,
            range: config.first.range,
            bound: reach,
            most_nodes: self.most_nodes,
            validity: self.validity,
            control,
            rng: &mut self.rng,
            memory: self.memory,
            iterations: &mut self.best.iterations,
        };
        search.run()
    }

    /// Keeps the path if it costs less. Costs in the trees are sums of distances, lengths sums of rounded differences: a path found
    /// below the bound need not be.
    fn take(&mut self, path: Trajectory, goal_index: usize, tree_size: usize) {
        self.best.tree_size = tree_size;
        let cost = self.setting.problem.cost(&path);
        if cost < self.cost {
            (self.cost, self.bound) = (cost, self.setting.problem.space().path_length(&path));
            (self.best.path, self.best.goal_index) = (path, goal_index);
            self.best.checks = self.validity.checks() - self.setting.checks_before;
            (self.improved)(&self.best);
        }
    }
}

fn distance_to(problem: &Problem<'_>, goal: usize) -> f64 {
    problem.space().distance(problem.start(), &problem.goals()[goal])
}

fn with_cost(space: &Space, cost_weight: f64, most: f64) -> Result<Space> {
    let end = |bounds: &[f64], last: f64| bounds.iter().copied().chain([last]).collect::<Vec<_>>();
    let weights = end(space.weights(), cost_weight);
    Space::new(end(space.lower(), 0.0), end(space.upper(), most))?.with_weights(weights)
}
