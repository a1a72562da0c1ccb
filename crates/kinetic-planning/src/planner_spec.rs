//! What the registry says of a planner.

use std::fmt;

use kinetic_core::{PlannerConfig, Result};

use crate::algorithm::Algorithm;

/// A planner.
pub struct PlannerSpec {
    /// Its name in every language and file.
    pub id: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// Paper or URL.
    pub source: &'static str,
    /// Whether it goes on after the first path, until the budget ends.
    pub is_anytime: bool,
    /// Makes one; refuses a configuration outside its domain.
    pub build: fn(&PlannerConfig) -> Result<Box<dyn Algorithm>>,
}

impl fmt::Debug for PlannerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannerSpec").field("id", &self.id).finish_non_exhaustive()
    }
}
