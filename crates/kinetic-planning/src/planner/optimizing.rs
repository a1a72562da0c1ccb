//! `Planner`: optimisers of many trajectories at once.

use kinetic_core::{KineticError, Result};

use super::Planner;
use crate::batch_optimization::{OptimizerInScene, SharedOptimizer};
use crate::registry::PlannerType;

impl Planner {
    /// The same planner, which optimises many initial trajectories at once; its type is `trajopt`.
    ///
    /// An optimiser proposes, in single precision and with spheres around the links; each path is proven as by every planner. What
    /// several planners and threads ask one optimiser for at the same time it optimises together.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a planner of another type.
    pub fn with_optimizer(mut self, optimizer: &SharedOptimizer) -> Result<Self> {
        if self.algorithm == PlannerType::Auto {
            self.algorithm = PlannerType::TRAJOPT;
        }
        self.check_takes_optimizer()?;
        self.optimizer = Some(SharedOptimizer::clone(optimizer));
        Ok(self)
    }

    /// The optimiser of many trajectories at once, where there is one.
    pub fn optimizer(&self) -> Option<&SharedOptimizer> {
        self.optimizer.as_ref()
    }

    /// The optimiser in the scene as it is now.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for one that the planner does not use.
    pub(super) fn optimizer_in_scene(&self) -> Result<Option<OptimizerInScene>> {
        let Some(optimizer) = &self.optimizer else { return Ok(None) };
        self.check_takes_optimizer()?;
        let (optimizer, scene) = (SharedOptimizer::clone(optimizer), self.scene.clone());
        Ok(Some(OptimizerInScene { optimizer, scene, group: self.group.name.clone(), margins: self.margins() }))
    }

    fn check_takes_optimizer(&self) -> Result<()> {
        if self.algorithm == PlannerType::TRAJOPT {
            return Ok(());
        }
        let wanted = "trajopt for a planner with an optimizer of many trajectories";
        Err(KineticError::invalid("planner_type", format!("\"{}\"", self.algorithm), wanted))
    }
}
