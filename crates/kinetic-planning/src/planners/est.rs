//! EST: two trees that grow where they are sparse.
//!
//! Hsu, Latombe and Motwani, "Path planning in expansive configuration spaces", ICRA 1997: a node is drawn with a probability in
//! inverse proportion to the number w of nodes around it; a configuration near it is kept with probability 1/w of its own
//! neighbourhood, if the edge to it is free; and it is linked with the other tree where that is near enough. No sample says
//! where to go, as with RRTs: the trees spread into what is not explored. That leads out of places whose way out is not the
//! way to anything. Besides,
//! - the straight line to each goal is tried first, and each goal is a root of the goal tree;
//! - the smaller tree catches up;
//! - edges are proven when a path needs them, as in [`rrt_connect`](super::rrt_connect).

mod density;
mod sums;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Result, Trajectory};

use self::density::DensityTree;
use super::ends::check_ends;
use super::joining::{Joining, straight_line};
use super::near_sample::sample_near;
use super::rewiring::check_length;
use super::turns::next_turn;
use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "est",
    summary: "two trees that grow where they are sparse; out of places that samples do not lead out of",
    source: "Hsu, Latombe and Motwani, ICRA 1997",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        Ok(Box::new(Est::default()))
    },
};

/// Options of [`Est`]; lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstConfig {
    /// How far from a node a new configuration is drawn.
    pub range: f64,
    /// Radius of the neighbourhood whose nodes are counted, relative to `range`, in (0, 1].
    pub neighbourhood: f64,
    /// How far from a node of the other tree a new one may be to be linked with it.
    pub link: f64,
}

impl Default for EstConfig {
    fn default() -> Self {
        Self { range: 1.0, neighbourhood: 0.5, link: 4.0 }
    }
}

impl EstConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        check_length("range", self.range)?;
        check_length("link", self.link)?;
        if self.neighbourhood > 0.0 && self.neighbourhood <= 1.0 {
            return Ok(());
        }
        Err(KineticError::invalid("neighbourhood", self.neighbourhood, "a number in (0, 1]"))
    }
}

/// The planner. Owns its trees; a second call reuses their memory.
#[derive(Debug, Clone, Default)]
pub struct Est {
    config: EstConfig,
    trees: [DensityTree; 2],
}

impl Est {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`EstConfig::check`].
    pub fn new(config: EstConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, trees: Default::default() })
    }

    /// Its options.
    pub fn config(&self) -> &EstConfig {
        &self.config
    }

    fn search(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
        proves: bool,
    ) -> Result<Plan> {
        control.check(0)?;
        let checks_before = validity.checks();
        let mut search = EstSearch {
            problem,
            config: self.config,
            trees: &mut self.trees,
            validity,
            control,
            proves,
            iterations: 0,
            rng: SeededRng::stream(problem.seed(), 2),
        };
        let (path, goal_index) = search.run()?;
        let (iterations, checks) = (search.iterations, search.validity.checks() - checks_before);
        let tree_size = self.trees.iter().map(|one| one.tree.len()).sum();
        Ok(Plan { path, goal_index, iterations, tree_size, checks, planner_used: SPEC.id, lower_bound: None })
    }
}

impl Algorithm for Est {
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

const START: usize = 0;
const GOAL: usize = 1;

/// The clock is read before every validity query, and once in so many iterations without one.
const ITERATIONS_PER_CLOCK: u64 = 64;

/// One run.
struct EstSearch<'a> {
    problem: &'a Problem<'a>,
    config: EstConfig,
    trees: &'a mut [DensityTree; 2],
    validity: &'a mut dyn Validity,
    control: &'a Control,
    /// Whether the edges of the path are proven.
    proves: bool,
    iterations: u64,
    rng: SeededRng,
}

impl EstSearch<'_> {
    fn run(&mut self) -> Result<(Trajectory, usize)> {
        let problem = self.problem;
        let mut goals = problem.goals_by_distance();
        let places: Vec<_> = goals.iter().map(|goal| (*goal, &*problem.goals()[*goal])).collect();
        if let Some(found) = straight_line(&mut self.joining(), problem.start(), &places)? {
            return Ok(found);
        }
        check_ends(self.problem, &mut goals, &mut *self.validity)?;
        let (space, radius) = (self.problem.space(), self.radius());
        for tree in &mut *self.trees {
            tree.reset(space);
        }
        self.trees[START].add_root(space, self.problem.start(), radius);
        for goal in &goals {
            self.trees[GOAL].add_root(space, &self.problem.goals()[*goal], radius);
        }
        let (mut active, mut sample) = (GOAL, vec![0.0; space.dof()]);
        loop {
            if self.iterations >= self.control.max_iterations() || self.iterations.is_multiple_of(ITERATIONS_PER_CLOCK)
            {
                self.control.check(self.iterations)?;
            }
            self.iterations += 1;
            active = next_turn(active, [self.trees[0].tree.len(), self.trees[1].tree.len()]);
            if let Some(node) = self.expand(active, &mut sample)?
                && let Some(other) = self.link(active, node)?
                && let Some((path, root)) = self.join(active, node, other)?
            {
                return Ok((path, goals[root]));
            }
        }
    }

    /// Radius of the neighbourhood.
    fn radius(&self) -> f64 {
        self.config.range * self.config.neighbourhood
    }

    fn joining(&mut self) -> Joining<'_, '_> {
        Joining {
            space: self.problem.space(),
            validity: &mut *self.validity,
            control: self.control,
            iterations: self.iterations.saturating_sub(1),
            proves: self.proves,
        }
    }

    /// Adds a configuration near a node drawn by the density of the tree, unless its own neighbourhood is dense.
    fn expand(&mut self, active: usize, sample: &mut [f64]) -> Result<Option<usize>> {
        let (space, radius, tree) = (self.problem.space(), self.radius(), &mut self.trees[active]);
        let node = tree.draw(&mut self.rng);
        sample_near(space, tree.tree.node(node), self.config.range, &mut self.rng, sample);
        let density = tree.density(space, sample, radius).max(1) as f64;
        if self.rng.unit() * density >= 1.0 {
            return Ok(None);
        }
        self.control.check(self.iterations - 1)?;
        if !self.validity.motion_may_be_valid(tree.tree.node(node), sample) {
            return Ok(None);
        }
        Ok(Some(tree.add(space, sample, node, radius)))
    }

    /// The nearest node of the other tree, if it is near enough and the edge to it seems free.
    fn link(&mut self, active: usize, node: usize) -> Result<Option<usize>> {
        let space = self.problem.space();
        let q = self.trees[active].tree.node(node).to_vec();
        let (other, distance) = self.trees[1 - active].tree.nearest(space, &q);
        if distance > self.config.link {
            return Ok(None);
        }
        self.control.check(self.iterations - 1)?;
        let mut target = vec![0.0; q.len()];
        space.unwrap_into(&q, self.trees[1 - active].tree.node(other), &mut target);
        Ok(self.validity.motion_may_be_valid(&q, &target).then_some(other))
    }

    fn join(&mut self, active: usize, node: usize, other: usize) -> Result<Option<(Trajectory, usize)>> {
        let nodes = if active == START { [node, other] } else { [other, node] };
        let mut joining = Joining {
            space: self.problem.space(),
            validity: &mut *self.validity,
            control: self.control,
            iterations: self.iterations - 1,
            proves: self.proves,
        };
        let [start, goal] = &mut *self.trees;
        let joined = joining.join([&mut start.tree, &mut goal.tree], nodes)?;
        if joined.is_none() {
            self.trees.iter_mut().for_each(DensityTree::forget_dropped);
        }
        Ok(joined)
    }
}
