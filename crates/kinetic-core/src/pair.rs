//! Pairs of links, bodies or objects by name.

use serde::{Deserialize, Serialize};

/// Two things between which a distance was measured; links, attached bodies or objects, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// Robot link or attached body.
    pub link: String,
    /// The other link, attached body or scene object.
    pub other: String,
}

impl Pair {
    /// A pair of names.
    pub fn new(link: impl Into<String>, other: impl Into<String>) -> Self {
        Self { link: link.into(), other: other.into() }
    }
}
