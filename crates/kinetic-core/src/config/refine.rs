//! How timed motions are refined.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// What shortens the duration of a timed motion, after its path was found and timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refine {
    /// Trajectory optimisation: a B-spline in time, whose control points and duration are optimised by signed distances
    /// (Schulman et al. 2014).
    Trajopt,
}

impl Refine {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Trajopt];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trajopt => "trajopt",
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
            .ok_or_else(|| KineticError::unknown_name("refinement", name, Self::ALL.map(Self::name)))
    }
}
