//! `<visual>` and `<collision>`: a shape and where it is.

use std::sync::Arc;

use kinetic_core::{KineticError, Result, Shape};
use nalgebra::Vector3;
use roxmltree::Node;

use crate::mesh::{MeshRef, MeshResolver};
use crate::model::{Geometry, GeometryShape};
use crate::xml::Source;

/// Shapes we read. `capsule` is younger than the format's first description: `radius` and `length`, the length without
/// caps (URDF 1.2; Bullet and Drake mean the same).
const KINDS: [&str; 5] = ["box", "cylinder", "sphere", "capsule", "mesh"];

/// Size that stands in for 0, m: published files have plates without thickness and points for contacts. The stand-in
/// contains what is meant.
const LEAST_SIZE: f64 = 1e-3;

pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<Geometry> {
    let geometry = source.child(node, "geometry")?;
    let mut elements = geometry.children().filter(Node::is_element);
    let known = |element: &Node<'_, '_>| KINDS.contains(&element.tag_name().name());
    let shape = elements.clone().find(known).ok_or_else(|| {
        let known = KINDS.join(", ");
        source.error(
            geometry,
            match elements.next() {
                Some(other) => format!("shape <{}> is not supported; known are {known}", other.tag_name().name()),
                None => format!("no shape inside; known are {known}"),
            },
        )
    })?;
    for other in elements.filter(|element| *element != shape) {
        source.note(other, "a second shape in one <geometry> is not used");
    }
    Ok(Geometry::new(source.origin(node)?, read_shape(source, shape, resolver)?))
}

fn read_shape(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<GeometryShape> {
    let size = |name| source.number(node, name).map(|value| at_least(source, node, value));
    let solid = match node.tag_name().name() {
        "box" => {
            let [x, y, z] = source.numbers(node, "size")?.map(|value| at_least(source, node, value));
            Shape::box_from_size(x, y, z)
        }
        "cylinder" => Shape::cylinder(size("radius")?, size("length")? / 2.0),
        "sphere" => Shape::sphere(size("radius")?),
        // A capsule without length is a ball, which is a shape.
        "capsule" => Shape::capsule(size("radius")?, source.number(node, "length")? / 2.0),
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

fn at_least(source: &Source<'_>, node: Node<'_, '_>, size: f64) -> f64 {
    if size != 0.0 {
        return size;
    }
    source.note(node, format!("a size of 0 of a <{}> is read as 1 mm", node.tag_name().name()));
    LEAST_SIZE
}

fn read_mesh(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<MeshRef> {
    let scale = source.optional_numbers(node, "scale")?.unwrap_or([1.0; 3]);
    if scale.contains(&0.0) {
        return Err(source.error(node, format!("scale {scale:?} flattens the mesh")));
    }
    let uri = source.attribute(node, "filename")?.to_owned();
    Ok(MeshRef { uri, scale: Vector3::from(scale), resolver: Arc::clone(resolver) })
}
