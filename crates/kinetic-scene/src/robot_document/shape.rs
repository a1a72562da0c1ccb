//! Shapes of links in robot documents.

use kinetic_core::{KineticError, Result, Shape};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ShapeEntry {
    Sphere { radius: f64 },
    Box { half_extents: [f64; 3] },
    Cylinder { radius: f64, half_height: f64 },
    Capsule { radius: f64, half_height: f64 },
    Convex { vertices: Vec<[f64; 3]>, radius: f64 },
    Mesh { vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>, is_solid: bool },
}

impl ShapeEntry {
    pub(super) fn of(shape: &Shape) -> Result<Self> {
        let rows = |vertices: &[Point3<f64>]| vertices.iter().map(|vertex| vertex.coords.into()).collect();
        Ok(match shape {
            Shape::Sphere { radius } => Self::Sphere { radius: *radius },
            Shape::Cuboid { half_extents } => Self::Box { half_extents: (*half_extents).into() },
            Shape::Cylinder { radius, half_height } => Self::Cylinder { radius: *radius, half_height: *half_height },
            Shape::Capsule { radius, half_height } => Self::Capsule { radius: *radius, half_height: *half_height },
            Shape::Convex { vertices, radius } => Self::Convex { vertices: rows(vertices), radius: *radius },
            Shape::Mesh { vertices, triangles, is_solid } => {
                Self::Mesh { vertices: rows(vertices), triangles: triangles.to_vec(), is_solid: *is_solid }
            }
            other => return Err(KineticError::invalid("shape of a link", other.kind(), "a shape that robots have")),
        })
    }

    pub(super) fn shape(self) -> Result<Shape> {
        let points = |rows: Vec<[f64; 3]>| rows.into_iter().map(Point3::from).collect::<Vec<_>>();
        match self {
            Self::Sphere { radius } => Shape::sphere(radius),
            Self::Box { half_extents: [x, y, z] } => Shape::cuboid(x, y, z),
            Self::Cylinder { radius, half_height } => Shape::cylinder(radius, half_height),
            Self::Capsule { radius, half_height } => Shape::capsule(radius, half_height),
            Self::Convex { vertices, radius } => Shape::convex(&points(vertices), radius),
            Self::Mesh { vertices, triangles, is_solid } => Shape::mesh(&points(vertices), &triangles, is_solid),
        }
    }
}
