//! XML for the readers of all descriptions: numbers, and errors with file, line and element.

use std::cell::RefCell;

use kinetic_core::{KineticError, Pose, Result};
use roxmltree::{Document, Node};

use crate::lines::Lines;
use crate::notes::Notes;

/// Makes the error of a format from file, line and detail.
pub(crate) type FaultMaker = fn(String, u32, String) -> KineticError;

/// A document being read.
pub(crate) struct Source<'a> {
    file: &'a str,
    lines: Lines,
    fault: FaultMaker,
    notes: RefCell<Notes>,
}

/// Tags whose `name` tells the reader of a message where to look.
const NAMED: [&str; 8] = ["link", "joint", "frame", "group", "group_state", "end_effector", "model", "robot"];

impl<'a> Source<'a> {
    pub(crate) fn new(text: &str, file: &'a str, fault: FaultMaker) -> Self {
        Self { file, lines: Lines::new(text), fault, notes: RefCell::default() }
    }

    /// Parses a document whose outermost element must be one of `roots`.
    pub(crate) fn parse<'i>(&self, text: &'i str, roots: &[&str]) -> Result<Document<'i>> {
        let document = Document::parse(text).map_err(|error| self.at(error.pos().row, error.to_string()))?;
        let root = document.root_element();
        let tag = root.tag_name().name();
        if roots.contains(&tag) {
            return Ok(document);
        }
        let known = roots.iter().map(|root| format!("<{root}>")).collect::<Vec<_>>().join(" or ");
        Err(self.error(root, format!("outermost element is <{tag}>; a robot description begins with {known}")))
    }

    /// Name of the document.
    pub(crate) fn file(&self) -> &'a str {
        self.file
    }

    /// Line of an element.
    pub(crate) fn line(&self, node: Node<'_, '_>) -> u32 {
        self.lines.line(node.range().start)
    }

    /// Error at a line.
    pub(crate) fn at(&self, line: u32, detail: String) -> KineticError {
        (self.fault)(self.file.to_owned(), line, detail)
    }

    /// Error at an element, which the message names.
    pub(crate) fn error(&self, node: Node<'_, '_>, detail: impl AsRef<str>) -> KineticError {
        self.at(self.line(node), format!("{}: {}", describe(node), detail.as_ref()))
    }

    /// Notes that something about an element was passed over or put right.
    pub(crate) fn note(&self, node: Node<'_, '_>, sentence: impl Into<String>) {
        let place = || match owner(node) {
            Some(owner) => format!("line {}, {}", self.line(node), label(owner)),
            None => format!("line {}", self.line(node)),
        };
        self.notes.borrow_mut().add(sentence.into(), place);
    }

    /// Notes every child element whose name is not among `known`.
    pub(crate) fn note_unknown(&self, node: Node<'_, '_>, known: &[&str]) {
        for child in node.children().filter(|child| child.is_element() && !known.contains(&child.tag_name().name())) {
            self.note(child, format!("<{}> in <{}> is not used", child.tag_name().name(), node.tag_name().name()));
        }
    }

    /// What was noted so far, one sentence per kind.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.borrow().sentences()
    }

    /// First child element of this name that must be there.
    pub(crate) fn child<'n, 'i>(&self, node: Node<'n, 'i>, tag: &str) -> Result<Node<'n, 'i>> {
        child(node, tag).ok_or_else(|| self.error(node, format!("<{tag}> is missing")))
    }

    /// Attribute that must be there and not be empty.
    pub(crate) fn attribute<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str> {
        match node.attribute(name).map(str::trim) {
            None => Err(self.error(node, format!("attribute \"{name}\" is missing"))),
            Some("") => Err(self.error(node, format!("attribute \"{name}\" is empty"))),
            Some(value) => Ok(value),
        }
    }

    /// True for an attribute with content. An empty one is taken for absent, with a note.
    fn is_given(&self, node: Node<'_, '_>, name: &str) -> bool {
        match node.attribute(name) {
            None => false,
            Some(text) if text.trim().is_empty() => {
                self.note(node, format!("an empty attribute \"{name}\" of <{}> is ignored", node.tag_name().name()));
                false
            }
            Some(_) => true,
        }
    }

    /// One finite number, if the attribute is there and not empty.
    pub(crate) fn optional_number(&self, node: Node<'_, '_>, name: &str) -> Result<Option<f64>> {
        Ok(self.optional_numbers::<1>(node, name)?.map(|[value]| value))
    }

    /// One finite number that must be there.
    pub(crate) fn number(&self, node: Node<'_, '_>, name: &str) -> Result<f64> {
        self.numbers::<1>(node, name).map(|[value]| value)
    }

    /// Exactly `N` finite numbers, if the attribute is there and not empty.
    pub(crate) fn optional_numbers<const N: usize>(&self, node: Node<'_, '_>, name: &str) -> Result<Option<[f64; N]>> {
        if self.is_given(node, name) { self.numbers(node, name).map(Some) } else { Ok(None) }
    }

    /// Exactly `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(&self, node: Node<'_, '_>, name: &str) -> Result<[f64; N]> {
        self.words(node, &format!("attribute \"{name}\""), self.attribute(node, name)?)
    }

    /// Exactly `N` finite numbers between the tags of an element.
    #[cfg(feature = "sdf")]
    pub(crate) fn text_numbers<const N: usize>(&self, node: Node<'_, '_>) -> Result<[f64; N]> {
        self.words(node, "content", text(node))
    }

    /// Exactly `N` finite numbers in a text, which messages call `what`.
    fn words<const N: usize>(&self, node: Node<'_, '_>, what: &str, text: &str) -> Result<[f64; N]> {
        let wrong = |why: String| self.error(node, format!("{what} = \"{text}\" {why}"));
        let mut values = [0.0; N];
        let mut count = 0;
        for word in text.split_whitespace() {
            let value = word.parse::<f64>().map_err(|_| wrong(format!("has \"{word}\", which is not a number")))?;
            if !value.is_finite() {
                return Err(wrong(format!("has \"{word}\", which is not a finite number")));
            }
            if count < N {
                values[count] = value;
            }
            count += 1;
        }
        if count == N { Ok(values) } else { Err(wrong(format!("has {count} numbers; {N} are needed"))) }
    }

    /// `<origin xyz rpy>` of an element: identity when absent, zeros for an absent attribute.
    pub(crate) fn origin(&self, node: Node<'_, '_>) -> Result<Pose> {
        let Some(origin) = child(node, "origin") else {
            return Ok(Pose::identity());
        };
        let [x, y, z] = self.optional_numbers(origin, "xyz")?.unwrap_or([0.0; 3]);
        let [roll, pitch, yaw] = self.optional_numbers(origin, "rpy")?.unwrap_or([0.0; 3]);
        Ok(Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw))
    }
}

/// What stands between the tags of an element, without the white space around it.
#[cfg(feature = "sdf")]
pub(crate) fn text<'n>(node: Node<'n, '_>) -> &'n str {
    node.text().unwrap_or_default().trim()
}

/// First child element of this name.
pub(crate) fn child<'n, 'i>(node: Node<'n, 'i>, tag: &str) -> Option<Node<'n, 'i>> {
    node.children().find(|child| child.has_tag_name(tag))
}

/// Child elements of this name.
pub(crate) fn children<'n, 'i: 'n>(node: Node<'n, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'n, 'i>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

/// The nearest element with a name that tells a reader where to look.
fn owner<'n, 'i>(node: Node<'n, 'i>) -> Option<Node<'n, 'i>> {
    node.ancestors().find(|node| NAMED.contains(&node.tag_name().name()) && node.attribute("name").is_some())
}

/// `joint "elbow"`.
fn label(owner: Node<'_, '_>) -> String {
    format!("{} \"{}\"", owner.tag_name().name(), owner.attribute("name").unwrap_or_default())
}

/// `joint "elbow": <limit>`, or `joint "elbow"` for the joint itself.
fn describe(node: Node<'_, '_>) -> String {
    let tag = node.tag_name().name();
    match owner(node) {
        Some(owner) if owner == node => label(owner),
        Some(owner) => format!("{}: <{tag}>", label(owner)),
        None => format!("<{tag}>"),
    }
}
