//! BiTRRT: two trees that avoid configurations which cost much.
//!
//! Devaurs, Siméon and Cortés, "Enhancing the transition-based RRT to deal with complex cost spaces", ICRA 2013, on the transition-based
//! RRT of Jaillet, Cortés and Siméon (T-RO 2010): an extension that climbs in cost is accepted with a probability that falls with the
//! climb, by a temperature that falls with every climb that is accepted and rises with every one that is refused. So the trees follow
//! valleys and saddles of the cost, and climb where there is no other way. Climbs are added up along a motion (mechanical work).
//! Extensions that refine what is explored are limited to a part of those that explore. Trees are connected by extensions as well, so
//! that no part of a path escapes the test.
//!
//! What a configuration costs is a [`StateCost`](kinetic_core::StateCost): by name, or a [function](Bitrrt::with_cost) of the caller's own. The paths are not the
//! cheapest there are, and are not shortened: that would lead them through what they avoid.

mod climb;
mod search;

use kinetic_core::{Control, CostFunction, Result};

use self::search::{PricedTree, search};
use super::configuration_cost::ConfigurationCost;
use super::rewiring::check_length;
use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "bitrrt",
    summary: "two trees that avoid configurations which cost much",
    source: "Devaurs, Simeon and Cortes, ICRA 2013",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: false,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        let cost = ConfigurationCost::stated(context)?.unwrap_or_default();
        Ok(Box::new(Bitrrt { cost, ..Bitrrt::default() }))
    },
};

/// Options of [`Bitrrt`]; lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitrrtConfig {
    /// Longest edge.
    pub range: f64,
    /// Motions are taken apart into pieces of at most this length, whose climbs are added up.
    pub cost_step: f64,
    /// The temperature at first, as a part of the least climb on a straight line from the start to a goal that is free, or else of the
    /// range of the costs of start and goals. So what is avoided does not depend on the unit of the cost; climbs of up to
    /// 1e-4 of the highest cost are none.
    pub temperature: f64,
    /// Growth of the temperature with every climb that is refused: by this part, in natural logarithms.
    pub temperature_rate: f64,
    /// How many extensions may refine for each that explores.
    pub refinement_ratio: f64,
    /// Samples nearer to the tree than this refine it, relative to `range`.
    pub refinement_distance: f64,
}

impl Default for BitrrtConfig {
    fn default() -> Self {
        Self {
            range: 0.5,
            cost_step: 0.1,
            temperature: 0.1,
            temperature_rate: 0.1,
            refinement_ratio: 0.1,
            refinement_distance: 0.3,
        }
    }
}

impl BitrrtConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field.
    pub fn check(&self) -> Result<()> {
        check_length("range", self.range)?;
        check_length("cost_step", self.cost_step)?;
        check_length("temperature", self.temperature)?;
        check_length("temperature_rate", self.temperature_rate)?;
        check_length("refinement_ratio", self.refinement_ratio)?;
        check_length("refinement_distance", self.refinement_distance)
    }
}

/// The planner. Owns its trees; a second call reuses their memory.
#[derive(Debug, Clone, Default)]
pub struct Bitrrt {
    config: BitrrtConfig,
    cost: ConfigurationCost,
    trees: [PricedTree; 2],
}

impl Bitrrt {
    /// A planner with the given options that keeps away from the world, where the validity tells
    /// [clearances](Validity::clearance); where it does not, all configurations cost the same.
    ///
    /// # Errors
    /// As [`BitrrtConfig::check`].
    pub fn new(config: BitrrtConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, ..Self::default() })
    }

    /// The same planner with another cost: finite and at least 0 everywhere.
    #[must_use]
    pub fn with_cost(self, cost: CostFunction) -> Self {
        Self { cost: ConfigurationCost::Function(cost), ..self }
    }

    /// The same planner for joints near the middle of their ranges.
    #[must_use]
    pub fn with_joint_centring(self) -> Self {
        Self { cost: ConfigurationCost::JointCentring, ..self }
    }

    /// Its options.
    pub fn config(&self) -> &BitrrtConfig {
        &self.config
    }
}

impl Algorithm for Bitrrt {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        search((self.config, &self.cost, true), &mut self.trees, problem, validity, control)
    }

    fn plan_lazily(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<LazyPlan> {
        search((self.config, &self.cost, false), &mut self.trees, problem, validity, control).map(LazyPlan::from)
    }
}
