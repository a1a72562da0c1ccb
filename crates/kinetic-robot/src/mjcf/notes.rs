//! What was read and not used, one sentence per kind.

use std::collections::BTreeMap;

/// Counts things of a kind, and keeps the order in which kinds first came up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    sentences: Vec<String>,
    counted: Vec<String>,
    counts: BTreeMap<String, usize>,
}

impl Notes {
    /// A sentence of its own.
    pub(super) fn add(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// One more thing that is left out for the same reason.
    pub(super) fn count(&mut self, sentence: &str) {
        if !self.counts.contains_key(sentence) {
            self.counted.push(sentence.to_owned());
        }
        *self.counts.entry(sentence.to_owned()).or_default() += 1;
    }

    /// All sentences, with how often where it was more than once.
    pub(super) fn finish(self) -> Vec<String> {
        let Self { mut sentences, counted, counts } = self;
        let times = |sentence: String| match counts.get(&sentence) {
            Some(count) if *count > 1 => format!("{sentence} ({count} times)"),
            _ => sentence,
        };
        sentences.extend(counted.into_iter().map(times));
        sentences
    }
}
