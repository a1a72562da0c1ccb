//! KPIECE: one tree that grows from the cells of a projection that are least explored.
//!
//! Sucan and Kavraki, "Kinodynamic motion planning by interior-exterior cell exploration", WAFR 2008 (Springer STAR 57, 2009), on one
//! level of cells, as KPIECE1 of OMPL: configurations are projected onto a few numbers, over which there is a grid. A cell is
//! selected by its importance, mostly from the border of what is explored, and a node of it, late ones more often than early ones;
//! it is extended to a configuration near it, or now and then towards a goal. Importance falls with selections, nodes and
//! neighbours of a cell, and with extensions that fail. Besides,
//! - the straight line to each goal is tried first, and nodes near a goal are connected with it;
//! - edges are proven when a path needs them, as in [`rrt_connect`](super::rrt_connect).
//!
//! It is the planner where a few numbers say how far a search has come: a tool that has to get out of a box. The projection says
//! which numbers these are.

mod grid;
mod projector;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Projection, Result, Trajectory};
use kinetic_kinematics::KinematicChain;

use self::grid::Grid;
use self::projector::{Onto, Projector};
use super::ends::check_ends;
use super::joining::{Joining, straight_line};
use super::near_sample::sample_near;
use super::rewiring::check_length;
use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::tree::Tree;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "kpiece",
    summary: "one tree that grows from the least explored cells of a projection",
    source: "Sucan and Kavraki, WAFR 2008",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        let chain = context.robot.filter(|robot| robot.robot.check_single_tip(robot.group).is_ok());
        let onto = match (config.projection, chain) {
            (Some(Projection::Tool) | None, Some(robot)) => Onto::Tool(Box::new(robot.chain.clone())),
            (Some(Projection::Tool), None) => {
                let wanted = "\"joints\" or \"random\" for a group without one tool";
                return Err(KineticError::invalid("projection", "\"tool\"", wanted));
            }
            (Some(Projection::Joints), _) => Onto::Joints,
            (Some(Projection::Random) | None, _) => Onto::Random,
        };
        Ok(Box::new(Kpiece { onto, ..Kpiece::default() }))
    },
};

/// Options of [`Kpiece`]; lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KpieceConfig {
    /// Longest edge.
    pub range: f64,
    /// Which part of the selections are border cells, in [0, 1].
    pub border_fraction: f64,
    /// Which part of the extensions aim at a goal, in [0, 1).
    pub goal_bias: f64,
    /// Shortest free part of an extension that is kept, in (0, 1].
    pub min_partial: f64,
    /// How far from a goal a new node may be to be connected with it.
    pub link: f64,
    /// Cells along each axis of the projection, over what samples of the space extend over; at least 1. Cells that are wider than the
    /// passages do not tell these from what is beside them.
    pub splits: u32,
}

impl Default for KpieceConfig {
    fn default() -> Self {
        Self { range: 1.0, border_fraction: 0.9, goal_bias: 0.05, min_partial: 0.2, link: 4.0, splits: 20 }
    }
}

impl KpieceConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        check_length("range", self.range)?;
        check_length("link", self.link)?;
        if self.splits == 0 {
            return Err(KineticError::invalid("splits", self.splits, "at least 1"));
        }
        if !(0.0..=1.0).contains(&self.border_fraction) {
            return Err(KineticError::invalid("border_fraction", self.border_fraction, "a number in [0, 1]"));
        }
        if !(0.0..1.0).contains(&self.goal_bias) {
            return Err(KineticError::invalid("goal_bias", self.goal_bias, "a number in [0, 1)"));
        }
        if self.min_partial > 0.0 && self.min_partial <= 1.0 {
            return Ok(());
        }
        Err(KineticError::invalid("min_partial", self.min_partial, "a number in (0, 1]"))
    }
}

/// The planner. Owns its tree and its cells; a second call reuses their memory.
#[derive(Debug, Clone, Default)]
pub struct Kpiece {
    config: KpieceConfig,
    onto: Onto,
    tree: Tree,
    grid: Grid,
}

impl Kpiece {
    /// A planner with the given options that projects onto the first three joints.
    ///
    /// # Errors
    /// As [`KpieceConfig::check`].
    pub fn new(config: KpieceConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, ..Self::default() })
    }

    /// The same planner that projects onto two random directions, which follow from the seed.
    #[must_use]
    pub fn with_random_projection(self) -> Self {
        Self { onto: Onto::Random, ..self }
    }

    /// The same planner that projects onto the position of the tool of a chain, whose joints are those of the space.
    #[must_use]
    pub fn with_tool_projection(self, chain: &KinematicChain) -> Self {
        Self { onto: Onto::Tool(Box::new(chain.clone())), ..self }
    }

    /// Its options.
    pub fn config(&self) -> &KpieceConfig {
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
        let mut search = KpieceSearch {
            problem,
            config: self.config,
            projector: Projector::new(&self.onto, problem.space(), self.config.splits, problem.seed()),
            tree: &mut self.tree,
            grid: &mut self.grid,
            goals: Tree::default(),
            validity,
            control,
            proves,
            iterations: 0,
            rng: SeededRng::stream(problem.seed(), 2),
            cell: Vec::new(),
        };
        let (path, goal_index) = search.run()?;
        let (iterations, checks) = (search.iterations, search.validity.checks() - checks_before);
        Ok(Plan {
            path,
            goal_index,
            iterations,
            tree_size: self.tree.len(),
            checks,
            planner_used: SPEC.id,
            lower_bound: None,
        })
    }
}

impl Algorithm for Kpiece {
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

/// The clock is read before every validity query, and once in so many iterations without one.
const ITERATIONS_PER_CLOCK: u64 = 64;

/// One run.
struct KpieceSearch<'a> {
    problem: &'a Problem<'a>,
    config: KpieceConfig,
    projector: Projector,
    tree: &'a mut Tree,
    grid: &'a mut Grid,
    /// The goals, each a root.
    goals: Tree,
    validity: &'a mut dyn Validity,
    control: &'a Control,
    /// Whether the edges of the path are proven.
    proves: bool,
    iterations: u64,
    rng: SeededRng,
    cell: Vec<i64>,
}

impl KpieceSearch<'_> {
    fn run(&mut self) -> Result<(Trajectory, usize)> {
        let problem = self.problem;
        let mut goals = problem.goals_by_distance();
        let places: Vec<_> = goals.iter().map(|goal| (*goal, &*problem.goals()[*goal])).collect();
        if let Some(found) = straight_line(&mut self.joining(), problem.start(), &places)? {
            return Ok(found);
        }
        check_ends(problem, &mut goals, &mut *self.validity)?;
        self.tree.reset(problem.space());
        self.grid.clear();
        self.goals.reset(problem.space());
        for goal in &goals {
            self.goals.add_root(problem.space(), &problem.goals()[*goal]);
        }
        self.tree.add_root(problem.space(), problem.start());
        self.enter(0);
        let (mut aim, mut step) = (vec![0.0; problem.space().dof()], vec![0.0; problem.space().dof()]);
        loop {
            if self.iterations >= self.control.max_iterations() || self.iterations.is_multiple_of(ITERATIONS_PER_CLOCK)
            {
                self.control.check(self.iterations)?;
            }
            self.iterations += 1;
            if let Some(node) = self.expand(&mut aim, &mut step)?
                && let Some(goal) = self.reach_goal(node)?
                && let Some((path, root)) = self.join(node, goal)?
            {
                return Ok((path, goals[root]));
            }
        }
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

    /// Puts a node into its cell. A new cell scores by how late it was found and how near a goal it is.
    fn enter(&mut self, node: usize) {
        let space = self.problem.space();
        let (_, distance) = self.goals.nearest(space, self.tree.node(node));
        let score = (1.0 + ((self.iterations + 1) as f64).ln()) / (1.0 + distance);
        self.projector.cell_into(space, self.tree.node(node), &mut self.cell);
        self.grid.add(&self.cell, node, score);
    }

    /// Extends a node of an important cell. Of a motion that is blocked, half, a quarter, … is kept where that is free.
    fn expand(&mut self, aim: &mut [f64], step: &mut [f64]) -> Result<Option<usize>> {
        let space = self.problem.space();
        let Some((cell, node)) = self.grid.select(self.config.border_fraction, &mut self.rng) else { return Ok(None) };
        if self.rng.unit() < self.config.goal_bias {
            aim.copy_from_slice(self.goals.node(self.rng.below(self.goals.len())));
        } else {
            sample_near(space, self.tree.node(node), self.config.range, &mut self.rng, aim);
        }
        let (mut part, reach) = (1.0, self.config.range.min(space.distance(self.tree.node(node), aim)));
        while part >= self.config.min_partial {
            space.steer(self.tree.node(node), aim, part * reach, step);
            if self.is_free(node, step)? {
                let added = self.tree.add(space, step, node);
                self.enter(added);
                return Ok(Some(added));
            }
            part *= 0.5;
        }
        self.grid.fail(cell);
        Ok(None)
    }

    fn is_free(&mut self, node: usize, to: &[f64]) -> Result<bool> {
        self.control.check(self.iterations - 1)?;
        Ok(self.validity.motion_may_be_valid(self.tree.node(node), to))
    }

    /// The nearest goal, if it is near enough and the edge to it seems free.
    fn reach_goal(&mut self, node: usize) -> Result<Option<usize>> {
        let space = self.problem.space();
        let (goal, distance) = self.goals.nearest(space, self.tree.node(node));
        if distance > self.config.link {
            return Ok(None);
        }
        let mut target = vec![0.0; space.dof()];
        space.unwrap_into(self.tree.node(node), self.goals.node(goal), &mut target);
        Ok(self.is_free(node, &target)?.then_some(goal))
    }

    fn join(&mut self, node: usize, goal: usize) -> Result<Option<(Trajectory, usize)>> {
        let mut joining = Joining {
            space: self.problem.space(),
            validity: &mut *self.validity,
            control: self.control,
            iterations: self.iterations - 1,
            proves: self.proves,
        };
        let joined = joining.join([&mut *self.tree, &mut self.goals], [node, goal])?;
        if joined.is_none() {
            let tree = &*self.tree;
            self.grid.keep(|node| !tree.is_dropped(node));
        }
        Ok(joined)
    }
}
