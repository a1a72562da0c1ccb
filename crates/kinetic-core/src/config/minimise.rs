//! What a plan is made small in.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// What a plan is made small in with the whole budget, instead of ending with the first path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimise {
    /// Length of the path in joint space.
    Length,
    /// Duration of the motion under the limits of velocity and acceleration.
    Time,
}

impl Minimise {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Length, Self::Time];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
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
            .ok_or_else(|| KineticError::unknown_name("objective", name, Self::ALL.map(Self::name)))
    }
}
