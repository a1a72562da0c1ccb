//! `<model>`: links, joints, frames and models inside, collected with their names until all names are known.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use kinetic_core::{Pose, Result};
use roxmltree::Node;

use super::frames::{Carrier, Frame, Frames, OWN, Place, Reference, Scope};
use super::joint::{self, JointSource};
use super::link::{self, LinkSource};
use super::values;
use crate::mesh::MeshResolver;
use crate::xml::{Source, child, children, text};

/// Deepest nesting of models that is read; real descriptions nest a few levels.
const DEEPEST: usize = 32;

/// Elements of a model that say nothing about motion, shape or mass and are common enough to pass without a note.
const QUIET: [&str; 10] = [
    "link",
    "joint",
    "frame",
    "model",
    "include",
    "pose",
    "static",
    "self_collide",
    "allow_auto_disable",
    "enable_wind",
];

/// One file that is being read.
pub(super) struct Document<'a> {
    pub(super) source: Source<'a>,
    pub(super) file: Arc<str>,
    pub(super) resolver: Arc<MeshResolver>,
    pub(super) version: Version,
    /// The files that are being read, this one last.
    pub(super) open: Vec<PathBuf>,
    /// Line of the outermost `<include>`, for errors of the builder, which knows the outermost file only.
    pub(super) include_line: Option<u32>,
}

impl Document<'_> {
    pub(super) fn place(&self, node: Node<'_, '_>) -> Place {
        Place { file: Arc::clone(&self.file), line: self.source.line(node) }
    }

    /// Line in the outermost file.
    pub(super) fn outer_line(&self, node: Node<'_, '_>) -> u32 {
        self.include_line.unwrap_or_else(|| self.source.line(node))
    }
}

/// Version of the format, as far as readings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32);

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
    pub(super) fn reference(&self, name: &str) -> Reference {
        if name == OWN {
            return Reference::Frame(self.own);
        }
        Reference::Name { scope: self.scope, name: name.to_owned() }
    }

    /// The named frame, or another when none is named.
    pub(super) fn reference_or(&self, name: Option<&str>, default: usize) -> Reference {
        name.map_or(Reference::Frame(default), |name| self.reference(name))
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
pub(super) struct Reader {
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

impl Reader {
    /// Reads a model into the scope `outer`; returns its name and its frame.
    pub(super) fn model(
        &mut self,
        document: &Document<'_>,
        node: Node<'_, '_>,
        outer: &Inside,
        overrides: Overrides,
    ) -> Result<(String, usize)> {
        let source = &document.source;
        if outer.depth >= DEEPEST {
            return Err(source.error(node, format!("models are nested more than {DEEPEST} deep")));
        }
        let name = overrides.name.map_or_else(|| source.attribute(node, "name").map(str::to_owned), Ok)?;
        let (base, pose) = match overrides.pose {
            Some(given) => given,
            None => values::pose(source, node).map(|(base, pose)| (outer.reference_or(base, outer.own), pose))?,
        };
        let placement = overrides.placement.or_else(|| node.attribute("placement_frame").map(str::to_owned));
        let own = self.frames.add(Frame {
            place: document.place(node),
            label: format!("model \"{}{name}\"", outer.prefix),
            base,
            pose_in_base: pose,
            carrier: Carrier::Nothing,
            placement: None,
        });
        let inside = self.enter(&name, own, outer, overrides.merge);
        self.frames.frames[own].placement =
            placement.filter(|name| !name.is_empty()).map(|name| inside.reference(&name));
        let first_link = self.links.len();
        self.content(document, node, &inside)?;
        self.frames.frames[own].carrier = canonical(document, node, &inside, self, first_link);
        if overrides.fixed || values::flag(source, node, "static")? {
            self.static_links.extend(first_link..self.links.len());
        }
        Ok((name, own))
    }

    /// A scope for a model's names; a merged model uses the one around it.
    fn enter(&mut self, name: &str, own: usize, outer: &Inside, merge: bool) -> Inside {
        let depth = outer.depth + 1;
        if merge {
            self.register(outer, &format!("_merged__{name}__model__"), own);
            return Inside { own, depth, ..outer.clone() };
        }
        self.frames.scopes.push(Scope { own, ..Scope::default() });
        let scope = self.frames.scopes.len() - 1;
        self.register(outer, name, own);
        self.frames.scopes[outer.scope].models.insert(name.to_owned(), scope);
        // The outermost model is the robot, whose links need no prefix.
        let prefix = if outer.depth == 0 { String::new() } else { format!("{}{name}::", outer.prefix) };
        Inside { scope, own, prefix, depth }
    }

    /// Gives a frame a name. Where files give one name to several things (allowed before 1.7), the link is meant,
    /// which comes first.
    pub(super) fn register(&mut self, inside: &Inside, name: &str, frame: usize) {
        self.frames.scopes[inside.scope].frames.entry(name.to_owned()).or_insert(frame);
    }

    fn content(&mut self, document: &Document<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<()> {
        for node in children(node, "link") {
            link::read(self, document, node, inside)?;
        }
        for node in children(node, "frame") {
            self.frame(document, node, inside)?;
        }
        for node in node.children() {
            match node.tag_name().name() {
                "model" => self.model(document, node, inside, Overrides::default()).map(|_| ())?,
                "include" => self.include(document, node, inside).map(|_| ())?,
                _ => {}
            }
        }
        for node in children(node, "joint") {
            joint::read(self, document, node, inside)?;
        }
        self.ignore(node, &QUIET);
        Ok(())
    }

    pub(super) fn frame(&mut self, document: &Document<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<()> {
        let source = &document.source;
        // Before 1.7 `<frame>` was reserved for something that nothing read.
        if document.version < Version(1, 7) {
            return Ok(());
        }
        let name = source.attribute(node, "name")?;
        let attached = node.attribute("attached_to").map(str::trim).filter(|name| !name.is_empty());
        let carrier = inside.reference_or(attached, inside.own);
        let (base, pose) = values::pose(source, node)?;
        let frame = self.frames.add(Frame {
            place: document.place(node),
            label: format!("frame \"{}{name}\"", inside.prefix),
            base: base.map_or_else(|| carrier.clone(), |name| inside.reference(name)),
            pose_in_base: pose,
            carrier: Carrier::Same(carrier),
            placement: None,
        });
        self.register(inside, name, frame);
        Ok(())
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

/// The link that a model's own frame moves with: the stated one, else the first, else that of the first model inside.
fn canonical(
    document: &Document<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
    reader: &Reader,
    first_link: usize,
) -> Carrier {
    let stated = node.attribute("canonical_link").map(str::trim).filter(|name| !name.is_empty());
    if let (Some(name), true) = (stated, document.version >= Version(1, 7)) {
        return Carrier::Same(inside.reference(name));
    }
    if reader.links.len() > first_link { Carrier::Link(first_link) } else { Carrier::Nothing }
}

/// Name that a model carries, or `?`.
pub(super) fn name_of<'n>(node: Node<'n, '_>) -> &'n str {
    node.attribute("name").or_else(|| child(node, "name").map(text)).unwrap_or("?")
}
