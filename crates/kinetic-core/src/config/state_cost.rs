//! What configurations cost.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{KineticError, Result};

/// Name of every function.
const FUNCTION: &str = "function";

/// A cost of configurations that is a function: finite and at least 0.
pub type CostFunction = Arc<dyn Fn(&[f64]) -> Result<f64> + Send + Sync>;

/// What a path avoids, for planners that look at costs of configurations.
#[derive(Clone)]
pub enum StateCost {
    /// Nearness to the world: 1 in contact, 1/2 at 5 cm, and falling.
    Clearance,
    /// Nearness to joint limits: the mean square of the distances from the middle of the ranges, 1 at the limits of all joints.
    JointCentring,
    /// Nearness to singularities: 1 where the manipulability (Yoshikawa 1985) is 0, 1/2 where it is 0.02, and falling.
    Manipulability,
    /// Torques that hold the robot still against gravity: their mean square, each relative to the effort limit of its joint.
    Torque,
    /// A function of the user's own. It lives in the process: files hold no more than that there was one.
    Function(CostFunction),
}

impl StateCost {
    /// All that have a name in files.
    pub const NAMED: [Self; 4] = [Self::Clearance, Self::JointCentring, Self::Manipulability, Self::Torque];

    /// A cost that is a function.
    pub fn function(cost: impl Fn(&[f64]) -> Result<f64> + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(cost))
    }

    /// Its name in every language and file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clearance => "clearance",
            Self::JointCentring => "joint_centring",
            Self::Manipulability => "manipulability",
            Self::Torque => "torque",
            Self::Function(_) => FUNCTION,
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn from_name(name: &str) -> Result<Self> {
        let named = Self::NAMED.each_ref().map(Self::name);
        let found = Self::NAMED.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| KineticError::unknown_name("state cost", name, named))
    }
}

impl StateCost {
    /// The one that a file states by this name; a function, which files do not hold, fails where it is called.
    ///
    /// # Errors
    /// As [`from_name`](Self::from_name).
    pub(crate) fn stored(name: &str) -> Result<Self> {
        if name != FUNCTION {
            return Self::from_name(name);
        }
        let wanted = "a function of this process: files hold its name alone";
        Ok(Self::function(move |_| Err(KineticError::invalid("state_cost", format!("\"{FUNCTION}\""), wanted))))
    }
}

impl fmt::Debug for StateCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Functions are equal where they are one.
impl PartialEq for StateCost {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(one), Self::Function(other)) => Arc::ptr_eq(one, other),
            _ => self.name() == other.name(),
        }
    }
}

impl Serialize for StateCost {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for StateCost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::stored(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
