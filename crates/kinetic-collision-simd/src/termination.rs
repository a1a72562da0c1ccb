//! Termination of long queries by a [`Control`]: cancellation and time limits. Most queries end so soon that reading
//! the clock would slow them down. Only long ones (a joint that rotates by a million radians, a curve of a million
//! pieces) read it, once in a few hundred configurations.

use kinetic_core::Control;

/// Configurations after which a query reads the clock for the first time. Shorter queries never depend on the time, so
/// that the outcome of a search does not either.
const CHECKS_BEFORE_FIRST_READING: u64 = 2_048;

/// Configurations from one reading of the clock to the next.
const CHECKS_PER_READING: u64 = 256;

/// Decides when a running query reads its control.
#[derive(Debug, Clone, Default)]
pub struct Termination {
    control: Option<Control>,
    next: u64,
}

impl Termination {
    /// Sets the control that ends long queries; with `None` no query is ended.
    pub fn obey(&mut self, control: Option<&Control>) {
        self.control = control.cloned();
    }

    /// Begins a query, given the number of configurations checked so far.
    pub fn begin(&mut self, checks: u64) {
        self.next = checks.saturating_add(CHECKS_BEFORE_FIRST_READING);
    }

    /// Whether the query should end without a result, given the number of configurations checked so far.
    #[inline]
    pub fn is_over(&mut self, checks: u64) -> bool {
        if checks < self.next {
            return false;
        }
        self.next = checks.saturating_add(CHECKS_PER_READING);
        self.control.as_ref().is_some_and(|control| control.is_over(0))
    }
}
