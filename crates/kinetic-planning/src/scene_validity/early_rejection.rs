//! Early rejection of motions: whether one configuration of a motion is checked before its samples.

/// Checks whose outcome is remembered.
const REMEMBERED_CHECKS: u32 = 16;

/// One check takes a third of the time of the samples of a blocked motion: it pays when more of the last ones than this found
/// the motion blocked.
const MIN_BLOCKED_CHECKS: u32 = 5;

/// While it is not worth it, it is tried at every so many motions, which may have changed.
const MOTIONS_PER_RARE_CHECK: u32 = 8;

/// The recent outcomes of one kind of check. They depend on earlier queries and change no verdict, only its cost.
#[derive(Debug)]
pub(super) struct EarlyRejection {
    /// Which of the last checks found a motion blocked, one per bit.
    blocked: u32,
    /// Motions since the last check.
    skipped: u32,
}

impl EarlyRejection {
    /// Starts as if all earlier checks had found blocked motions: searches begin where most motions are blocked.
    pub(super) fn new() -> Self {
        Self { blocked: u32::MAX, skipped: 0 }
    }

    /// Whether the next motion is checked.
    pub(super) fn is_due(&mut self) -> bool {
        self.skipped += 1;
        self.is_worth_it() || self.skipped >= MOTIONS_PER_RARE_CHECK
    }

    /// Records the outcome of a check, and returns it.
    pub(super) fn record(&mut self, is_blocked: bool) -> bool {
        self.skipped = 0;
        self.blocked = self.blocked << 1 | u32::from(is_blocked);
        is_blocked
    }

    fn is_worth_it(&self) -> bool {
        (self.blocked & ((1 << REMEMBERED_CHECKS) - 1)).count_ones() > MIN_BLOCKED_CHECKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of some motions are checked, each of which is found blocked or not.
    fn checks(rejection: &mut EarlyRejection, motions: usize, is_blocked: bool) -> usize {
        let mut count = 0;
        for _ in 0..motions {
            if rejection.is_due() {
                count += 1;
                rejection.record(is_blocked);
            }
        }
        count
    }

    #[test]
    fn checks_that_find_nothing_become_seldom_until_they_find_something_again() {
        let mut rejection = EarlyRejection::new();
        assert_eq!(checks(&mut rejection, 100, true), 100);
        // Eleven that find nothing leave five of sixteen.
        assert_eq!(checks(&mut rejection, 11, false), 11);
        assert_eq!(checks(&mut rejection, 80, false), 10);
        // One more is enough when five are still remembered; here six are needed.
        assert_eq!(checks(&mut rejection, 48, true), 6);
        assert_eq!(checks(&mut rejection, 10, true), 10);
    }
}
