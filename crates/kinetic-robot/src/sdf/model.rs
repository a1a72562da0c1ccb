//! `<model>`: links, joints, frames and models inside, collected with their names until all names are known.

use kinetic_core::Result;
use roxmltree::Node;

use super::frames::{Carrier, Scope, SdfFrame};
use super::reader::{Inside, Overrides, SdfDocument, SdfReader, Version};
use super::source::OutermostModel;
use super::{joint, link, values};
use crate::xml::{child, children};

/// Deepest nesting of models that is read; real descriptions nest a few levels.
const DEEPEST_MODEL_NESTING: usize = 32;

/// Elements of a model that say nothing about motion, shape or mass and are common enough to pass without a note.
const IGNORED_IN_MODELS: [&str; 10] = [
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

impl SdfReader {
    /// Reads a model outside of all others, or the one that an `<include>` there names.
    pub(super) fn outermost_model(&mut self, document: &SdfDocument<'_>, node: Node<'_, '_>) -> Result<OutermostModel> {
        let (first_link, first_joint) = (self.links.len(), self.joints.len());
        let (name, _) = if node.has_tag_name("include") {
            self.include(document, node, &Inside::world())?
        } else {
            self.model(document, node, &Inside::world(), Overrides::default())?
        };
        let (links, joints) = (first_link..self.links.len(), first_joint..self.joints.len());
        Ok(OutermostModel { name, links, joints, holds_loose_bodies: false })
    }

    /// The frame of a model of the world that is left out, for what is placed relative to it. Where the pose is that of a frame
    /// inside the model, nothing is known of its own.
    pub(super) fn left_out(&mut self, document: &SdfDocument<'_>, node: Node<'_, '_>, name: &str) -> Result<()> {
        if node.has_attribute("placement_frame") || child(node, "placement_frame").is_some() {
            return Ok(());
        }
        let world = Inside::world();
        let (base, pose_in_base) = values::pose(&document.source, node)?;
        let own = self.frames.add(SdfFrame {
            place: document.place(node),
            label: format!("model \"{name}\""),
            base: world.reference_or(base, world.own),
            pose_in_base,
            carrier: Carrier::Nothing,
            placement: None,
        });
        self.register(&world, name, own);
        Ok(())
    }

    /// Reads a model into the scope `outer`; returns its name and its frame.
    pub(super) fn model(
        &mut self,
        document: &SdfDocument<'_>,
        node: Node<'_, '_>,
        outer: &Inside,
        overrides: Overrides,
    ) -> Result<(String, usize)> {
        let source = &document.source;
        if outer.depth >= DEEPEST_MODEL_NESTING {
            return Err(source.error(node, format!("models are nested more than {DEEPEST_MODEL_NESTING} deep")));
        }
        let name = overrides.name.map_or_else(|| source.attribute(node, "name").map(str::to_owned), Ok)?;
        let (base, pose) = match overrides.pose {
            Some(given) => given,
            None => values::pose(source, node).map(|(base, pose)| (outer.reference_or(base, outer.own), pose))?,
        };
        let placement = overrides.placement.or_else(|| node.attribute("placement_frame").map(str::to_owned));
        let own = self.frames.add(SdfFrame {
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

    fn content(&mut self, document: &SdfDocument<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<()> {
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
        self.ignore(node, &IGNORED_IN_MODELS);
        Ok(())
    }

    pub(super) fn frame(&mut self, document: &SdfDocument<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<()> {
        let source = &document.source;
        if document.version < Version::FIRST_WITH_FRAMES {
            return Ok(());
        }
        let name = source.attribute(node, "name")?;
        let attached = node.attribute("attached_to").map(str::trim).filter(|name| !name.is_empty());
        let carrier = inside.reference_or(attached, inside.own);
        let (base, pose) = values::pose(source, node)?;
        let frame = self.frames.add(SdfFrame {
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
}

/// The link that a model's own frame moves with: the stated one, else the first, else that of the first model inside.
fn canonical(
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
    reader: &SdfReader,
    first_link: usize,
) -> Carrier {
    let stated = node.attribute("canonical_link").map(str::trim).filter(|name| !name.is_empty());
    if let (Some(name), true) = (stated, document.version >= Version(1, 7)) {
        return Carrier::Same(inside.reference(name));
    }
    if reader.links.len() > first_link { Carrier::Link(first_link) } else { Carrier::Nothing }
}
