//! URDF, the Unified Robot Description Format.
//!
//! Read as <http://wiki.ros.org/urdf/XML> describes it: an absent axis is +x, an absent origin the identity, a box is
//! given by full lengths. `<limit>` is required for revolute and prismatic joints. Elements that say nothing about
//! shape, motion or mass (transmissions, sensors, materials, simulator extensions) are ignored.

mod geometry;
mod joint;
mod link;

use std::sync::Arc;

use kinetic_core::{KineticError, Result};

use crate::description::Description;
use crate::mesh::MeshResolver;
use crate::xml::{Source, children};

pub(crate) fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::UrdfParse { file, line, detail }
}

/// Reads a document; `file` names it in errors.
pub(crate) fn parse(text: &str, file: &str, resolver: MeshResolver) -> Result<Description> {
    let source = Source::new(text, file, fault);
    let document = source.parse(text, &["robot"])?;
    let robot = document.root_element();
    refuse_xacro(&source, robot)?;
    let resolver = Arc::new(resolver);
    Ok(Description {
        name: source.attribute(robot, "name")?.to_owned(),
        file: file.to_owned(),
        links: children(robot, "link").map(|node| link::read(&source, node, &resolver)).collect::<Result<_>>()?,
        joints: children(robot, "joint").map(|node| joint::read(&source, node)).collect::<Result<_>>()?,
        notes: Vec::new(),
        fault,
    })
}

/// Unknown elements are ignored, but a macro that was never expanded would leave a part of the robot out.
fn refuse_xacro(source: &Source<'_>, robot: roxmltree::Node<'_, '_>) -> Result<()> {
    let is_macro =
        |node: &roxmltree::Node<'_, '_>| node.tag_name().namespace().is_some_and(|space| space.contains("xacro"));
    match robot.descendants().find(is_macro) {
        Some(node) => {
            Err(source.error(node, "this is a xacro macro; expand the file first (xacro in.xacro > out.urdf)"))
        }
        None => Ok(()),
    }
}
