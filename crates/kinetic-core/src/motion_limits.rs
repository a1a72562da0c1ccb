//! Motion limits of a query: scaling factors of the robot's limits, and limits that replace them.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};
use crate::limits::check_positive;

/// How fast motions of a planner may be. The default is what the robot can do.
///
/// The limits of a motion are those of the robot, where nothing is stated instead of them, times the factors. They never
/// exceed what the model of the robot states, so that what is proven under them holds for the robot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MotionLimits {
    /// Factor of velocity limits, in (0, 1].
    pub velocity_scaling: f64,
    /// Factor of acceleration limits, in (0, 1]. Jerk limits are not scaled.
    pub acceleration_scaling: f64,
    /// Largest speed per joint instead of the robot's, rad/s or m/s, in the length of the group or of the robot.
    pub velocity: Option<Vec<f64>>,
    /// Largest acceleration per joint instead of the robot's, rad/s² or m/s².
    pub acceleration: Option<Vec<f64>>,
    /// Largest jerk per joint instead of the robot's, rad/s³ or m/s³.
    pub jerk: Option<Vec<f64>>,
}

impl Default for MotionLimits {
    fn default() -> Self {
        Self { velocity_scaling: 1.0, acceleration_scaling: 1.0, velocity: None, acceleration: None, jerk: None }
    }
}

impl MotionLimits {
    /// The robot's limits times two factors.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a factor outside (0, 1].
    pub fn scaled(velocity_scaling: f64, acceleration_scaling: f64) -> Result<Self> {
        let limits = Self { velocity_scaling, acceleration_scaling, ..Self::default() };
        limits.check()?;
        Ok(limits)
    }

    /// True when motions have the robot's own limits.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses factors outside (0, 1] and limits that are not positive and finite. Their number is checked by who knows
    /// the group.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field and the joint.
    pub fn check(&self) -> Result<()> {
        let factors =
            [("velocity_scaling", self.velocity_scaling), ("acceleration_scaling", self.acceleration_scaling)];
        for (name, factor) in factors {
            if !(factor > 0.0 && factor <= 1.0) {
                return Err(KineticError::invalid(name, factor, "a factor in (0, 1]"));
            }
        }
        for (name, values) in self.stated() {
            check_positive(&format!("{name}: limit"), values)?;
        }
        Ok(())
    }

    /// The limits that are stated instead of the robot's, with their names in every language.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        let all = [
            ("velocity_limits", &self.velocity),
            ("acceleration_limits", &self.acceleration),
            ("jerk_limits", &self.jerk),
        ];
        all.into_iter().filter_map(|(name, values)| Some((name, values.as_deref()?)))
    }
}
