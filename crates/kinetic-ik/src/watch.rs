//! Termination of searches by a stop flag: cancellation or a deadline.

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
    /// [`KineticError::Cancelled`] once a stop was asked for, [`KineticError::IKTimeout`] once the flag's time is over.
    pub(crate) fn check(&self, iterations: usize) -> Result<()> {
        self.check_cancelled(iterations)?;
        if !self.stop.is_out_of_time() {
            return Ok(());
        }
        Err(KineticError::IKTimeout { elapsed: self.elapsed(), iterations: iterations as u64 })
    }

    /// For searches that have an answer, or say how near they came, when their time is over.
    ///
    /// # Errors
    /// [`KineticError::Cancelled`] once a stop was asked for.
    pub(crate) fn check_cancelled(&self, iterations: usize) -> Result<()> {
        if !self.stop.is_cancelled() {
            return Ok(());
        }
        Err(KineticError::Cancelled { elapsed: self.elapsed(), iterations: iterations as u64 })
    }

    fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
