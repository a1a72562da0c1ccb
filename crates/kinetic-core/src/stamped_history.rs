//! Values over time, of the last seconds before the newest.

use std::collections::VecDeque;

/// Values that are kept at most, whatever the time between them.
const MOST_STAMPS: usize = 1 << 16;

/// Stamped values, ascending in time.
#[derive(Debug, Clone)]
pub struct StampedHistory<T>(VecDeque<(f64, T)>);

/// What a history knows of a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Around<'a, T> {
    /// The value of that time.
    At(&'a T),
    /// The values before and after it, and the part of the time between them that has passed.
    Between(&'a T, &'a T, f64),
}

impl<T> Default for StampedHistory<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> StampedHistory<T> {
    /// Adds a value of a finite time (s), or replaces that of the same time, and forgets values that are more than `kept` seconds older
    /// than the newest, and the oldest of more than 65,536. A value that is too old already is not added.
    pub fn insert(&mut self, stamp: f64, value: T, kept: f64) {
        let newest = self.span().map_or(stamp, |(_, newest)| newest.max(stamp));
        if stamp < newest - kept {
            return;
        }
        let index = self.0.partition_point(|(other, _)| *other < stamp);
        match self.0.get_mut(index) {
            Some(entry) if entry.0 == stamp => entry.1 = value,
            _ => self.0.insert(index, (stamp, value)),
        }
        while self.0.len() > MOST_STAMPS || self.0.front().is_some_and(|(oldest, _)| *oldest < newest - kept) {
            self.0.pop_front();
        }
    }

    /// What is known of a time (s); `None` before the first value and after the last one.
    pub fn around(&self, stamp: f64) -> Option<Around<'_, T>> {
        let index = self.0.partition_point(|(other, _)| *other < stamp);
        let (next, after) = self.0.get(index)?;
        if *next == stamp {
            return Some(Around::At(after));
        }
        let (last, before) = self.0.get(index.checked_sub(1)?)?;
        Some(Around::Between(before, after, (stamp - last) / (next - last)))
    }

    /// The first time and the last one, s.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.0.front()?.0, self.0.back()?.0))
    }

    /// All values with their times, ascending.
    pub fn entries(&self) -> impl Iterator<Item = &(f64, T)> {
        self.0.iter()
    }
}
