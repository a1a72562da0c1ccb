//! Notes of readers, for `Robot::notes`: what was ignored or corrected, in one sentence per kind.

/// Sentences in the order in which they first came up.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

#[derive(Debug)]
struct Note {
    sentence: String,
    count: usize,
    /// Where it came up first, for example `line 12, joint "elbow"`.
    place: String,
}

impl Notes {
    /// Counts one more occurrence.
    pub(crate) fn add(&mut self, sentence: String, place: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|note| note.sentence == sentence) {
            Some(note) => note.count += 1,
            None => self.0.push(Note { sentence, count: 1, place: place() }),
        }
    }

    /// The sentences, each with where it is true first and how often.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let sentence = |Note { sentence, count, place }: &Note| match count {
            1 => format!("{sentence} ({place})"),
            _ => format!("{sentence} ({count} times, first {place})"),
        };
        self.0.iter().map(sentence).collect()
    }
}
