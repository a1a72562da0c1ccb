//! Items of a sequence.

use kinetic_core::{Goal, KineticError, MotionLimits, PlannerConfig, Result};
use kinetic_ik::CartesianPath;

use crate::cartesian::CartesianConfig;

/// Where an item of a sequence goes, and how.
#[derive(Debug, Clone, PartialEq)]
pub enum SequenceMotion {
    /// Through free space to a goal, as [`Planner::solve`](crate::Planner::solve) does.
    Free(Goal),
    /// The tool along all of a path, as [`Planner::plan_cartesian`](crate::Planner::plan_cartesian) does; without options
    /// [those of the planner](CartesianConfig::of).
    Cartesian(CartesianPath, Option<CartesianConfig>),
}

/// One motion of a sequence. It begins where the one before ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceItem {
    /// Where it goes.
    pub motion: SequenceMotion,
    /// Factor of the planner's velocity limits, in (0, 1].
    pub velocity_scaling: f64,
    /// Factor of the planner's acceleration limits, in (0, 1].
    pub acceleration_scaling: f64,
    /// How far from its end the tool may leave the item to go on with the next one without a stop, m; 0 stops. The last item has 0.
    pub blend_radius: f64,
}

impl SequenceItem {
    /// A motion through free space.
    pub fn free(goal: Goal) -> Self {
        Self::of(SequenceMotion::Free(goal))
    }

    /// A motion along a path of the tool, with the planner's options.
    pub fn cartesian(path: CartesianPath) -> Self {
        Self::of(SequenceMotion::Cartesian(path, None))
    }

    /// A motion along a path of the tool, with options of its own.
    pub fn cartesian_with(path: CartesianPath, config: CartesianConfig) -> Self {
        Self::of(SequenceMotion::Cartesian(path, Some(config)))
    }

    /// The same motion under these parts of the planner's limits.
    #[must_use]
    pub fn scaled(self, velocity_scaling: f64, acceleration_scaling: f64) -> Self {
        Self { velocity_scaling, acceleration_scaling, ..self }
    }

    /// The same motion, whose end is rounded into the next item inside a ball of this radius (m) about the tool there.
    #[must_use]
    pub fn blended(self, blend_radius: f64) -> Self {
        Self { blend_radius, ..self }
    }

    /// A motion under the planner's limits, at rest at its end.
    pub fn of(motion: SequenceMotion) -> Self {
        Self { motion, velocity_scaling: 1.0, acceleration_scaling: 1.0, blend_radius: 0.0 }
    }

    /// # Errors
    /// [`KineticError::InvalidValue`] for a blend radius that is no length.
    pub fn check_radius(&self) -> Result<()> {
        if self.blend_radius >= 0.0 && self.blend_radius.is_finite() {
            return Ok(());
        }
        Err(KineticError::invalid("blend_radius", self.blend_radius, "a finite length of at least 0, m"))
    }

    pub(crate) fn is_free(&self) -> bool {
        matches!(self.motion, SequenceMotion::Free(_))
    }

    /// The limits of this item under a planner of these options.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a factor outside (0, 1].
    pub(crate) fn limits(&self, planner: &PlannerConfig) -> Result<MotionLimits> {
        let own = MotionLimits::scaled(self.velocity_scaling, self.acceleration_scaling)?;
        Ok(MotionLimits {
            velocity_scaling: planner.limits.velocity_scaling * own.velocity_scaling,
            acceleration_scaling: planner.limits.acceleration_scaling * own.acceleration_scaling,
            ..planner.limits.clone()
        })
    }

    /// The options of a Cartesian item under a planner of these options; `None` for other items.
    pub(crate) fn cartesian_config(&self, planner: &PlannerConfig) -> Option<CartesianConfig> {
        match &self.motion {
            SequenceMotion::Free(_) => None,
            SequenceMotion::Cartesian(_, config) => {
                Some(config.clone().unwrap_or_else(|| CartesianConfig::of(planner)))
            }
        }
    }
}
