//! Pairs of names that may touch.

use std::collections::BTreeSet;

/// Allowed contacts by name: links, attached bodies and objects alike. The order of a pair does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedCollisionMatrix {
    pairs: BTreeSet<(String, String)>,
}

impl AllowedCollisionMatrix {
    /// Lets a pair touch.
    pub fn allow(&mut self, a: &str, b: &str) {
        self.pairs.insert(ordered(a, b));
    }

    /// Takes [`allow`](Self::allow) back.
    pub fn disallow(&mut self, a: &str, b: &str) {
        self.pairs.remove(&ordered(a, b));
    }

    /// True when the pair may touch.
    pub fn is_allowed(&self, a: &str, b: &str) -> bool {
        !self.pairs.is_empty() && self.pairs.contains(&ordered(a, b))
    }

    /// Adds the pairs of another matrix.
    pub fn merge(&mut self, other: &Self) {
        self.pairs.extend(other.pairs.iter().cloned());
    }

    /// All pairs, each in alphabetical order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))
    }
}

fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}
