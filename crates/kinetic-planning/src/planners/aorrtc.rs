//! AORRTC: a first path as fast as RRT-Connect finds it, then shorter ones until the budget ends.
//!
//! Wilson, Thomason, Kingston, Kavraki and Gammell, "AORRTC: Almost-Surely Asymptotically Optimal Planning With
//! RRT-Connect", IEEE RA-L 2025, which turns RRT-Connect into an optimal planner as Hauser and Zhou (T-RO 2016) do with
//! any: by planning in the space of configuration *and* cost below the cost of the best path so far, again and again.
//! Here
//! - the first path is that of [`RrtConnect`], and every path found is shortened by
//!   [`simplify_in`](crate::simplify_in) before it sets the bound, again and again while that helps;
//! - since a search rarely beats a shortened path before its own is shortened, some searches are let above the bound;
//! - samples come from the configurations that a path below the bound could pass (`planners/informed.rs`);
//! - trees that do not meet below the bound are dropped when they are large, and may become larger the next time.
//!
//! Cost is length in the metric of the [`Space`](crate::space::Space). It never increases, and approaches the least
//! there is. Where the problem has [another cost](Problem::with_cost), the paths that are found on the way are judged by it,
//! searches go up to half as long again as the best one is, and the one that costs least is kept: its cost never increases
//! either, but nothing is said about the least there is.

mod bounded;
mod cost_tree;
mod improving;
mod shortening;

use kinetic_core::{Control, KineticError, Result};

use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::planners::rrt_connect::{RrtConnect, RrtConnectConfig};
use crate::problem::Problem;
use crate::smooth::SimplifyOptions;
use crate::validity::Validity;
use bounded::Memory;
use improving::{Improving, Setting};

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "aorrtc",
    summary: "shorter or quicker and quicker paths until the budget ends; almost surely the shortest in the end",
    source: "Wilson, Thomason, Kingston, Kavraki and Gammell, IEEE RA-L 2025",
    is_anytime: true,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        if config.timeout.is_infinite() && config.max_iterations == u64::MAX {
            return Err(KineticError::invalid("timeout", config.timeout, "a budget of time or iterations for aorrtc"));
        }
        let options = AorrtcConfig { simplify: SimplifyOptions::from(config), ..AorrtcConfig::default() };
        Ok(Box::new(Aorrtc::new(options)?))
    },
};

/// Options of [`Aorrtc`]; lengths are distances of the [`Space`](crate::space::Space).
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
        let setting = Setting { config: &self.config, problem, control, checks_before: validity.checks() };
        let first = Plan { planner_used: SPEC.id, ..self.first.plan(problem, validity, control)? };
        Improving::begin(setting, first, &mut self.memory, validity, improved)?.run()
    }
}
