//! PRM\*: a roadmap whose shortest path approaches the shortest there is.
//!
//! Karaman and Frazzoli, "Sampling-based algorithms for optimal motion planning", IJRR 2011, algorithm 4 with k nearest neighbours:
//! as [`prm`](super::prm), and of n vertices a new one is connected with the e (1 + 1/d) ln n nearest. It goes on until the budget
//! ends. Edges are sampled when they are part of a path that is shorter than the best so far (Hauser, "Lazy collision checking in
//! asymptotically-optimal motion planning", ICRA 2015); unless it is lazy, those that join two connected components are proven when
//! they are made. After the first path, samples come from the configurations that a shorter one could pass (Gammell,
//! Srinivasa and Barfoot, "Informed RRT*", IROS 2014).

use kinetic_core::{Control, Result};

use super::prm::{PrmSetting, search};
use super::rewiring::check_budget;
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::roadmap::RoadmapInScope;
use crate::roadmap::graph::Neighbours;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "prm_star",
    summary: "a roadmap that grows until the budget ends; almost surely the shortest path in the end",
    source: "Karaman and Frazzoli, IJRR 2011; lazy: Hauser, ICRA 2015",
    is_anytime: true,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        context.config.check()?;
        check_budget(context.config, SPEC.id)?;
        let roadmap = context.roadmap.cloned();
        Ok(Box::new(PrmStar { is_lazy: context.config.lazy_roadmap, roadmap }))
    },
};

/// The planner.
///
/// It ends when the budget does, or with a path that is as short as the straight line to the nearest goal: a control
/// without budget may never end.
#[derive(Debug, Clone)]
pub struct PrmStar {
    is_lazy: bool,
    roadmap: Option<RoadmapInScope>,
}

impl Default for PrmStar {
    fn default() -> Self {
        Self::new(false)
    }
}

impl PrmStar {
    /// A planner that looks at edges only when a path needs them, or also when they are made and join two connected components.
    pub fn new(is_lazy: bool) -> Self {
        Self { is_lazy, roadmap: None }
    }

    /// As [`Prm::with_roadmap`](super::prm::Prm::with_roadmap).
    #[must_use]
    pub fn with_roadmap(self, roadmap: RoadmapInScope) -> Self {
        Self { roadmap: Some(roadmap), ..self }
    }
}

impl Algorithm for PrmStar {
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
        let setting =
            PrmSetting { id: SPEC.id, neighbours: Neighbours::Growing, is_lazy: self.is_lazy, is_anytime: true };
        search(setting, self.roadmap.as_ref(), (problem, control), validity, improved)
    }
}
