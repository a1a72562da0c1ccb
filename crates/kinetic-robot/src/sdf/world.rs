//! The outermost element: its version, and the one model that is the robot.

use kinetic_core::Result;
use roxmltree::Node;

use super::fault;
use super::reader::{Inside, SdfDocument, SdfReader, SdfText, Version, name_of};
use super::source::OutermostModel;
use super::values::flag;
use crate::xml::{Source, children};

/// Outermost elements of the format, today's and that of its first years.
pub(crate) const ROOTS: [&str; 2] = ["sdf", "gazebo"];

/// What is said of a document without models.
pub(super) const NO_MODEL: &str = "there is no <model> inside";

/// Oldest version that is read: before, poses were attributes.
const OLDEST: Version = Version(1, 3);

/// Newest version whose changes are known.
const NEWEST: Version = Version(1, 12);

/// Reads the robot of a document into the reader.
pub(super) fn read(reader: &mut SdfReader, given: SdfText<'_>) -> Result<OutermostModel> {
    let source = Source::new(given.text, given.file, fault);
    let xml = source.parse(given.text, &ROOTS)?;
    let root = xml.root_element();
    let version = version(&source, root, &mut reader.notes)?;
    let model = only_model(&source, root, &mut reader.notes)?;
    let document = SdfDocument::opened(source, version, given);
    if let Some(world) = model.parent().filter(|parent| parent.has_tag_name("world")) {
        for node in children(world, "frame") {
            reader.frame(&document, node, &Inside::world())?;
        }
    }
    reader.outermost_model(&document, model)
}

/// The stated version; the newest when none is stated.
pub(super) fn version(source: &Source<'_>, root: Node<'_, '_>, notes: &mut Vec<String>) -> Result<Version> {
    let Some(given) = root.attribute("version") else {
        notes.push("SDF: no version is stated; read as the newest".to_owned());
        return Ok(NEWEST);
    };
    let Some(version) = numbers(given) else {
        return Err(source.error(root, format!("version \"{given}\" is not a version such as 1.9")));
    };
    if version < OLDEST {
        return Err(source.error(root, format!("version {given} is older than 1.3; convert the file (gz sdf --print)")));
    }
    if version > NEWEST {
        notes.push(format!("SDF: version {given} is read as {}.{}", NEWEST.0, NEWEST.1));
    }
    Ok(version)
}

/// The two numbers of `1.9`.
pub(super) fn numbers(text: &str) -> Option<Version> {
    let (major, minor) = text.trim().split_once('.')?;
    Some(Version(major.parse().ok()?, minor.parse().ok()?))
}

/// The robot: the only `<model>`, or the only one that is not static, or the only `<include>`.
pub(super) fn only_model<'n, 'i>(
    source: &Source<'_>,
    root: Node<'n, 'i>,
    notes: &mut Vec<String>,
) -> Result<Node<'n, 'i>> {
    let worlds = children(root, "world").flat_map(|world| world.children());
    let candidates: Vec<_> = root.children().chain(worlds).filter(Node::is_element).collect();
    let models: Vec<_> = candidates.iter().copied().filter(|node| node.has_tag_name("model")).collect();
    let mut moving = Vec::new();
    for model in &models {
        if !flag(source, *model, "static")? {
            moving.push(*model);
        }
    }
    let includes: Vec<_> = candidates.iter().copied().filter(|node| node.has_tag_name("include")).collect();
    let chosen = match (models.as_slice(), moving.as_slice(), includes.as_slice()) {
        ([only], _, _) | (_, [only], _) | ([], _, [only]) => *only,
        ([], _, []) => return Err(source.error(root, NO_MODEL)),
        ([], _, _) => return Err(several(source, root, "included models", &includes)),
        _ => return Err(several(source, root, "models", &models)),
    };
    for other in models.iter().chain(&includes).filter(|other| **other != chosen) {
        let (tag, name) = (other.tag_name().name(), described(*other));
        notes.push(format!("SDF: <{tag}> \"{name}\" beside the robot is not read"));
    }
    Ok(chosen)
}

fn described<'n>(node: Node<'n, '_>) -> &'n str {
    let uri = node.children().find(|child| child.has_tag_name("uri")).and_then(|uri| uri.text());
    uri.map_or_else(|| name_of(node), str::trim)
}

fn several(source: &Source<'_>, root: Node<'_, '_>, what: &str, nodes: &[Node<'_, '_>]) -> kinetic_core::KineticError {
    let names: Vec<String> = nodes.iter().take(12).map(|node| format!("\"{}\"", described(*node))).collect();
    let more = if nodes.len() > names.len() { ", …" } else { "" };
    let count = nodes.len();
    source.error(
        root,
        format!("{count} {what}: {}{more}; one is needed (put the robot into a file of its own)", names.join(", ")),
    )
}
