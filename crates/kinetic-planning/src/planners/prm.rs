//! PRM: a graph of configurations whose edges are checked when a path needs them.
//!
//! Kavraki, Svestka, Latombe and Overmars, "Probabilistic roadmaps for path planning in high-dimensional configuration spaces",
//! IEEE Transactions on Robotics and Automation 1996: valid samples become vertices, edges go to the k nearest, and the shortest
//! path in the graph is the answer. Besides,
//! - the straight line to each goal is tried first, and each goal is a vertex;
//! - edges that join two connected components are proven when they are made; all others, and with [`PrmConfig::is_lazy`] these too,
//!   are sampled and proven when the shortest path has them (Bohlin and Kavraki, "Path planning using lazy PRM", ICRA 2000);
//! - most samples are drawn around edges that were refused, where the graph has its gaps (node enhancement of that paper): edges
//!   of paths, and edges that would have led on from what hangs together with the start or a goal;
//! - a [`Roadmap`](crate::Roadmap) that was built before is searched as it is, and grows for one query alone where it has no path.

mod components;
mod search;
mod shortest;

use kinetic_core::{Control, KineticError, Result};

pub(super) use self::search::{PrmSetting, search};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::roadmap::RoadmapInScope;
use crate::roadmap::graph::Neighbours;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "prm",
    summary: "a roadmap of nearest neighbours; many queries in one scene, with a roadmap that is kept",
    source: "Kavraki et al., TRA 1996; lazy: Bohlin and Kavraki, ICRA 2000",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        if let Some(minimise) = config.minimise {
            let wanted = "None: prm ends with its first path; prm_star and aorrtc go on";
            return Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted));
        }
        let roadmap = context.roadmap.cloned();
        let config = PrmConfig { is_lazy: config.lazy_roadmap, ..PrmConfig::default() };
        Ok(Box::new(Prm { config, roadmap }))
    },
};

/// How many vertices a new one is connected with, unless others are stated.
const DEFAULT_NEIGHBOURS: usize = 12;

/// The same, for roadmaps that are built.
pub(crate) const NEIGHBOURS: Neighbours = Neighbours::Fixed(DEFAULT_NEIGHBOURS);

/// Options of [`Prm`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrmConfig {
    /// How many of the nearest vertices a new one is connected with, k of the paper.
    pub neighbours: usize,
    /// Whether edges are looked at only when a path needs them, and not when they are made.
    pub is_lazy: bool,
}

impl Default for PrmConfig {
    fn default() -> Self {
        Self { neighbours: DEFAULT_NEIGHBOURS, is_lazy: false }
    }
}

impl PrmConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        if self.neighbours > 0 {
            return Ok(());
        }
        Err(KineticError::invalid("neighbours", self.neighbours, "at least 1"))
    }
}

/// The planner.
#[derive(Debug, Clone, Default)]
pub struct Prm {
    config: PrmConfig,
    roadmap: Option<RoadmapInScope>,
}

impl Prm {
    /// A planner with the given options, that makes a roadmap of its own for each query.
    ///
    /// # Errors
    /// As [`PrmConfig::check`].
    pub fn new(config: PrmConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, roadmap: None })
    }

    /// The same planner, which searches a roadmap of the space of its problems. The validity of a problem is the one that the scope
    /// of the roadmap says.
    #[must_use]
    pub fn with_roadmap(self, roadmap: RoadmapInScope) -> Self {
        Self { roadmap: Some(roadmap), ..self }
    }

    /// Its options.
    pub fn config(&self) -> &PrmConfig {
        &self.config
    }
}

impl Algorithm for Prm {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let PrmConfig { neighbours, is_lazy } = self.config;
        let setting = PrmSetting { id: SPEC.id, neighbours: Neighbours::Fixed(neighbours), is_lazy, is_anytime: false };
        search(setting, self.roadmap.as_ref(), (problem, control), validity, &mut |_| ())
    }
}
