//! Which of several goal configurations is preferred.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// Order of the configurations that meet a goal: branches of inverse kinematics, full turns, members of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefer {
    /// The nearest to the start, Euclidean in joint space with the weights of the joints.
    Distance,
    /// The one of least travel time from the start: from rest to rest under the limits of velocity and acceleration, of the joint
    /// that takes longest, without a look at obstacles.
    Time,
    /// The one farthest from the world; in an empty scene, the one with the largest clearance between the robot's own links.
    Clearance,
}

impl Prefer {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Distance, Self::Time, Self::Clearance];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Time => "time",
            Self::Clearance => "clearance",
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
            .ok_or_else(|| KineticError::unknown_name("preference", name, Self::ALL.map(Self::name)))
    }
}
