//! Change log of a live scene: what each revision changed, as far back as a bounded number of changes reaches.

use std::collections::VecDeque;

use super::changes::SceneDiff;
use super::compare::Change;

/// Most changes in the log. Names and numbers, some hundred bytes each: less than a megabyte.
pub(super) const MAX_LOGGED_CHANGES: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    /// Changes with the revisions that they led to, in order.
    changes: VecDeque<(u64, Change)>,
    /// The oldest revision since which every change is logged.
    reaches_back_to: u64,
}

impl ChangeLog {
    /// Adds what an edit changed. The oldest revisions are dropped, each as a whole.
    pub(super) fn add(&mut self, revision: u64, changes: Vec<Change>) {
        if changes.len() > MAX_LOGGED_CHANGES {
            self.changes.clear();
            self.reaches_back_to = revision;
            return;
        }
        while self.changes.len() + changes.len() > MAX_LOGGED_CHANGES {
            let oldest = self.changes.front().map_or(revision, |(revision, _)| *revision);
            let count = self.changes.partition_point(|(revision, _)| *revision <= oldest);
            self.changes.drain(..count);
            self.reaches_back_to = oldest;
        }
        self.changes.extend(changes.into_iter().map(|change| (revision, change)));
    }

    /// All changes after a revision, taken together; `None` when they are not in the log, or there is no such revision.
    pub(super) fn diff(&self, since: u64, now: u64) -> Option<SceneDiff> {
        if !(self.reaches_back_to..=now).contains(&since) {
            return None;
        }
        let first = self.changes.partition_point(|(revision, _)| *revision <= since);
        Some(SceneDiff::of(self.changes.range(first..).map(|(_, change)| change)))
    }
}
