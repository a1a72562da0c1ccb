//! Results of searches about a robot's collision geometry that travel with its files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kinetic_core::{ContentHash, KineticError, Result};
use serde::{Deserialize, Serialize};

/// Results by what they are and by a hash of everything that they depend on, as bytes.
///
/// A result whose key is never looked up is of another robot, or of an earlier form of it, and does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Precomputed(BTreeMap<String, Vec<u8>>);

impl Precomputed {
    /// The result of a kind for a key.
    pub fn get(&self, kind: &str, key: ContentHash) -> Option<&[u8]> {
        if self.0.is_empty() { None } else { self.0.get(&name(kind, key)).map(Vec::as_slice) }
    }

    /// Adds a result, or replaces it.
    pub fn insert(&mut self, kind: &str, key: ContentHash, result: Vec<u8>) {
        self.0.insert(name(kind, key), result);
    }

    /// Adds the results of another robot. Keys are hashes of what a result depends on, so that none is taken for another.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.0.extend(other.0.iter().map(|(name, result)| (name.clone(), result.clone())));
    }

    /// True without results.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The results as the `precomputed.json` of a robot's folder: an object with a name and Base64 per result.
    pub fn to_json(&self) -> String {
        let mut text = "{".to_owned();
        for (index, (name, result)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(text, "{separator}\n  \"{name}\": \"{}\"", STANDARD.encode(result));
        }
        text + "\n}\n"
    }

    /// Reads what [`to_json`](Self::to_json) wrote; `file` is what errors call it.
    pub(crate) fn from_json(text: &str, file: &str) -> Result<Self> {
        let at =
            |line: usize, detail: String| KineticError::FileParse { file: file.to_owned(), line: line as u32, detail };
        let document: BTreeMap<String, String> =
            serde_json::from_str(text).map_err(|error| at(error.line(), error.to_string()))?;
        let result = |(name, text): (String, String)| {
            let bytes = STANDARD.decode(text).map_err(|error| at(0, format!("\"{name}\" is no Base64: {error}")))?;
            Ok((name, bytes))
        };
        document.into_iter().map(result).collect::<Result<_>>().map(Self)
    }
}

fn name(kind: &str, key: ContentHash) -> String {
    format!("{kind} {key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_were_written_and_found_by_kind_and_key() -> Result<()> {
        let mut results = Precomputed::default();
        let keys = [ContentHash::of_bytes(b"one"), ContentHash::of_bytes(b"two")];
        assert_eq!(results.get("table", keys[0]), None);
        results.insert("table", keys[0], vec![0, 1, 255]);
        results.insert("table", keys[1], Vec::new());
        let read = Precomputed::from_json(&results.to_json(), "precomputed.json")?;
        assert_eq!(read, results);
        assert_eq!(read.get("table", keys[0]), Some(&[0, 1, 255][..]));
        assert_eq!(read.get("table", keys[1]), Some(&[][..]));
        assert_eq!(read.get("plane", keys[0]), None);
        assert_eq!(Precomputed::from_json(&Precomputed::default().to_json(), "")?, Precomputed::default());
        Ok(())
    }

    #[test]
    fn what_is_no_object_of_base64_is_refused_with_its_file() {
        for text in ["", "[]", "{\"table 1\": 3}", "{\"table 1\": \"%\"}"] {
            let error = Precomputed::from_json(text, "there/precomputed.json").expect_err("refused").to_string();
            assert!(error.contains("there/precomputed.json"), "{error}");
        }
    }
}
