//! Limits of joints.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_len};
use crate::unbounded;

/// Limits of one joint, rad or m and seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointLimits {
    /// Lowest position; −∞ for a continuous joint.
    #[serde(with = "unbounded::signed")]
    pub lower: f64,
    /// Highest position; +∞ for a continuous joint.
    #[serde(with = "unbounded::signed")]
    pub upper: f64,
    /// Largest speed.
    #[serde(with = "unbounded::signed")]
    pub velocity: f64,
    /// Largest effort, Nm or N; infinite when unknown.
    #[serde(with = "unbounded::signed")]
    pub effort: f64,
    /// Largest acceleration, when the model states one.
    pub acceleration: Option<f64>,
    /// Largest jerk, when the model states one.
    pub jerk: Option<f64>,
}

impl JointLimits {
    /// True when `value` lies inside, with a tolerance on either side.
    pub fn contains(&self, value: f64, tolerance: f64) -> bool {
        value >= self.lower - tolerance && value <= self.upper + tolerance
    }
}

/// Positive limits of every joint of a group: velocity, acceleration and, optionally, jerk.
///
/// What time laws and validators take; positions are separate because a time law does not move the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Largest speed per joint, rad/s or m/s.
    pub velocity: Vec<f64>,
    /// Largest acceleration per joint, rad/s² or m/s².
    pub acceleration: Vec<f64>,
    /// Largest jerk per joint, rad/s³ or m/s³; `None` when jerk is free.
    pub jerk: Option<Vec<f64>>,
}

impl Limits {
    /// Limits without jerk.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] when the lengths differ, [`KineticError::InvalidValue`] naming the joint
    /// when a value is not positive and finite.
    pub fn new(velocity: Vec<f64>, acceleration: Vec<f64>) -> Result<Self> {
        let limits = Self { velocity, acceleration, jerk: None };
        limits.check()?;
        Ok(limits)
    }

    /// The same limits with bounded jerk.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_jerk(mut self, jerk: Vec<f64>) -> Result<Self> {
        self.jerk = Some(jerk);
        self.check()?;
        Ok(self)
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.velocity.len()
    }

    /// Velocities and accelerations multiplied by factors in (0, 1].
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a factor outside (0, 1].
    pub fn scaled(&self, velocity_factor: f64, acceleration_factor: f64) -> Result<Self> {
        for (name, factor) in [("velocity scaling", velocity_factor), ("acceleration scaling", acceleration_factor)] {
            if !(factor > 0.0 && factor <= 1.0) {
                return Err(KineticError::invalid(name, factor, "a factor in (0, 1]"));
            }
        }
        let scale = |values: &[f64], factor: f64| values.iter().map(|value| value * factor).collect();
        Ok(Self {
            velocity: scale(&self.velocity, velocity_factor),
            acceleration: scale(&self.acceleration, acceleration_factor),
            jerk: self.jerk.clone(),
        })
    }

    /// Refuses values outside their domain: the fields are public and may come from a file.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn check(&self) -> Result<()> {
        check_len("acceleration limits", self.acceleration.len(), self.velocity.len())?;
        check_positive("velocity limit", &self.velocity)?;
        check_positive("acceleration limit", &self.acceleration)?;
        if let Some(jerk) = &self.jerk {
            check_len("jerk limits", jerk.len(), self.velocity.len())?;
            check_positive("jerk limit", jerk)?;
        }
        Ok(())
    }
}

fn check_positive(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
        None => Ok(()),
        Some(joint) => {
            Err(KineticError::invalid(format!("{name} of joint {joint}"), values[joint], "a positive finite number"))
        }
    }
}
