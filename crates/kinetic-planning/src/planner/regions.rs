//! Convex regions of a planner: grown, and used by its queries.

use kinetic_core::{Control, KineticError, Result};

use super::Planner;
use crate::certify::identity;
use crate::planners::rrt_connect::RrtConnect;
use crate::regions::{ConvexDecomposition, ConvexRegion, IrisOptions, RegionSeeds};
use crate::registry::PlannerType;
use crate::scene_validity::SceneValidity;
use crate::space::Space;
use crate::validity::Validity;

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
            let checker = &*validity.checker();
            let new_validity = || -> Box<dyn Validity> {
                let mut validity = SceneValidity::owned(checker.clone());
                validity.obey(control);
                Box::new(validity)
            };
            let space = here.metric()?.search;
            let seeds = RegionSeeds { stated: seeds, count, rng_seed: here.config.seed };
            let grown =
                ConvexDecomposition::grow(&space, &seeds, options, &mut RrtConnect::default(), &new_validity, control)?;
            Ok(grown.of(&identity(&here.scene, &here.group, &here.chain), Some(here.scene.version())))
        })
    }

    /// Convex regions from elsewhere as a decomposition for planners of this robot and group; nothing is claimed of them.
    ///
    /// # Errors
    /// As [`ConvexDecomposition::from_regions`].
    pub fn decomposition_of(&self, regions: Vec<ConvexRegion>, control: &Control) -> Result<ConvexDecomposition> {
        let decomposition = ConvexDecomposition::from_regions(&self.metric()?.search, regions, control)?;
        Ok(decomposition.of(&identity(&self.scene, &self.group, &self.chain), None))
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
        self.check_takes_regions()?;
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

    /// The regions to search a path in.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for regions of another space, and ones that the planner does not look at.
    pub(super) fn regions_in(&self, space: &Space) -> Result<Option<&ConvexDecomposition>> {
        let Some(regions) = &self.regions else { return Ok(None) };
        self.check_takes_regions()?;
        self.check_regions(regions, space)?;
        Ok(Some(regions))
    }

    /// Refuses regions that no planner looks at.
    pub(super) fn check_serves_regions(&self) -> Result<()> {
        if self.regions.is_some() { self.check_takes_regions() } else { Ok(()) }
    }

    fn check_takes_regions(&self) -> Result<()> {
        if self.algorithm == PlannerType::GCS {
            return Ok(());
        }
        let given = format!("\"{}\"", self.algorithm);
        Err(KineticError::invalid("planner_type", given, "gcs for a planner with regions"))
    }
}
