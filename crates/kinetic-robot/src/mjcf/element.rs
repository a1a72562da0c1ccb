//! Elements as values that own their text, so that files can be included, subtrees copied and names changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::{KineticError, Result};

/// Attributes by name.
pub(super) type Map = BTreeMap<String, String>;

/// An element of a document.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) tag: String,
    pub(super) attributes: Map,
    pub(super) children: Vec<Element>,
    /// File it was read from, for errors.
    pub(super) file: Arc<str>,
    pub(super) line: u32,
    /// Index of the document whose settings, classes and assets it means; see [`super::document`].
    pub(super) document: usize,
}

impl Element {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        self.attributes.insert(name.to_owned(), value);
    }

    pub(super) fn children<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// Error at this element, which the message names.
    pub(super) fn error(&self, detail: impl AsRef<str>) -> KineticError {
        let detail = format!("{}: {}", self.describe(), detail.as_ref());
        super::fault(self.file.to_string(), self.line, detail)
    }

    /// `geom "hand"`, or `<geom>` without a name.
    pub(super) fn describe(&self) -> String {
        match self.get("name") {
            Some(name) => format!("{} \"{name}\"", self.tag),
            None => format!("<{}>", self.tag),
        }
    }

    /// Where it stands, for notes: `robot.xml:12, geom "hand"`.
    pub(super) fn place(&self) -> String {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{file}:{}, {}", self.line, self.describe())
    }

    /// The attributes alone, without a class of defaults.
    pub(super) fn plain(&self) -> Attributes<'_> {
        Attributes { element: self, class: None }
    }

    /// Number of levels of this subtree.
    pub(super) fn height(&self) -> usize {
        1 + self.children.iter().map(Self::height).max().unwrap_or_default()
    }

    /// Number of elements in this subtree.
    pub(super) fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

/// What an element states, and what its class of defaults states for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attributes<'a> {
    pub(super) element: &'a Element,
    pub(super) class: Option<&'a Map>,
}

impl<'a> Attributes<'a> {
    /// Own value, else that of the class.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.own(name).or_else(|| self.class.and_then(|class| class.get(name)).map(|value| value.trim()))
    }

    /// Own value only.
    pub(super) fn own(&self, name: &str) -> Option<&'a str> {
        self.element.get(name).map(str::trim)
    }

    pub(super) fn error(&self, detail: impl AsRef<str>) -> KineticError {
        self.element.error(detail)
    }

    /// Finite numbers, as many as there are.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<f64>>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = |word: &str| {
            let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
            let wrong = || format!("attribute \"{name}\" has \"{word}\", which is not a finite number");
            value.ok_or_else(|| self.error(wrong()))
        };
        text.split_whitespace().map(number).collect::<Result<_>>().map(Some)
    }

    /// Exactly `N` finite numbers.
    pub(super) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        let Some(values) = self.list(name)? else { return Ok(None) };
        let count = values.len();
        let exact = values
            .try_into()
            .map_err(|_| self.error(format!("attribute \"{name}\" has {count} numbers; {N} are needed")));
        exact.map(Some)
    }

    /// One finite number.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name)?.map(|[value]| value))
    }

    /// `true` or `false`; `None` for an absent attribute and for `auto`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            None | Some("auto") => Ok(None),
            Some(other) => Err(self.error(format!("attribute \"{name}\" = \"{other}\"; wanted true, false or auto"))),
        }
    }
}
