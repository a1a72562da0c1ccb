//! `<visual>` and `<collision>`: a shape and where it is.

use std::sync::Arc;

use kinetic_core::{KineticError, Result, Shape};
use nalgebra::Vector3;
use roxmltree::Node;

use crate::mesh::{MeshRef, MeshResolver};
use crate::model::{Geometry, GeometryShape};
use crate::xml::Source;

/// Shapes we read. `capsule` is an extension that several tools share: `radius` and `length`, the length without caps.
const KINDS: [&str; 5] = ["box", "cylinder", "sphere", "capsule", "mesh"];

pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<Geometry> {
    let geometry = source.child(node, "geometry")?;
    let shape = geometry
        .children()
        .find(|child| KINDS.contains(&child.tag_name().name()))
        .ok_or_else(|| source.error(geometry, format!("no known shape inside; known are {}", KINDS.join(", "))))?;
    Ok(Geometry { link_from_shape: source.origin(node)?, shape: read_shape(source, shape, resolver)? })
}

fn read_shape(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<GeometryShape> {
    let number = |name| source.number(node, name);
    let solid = match node.tag_name().name() {
        "box" => source.numbers(node, "size").map(|[x, y, z]| Shape::box_from_size(x, y, z))?,
        "cylinder" => Shape::cylinder(number("radius")?, number("length")? / 2.0),
        "sphere" => Shape::sphere(number("radius")?),
        "capsule" => Shape::capsule(number("radius")?, number("length")? / 2.0),
        _ => return read_mesh(source, node, resolver).map(GeometryShape::Mesh),
    };
    let wrong_size = |error: KineticError| match error {
        KineticError::InvalidValue { name, value, wanted } => {
            source.error(node, format!("{name} = {value}; wanted {wanted}"))
        }
        other => other,
    };
    solid.map(GeometryShape::Shape).map_err(wrong_size)
}

fn read_mesh(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<MeshRef> {
    let scale = source.optional_numbers(node, "scale")?.unwrap_or([1.0; 3]);
    if scale.contains(&0.0) {
        return Err(source.error(node, format!("scale {scale:?} flattens the mesh")));
    }
    let uri = source.attribute(node, "filename")?.to_owned();
    Ok(MeshRef { uri, scale: Vector3::from(scale), resolver: Arc::clone(resolver) })
}
