//! `<link>`: mass properties and shapes.

use std::sync::Arc;

use kinetic_core::Result;
use nalgebra::Matrix3;
use roxmltree::Node;

use super::geometry;
use crate::description::LinkDescription;
use crate::mesh::MeshResolver;
use crate::model::{Geometry, Inertial};
use crate::xml::{Source, child, children};

pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<LinkDescription> {
    let shapes = |tag| -> Result<Vec<Geometry>> {
        children(node, tag).map(|child| geometry::read(source, child, resolver)).collect()
    };
    Ok(LinkDescription {
        line: source.line(node),
        name: source.attribute(node, "name")?.to_owned(),
        inertial: child(node, "inertial").map(|child| inertial(source, child)).transpose()?,
        visuals: shapes("visual")?,
        collisions: shapes("collision")?,
    })
}

fn inertial(source: &Source<'_>, node: Node<'_, '_>) -> Result<Inertial> {
    let mass_node = source.child(node, "mass")?;
    let mass = source.number(mass_node, "value")?;
    if mass < 0.0 {
        return Err(source.error(mass_node, format!("mass {mass} is negative")));
    }
    let tensor = source.child(node, "inertia")?;
    let moment = |name| source.number(tensor, name);
    let (xx, yy, zz) = (moment("ixx")?, moment("iyy")?, moment("izz")?);
    let (xy, xz, yz) = (moment("ixy")?, moment("ixz")?, moment("iyz")?);
    let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    Ok(Inertial { mass, link_from_com: source.origin(node)?, inertia })
}
