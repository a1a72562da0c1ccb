//! Roadmaps of a planner: built, proven, and used by its queries.

use std::borrow::Cow;

use kinetic_core::{Control, KineticError, Result};

use super::Planner;
use crate::certify::identity;
use crate::planners::prm;
use crate::registry::PlannerType;
use crate::roadmap::graph::Neighbours;
use crate::roadmap::{Roadmap, RoadmapCounts, RoadmapInScope};
use crate::scene_validity::SceneValidity;
use crate::space::Space;

impl Planner {
    /// A roadmap of so many configurations that are valid in the scene as it is now, or of as many as `control` leaves time for.
    ///
    /// Which ones follows from the [seed](kinetic_core::PlannerConfig::seed). Each is connected with its 12 nearest, or for the
    /// planner `prm_star` with as many as [PRM\*](crate::planners::prm_star) has. Edges are sampled, unless the roadmap is
    /// [lazy](kinetic_core::PlannerConfig::lazy_roadmap), and proven when a query needs them. The roadmap is not used by this planner but by [`with_roadmap`](Self::with_roadmap).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no vertices, or more than 2²²; what [`Control::error`] says when `control` is cancelled, or
    /// ends before the first vertex.
    pub fn build_roadmap(&self, vertices: usize, control: &Control) -> Result<Roadmap> {
        self.now()?.with_checker_held(|here, validity| {
            validity.obey(control);
            let (space, seed) = (here.metric()?.search, here.config.seed);
            let is_star = here.algorithm == PlannerType::PRMStar;
            let neighbours = if is_star { Neighbours::Growing } else { prm::NEIGHBOURS };
            let roadmap = Roadmap::build((&space, seed), (vertices, neighbours), validity, control)?;
            let roadmap = roadmap.of(&identity(&here.scene, &here.group, &here.chain));
            if !here.config.lazy_roadmap {
                match here.scoped(&roadmap).sample(validity, control) {
                    // As many as there was time for.
                    Err(KineticError::PlanningTimeout { .. }) => {}
                    proven => _ = proven?,
                }
            }
            Ok(roadmap)
        })
    }

    /// The same planner, whose queries search a roadmap. Its type is `prm`, unless it was `prm_star`.
    ///
    /// A query does not change the graph: where it has no path, a copy grows for that query alone. So answers depend neither on
    /// earlier queries nor on threads. What queries find of its edges is kept in the roadmap, and in all its clones, for the next ones in the
    /// same scene; it changes how many checks they take.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a roadmap of another robot, group, limits or joint weights, and for a planner of another type.
    pub fn with_roadmap(mut self, roadmap: &Roadmap) -> Result<Self> {
        if self.algorithm == PlannerType::Auto {
            self.algorithm = PlannerType::PRM;
        }
        self.check_takes_roadmap()?;
        self.check_roadmap(roadmap, &self.metric()?.search)?;
        self.roadmap = Some(roadmap.clone());
        Ok(self)
    }

    /// The same planner without a roadmap that is kept.
    #[must_use]
    pub fn without_roadmap(self) -> Self {
        Self { roadmap: None, ..self }
    }

    /// The roadmap that queries search, where there is one.
    pub fn roadmap(&self) -> Option<&Roadmap> {
        self.roadmap.as_ref()
    }

    /// How much of the roadmap is known in the scene as it is now.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a planner without a roadmap.
    pub fn roadmap_counts(&self) -> Result<RoadmapCounts> {
        let now = self.now()?;
        Ok(now.scoped(now.kept_roadmap()?).counts())
    }

    /// Proves or refuses all edges of the roadmap in the scene as it is now. What was found is kept also where the budget ends.
    ///
    /// Under [constraints](kinetic_core::PlannerConfig::constraints) nothing is kept, and so nothing proven.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a planner without a roadmap, or with constraints; what [`Control::error`] says when `control`
    /// ends the work.
    pub fn prove_roadmap(&self, control: &Control) -> Result<RoadmapCounts> {
        self.now()?.with_checker_held(|here, validity| {
            let roadmap = here.kept_roadmap()?;
            if !here.config.constraints.is_empty() {
                let given = format!("{} of them", here.config.constraints.len());
                return Err(KineticError::invalid("constraints", given, "none: proofs of a roadmap are kept without"));
            }
            validity.obey(control);
            here.scoped(roadmap).prove(validity, control)
        })
    }

    fn kept_roadmap(&self) -> Result<&Roadmap> {
        let wanted = "one, by with_roadmap";
        self.roadmap.as_ref().ok_or_else(|| KineticError::invalid("roadmap of the planner", "none", wanted))
    }

    /// Asks a validity with the joints outside the group where the scene holds them.
    pub(super) fn with_checker_held<T>(
        &self,
        action: impl FnOnce(&Self, &mut SceneValidity<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_checker_at(self.scene.held(), |here, checker, _| {
            let mut validity = SceneValidity::new(checker).with_constraints(here.constraint_set()?);
            action(here, &mut validity)
        })
    }

    fn check_roadmap(&self, roadmap: &Roadmap, space: &Space) -> Result<()> {
        roadmap.check_is_of(&identity(&self.scene, &self.group, &self.chain), space)
    }

    fn check_takes_roadmap(&self) -> Result<()> {
        let planner_type = self.algorithm.resolved_for(&self.config);
        if takes_roadmap(planner_type) {
            return Ok(());
        }
        let wanted = "prm or prm_star for a planner with a roadmap";
        Err(KineticError::invalid("planner_type", format!("\"{planner_type}\""), wanted))
    }

    /// The roadmap with what its proofs hold for, to search a path in.
    pub(super) fn roadmap_in_scope(&self, space: &Space) -> Result<Option<RoadmapInScope>> {
        let Some(roadmap) = &self.roadmap else { return Ok(None) };
        self.check_takes_roadmap()?;
        self.check_roadmap(roadmap, space)?;
        Ok(Some(self.scoped(roadmap)))
    }

    /// A roadmap with what decides whether motions of this planner are valid. Under constraints nothing is kept: some are functions
    /// that no hash tells apart.
    fn scoped(&self, roadmap: &Roadmap) -> RoadmapInScope {
        if !self.config.constraints.is_empty() {
            return roadmap.without_scope();
        }
        let mut numbers = vec![self.config.collision_margin, self.config.self_margin];
        if let Some(bounds) = &self.config.workspace_bounds {
            numbers.extend(bounds.min.iter().chain(&bounds.max));
        }
        roadmap.in_scope_with(self.scene.version(), &numbers)
    }

    /// This planner in one content of its scene, with its roadmap as it is known now.
    pub(crate) fn now_with_known_roadmap(&self) -> Result<Cow<'_, Self>> {
        let now = self.now()?;
        Ok(match &self.roadmap {
            None => now,
            Some(roadmap) => {
                let known = now.scoped(roadmap).as_known_now();
                Cow::Owned(Self { roadmap: Some(known), ..now.into_owned() })
            }
        })
    }

    /// Refuses a roadmap that no planner searches.
    pub(super) fn check_serves_roadmap(&self) -> Result<()> {
        if self.roadmap.is_some() { self.check_takes_roadmap() } else { Ok(()) }
    }

    /// The same planner as one of several: without the roadmap, the regions, the optimiser and the warm start that it has no use for.
    pub(super) fn into_member(self) -> Self {
        let roadmap = self.roadmap.clone().filter(|_| takes_roadmap(self.algorithm));
        let regions = self.regions.clone().filter(|_| self.algorithm == PlannerType::GCS);
        let optimizer = self.optimizer.clone().filter(|_| self.algorithm == PlannerType::TRAJOPT);
        let warm_start = self.warm_start.clone().filter(|_| self.starts_from_trajectories());
        Self { roadmap, regions, optimizer, warm_start, ..self }
    }
}

fn takes_roadmap(planner_type: PlannerType) -> bool {
    matches!(planner_type, PlannerType::PRM | PlannerType::PRMStar)
}
