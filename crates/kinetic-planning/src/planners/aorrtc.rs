//! AORRTC: a first path as fast as RRT-Connect finds it, then shorter ones until the budget ends.
//!
//! Wilson, Thomason, Kingston, Kavraki and Gammell, "AORRTC: Almost-Surely Asymptotically Optimal Planning With
//! RRT-Connect", IEEE RA-L 2025, which turns RRT-Connect into an optimal planner as Hauser and Zhou (T-RO 2016) do with
//! any: by planning in the space of configuration *and* cost below the cost of the best path so far, again and again.
//! Here
//! - the first path is that of [`RrtConnect`], and every path found is shortened by [`simplify_in`] before it sets the bound,
//!   again and again while that helps;
//! - since a search rarely beats a shortened path before its own is shortened, some searches are let above the bound;
//! - samples come from the configurations that a path below the bound could pass (`informed.rs`);
//! - trees that do not meet below the bound are dropped when they are large, and may become larger the next time.
//!
//! Cost is length in the metric of the [`Space`]. It never increases, and approaches the least there is.

mod bounded;
mod cost_tree;
mod informed;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, PlannerConfig, Result, Trajectory};

use crate::algorithm::{Algorithm, Plan};
use crate::planners::rrt_connect::{RrtConnect, RrtConnectConfig};
use crate::problem::Problem;
use crate::registry::PlannerSpec;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::space::Space;
use crate::validity::Validity;
use bounded::{Bounded, End, Memory};

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "aorrtc",
    summary: "shorter and shorter paths until the budget ends; almost surely the shortest in the end",
    source: "Wilson, Thomason, Kingston, Kavraki and Gammell, IEEE RA-L 2025",
    is_anytime: true,
    build: |config: &PlannerConfig| {
        config.check()?;
        if config.timeout.is_infinite() && config.max_iterations == u64::MAX {
            return Err(KineticError::invalid("timeout", config.timeout, "a budget of time or iterations for aorrtc"));
        }
        let options = AorrtcConfig { simplify: SimplifyOptions::from(config), ..AorrtcConfig::default() };
        Ok(Box::new(Aorrtc::new(options)?))
    },
};

/// Options of [`Aorrtc`]; lengths are distances of the [`Space`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AorrtcConfig {
    /// The search for the first path, whose longest edge is that of the others too.
    pub first: RrtConnectConfig,
    /// How every path found is shortened.
    pub simplify: SimplifyOptions,
    /// What a unit of cost counts in nearest neighbours, beside a unit of distance.
    pub cost_weight: f64,
    /// Nodes of both trees, or iterations, at which a search below the bound begins anew, the first time; twice as many
    /// each further time. At least 2.
    pub restart_nodes: usize,
}

impl Default for AorrtcConfig {
    fn default() -> Self {
        Self {
            first: RrtConnectConfig::default(),
            simplify: SimplifyOptions::default(),
            cost_weight: 1.0,
            restart_nodes: 200,
        }
    }
}

impl AorrtcConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        self.first.check()?;
        if !(self.cost_weight > 0.0 && self.cost_weight.is_finite()) {
            return Err(KineticError::invalid("cost_weight", self.cost_weight, "a positive finite number"));
        }
        if self.restart_nodes < 2 {
            return Err(KineticError::invalid("restart_nodes", self.restart_nodes, "at least 2"));
        }
        Ok(())
    }
}

/// The planner. Owns its trees; a second call reuses their memory.
///
/// It ends when the budget does, or with a path that is as short as the straight line to the nearest goal: a control
/// without budget may never end.
#[derive(Debug, Clone, Default)]
pub struct Aorrtc {
    config: AorrtcConfig,
    first: RrtConnect,
    memory: Memory,
}

/// Lengths that searches may reach, one after the other, as parts of the bound. The first is what makes the planner
/// optimal: there is always a next search for paths that are shorter without help.
const REACHES: [f64; 4] = [1.0, 1.1, 1.25, 1.5];

/// Simplifications of one path at most.
const MOST_ROUNDS: u64 = 20;

/// A simplification that gains less than this part halves the tolerance of the next.
const LEAST_GAIN: f64 = 1e-3;

/// The finest tolerance of simplification.
const FINEST_TOLERANCE: f64 = 1e-3;

/// Paths that are simplified once and longer than this part of the bound are left.
const PROMISING: f64 = 1.05;

/// A path as short as this part above the lower bound is the shortest: rounding of sums of a few hundred edges.
const ROUNDING: f64 = 1e-12;

impl Aorrtc {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`AorrtcConfig::check`].
    pub fn new(config: AorrtcConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, first: RrtConnect::new(config.first)?, memory: Memory::default() })
    }

    /// Its options.
    pub fn config(&self) -> &AorrtcConfig {
        &self.config
    }

    /// The path, simplified while that makes it shorter, with finer and finer tolerances; given up after the first time
    /// when it is then still much longer than `bound`.
    fn shortened(
        &self,
        space: &Space,
        mut path: Trajectory,
        bound: f64,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Trajectory> {
        let mut options = self.config.simplify;
        if options.shortcut_iterations == 0 && !options.smooth {
            return Ok(path);
        }
        for round in 0..MOST_ROUNDS {
            let before = space.path_length(&path);
            options.seed = self.config.simplify.seed.wrapping_add(round);
            let simpler = simplify_in(space, &path, &options, validity, control)?.path;
            let length = space.path_length(&simpler);
            if length < before {
                path = simpler;
            }
            if before - length < LEAST_GAIN * before {
                options.tolerance /= 2.0;
            }
            if length > PROMISING * bound || options.tolerance < FINEST_TOLERANCE || control.is_over(0) {
                break;
            }
        }
        Ok(path)
    }
}

impl Aorrtc {
    /// The best path so far, simplified once more: other random shortcuts each time, tolerances from coarse to fine and
    /// over again.
    fn polished(
        &self,
        space: &Space,
        path: &Trajectory,
        round: u64,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Trajectory> {
        let mut options = self.config.simplify;
        options.seed = options.seed.wrapping_add(round);
        options.tolerance /= [1.0, 4.0, 16.0, 64.0][round as usize % 4];
        Ok(simplify_in(space, path, &options, validity, control)?.path)
    }
}

impl Algorithm for Aorrtc {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        self.improve(problem, validity, control, &mut |_| ())
    }

    fn improve(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
        improved: &mut dyn FnMut(&Plan),
    ) -> Result<Plan> {
        let space = problem.space();
        let before = validity.checks();
        let mut best = Plan { planner_used: SPEC.id, ..self.first.plan(problem, validity, control)? };
        best.path = self.shortened(space, best.path, f64::INFINITY, validity, control)?;
        best.checks = validity.checks() - before;
        improved(&best);
        let roots = roots(problem, validity);
        let nearest = roots.iter().map(|goal| space.distance(problem.start(), &problem.goals()[*goal]));
        let least = nearest.fold(f64::INFINITY, f64::min);
        let mut bound = space.path_length(&best.path);
        let with_cost = with_cost(space, self.config.cost_weight, bound)?;
        let mut rng = SeededRng::stream(problem.seed(), 0);
        let mut most_nodes = self.config.restart_nodes;
        let mut polish = 0;
        let mut reaches = REACHES.iter().cycle();
        while bound > least * (1.0 + ROUNDING) && !control.is_over(best.iterations) {
            let reach = bound * reaches.next().copied().unwrap_or(1.0);
            // The others are too far for any path below the bound.
            let is_within = |goal: &&usize| space.distance(problem.start(), &problem.goals()[**goal]) < reach;
            let within: Vec<usize> = roots.iter().filter(is_within).copied().collect();
            let mut search = Bounded {
                space,
                with_cost: &with_cost,
                problem,
                roots: &within,
                range: self.config.first.range,
                bound: reach,
                most_nodes,
                validity: &mut *validity,
                control,
                rng: &mut rng,
                memory: &mut self.memory,
                iterations: &mut best.iterations,
            };
            match search.run() {
                End::Found { goal, path } => {
                    best.tree_size = self.memory.nodes();
                    let path = self.shortened(space, path, bound, validity, control)?;
                    // Costs are sums of distances, lengths sums of rounded differences.
                    if space.path_length(&path) < bound {
                        bound = space.path_length(&path);
                        best = Plan { path, goal_index: goal, checks: validity.checks() - before, ..best };
                        improved(&best);
                    }
                }
                End::Grown => most_nodes = most_nodes.saturating_mul(2),
                End::Over => break,
            }
            let path = self.polished(space, &best.path, polish, validity, control)?;
            polish += 1;
            if space.path_length(&path) < bound {
                bound = space.path_length(&path);
                best = Plan { path, checks: validity.checks() - before, ..best };
                improved(&best);
            }
        }
        best.checks = validity.checks() - before;
        Ok(best)
    }
}

/// The distinct goals that are valid.
fn roots(problem: &Problem<'_>, validity: &mut dyn Validity) -> Vec<usize> {
    let mut roots = problem.goals_by_distance();
    roots.retain(|goal| validity.is_valid(&problem.goals()[*goal]));
    roots
}

/// The space of configuration and cost.
fn with_cost(space: &Space, cost_weight: f64, most: f64) -> Result<Space> {
    let end = |bounds: &[f64], last: f64| bounds.iter().copied().chain([last]).collect::<Vec<_>>();
    let weights = end(space.weights(), cost_weight);
    Space::new(end(space.lower(), 0.0), end(space.upper(), most))?.with_weights(weights)
}
