//! What shortening asks about a straight that could replace a part of a path.

use kinetic_core::Control;

use crate::validity::Validity;

/// Asks quickly, or for the proof at once; answers no when time is over.
pub(crate) struct Question<'a> {
    pub(crate) validity: &'a mut dyn Validity,
    pub(crate) control: &'a Control,
    /// Whether yes means proven.
    pub(crate) proves: bool,
}

impl Question<'_> {
    pub(crate) fn is_free(&mut self, from: &[f64], to: &[f64]) -> bool {
        !self.control.is_over(0)
            && self.validity.motion_may_be_valid(from, to)
            && (!self.proves || self.validity.is_motion_valid(from, to))
    }
}
