//! Configuration of sphere covers: budget and target.

use kinetic_core::KineticError;
use kinetic_core::error::Result;

/// Budget and target of a sphere cover. Containment wins over both: at least one sphere is made per shape, and the
/// target may not be reached within the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereGenConfig {
    /// Most spheres for all shapes given together.
    pub max_spheres: usize,
    /// Excess below which nothing is refined any more, m; see [`excess`](super::excess).
    pub target_excess: f64,
}

impl SphereGenConfig {
    /// Up to 8 spheres, until they stick out less than 6 cm.
    pub fn coarse() -> Self {
        Self { max_spheres: 8, target_excess: 0.06 }
    }

    /// Up to 64 spheres, until they stick out less than 1 cm.
    pub fn fine() -> Self {
        Self { max_spheres: 64, target_excess: 0.01 }
    }

    /// Rejects values outside their domain.
    pub(super) fn check(&self) -> Result<()> {
        if self.max_spheres == 0 {
            return Err(KineticError::invalid("max_spheres", 0, "at least 1"));
        }
        if !(self.target_excess >= 0.0) {
            return Err(KineticError::invalid("target_excess", self.target_excess, "a number of at least 0 (m)"));
        }
        Ok(())
    }
}

impl Default for SphereGenConfig {
    /// Up to 32 spheres, until they stick out less than 2 cm.
    fn default() -> Self {
        Self { max_spheres: 32, target_excess: 0.02 }
    }
}
