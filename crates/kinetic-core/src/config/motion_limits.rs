//! Motion limits of a query: scaling factors of the robot's limits, and limits that replace them.

use serde::{Deserialize, Serialize};

use super::PlannerConfig;
use super::planner_option::{InFiles, PlannerOption, options};
use crate::error::Result;

options! {
    /// How fast motions of a planner may be. The default is what the robot can do.
    ///
    /// The limits of a motion are those of the robot, where nothing is stated instead of them, times the factors. They never
    /// exceed what the model of the robot states, so that what is proven under them holds for the robot.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct MotionLimits = |config| config.limits;

    /// Factor of the velocity limits, in (0, 1].
    velocity_scaling: f64 = 1.0 => {
        name: "velocity_scaling", keyword: "velocity_scaling", flag: "--velocity-scaling", in_files: InFiles::WhenStated,
        wanted: "a factor in (0, 1]", is_valid: is_factor,
    };
    /// Factor of the acceleration limits, in (0, 1]; jerk limits are not scaled.
    acceleration_scaling: f64 = 1.0 => {
        name: "acceleration_scaling", keyword: "acceleration_scaling", flag: "--acceleration-scaling",
        in_files: InFiles::WhenStated, wanted: "a factor in (0, 1]", is_valid: is_factor,
    };
    /// Largest speed of each joint instead of the robot's, and never above it, rad/s or m/s.
    ///
    /// In the length of the group or of the robot, as all three.
    velocity: Option<Vec<f64>> = None => {
        name: "velocity_limits", keyword: "velocity_limits", flag: "--velocity-limits", in_files: InFiles::WhenStated,
        wanted: "a positive finite number per joint", is_valid: is_limit,
    };
    /// Largest acceleration of each joint instead of the robot's, and never above what its model states, rad/s² or m/s².
    acceleration: Option<Vec<f64>> = None => {
        name: "acceleration_limits", keyword: "acceleration_limits", flag: "--acceleration-limits",
        in_files: InFiles::WhenStated, wanted: "a positive finite number per joint", is_valid: is_limit,
    };
    /// Largest jerk of each joint instead of the robot's, and never above what its model states, rad/s³ or m/s³.
    jerk: Option<Vec<f64>> = None => {
        name: "jerk_limits", keyword: "jerk_limits", flag: "--jerk-limits", in_files: InFiles::WhenStated,
        wanted: "a positive finite number per joint", is_valid: is_limit,
    };
}

fn is_factor(number: f64) -> bool {
    number > 0.0 && number <= 1.0
}

fn is_limit(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

impl MotionLimits {
    /// The robot's limits times two factors.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](crate::KineticError::InvalidValue) for a factor outside (0, 1].
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
    /// [`KineticError::InvalidValue`](crate::KineticError::InvalidValue) naming the option and the joint.
    pub fn check(&self) -> Result<()> {
        let config = PlannerConfig { limits: self.clone(), ..PlannerConfig::default() };
        PlannerOption::of_calls().try_for_each(|option| option.check(&config))
    }
}
