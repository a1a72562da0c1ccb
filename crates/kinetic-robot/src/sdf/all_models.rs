//! All the models of a document, those of its worlds and those outside of one.

use std::collections::BTreeMap;

use kinetic_core::{KineticError, Result};
use roxmltree::Node;

use super::fault;
use super::reader::{Inside, SdfDocument, SdfReader, SdfText, Version, name_of};
use super::source::OutermostModel;
use super::values::truth;
use super::world::{NO_MODEL, ROOTS, version};
use crate::xml::{Source, child, children};

/// Elements of a document or of a world that are read, or that say nothing about what stands in it.
const IGNORED_IN_WORLDS: [&str; 13] = [
    "world",
    "model",
    "include",
    "frame",
    "physics",
    "gravity",
    "magnetic_field",
    "atmosphere",
    "spherical_coordinates",
    "scene",
    "gui",
    "audio",
    "wind",
];

/// Names of models and frames of a world, which have to differ.
#[derive(Default)]
struct SiblingNames {
    lines: BTreeMap<String, u32>,
    /// Those of models, in the order of the file.
    models: Vec<String>,
}

impl SiblingNames {
    fn add(&mut self, source: &Source<'_>, node: Node<'_, '_>, name: &str) -> Result<()> {
        let Some(first) = self.lines.insert(name.to_owned(), source.line(node)) else { return Ok(()) };
        Err(source.error(
            node,
            format!("the name \"{name}\" is taken (line {first}); models and frames need names of their own"),
        ))
    }
}

/// Reads all models of a document into the reader but those of some names. Several worlds are read as one, whose frames and
/// models are those of all.
///
/// # Errors
/// Those of the document; [`UnknownName`](kinetic_core::KineticError::UnknownName) for a name in `without` that no model has.
pub(super) fn read_all(reader: &mut SdfReader, given: SdfText<'_>, without: &[&str]) -> Result<Vec<OutermostModel>> {
    let source = Source::new(given.text, given.file, fault);
    let xml = source.parse(given.text, &ROOTS)?;
    let root = xml.root_element();
    let version = version(&source, root, &mut reader.notes)?;
    let document = SdfDocument::opened(source, version, given);
    let worlds: Vec<_> = children(root, "world").collect();
    if worlds.len() > 1 {
        reader.notes.push(format!("SDF: {} worlds are read as one", worlds.len()));
    }
    let mut names = SiblingNames::default();
    for world in &worlds {
        read_frames(reader, &document, *world, &mut names)?;
    }
    let mut models = Vec::new();
    for parent in std::iter::once(root).chain(worlds) {
        read_models(reader, &document, parent, (&mut names, &mut models, without))?;
        reader.ignore(parent, &IGNORED_IN_WORLDS);
    }
    if let Some(unknown) = without.iter().find(|name| !names.models.iter().any(|known| known == *name)) {
        return Err(KineticError::unknown_name("model", *unknown, names.models.iter().map(String::as_str)));
    }
    if names.models.is_empty() { Err(document.source.error(root, NO_MODEL)) } else { Ok(models) }
}

fn read_frames(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    world: Node<'_, '_>,
    names: &mut SiblingNames,
) -> Result<()> {
    for node in children(world, "frame") {
        reader.frame(document, node, &Inside::world())?;
        if document.version >= Version::FIRST_WITH_FRAMES {
            names.add(&document.source, node, name_of(node))?;
        }
    }
    Ok(())
}

fn read_models(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    parent: Node<'_, '_>,
    (names, models, without): (&mut SiblingNames, &mut Vec<OutermostModel>, &[&str]),
) -> Result<()> {
    let source = &document.source;
    for node in parent.children().filter(|node| node.has_tag_name("model") || node.has_tag_name("include")) {
        if node.attribute("merge").map_or(Ok(false), |word| truth(source, node, word))? {
            return Err(source.error(node, "merge=\"true\" needs a model around it"));
        }
        if let Some(name) = stated_name(node).filter(|name| without.contains(name)) {
            reader.left_out(document, node, name)?;
            names.add(source, node, name)?;
            names.models.push(name.to_owned());
            continue;
        }
        // The limit is one per model: a world may have more of them than a model has parts.
        reader.included = 0;
        let model = reader.outermost_model(document, node)?;
        names.add(source, node, &model.name)?;
        names.models.push(model.name.clone());
        if !without.contains(&model.name.as_str()) {
            models.push(OutermostModel { holds_loose_bodies: true, ..model });
        }
    }
    Ok(())
}

/// The name that this document gives a model; `None` where the file of an `<include>` names it.
fn stated_name<'n>(node: Node<'n, '_>) -> Option<&'n str> {
    let of_include = || child(node, "name").and_then(|name| name.text()).map(str::trim);
    if node.has_tag_name("include") { of_include() } else { node.attribute("name") }
}
