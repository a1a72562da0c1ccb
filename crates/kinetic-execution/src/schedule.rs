//! The absolute schedule of the cycles.

use kinetic_core::{Clock, StopFlag};

/// A clock whose time never goes back, counted from the first cycle.
pub(crate) struct Schedule<'a> {
    pub(crate) clock: &'a dyn Clock,
    /// What is taken off the clock: its reading at the first cycle, less what it went back since.
    origin: f64,
    last: f64,
}

impl<'a> Schedule<'a> {
    pub(crate) fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, origin: clock.now(), last: 0.0 }
    }

    pub(crate) fn now(&mut self) -> f64 {
        let now = self.clock.now() - self.origin;
        if now < self.last {
            self.origin -= self.last - now;
        }
        self.last = self.last.max(now);
        self.last
    }

    pub(crate) fn wait_until(&self, time: f64) {
        self.clock.wait_until(self.origin + time, &StopFlag::default());
    }
}

/// Number of the first cycle that begins at `time`, s, or later.
#[expect(clippy::cast_sign_loss, reason = "times of a schedule are not negative")]
pub(crate) fn cycle_after(time: f64, period: f64) -> u64 {
    (time / period).ceil() as u64
}
