//! `<visual>` and `<collision>`: a shape and where it is.

use std::sync::Arc;

use kinetic_core::{KineticError, Result, Shape};
use nalgebra::Vector3;
use roxmltree::Node;

use crate::mesh::{MeshRef, MeshResolver, UNSUPPORTED};
use crate::model::{Geometry, GeometryShape};
use crate::xml::Source;

/// Shapes we read. `capsule` is younger than the format's first description: `radius` and `length`, the length without
/// caps (URDF 1.2; Bullet and Drake mean the same).
const URDF_SHAPE_KINDS: [&str; 5] = ["box", "cylinder", "sphere", "capsule", "mesh"];

/// Size that stands in for 0, m: published files have plates without thickness and points for contacts. The stand-in
/// contains what is meant.
const LEAST_SIZE_M: f64 = 1e-3;

pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<Geometry> {
    let geometry = source.child(node, "geometry")?;
    let elements: Vec<_> = geometry.children().filter(Node::is_element).collect();
    let is_known = |element: &&Node<'_, '_>| URDF_SHAPE_KINDS.contains(&element.tag_name().name());
    let Some(shape) = elements.iter().find(is_known).or(elements.first()) else {
        return Err(source.error(geometry, format!("no shape inside; known are {}", URDF_SHAPE_KINDS.join(", "))));
    };
    for other in elements.iter().filter(|element| *element != shape) {
        source.note(*other, "a second shape in one <geometry> is not used");
    }
    Ok(Geometry::new(source.origin(node)?, read_shape(source, *shape, resolver)?))
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
        "mesh" => return read_mesh(source, node, resolver).map(GeometryShape::Mesh),
        other => return Ok(GeometryShape::Mesh(unsupported(source, node, other, resolver))),
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
    LEAST_SIZE_M
}

fn read_mesh(source: &Source<'_>, node: Node<'_, '_>, resolver: &Arc<MeshResolver>) -> Result<MeshRef> {
    let scale = read_scale(source, node)?;
    if scale.contains(&0.0) {
        return Err(source.error(node, format!("scale {scale:?} flattens the mesh")));
    }
    // An empty name is that of a missing mesh.
    let uri = match node.attribute("filename") {
        Some(name) => name.trim().to_owned(),
        None => source.attribute(node, "filename")?.to_owned(),
    };
    Ok(MeshRef { uri, scale: Vector3::from(scale), resolver: Arc::clone(resolver) })
}

/// Factor per axis. Numbers after the third are ignored, with a note.
fn read_scale(source: &Source<'_>, node: Node<'_, '_>) -> Result<[f64; 3]> {
    if node.attribute("scale").is_some_and(|text| text.split_whitespace().count() == 4) {
        source.note(node, "the fourth number of a <mesh> scale is ignored");
        return source.numbers::<4>(node, "scale").map(|[x, y, z, _]| [x, y, z]);
    }
    Ok(source.optional_numbers(node, "scale")?.unwrap_or([1.0; 3]))
}

/// A shape that is not known stays as a mesh that cannot be found: the robot can be moved, and what needs the shape is
/// refused with its name, as for any other missing mesh.
fn unsupported(source: &Source<'_>, node: Node<'_, '_>, tag: &str, resolver: &Arc<MeshResolver>) -> MeshRef {
    source.note(node, format!("shape <{tag}> is not supported; known are {}", URDF_SHAPE_KINDS.join(", ")));
    MeshRef { uri: format!("{UNSUPPORTED}{tag}"), scale: Vector3::repeat(1.0), resolver: Arc::clone(resolver) }
}
