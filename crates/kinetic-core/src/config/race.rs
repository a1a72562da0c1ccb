//! Whether several planners run at the same time, and which of their answers is taken.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// Races of planners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Race {
    /// One after the other.
    #[default]
    Off,
    /// All together, until each has an answer or has used up its budget; the answer of least cost. The same on every machine.
    Best,
    /// All together, until the first has an answer, which ends the others. Which one is first depends on the clock.
    First,
}

impl Race {
    /// Its name in errors: `false`, `true` or `first`, as files have them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "false",
            Self::Best => "true",
            Self::First => "first",
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for any other than the one that there is beside true and false.
    pub fn from_name(name: &str) -> Result<Self> {
        if name == Self::First.name() {
            return Ok(Self::First);
        }
        Err(KineticError::invalid("race", name, format!("false, true or \"{}\"", Self::First.name())))
    }
}

impl From<bool> for Race {
    fn from(is_on: bool) -> Self {
        if is_on { Self::Best } else { Self::Off }
    }
}
