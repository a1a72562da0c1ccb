//! URDF, the Unified Robot Description Format.
//!
//! Read as <http://wiki.ros.org/urdf/XML> describes it: an absent axis is +x, an absent origin the identity, a box is
//! given by full lengths. Planar and floating joints become series of joints with one degree of freedom each.
//!
//! Elements that say nothing about shape, motion, mass or looks (transmissions, sensors, simulator extensions) are
//! passed over. Where published files break the rules and only one meaning is left, or the safe one can be taken, they
//! are read: a robot without a name, limits that are absent or crossed, empty attributes, sizes of 0, leaders of mimic
//! joints that do not exist, a `world` that is only hung on. Both leave one note per kind in [`Robot::notes`](crate::Robot::notes).

mod geometry;
mod joint;
mod limit;
mod link;
mod material;
mod write;

use std::path::Path;
use std::sync::Arc;

use kinetic_core::{KineticError, Result};
use roxmltree::Node;

use self::material::Materials;
use crate::description::{Description, JointDescription, LinkDescription};
use crate::mesh::MeshResolver;
use crate::xml::{Source, children};
use crate::xml_repair::repaired;

/// What descriptions of simulators call the fixed surroundings.
const WORLD_NAME: &str = "world";

pub(crate) fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::UrdfParse { file, line, detail }
}

/// Reads a document; `file` names it in errors.
pub(crate) fn parse(text: &str, file: &str, resolver: MeshResolver) -> Result<Description> {
    let source = Source::new(text, file, fault);
    let fixed;
    let (document, is_repaired) = match source.parse(text, &["robot"]) {
        Ok(document) => (document, false),
        Err(error) => {
            fixed = repaired(text).ok_or(error)?;
            (source.parse(&fixed, &["robot"])?, true)
        }
    };
    // Lines are counted in the text that the elements stand in.
    let source = if is_repaired { Source::new(document.input_text(), file, fault) } else { source };
    let robot = document.root_element();
    refuse_xacro(&source, robot)?;
    if is_repaired {
        source.note(robot, "the XML is not well-formed and was read nevertheless");
    }
    read(&source, robot, &Arc::new(resolver))
}

fn read(source: &Source<'_>, robot: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<Description> {
    let materials = Materials::of(source, robot);
    let mut links = children(robot, "link")
        .map(|node| link::read(source, node, resolver, &materials))
        .collect::<Result<Vec<_>>>()?;
    let mut joints = Vec::new();
    for node in children(robot, "joint") {
        let (between, series) = joint::read(source, node)?;
        links.extend(between);
        joints.extend(series);
    }
    joint::release_orphans(source, robot, &mut joints);
    links.extend(world(source, robot, &links, &joints));
    if let (true, Some(other)) = (links.is_empty(), robot.children().find(Node::is_element)) {
        let tag = other.tag_name().name();
        return Err(source.error(other, format!("the robot has no links, and <{tag}> is not supported in their place")));
    }
    source.note_unknown(robot, &["link", "joint", "material"]);
    let name = name(source, robot);
    Ok(Description { name, file: source.file().to_owned(), links, joints, notes: source.notes(), fault })
}

/// The link `world` where joints hang on it and nothing defines it, as Drake's and Gazebo's descriptions have it.
fn world(
    source: &Source<'_>,
    robot: Node<'_, '_>,
    links: &[LinkDescription],
    joints: &[JointDescription],
) -> Option<LinkDescription> {
    let joint = joints.iter().find(|joint| joint.parent == WORLD_NAME)?;
    if links.iter().any(|link| link.name == WORLD_NAME) {
        return None;
    }
    source.note(robot, "joints hang on \"world\", which is not defined; it was added as a link without a body");
    let (visuals, collisions) = (Vec::new(), Vec::new());
    Some(LinkDescription { line: joint.line, name: WORLD_NAME.to_owned(), inertial: None, visuals, collisions })
}

/// The robot's name; that of the file when it has none.
fn name(source: &Source<'_>, robot: Node<'_, '_>) -> String {
    if let Ok(name) = source.attribute(robot, "name") {
        return name.to_owned();
    }
    source.note(robot, "the robot has no name and got that of its file");
    Path::new(source.file()).file_stem().map_or_else(|| "robot".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Unknown elements are ignored, but a macro that was never expanded would leave a part of the robot out.
fn refuse_xacro(source: &Source<'_>, robot: Node<'_, '_>) -> Result<()> {
    let is_macro = |node: &Node<'_, '_>| node.tag_name().namespace().is_some_and(|space| space.contains("xacro"));
    match robot.descendants().find(is_macro) {
        Some(node) => {
            Err(source.error(node, "this is a xacro macro; expand the file first (xacro in.xacro > out.urdf)"))
        }
        None => Ok(()),
    }
}
