//! Convex regions of a planner: grown, and used by its queries.

use kinetic_core::{Control, KineticError, Result};

use super::Planner;
use crate::certify::identity;
use crate::regions::{ConvexDecomposition, IrisOptions};
use crate::registry::PlannerType;
use crate::space::Space;

impl Planner {
    /// Convex regions of configurations that are valid in the scene as it is now: one around each seed, then around random
    /// configurations that are in none, until there are `count` or `control` ends the work. They are not used by this planner but by
    /// [`with_regions`](Self::with_regions).
    ///
    /// # Errors
    /// As [`ConvexDecomposition::grow`]; [`KineticError::InvalidValue`] under [constraints](kinetic_core::PlannerConfig::constraints), which
    /// leave regions no volume.
    pub fn convex_decomposition(
        &self,
        seeds: &[Vec<f64>],
        count: usize,
        options: &IrisOptions,
        control: &Control,
    ) -> Result<ConvexDecomposition> {
        if !self.config.constraints.is_empty() {
            let given = format!("{} of them", self.config.constraints.len());
            return Err(KineticError::invalid("constraints", given, "none: convex regions are grown without"));
        }
        self.now()?.with_checker_held(|here, validity| {
            validity.obey(control);
            let space = here.metric()?.search;
            let grown =
                ConvexDecomposition::grow((&space, here.config.seed), seeds, count, options, validity, control)?;
            Ok(grown.of(&identity(&here.scene, &here.group, &here.chain), here.scene.version()))
        })
    }

    /// The same planner, which plans through convex regions; its type is `gcs`.
    ///
    /// What is claimed of the regions holds in the scene where they were grown. In another one they still say where to search: every edge
    /// of a path is proven in the scene of the planner.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for regions of another robot, group or limits, and for a planner of another type.
    pub fn with_regions(mut self, regions: &ConvexDecomposition) -> Result<Self> {
        if self.algorithm == PlannerType::Auto {
            self.algorithm = PlannerType::GCS;
        }
        if self.algorithm != PlannerType::GCS {
            let given = format!("\"{}\"", self.algorithm);
            return Err(KineticError::invalid("planner_type", given, "gcs for a planner with regions"));
        }
        self.check_regions(regions, &self.metric()?.search)?;
        self.regions = Some(regions.clone());
        Ok(self)
    }

    /// The regions that queries plan through, where there are some.
    pub fn regions(&self) -> Option<&ConvexDecomposition> {
        self.regions.as_ref()
    }

    fn check_regions(&self, regions: &ConvexDecomposition, space: &Space) -> Result<()> {
        regions.check_is_of(&identity(&self.scene, &self.group, &self.chain), space)
    }

    /// The regions to search a path in, where the planner looks at them.
    pub(super) fn regions_in(&self, space: &Space) -> Result<Option<&ConvexDecomposition>> {
        let Some(regions) = self.regions.as_ref().filter(|_| self.planner_spec().id == PlannerType::GCS.id()) else {
            return Ok(None);
        };
        self.check_regions(regions, space)?;
        Ok(Some(regions))
    }
}
