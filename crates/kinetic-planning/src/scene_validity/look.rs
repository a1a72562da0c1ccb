//! When is it worth looking at one configuration of a motion before its samples?

/// Looks that are remembered.
const REMEMBERED: u32 = 16;

/// A look takes a third of the time of the samples of a blocked motion: it pays when more of the last ones than this found the
/// motion blocked.
const WORTH_IT: u32 = 5;

/// While it is not worth it, it is tried at every so many motions, which may have changed.
const SELDOM: u32 = 8;

/// One look, and what came of it lately. It depends on what was asked before and decides nothing but the time that an answer
/// takes.
#[derive(Debug)]
pub(super) struct Look {
    /// Which of the last looks found a motion blocked, one per bit.
    blocked: u32,
    /// Motions since the last look.
    waited: u32,
}

impl Look {
    /// As if all looks so far had been worth it: searches begin where most motions are blocked.
    pub(super) fn new() -> Self {
        Self { blocked: u32::MAX, waited: 0 }
    }

    /// Whether to look at the next motion.
    pub(super) fn is_due(&mut self) -> bool {
        self.waited += 1;
        self.is_worth_it() || self.waited >= SELDOM
    }

    /// Takes in what a look found, and hands it on.
    pub(super) fn found(&mut self, is_blocked: bool) -> bool {
        self.waited = 0;
        self.blocked = self.blocked << 1 | u32::from(is_blocked);
        is_blocked
    }

    fn is_worth_it(&self) -> bool {
        (self.blocked & ((1 << REMEMBERED) - 1)).count_ones() > WORTH_IT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of some motions are looked at, of which the look finds each blocked or not.
    fn looks(look: &mut Look, motions: usize, is_blocked: bool) -> usize {
        let mut count = 0;
        for _ in 0..motions {
            if look.is_due() {
                count += 1;
                look.found(is_blocked);
            }
        }
        count
    }

    #[test]
    fn looks_that_find_nothing_become_seldom_until_they_find_something_again() {
        let mut look = Look::new();
        assert_eq!(looks(&mut look, 100, true), 100);
        // Eleven that find nothing leave five of sixteen.
        assert_eq!(looks(&mut look, 11, false), 11);
        assert_eq!(looks(&mut look, 80, false), 10);
        // One more is enough when five are still remembered; here six are needed.
        assert_eq!(looks(&mut look, 48, true), 6);
        assert_eq!(looks(&mut look, 10, true), 10);
    }
}
