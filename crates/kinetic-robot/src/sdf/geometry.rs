//! `<geometry>` of visuals and collisions.

use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::Vector3;
use roxmltree::Node;

use super::reader::{SdfDocument, SdfReader};
use super::values::{direction, flag, needed_number, word};
use crate::ellipsoid;
use crate::mesh::MeshRef;
use crate::model::{GeometryShape, Material};
use crate::xml::{Source, child, text};

/// Shapes we read.
const SDF_SHAPE_KINDS: [&str; 8] = ["box", "cylinder", "capsule", "sphere", "ellipsoid", "plane", "mesh", "empty"];

/// The shape of a visual or collision and its pose in the shape's frame; `None` when nothing is there, or when a
/// visual cannot be shown.
pub(super) fn read(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
) -> Result<Option<(Pose, GeometryShape)>> {
    let source = &document.source;
    let geometry = source.child(node, "geometry")?;
    let mut elements = geometry.children().filter(Node::is_element);
    let Some(shape) = elements.clone().find(|shape| SDF_SHAPE_KINDS.contains(&shape.tag_name().name())) else {
        let Some(other) = elements.next() else {
            return Ok(None);
        };
        let tag = other.tag_name().name();
        if node.has_tag_name("visual") {
            reader.notes.push(format!("SDF: visual shape <{tag}> is not read"));
            return Ok(None);
        }
        return Err(
            source.error(geometry, format!("shape <{tag}> is not supported; {} are", SDF_SHAPE_KINDS.join(", ")))
        );
    };
    match shape.tag_name().name() {
        "empty" => Ok(None),
        "mesh" => mesh(reader, document, node, shape).map(|shape| shape.map(|shape| (Pose::identity(), shape))),
        _ => solid(source, shape).map(|shape| Some((Pose::identity(), GeometryShape::Shape(shape)))),
    }
}

fn solid(source: &Source<'_>, node: Node<'_, '_>) -> Result<Shape> {
    let number = |tag| needed_number(source, node, tag);
    let shape = match node.tag_name().name() {
        "box" => {
            let [x, y, z] = source.text_numbers::<3>(source.child(node, "size")?)?;
            Shape::box_from_size(x, y, z)
        }
        "cylinder" => Shape::cylinder(number("radius")?, number("length")? / 2.0),
        "capsule" => Shape::capsule(number("radius")?, number("length")? / 2.0),
        "sphere" => Shape::sphere(number("radius")?),
        "ellipsoid" => ellipsoid::around(source.text_numbers::<3>(source.child(node, "radii")?)?.into()),
        // A plane is solid below; its size is what a viewer shows of it.
        _ => {
            let normal = child(node, "normal").map_or(Ok(Vector3::z_axis()), |node| direction(source, node))?;
            Shape::half_space(normal.into_inner(), 0.0)
        }
    };
    shape.map_err(|error| match error {
        KineticError::InvalidValue { name, value, wanted } => {
            source.error(node, format!("{name} = {value}; wanted {wanted}"))
        }
        other => other,
    })
}

/// The colour of a visual: what its material reflects in all directions.
pub(super) fn material(source: &Source<'_>, node: Node<'_, '_>) -> Result<Option<Material>> {
    let Some(diffuse) = child(node, "material").and_then(|material| child(material, "diffuse")) else {
        return Ok(None);
    };
    // Opacity may be left out.
    let color = match text(diffuse).split_whitespace().count() {
        3 => source.text_numbers::<3>(diffuse).map(|[r, g, b]| [r, g, b, 1.0])?,
        _ => source.text_numbers::<4>(diffuse)?,
    };
    let color = color.map(|value| value.clamp(0.0, 1.0));
    Ok(Some(Material { name: String::new(), color: Some(color), texture: None }))
}

/// A mesh file. A part of one (`submesh`) is read as the whole file, which contains it, unless it is moved.
fn mesh(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    owner: Node<'_, '_>,
    node: Node<'_, '_>,
) -> Result<Option<GeometryShape>> {
    let source = &document.source;
    if let Some(submesh) = child(node, "submesh") {
        let name = word(source, submesh, "name")?;
        if flag(source, submesh, "center")? {
            if owner.has_tag_name("visual") {
                reader.notes.push(format!("SDF: visual submesh \"{name}\", which is centred, is not read"));
                return Ok(None);
            }
            return Err(source.error(submesh, format!("centred submesh \"{name}\" is not supported in a collision")));
        }
        reader.notes.push(format!("SDF: all of the mesh is used where only submesh \"{name}\" is meant"));
    }
    let scale = match child(node, "scale") {
        Some(node) => source.text_numbers::<3>(node)?,
        None => [1.0; 3],
    };
    if scale.contains(&0.0) {
        return Err(source.error(node, format!("scale {scale:?} flattens the mesh")));
    }
    let uri = word(source, node, "uri")?.to_owned();
    Ok(Some(GeometryShape::Mesh(MeshRef {
        uri,
        scale: Vector3::from(scale),
        resolver: Arc::clone(&document.resolver),
    })))
}
