//! One number for all joints, or one per joint.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Limits, Result};

/// A positive limit: one number for all joints, or one per joint.
///
/// ```
/// use kinetic_trajectory::PerJoint;
/// assert_eq!(PerJoint::from(2.0).expand("velocity limit", 3)?, [2.0, 2.0, 2.0]);
/// assert_eq!(PerJoint::from([1.0, 2.0]).expand("velocity limit", 2)?, [1.0, 2.0]);
/// assert!(PerJoint::from([1.0, 2.0]).expand("velocity limit", 3).is_err());
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PerJoint(Values);

#[derive(Debug, Clone, PartialEq)]
enum Values {
    Same(f64),
    Each(Vec<f64>),
}

impl PerJoint {
    /// One value for each of `dof` joints; `name` is what an error calls it.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for a list of another length, [`KineticError::InvalidValue`] naming the
    /// joint for a value that is not positive and finite.
    pub fn expand(&self, name: &str, dof: usize) -> Result<Vec<f64>> {
        let values = match &self.0 {
            Values::Same(value) => vec![*value; dof],
            Values::Each(values) => values.clone(),
        };
        check_len(&format!("{name}s"), values.len(), dof)?;
        match values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
            None => Ok(values),
            Some(joint) => {
                let name = format!("{name} of joint {joint}");
                Err(KineticError::invalid(name, values[joint], "a positive finite number"))
            }
        }
    }

    /// Limits of `dof` joints from a velocity and an acceleration.
    pub(crate) fn limits(velocity: &Self, acceleration: &Self, dof: usize) -> Result<Limits> {
        Limits::new(velocity.expand("velocity limit", dof)?, acceleration.expand("acceleration limit", dof)?)
    }
}

impl From<f64> for PerJoint {
    fn from(value: f64) -> Self {
        Self(Values::Same(value))
    }
}

impl From<Vec<f64>> for PerJoint {
    fn from(values: Vec<f64>) -> Self {
        Self(Values::Each(values))
    }
}

impl From<&Vec<f64>> for PerJoint {
    fn from(values: &Vec<f64>) -> Self {
        values.as_slice().into()
    }
}

impl From<&[f64]> for PerJoint {
    fn from(values: &[f64]) -> Self {
        Self(Values::Each(values.to_vec()))
    }
}

impl<const N: usize> From<[f64; N]> for PerJoint {
    fn from(values: [f64; N]) -> Self {
        values.as_slice().into()
    }
}
