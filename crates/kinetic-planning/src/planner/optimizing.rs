//! `Planner`: what planners that start from trajectories have, optimisers of many at once and a warm start.

use std::sync::Arc;

use kinetic_core::{KineticError, Result, Trajectory};

use super::Planner;
use crate::batch_optimization::{OptimizerInScene, SharedOptimizer};
use crate::planners::{chomp, stomp, trajopt};
use crate::problem::check_warm_start;
use crate::registry::{PLANNERS, PlannerType};

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

    /// The same planner, which starts from a path first, for one that starts from trajectories: `trajopt` where its type is
    /// [`Auto`](PlannerType::Auto). As a path of the last motion in a scene that has changed a little, it is near a path of this one.
    ///
    /// The path, of at least two waypoints, keeps its shape; its ends are moved to the start and to the goal that is nearest to its end. Only
    /// what is proven leaves, as ever, and where the straight line is free it is taken. Members of a
    /// [`fallback`](kinetic_core::PlannerConfig::fallback) that start from nothing do without, and so do [problems](Self::problem).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a planner of another type or less than two waypoints, [`KineticError::DimensionMismatch`].
    pub fn with_warm_start(mut self, path: &Trajectory) -> Result<Self> {
        check_warm_start(path, self.group.dof())?;
        if self.algorithm == PlannerType::Auto {
            self.algorithm = PlannerType::TRAJOPT;
        }
        self.warm_start = Some(Arc::new(path.clone()));
        self.warm_start_of_search()?;
        Ok(self)
    }

    /// Whether it starts from trajectories; one that is not in the registry may.
    pub(super) fn starts_from_trajectories(&self) -> bool {
        let id = self.planner_spec().id;
        [chomp::SPEC.id, stomp::SPEC.id, trajopt::SPEC.id].contains(&id) || !PLANNERS.iter().any(|row| row.id == id)
    }

    /// The warm start.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for one that the planner does not use.
    pub(super) fn warm_start_of_search(&self) -> Result<Option<&Trajectory>> {
        if self.warm_start.is_some() && !self.starts_from_trajectories() {
            let wanted = "chomp, stomp or trajopt for a planner with a warm start";
            return Err(KineticError::invalid("planner_type", format!("\"{}\"", self.algorithm), wanted));
        }
        Ok(self.warm_start.as_deref())
    }

    fn check_takes_optimizer(&self) -> Result<()> {
        if self.algorithm == PlannerType::TRAJOPT {
            return Ok(());
        }
        let wanted = "trajopt for a planner with an optimizer of many trajectories";
        Err(KineticError::invalid("planner_type", format!("\"{}\"", self.algorithm), wanted))
    }
}
