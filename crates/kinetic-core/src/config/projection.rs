//! What configurations are projected onto.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// The few numbers that say how far a search has come, for planners that explore a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// The position of the tool.
    Tool,
    /// The values of the first joints of the group, at most three.
    Joints,
    /// Two random directions of joint space, which follow from the seed.
    Random,
}

impl Projection {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tool, Self::Joints, Self::Random];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Joints => "joints",
            Self::Random => "random",
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
            .ok_or_else(|| KineticError::unknown_name("projection", name, Self::ALL.map(Self::name)))
    }
}
