//! Options of CBiRRT and their domains.

use kinetic_core::{KineticError, Result};

/// Options of [`Cbirrt`](super::Cbirrt); lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CbirrtConfig {
    /// Longest edge; between what constraints leave, edges are shorter.
    pub step: f64,
    /// Shortest edge that is tried where longer ones leave the constraints.
    pub min_step: f64,
    /// How far a tree is extended towards a sample.
    pub range: f64,
    /// Attempts to shorten the path.
    pub shortcuts: usize,
}

impl Default for CbirrtConfig {
    fn default() -> Self {
        Self { step: 0.5, min_step: 1e-3, range: 2.0, shortcuts: 100 }
    }
}

impl CbirrtConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("step", self.step), ("min_step", self.min_step), ("range", self.range)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        if self.min_step > self.step {
            return Err(KineticError::invalid("min_step", self.min_step, format!("at most step, {}", self.step)));
        }
        Ok(())
    }
}
