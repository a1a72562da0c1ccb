//! State of a reader: documents, visible names, and everything found so far.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetic_core::Pose;
use roxmltree::Node;

use super::frames::{FramePlace, Frames, OWN, Reference, WORLD_FRAME};
use super::source::{JointSource, LinkSource};
use crate::mesh::MeshResolver;
use crate::xml::{Source, child, text};

/// A document that was given.
pub(crate) struct SdfText<'a> {
    pub(crate) text: &'a str,
    /// What errors call it.
    pub(crate) file: &'a str,
    /// Where it is; with the resolver, where included models are looked for.
    pub(crate) path: Option<&'a Path>,
    pub(crate) resolver: MeshResolver,
}

/// One file that is being read.
pub(super) struct SdfDocument<'a> {
    pub(super) source: Source<'a>,
    pub(super) file: Arc<str>,
    pub(super) resolver: Arc<MeshResolver>,
    pub(super) version: Version,
    /// The files that are being read, this one last.
    pub(super) open: Vec<PathBuf>,
    /// Line of the outermost `<include>`, for errors of the builder, which knows the outermost file only.
    pub(super) include_line: Option<u32>,
}

impl<'a> SdfDocument<'a> {
    /// The outermost document.
    pub(super) fn opened(source: Source<'a>, version: Version, given: SdfText<'_>) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        Self {
            source,
            file: given.file.into(),
            resolver: Arc::new(given.resolver),
            version,
            open: given.path.map(absolute).into_iter().collect(),
            include_line: None,
        }
    }

    pub(super) fn place(&self, node: Node<'_, '_>) -> FramePlace {
        FramePlace { file: Arc::clone(&self.file), line: self.source.line(node) }
    }

    /// Line in the outermost file.
    pub(super) fn outer_line(&self, node: Node<'_, '_>) -> u32 {
        self.include_line.unwrap_or_else(|| self.source.line(node))
    }
}

/// Version of the format, as far as readings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32);

impl Version {
    /// Before, `<frame>` was reserved for something that nothing read.
    pub(super) const FIRST_WITH_FRAMES: Self = Self(1, 7);
}

/// Where in the nesting of models we are.
#[derive(Debug, Clone)]
pub(super) struct Inside {
    /// Names that can be seen.
    pub(super) scope: usize,
    /// Frame that `__model__` means.
    pub(super) own: usize,
    /// What full names begin with.
    pub(super) prefix: String,
    pub(super) depth: usize,
}

impl Inside {
    /// Outside of all models.
    pub(super) fn world() -> Self {
        Self { scope: 0, own: WORLD_FRAME, prefix: String::new(), depth: 0 }
    }

    pub(super) fn reference(&self, name: &str) -> Reference {
        if name == OWN {
            return Reference::SdfFrame(self.own);
        }
        Reference::Name { scope: self.scope, name: name.to_owned() }
    }

    /// The named frame, or another when none is named.
    pub(super) fn reference_or(&self, name: Option<&str>, default: usize) -> Reference {
        name.map_or(Reference::SdfFrame(default), |name| self.reference(name))
    }
}

/// What an `<include>` says instead of the model.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    pub(super) name: Option<String>,
    pub(super) pose: Option<(Reference, Pose)>,
    pub(super) placement: Option<String>,
    pub(super) merge: bool,
    pub(super) fixed: bool,
}

/// Everything that was read, before names are looked up.
#[derive(Default)]
pub(super) struct SdfReader {
    pub(super) frames: Frames,
    pub(super) links: Vec<LinkSource>,
    pub(super) joints: Vec<JointSource>,
    pub(super) notes: Vec<String>,
    /// Links of models that are static.
    pub(super) static_links: Vec<usize>,
    /// Number of files included so far.
    pub(super) included: usize,
    ignored: BTreeMap<String, usize>,
}

impl SdfReader {
    /// Gives a frame a name. Where files give one name to several things (allowed before 1.7), the link is meant,
    /// which comes first.
    pub(super) fn register(&mut self, inside: &Inside, name: &str, frame: usize) {
        self.frames.scopes[inside.scope].frames.entry(name.to_owned()).or_insert(frame);
    }

    /// Counts child elements that are not read.
    pub(super) fn ignore(&mut self, node: Node<'_, '_>, known: &[&str]) {
        for child in node.children().filter(Node::is_element) {
            let tag = child.tag_name().name();
            if !known.contains(&tag) {
                *self.ignored.entry(tag.to_owned()).or_default() += 1;
            }
        }
    }

    /// One note per kind of element that was not read.
    pub(super) fn ignored_notes(&self) -> impl Iterator<Item = String> {
        self.ignored.iter().map(|(tag, count)| match count {
            1 => format!("SDF: <{tag}> is not used"),
            count => format!("SDF: <{tag}> is not used ({count} elements)"),
        })
    }
}

/// Name that a model carries, or `?`.
pub(super) fn name_of<'n>(node: Node<'n, '_>) -> &'n str {
    node.attribute("name").or_else(|| child(node, "name").map(text)).unwrap_or("?")
}
