//! Shapes as lists of numbers: what pickle stores.

use kinetic::core::{KineticError, Result, Shape};
use nalgebra::{Point3, Unit, Vector3};

/// All numbers of a shape in the order of [`shape`].
pub(crate) fn numbers(shape: &Shape) -> Vec<f64> {
    let coordinates = |vertices: &[Point3<f64>]| vertices.iter().flat_map(|v| v.coords.data.0[0]).collect::<Vec<f64>>();
    match shape {
        Shape::Sphere { radius } => vec![*radius],
        Shape::Cuboid { half_extents } => half_extents.as_slice().to_vec(),
        Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => vec![*radius, *half_height],
        Shape::HalfSpace { normal, offset } => vec![normal.x, normal.y, normal.z, *offset],
        Shape::Convex { vertices, radius } => [vec![*radius], coordinates(vertices)].concat(),
        Shape::Mesh { vertices, triangles, is_solid } => {
            let head = vec![f64::from(u8::from(*is_solid)), vertices.len() as f64];
            let corners = triangles.iter().flatten().map(|index| f64::from(*index)).collect();
            [head, coordinates(vertices), corners].concat()
        }
        Shape::HeightField { heights, nodes, spacing, base } => {
            [&[nodes[0] as f64, nodes[1] as f64, spacing[0], spacing[1], *base], &heights[..]].concat()
        }
        Shape::Voxels { cells, resolution } => {
            std::iter::once(*resolution).chain(cells.iter().flatten().map(|index| f64::from(*index))).collect()
        }
        _ => Vec::new(),
    }
}

/// The shape of a kind with these numbers.
///
/// # Errors
/// [`KineticError::InvalidValue`] for what [`numbers`] did not write.
pub(crate) fn shape(kind: &str, numbers: &[f64]) -> Result<Shape> {
    match (kind, numbers) {
        ("sphere", [radius]) => Shape::sphere(*radius),
        ("cuboid", [x, y, z]) => Shape::cuboid(*x, *y, *z),
        ("cylinder", [radius, half_height]) => Shape::cylinder(*radius, *half_height),
        ("capsule", [radius, half_height]) => Shape::capsule(*radius, *half_height),
        ("half_space", [x, y, z, offset]) => {
            // Normalising a normalised vector once more would move its last bit.
            Ok(Shape::HalfSpace { normal: Unit::new_unchecked(Vector3::new(*x, *y, *z)), offset: *offset })
        }
        ("convex", [radius, coordinates @ ..]) => Shape::convex(&points(coordinates), *radius),
        ("mesh", [is_solid, count, rest @ ..]) if 3.0 * *count <= rest.len() as f64 => {
            let (coordinates, corners) = rest.split_at(3 * index(*count)? as usize);
            let corners = corners.iter().map(|corner| index(*corner)).collect::<Result<Vec<u32>>>()?;
            let faces: Vec<[u32; 3]> = corners.chunks_exact(3).map(|face| [face[0], face[1], face[2]]).collect();
            Shape::mesh(&points(coordinates), &faces, *is_solid != 0.0)
        }
        ("height_field", [rows, columns, along_x, along_y, base, heights @ ..]) => {
            let nodes = [index(*rows)? as usize, index(*columns)? as usize];
            Shape::height_field(heights, nodes, [*along_x, *along_y], *base)
        }
        ("voxels", [resolution, indices @ ..]) => Shape::voxels(&cells(indices)?, *resolution),
        (other, numbers) => {
            let given = format!("\"{other}\" with {} numbers", numbers.len());
            Err(KineticError::invalid("stored shape", given, "what __reduce__ wrote"))
        }
    }
}

pub(crate) fn points(values: &[f64]) -> Vec<Point3<f64>> {
    values.chunks_exact(3).map(|point| Point3::new(point[0], point[1], point[2])).collect()
}

/// Rows of three integers.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a number that is none.
pub(crate) fn cells(values: &[f64]) -> Result<Vec<[i32; 3]>> {
    let index = |value: &f64| {
        let is_index = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(value);
        let refused = || KineticError::invalid("voxel index", value, "an integer within ±2³⁰");
        is_index.then_some(*value as i32).ok_or_else(refused)
    };
    let indices = values.iter().map(index).collect::<Result<Vec<i32>>>()?;
    Ok(indices.chunks_exact(3).map(|cell| [cell[0], cell[1], cell[2]]).collect())
}

fn index(value: f64) -> Result<u32> {
    let is_index = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
    #[allow(clippy::cast_sign_loss, reason = "an index is not negative")]
    is_index.then_some(value as u32).ok_or_else(|| KineticError::invalid("stored index", value, "an integer"))
}
