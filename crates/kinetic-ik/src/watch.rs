//! Cancellation of searches by a stop flag.

use std::time::Instant;

use kinetic_core::{KineticError, Result, StopFlag};

/// A stop flag, and since when it is watched.
pub(crate) struct Watch<'a> {
    stop: &'a StopFlag,
    started: Instant,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(stop: &'a StopFlag) -> Self {
        Self { stop, started: Instant::now() }
    }

    /// # Errors
    /// [`KineticError::Cancelled`] once the flag is set.
    pub(crate) fn check(&self, iterations: usize) -> Result<()> {
        if !self.stop.is_stopped() {
            return Ok(());
        }
        Err(KineticError::Cancelled { elapsed: self.started.elapsed().as_secs_f64(), iterations: iterations as u64 })
    }
}
