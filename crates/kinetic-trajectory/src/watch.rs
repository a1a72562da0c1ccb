//! Deadline and cancellation of work on a path before it is timed.

use kinetic_core::{Control, KineticError, Result};

/// Steps of a loop from one look at the clock to the next, where a step takes some microseconds at most.
const STEPS_PER_CLOCK_READING: usize = 256;

/// A control; it does not count when what it belongs to is compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Option<Control>);

impl PartialEq for Watch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Watch {
    pub(crate) fn of(control: &Control) -> Self {
        Self(Some(control.clone()))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|control| control.is_over(0))
    }

    /// The error when it is over.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |control| control.check(0))
    }

    /// As [`check`](Self::check), now and then in a loop.
    #[inline]
    pub(crate) fn check_at(&self, step: usize) -> Result<()> {
        if step % STEPS_PER_CLOCK_READING == STEPS_PER_CLOCK_READING - 1 { self.check() } else { Ok(()) }
    }

    /// What ended it, or `other` where that was not it.
    pub(crate) fn error_or(&self, other: impl FnOnce() -> KineticError) -> KineticError {
        self.check().err().unwrap_or_else(other)
    }
}
