//! Bidirectional RRT\*: two rewired trees that grow towards each other.
//!
//! Jordan and Perez, "Optimal bidirectional rapidly-exploring random trees", MIT-CSAIL-TR-2013-021: a tree from the start and one
//! from the goals take turns, each extended as by [`rrt_star`](super::rrt_star); a new node is connected with that node near it in the
//! other tree over which a path is shortest, the edges tried in the order of the lengths of these paths. As in RRT-Connect (Kuffner and
//! `LaValle` 2000), the first path is found by walking from each new node to the nearest node of the other tree. All connections that
//! were found are kept: rewiring on either side makes any of them the best.
//!
//! Straight lines, several goals, informed samples, shortened paths and proofs are as with `rrt_star`; a shortened path becomes a part
//! of both trees. The first path is there about as early as with `rrt_connect`; cost is length in the
//! metric of the [`Space`](crate::space::Space), and approaches the least there is.

use kinetic_core::{Control, Result};

use super::rewiring::{Growth, RewiringMemory, RewiringSetting, check_budget, check_length, default_range, search};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::smooth::SimplifyOptions;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "bi_rrt_star",
    summary: "two trees that are rewired until the budget ends; almost surely the shortest path in the end",
    source: "Jordan and Perez, MIT-CSAIL-TR-2013-021; informed samples: Gammell, Srinivasa and Barfoot, IROS 2014",
    is_anytime: true,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        context.config.check()?;
        check_budget(context.config, SPEC.id)?;
        let simplify = SimplifyOptions::from(context.config);
        Ok(Box::new(BiRrtStar {
            config: BiRrtStarConfig { simplify, ..BiRrtStarConfig::default() },
            ..BiRrtStar::default()
        }))
    },
};

/// Options of [`BiRrtStar`]; lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiRrtStarConfig {
    /// Longest edge of an extension. Rewired edges may be longer.
    pub range: f64,
    /// How paths are shortened.
    pub simplify: SimplifyOptions,
}

impl Default for BiRrtStarConfig {
    fn default() -> Self {
        Self { range: 1.0, simplify: SimplifyOptions::default() }
    }
}

impl BiRrtStarConfig {
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
pub struct BiRrtStar {
    config: BiRrtStarConfig,
    /// Whether the range is adapted to the number of joints.
    adapts: bool,
    memory: RewiringMemory,
}

impl Default for BiRrtStar {
    /// A planner with default options, whose range shrinks in inverse proportion to the number of joints beyond eight.
    fn default() -> Self {
        Self { config: BiRrtStarConfig::default(), adapts: true, memory: RewiringMemory::default() }
    }
}

impl BiRrtStar {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`BiRrtStarConfig::check`].
    pub fn new(config: BiRrtStarConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, adapts: false, memory: RewiringMemory::default() })
    }

    /// Its options.
    pub fn config(&self) -> &BiRrtStarConfig {
        &self.config
    }
}

impl Algorithm for BiRrtStar {
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
        let BiRrtStarConfig { range, simplify } = self.config;
        let range = if self.adapts { default_range(range, problem.space()) } else { range };
        let setting = RewiringSetting { id: SPEC.id, growth: Growth::Both, range, simplify };
        search(setting, &mut self.memory, (problem, control), validity, improved)
    }
}
