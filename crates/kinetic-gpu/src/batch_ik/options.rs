//! Options of batches of poses.

use kinetic_core::{KineticError, Result};

/// How many starts a pose has, and how long each is improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchIkOptions {
    /// Starts of a pose: the configuration of the call, then random ones inside the limits.
    pub starts: usize,
    /// Levenberg-Marquardt steps of a start.
    pub iterations: usize,
    /// Seed of the random starts, which depend on it and on the numbers of pose, start and joint alone.
    pub seed: u32,
}

impl Default for BatchIkOptions {
    fn default() -> Self {
        Self { starts: 16, iterations: 60, seed: 0 }
    }
}

impl BatchIkOptions {
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub(super) fn check(self) -> Result<()> {
        for (name, value) in [("starts", self.starts), ("iterations", self.iterations)] {
            if !(1..=1 << 16).contains(&value) {
                return Err(KineticError::invalid(name, value, "1 to 65536"));
            }
        }
        Ok(())
    }

    /// How many iterations look at the clearance in a scene as well. The other half is left to the pose, so that a start next to
    /// obstacles comes to an answer, as without a scene.
    pub(super) fn clear_iterations(self) -> usize {
        self.iterations / 2
    }
}
