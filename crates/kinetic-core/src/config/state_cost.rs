//! What configurations cost.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// What a path avoids, for planners that look at costs of configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateCost {
    /// Nearness to the world: 1 in contact, 1/2 at 5 cm, and falling.
    Clearance,
    /// Nearness to joint limits: the mean square of the distances from the middle of the ranges, 1 at the limits of all joints.
    JointCentring,
    /// Nearness to singularities: 1 where the manipulability (Yoshikawa 1985) is 0, 1/2 where it is 0.02, and falling.
    Manipulability,
}

impl StateCost {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Clearance, Self::JointCentring, Self::Manipulability];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clearance => "clearance",
            Self::JointCentring => "joint_centring",
            Self::Manipulability => "manipulability",
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.name() == name)
            .ok_or_else(|| KineticError::unknown_name("state cost", name, Self::ALL.map(Self::name)))
    }
}
