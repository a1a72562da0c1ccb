//! RRT\*: one tree whose edges are rewired so that the way to each node approaches the shortest one.
//!
//! Karaman and Frazzoli, "Sampling-based algorithms for optimal motion planning", IJRR 2011, algorithm 6: a new node takes that
//! parent among the nodes near it over which it costs least, and becomes the parent of those which it makes cheaper. Near are the
//! k nearest of n nodes, with k = e (1 + 1/d) ln n. Besides,
//! - the straight line to each goal is tried first;
//! - of several goals, each may be the end of the path;
//! - until the first path a second tree grows from the goals, and the two approach each other as in RRT-Connect; what it holds around
//!   that goal becomes a part of the first tree, which grows alone from then on (Mashayekhi, Idris, Anisi and Ahmedy, "Hybrid RRT: A
//!   semi-dual-tree RRT-based motion planner", IEEE Access 2020);
//! - after it, half of the samples come from the configurations that a shorter path could pass (Gammell, Srinivasa and Barfoot,
//!   "Informed RRT*", IROS 2014), half from around the waypoints of the best path (Akgun and Stilman, "Sampling heuristics for optimal
//!   motion planning in high dimensions", IROS 2011), and nodes that no shorter path can pass are not added;
//! - parents are tried in the order of their costs (Perez, Karaman, Shkolnik, Frazzoli, Teller and Walter, IROS 2011), so that most
//!   edges need no check;
//! - a path that is shorter than the best by a thousandth is shortened as [`simplify_in`](crate::simplify_in) does, and its
//!   configurations become a part of the tree (Islam, Nasir, Malik, Ayaz and Hasan, "RRT*-Smart", ICMA 2012);
//! - edges are proven when a path needs them, as in [`rrt_connect`](super::rrt_connect).
//!
//! Cost is length in the metric of the [`Space`](crate::space::Space); it never increases, and approaches the least there is.

use kinetic_core::{Control, Result};

use super::rewiring::{Growth, RewiringMemory, RewiringSetting, check_budget, check_length, default_range, search};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::smooth::SimplifyOptions;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "rrt_star",
    summary: "one tree that is rewired until the budget ends; almost surely the shortest path in the end",
    source: "Karaman and Frazzoli, IJRR 2011; Gammell, Srinivasa and Barfoot, IROS 2014; first path: Mashayekhi et al., IEEE Access 2020",
    is_anytime: true,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        context.config.check()?;
        check_budget(context.config, SPEC.id)?;
        let simplify = SimplifyOptions::from(context.config);
        Ok(Box::new(RrtStar { config: RrtStarConfig { simplify, ..RrtStarConfig::default() }, ..RrtStar::default() }))
    },
};

/// Options of [`RrtStar`]; lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RrtStarConfig {
    /// Longest edge of an extension. Rewired edges may be longer.
    pub range: f64,
    /// How paths are shortened.
    pub simplify: SimplifyOptions,
}

impl Default for RrtStarConfig {
    fn default() -> Self {
        Self { range: 1.0, simplify: SimplifyOptions::default() }
    }
}

impl RrtStarConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field.
    pub fn check(&self) -> Result<()> {
        check_length("range", self.range)
    }
}

/// The planner. Owns its trees; a second call reuses their memory.
///
/// It ends when the budget does, or with a path that is as short as the straight line to the nearest goal: a control
/// without budget may never end.
#[derive(Debug, Clone)]
pub struct RrtStar {
    config: RrtStarConfig,
    /// Whether the range is adapted to the number of joints.
    adapts: bool,
    memory: RewiringMemory,
}

impl Default for RrtStar {
    /// A planner with default options, whose range shrinks in inverse proportion to the number of joints beyond eight.
    fn default() -> Self {
        Self { config: RrtStarConfig::default(), adapts: true, memory: RewiringMemory::default() }
    }
}

impl RrtStar {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`RrtStarConfig::check`].
    pub fn new(config: RrtStarConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, adapts: false, memory: RewiringMemory::default() })
    }

    /// Its options.
    pub fn config(&self) -> &RrtStarConfig {
        &self.config
    }
}

impl Algorithm for RrtStar {
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
        let RrtStarConfig { range, simplify } = self.config;
        let range = if self.adapts { default_range(range, problem.space()) } else { range };
        let setting = RewiringSetting { id: SPEC.id, growth: Growth::Start, range, simplify };
        search(setting, &mut self.memory, (problem, control), validity, improved)
    }
}
