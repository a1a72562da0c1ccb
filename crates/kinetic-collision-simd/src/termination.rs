//! Long proofs that end when nobody waits for them any more.
//!
//! Most questions are answered in less time than a clock needs to be read often. Those that are not (a joint that turns by
//! a million radians, a curve of a million pieces) look up now and then.

use kinetic_core::Control;

/// Configurations after which a question reads the clock for the first time. Questions that take less are answered whatever
/// the time, so that what is kept of a search does not depend on it.
const FIRST: u64 = 2_048;

/// Configurations from one reading to the next.
const EVERY: u64 = 256;

/// Looks at a control while a question is being answered.
#[derive(Debug, Clone, Default)]
pub struct Termination {
    control: Option<Control>,
    next: u64,
}

impl Termination {
    /// Whose end ends long queries; `None` lets every query take its time.
    pub fn obey(&mut self, control: Option<&Control>) {
        self.control = control.cloned();
    }

    /// A question begins after so many configurations.
    pub fn begin(&mut self, checks: u64) {
        self.next = checks.saturating_add(FIRST);
    }

    /// Whether the question should be left unanswered, after so many configurations.
    #[inline]
    pub fn is_over(&mut self, checks: u64) -> bool {
        if checks < self.next {
            return false;
        }
        self.next = checks.saturating_add(EVERY);
        self.control.as_ref().is_some_and(|control| control.is_over(0))
    }
}
