//! `<link>`: its frame, mass properties and shapes.

use kinetic_core::{Pose, Result};
use nalgebra::Matrix3;
use roxmltree::Node;

use super::frames::{Carrier, Reference, SdfFrame};
use super::reader::{Inside, SdfDocument, SdfReader};
use super::source::LinkSource;
use super::{geometry, values};
use crate::description::LinkDescription;
use crate::model::{Geometry, Inertial};
use crate::xml::{child, children};

/// Elements of a link that are read, or that say nothing about motion, shape or mass.
const IGNORED_IN_LINKS: [&str; 9] = [
    "inertial",
    "visual",
    "collision",
    "pose",
    "gravity",
    "self_collide",
    "kinematic",
    "velocity_decay",
    "enable_wind",
];

pub(super) fn read(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
) -> Result<()> {
    let source = &document.source;
    let name = source.attribute(node, "name")?;
    let full_name = format!("{}{name}", inside.prefix);
    let (base, pose) = values::pose(source, node)?;
    let frame = reader.frames.add(SdfFrame {
        place: document.place(node),
        label: format!("link \"{full_name}\""),
        base: inside.reference_or(base, inside.own),
        pose_in_base: pose,
        carrier: Carrier::Link(reader.links.len()),
        placement: None,
    });
    reader.register(inside, name, frame);
    let (visual_bases, visuals) = shapes(reader, document, node, inside, (frame, "visual"))?;
    let (collision_bases, collisions) = shapes(reader, document, node, inside, (frame, "collision"))?;
    let inertial = child(node, "inertial").map(|node| inertial(reader, document, node)).transpose()?.flatten();
    let link = LinkDescription { line: document.outer_line(node), name: full_name, inertial, visuals, collisions };
    reader.links.push(LinkSource { frame, link, visual_bases, collision_bases });
    reader.ignore(node, &IGNORED_IN_LINKS);
    Ok(())
}

/// Shapes of one kind, each with the frame that its pose is relative to.
fn shapes(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
    (link, tag): (usize, &'static str),
) -> Result<(Vec<Reference>, Vec<Geometry>)> {
    let (mut bases, mut shapes) = (Vec::new(), Vec::new());
    for node in children(node, tag) {
        let (base, pose) = values::pose(&document.source, node)?;
        if let Some((shape_pose, shape)) = geometry::read(reader, document, node)? {
            bases.push(inside.reference_or(base, link));
            let material = geometry::material(&document.source, node)?;
            shapes.push(Geometry { link_from_shape: pose * shape_pose, shape, material });
        }
    }
    Ok((bases, shapes))
}

/// Mass properties, with the format's defaults: 1 kg, a unit tensor.
fn inertial(reader: &mut SdfReader, document: &SdfDocument<'_>, node: Node<'_, '_>) -> Result<Option<Inertial>> {
    let source = &document.source;
    let is_computed = node.attribute("auto").map_or(Ok(false), |word| values::truth(source, node, word))?;
    if is_computed {
        reader
            .notes
            .push("SDF: <inertial auto=\"true\"> is not computed from shapes; such links have no mass".to_owned());
        return Ok(None);
    }
    let mass = values::number(source, node, "mass")?.unwrap_or(1.0);
    if mass < 0.0 {
        return Err(source.error(node, format!("mass {mass} is negative")));
    }
    let inertia = match child(node, "inertia") {
        None => Matrix3::identity(),
        Some(tensor) => {
            let moment = |tag, default| values::number(source, tensor, tag).map(|value| value.unwrap_or(default));
            let (xx, yy, zz) = (moment("ixx", 1.0)?, moment("iyy", 1.0)?, moment("izz", 1.0)?);
            let (xy, xz, yz) = (moment("ixy", 0.0)?, moment("ixz", 0.0)?, moment("iyz", 0.0)?);
            Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        }
    };
    Ok(Some(Inertial { mass, link_from_com: inertial_pose(document, node)?, inertia }))
}

fn inertial_pose(document: &SdfDocument<'_>, node: Node<'_, '_>) -> Result<Pose> {
    match values::pose(&document.source, node)? {
        (None, pose) => Ok(pose),
        (Some(base), _) => {
            Err(document.source.error(node, format!("its pose is in the link; relative_to=\"{base}\" is not allowed")))
        }
    }
}
