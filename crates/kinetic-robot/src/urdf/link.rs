//! `<link>`: mass properties and shapes.

use std::sync::Arc;

use kinetic_core::Result;
use nalgebra::Matrix3;
use roxmltree::Node;

use super::geometry;
use super::material::Materials;
use crate::description::LinkDescription;
use crate::mesh::MeshResolver;
use crate::model::Inertial;
use crate::xml::{Source, child, children};

pub(super) fn read(
    source: &Source<'_>,
    node: Node<'_, '_>,
    resolver: &Arc<MeshResolver>,
    materials: &Materials,
) -> Result<LinkDescription> {
    source.note_unknown(node, &["inertial", "visual", "collision"]);
    let mut visuals = Vec::new();
    for visual in children(node, "visual") {
        source.note_unknown(visual, &["origin", "geometry", "material"]);
        let mut geometry = geometry::read(source, visual, resolver)?;
        geometry.material = child(visual, "material").and_then(|material| materials.get(source, material));
        visuals.push(geometry);
    }
    let mut collisions = Vec::new();
    for collision in children(node, "collision") {
        source.note_unknown(collision, &["origin", "geometry"]);
        collisions.push(geometry::read(source, collision, resolver)?);
    }
    Ok(LinkDescription {
        line: source.line(node),
        name: source.attribute(node, "name")?.to_owned(),
        inertial: child(node, "inertial").map(|child| inertial(source, child)).transpose()?,
        visuals,
        collisions,
    })
}

fn inertial(source: &Source<'_>, node: Node<'_, '_>) -> Result<Inertial> {
    source.note_unknown(node, &["origin", "mass", "inertia"]);
    let mass_node = source.child(node, "mass")?;
    let mass = source.number(mass_node, "value")?;
    if mass < 0.0 {
        return Err(source.error(mass_node, format!("mass {mass} is negative")));
    }
    let inertia = if let Some(tensor) = child(node, "inertia") {
        tensor_of(source, tensor)?
    } else {
        source.note(node, "<inertia> is missing; the link counts as a point mass");
        Matrix3::zeros()
    };
    Ok(Inertial { mass, link_from_com: source.origin(node)?, inertia })
}

fn tensor_of(source: &Source<'_>, tensor: Node<'_, '_>) -> Result<Matrix3<f64>> {
    let moment = |name| source.number(tensor, name);
    let (xx, yy, zz) = (moment("ixx")?, moment("iyy")?, moment("izz")?);
    let (xy, xz, yz) = (moment("ixy")?, moment("ixz")?, moment("iyz")?);
    Ok(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
}
