//! `<replicate>` and `<attach>`: subtrees that are copied under new names.
//!
//! A copy is a `<frame>` around the copied elements. Elements of `<contact>` and `<equality>` that name what was copied
//! are copied with it.

use std::collections::BTreeSet;

use kinetic_core::{Pose, Result};
use nalgebra::{Isometry3, Vector3};

use super::document::{Documents, MOST_MJCF_ELEMENTS};
use super::element::Element;
use super::frame;
use super::read::DEEPEST_XML_NESTING;
use crate::mesh::MeshResolver;

/// Attributes of `<contact>` and `<equality>` elements that name an element of the tree, and its kind.
const REFERENCES: [(&str, &str); 6] = [
    ("body1", "body"),
    ("body2", "body"),
    ("joint1", "joint"),
    ("joint2", "joint"),
    ("geom1", "geom"),
    ("geom2", "geom"),
];

/// Kinds and names of the elements of a subtree.
type ElementNames = BTreeSet<(String, String)>;

/// Carries out the copying elements of one document.
pub(super) struct Expansion<'a> {
    pub(super) documents: &'a mut Documents,
    pub(super) index: usize,
    pub(super) resolver: &'a MeshResolver,
}

impl Expansion<'_> {
    pub(super) fn expand(&mut self, elements: Vec<Element>) -> Result<Vec<Element>> {
        let mut expanded = Vec::with_capacity(elements.len());
        for mut element in elements {
            element.children = self.expand(element.children)?;
            match element.tag.as_str() {
                "replicate" => expanded.extend(self.replicate(&element)?),
                "attach" => expanded.push(self.attach(&element, &expanded)?),
                _ => expanded.push(element),
            }
        }
        Ok(expanded)
    }

    /// Copy `i` is turned by `i` times the Euler angles, and stands where `i` offsets lead, each in the frame of the
    /// copy before.
    fn replicate(&mut self, element: &Element) -> Result<Vec<Element>> {
        let count =
            element.get("count").and_then(|count| count.trim().parse::<usize>().ok()).filter(|count| *count > 0);
        let count = count.ok_or_else(|| element.error("attribute \"count\" must be a whole number of at least 1"))?;
        let content: usize = element.children.iter().map(Element::count).sum();
        self.allow(element, count.saturating_mul(content + 1))?;
        let digits = count.to_string().len();
        let separator = element.get("sep").unwrap_or_default();
        let suffixes: Vec<String> = (0..count).map(|i| format!("{separator}{i:0digits$}")).collect();
        self.copy_references(element, &names(&element.children), &suffixes)?;
        let offset = Vector3::from(element.plain().numbers("offset")?.unwrap_or([0.0; 3]));
        let angles = element.plain().numbers::<3>("euler")?.unwrap_or([0.0; 3]);
        let compiler = &self.documents.all[self.index].compiler;
        let mut position = Vector3::zeros();
        let mut frames = Vec::with_capacity(count);
        for (index, suffix) in suffixes.iter().enumerate() {
            let rotation = frame::euler_turn(angles.map(|angle| angle * index as f64), compiler);
            let mut copy = framed(element, &Pose(Isometry3::from_parts(position.into(), rotation)));
            copy.children.iter_mut().for_each(|child| rename(child, &|name| format!("{name}{suffix}")));
            frames.push(copy);
            position += rotation * offset;
        }
        Ok(frames)
    }

    /// The references to replicated elements, once per copy, instead of the original ones.
    fn copy_references(&mut self, element: &Element, names: &ElementNames, suffixes: &[String]) -> Result<()> {
        let references = std::mem::take(&mut self.documents.all[self.index].references);
        let is_named = |reference: &Element| REFERENCES.iter().any(|role| names_one(reference, *role, names));
        let (copied, mut kept): (Vec<Element>, Vec<Element>) = references.into_iter().partition(is_named);
        self.allow(element, copied.len().saturating_mul(suffixes.len()))?;
        for (reference, suffix) in
            copied.iter().flat_map(|reference| suffixes.iter().map(move |suffix| (reference, suffix)))
        {
            kept.push(renamed_reference(reference, names, &|name| format!("{name}{suffix}")));
        }
        self.documents.all[self.index].references = kept;
        Ok(())
    }

    /// A frame around a body, a frame or the whole world of another document, or of this one.
    fn attach(&mut self, element: &Element, before: &[Element]) -> Result<Element> {
        let prefix = element.get("prefix").unwrap_or_default();
        let source = match element.get("model") {
            Some(model) => self.model(element, model)?,
            None => self.index,
        };
        let content = self.attached(element, source, before)?;
        self.allow(element, content.iter().map(Element::count).sum())?;
        if content.iter().any(|child| child.height() > DEEPEST_XML_NESTING) {
            return Err(
                element.error(format!("attaches elements that are nested more than {DEEPEST_XML_NESTING} deep"))
            );
        }
        let names = names(&content);
        let is_inside = |reference: &&Element| {
            REFERENCES.iter().all(|role| reference.get(role.0).is_none() || names_one(reference, *role, &names))
        };
        let add = |name: &str| format!("{prefix}{name}");
        let references: Vec<Element> =
            self.documents.all[source].references.iter().filter(is_inside).cloned().collect();
        let copies = references.iter().map(|reference| renamed_reference(reference, &names, &add));
        self.documents.all[self.index].references.extend(copies);
        let mut frame = framed(element, &Pose::identity());
        frame.children = content;
        frame.children.iter_mut().for_each(|child| rename(child, &add));
        Ok(frame)
    }

    /// The elements that an `<attach>` means.
    fn attached(&self, element: &Element, source: usize, before: &[Element]) -> Result<Vec<Element>> {
        // In the own document, the elements before this one on its level are known so far.
        let world: &[Element] = if source == self.index { before } else { &self.documents.all[source].world };
        let (tag, wanted) = match (element.get("body"), element.get("frame")) {
            (Some(name), _) => ("body", name),
            (None, Some(name)) => ("frame", name),
            (None, None) if source == self.index => {
                return Err(element.error("without \"model\", a \"body\" or \"frame\" of this model is needed"));
            }
            (None, None) => return Ok(world.to_vec()),
        };
        let found = world.iter().find_map(|element| find(element, tag, wanted));
        let missing = || element.error(format!("{tag} \"{wanted}\" does not exist in the model that is attached"));
        Ok(vec![found.ok_or_else(missing)?.clone()])
    }

    /// Reads the document of an `<asset><model>` of this name.
    fn model(&mut self, element: &Element, name: &str) -> Result<usize> {
        let assets: Vec<Element> = self.documents.all[self.index]
            .root
            .children("asset")
            .flat_map(|asset| asset.children("model"))
            .cloned()
            .collect();
        let mut known = Vec::new();
        for asset in assets {
            if let Some(other) = asset.get("name")
                && other != name
            {
                known.push(other.to_owned());
                continue;
            }
            // Without a name the asset is called as its model is, which only its document tells.
            let index = self.documents.attach(&asset, self.resolver)?;
            let own = self.documents.all[index].root.get("model").unwrap_or_default();
            if asset.get("name").is_some() || own == name {
                return Ok(index);
            }
            known.push(own.to_owned());
        }
        Err(element.error(format!("model \"{name}\" does not exist; models are {}", known.join(", "))))
    }

    /// Refuses copies without end.
    fn allow(&mut self, element: &Element, more: usize) -> Result<()> {
        let copied = self.documents.copied.saturating_add(more);
        if copied > MOST_MJCF_ELEMENTS {
            return Err(element.error(format!("makes {copied} copies of elements; {MOST_MJCF_ELEMENTS} are allowed")));
        }
        self.documents.copied = copied;
        Ok(())
    }
}

/// A `<frame>` with the children of `element`.
fn framed(element: &Element, pose: &Pose) -> Element {
    let mut frame = Element { tag: "frame".to_owned(), ..element.clone() };
    frame.attributes.retain(|name, _| name == "childclass");
    let (t, q) = (pose.translation.vector, pose.rotation.coords);
    frame.set("pos", format!("{:e} {:e} {:e}", t.x, t.y, t.z));
    frame.set("quat", format!("{:e} {:e} {:e} {:e}", q.w, q.x, q.y, q.z));
    frame
}

fn names(elements: &[Element]) -> ElementNames {
    let mut names = ElementNames::new();
    let mut stack: Vec<&Element> = elements.iter().collect();
    while let Some(element) = stack.pop() {
        if let Some(name) = element.get("name") {
            let kind = if element.tag == "freejoint" { "joint" } else { &element.tag };
            names.insert((kind.to_owned(), name.to_owned()));
        }
        stack.extend(&element.children);
    }
    names
}

fn names_one(reference: &Element, (attribute, kind): (&str, &str), names: &ElementNames) -> bool {
    reference.get(attribute).is_some_and(|name| names.contains(&(kind.to_owned(), name.to_owned())))
}

fn renamed_reference(reference: &Element, names: &ElementNames, new_name: &dyn Fn(&str) -> String) -> Element {
    let mut copy = reference.clone();
    for role in REFERENCES.into_iter().filter(|role| names_one(reference, *role, names)) {
        if let Some(name) = reference.get(role.0) {
            copy.set(role.0, new_name(name));
        }
    }
    copy
}

fn rename(element: &mut Element, new_name: &dyn Fn(&str) -> String) {
    if let Some(name) = element.get("name") {
        let name = new_name(name);
        element.set("name", name);
    }
    element.children.iter_mut().for_each(|child| rename(child, new_name));
}

fn find<'a>(element: &'a Element, tag: &str, name: &str) -> Option<&'a Element> {
    if element.tag == tag && element.get("name") == Some(name) {
        return Some(element);
    }
    element.children.iter().find_map(|child| find(child, tag, name))
}
