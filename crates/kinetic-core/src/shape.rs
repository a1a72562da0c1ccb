//! Shapes: solids, and surfaces of triangles.

mod cloud;
mod grid;
mod mesh;
mod record;
mod record_serde;

use std::sync::Arc;

use nalgebra::{Point3, Unit, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_finite};
use crate::tolerance::UNIT_LENGTH_TOLERANCE;

pub use self::record::{RecordValue, ShapeRecord};
pub use self::record_serde::{BesideShape, WithShape};

/// A shape in its own frame, sizes in m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "ShapeRecord", try_from = "ShapeRecord")]
#[non_exhaustive]
pub enum Shape {
    /// Ball around the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box around the origin with faces along the axes.
    Cuboid {
        /// Half the length along each axis.
        half_extents: Vector3<f64>,
    },
    /// Cylinder around the origin, axis along z, flat ends.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// All points within `radius` of the segment from `(0, 0, -half_height)` to `(0, 0, half_height)`.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half the length of the segment.
        half_height: f64,
    },
    /// All points `x` with `normal · x ≤ offset`.
    HalfSpace {
        /// Outward normal.
        normal: Unit<Vector3<f64>>,
        /// Signed distance of the plane from the origin along the normal.
        offset: f64,
    },
    /// All points within `radius` of the convex hull of `vertices`.
    Convex {
        /// Points whose hull is meant; points inside the hull are allowed.
        vertices: Arc<[Point3<f64>]>,
        /// Rounding, ≥ 0.
        radius: f64,
    },
    /// All points of some triangles and, when `is_solid`, all points that they enclose.
    Mesh {
        /// Corners.
        vertices: Arc<[Point3<f64>]>,
        /// Three indices of corners each; counter-clockwise seen from outside, or all the other way round.
        triangles: Arc<[[u32; 3]]>,
        /// Whether what lies inside belongs to it.
        is_solid: bool,
    },
    /// The ground: all points between the plane `z = base` and a surface over a grid in x and y around the origin.
    HeightField {
        /// Height over each node, row after row; a row is one value of x.
        heights: Arc<[f64]>,
        /// Number of nodes along x and y.
        nodes: [usize; 2],
        /// Distance of neighbouring nodes along x and y.
        spacing: [f64; 2],
        /// Height of the flat bottom, at most the least height.
        base: f64,
    },
    /// Cubes of a grid: cell `(i, j, k)` reaches from `resolution · (i, j, k)` to `resolution · (i + 1, j + 1, k + 1)`.
    Voxels {
        /// Occupied cells, ascending, each once.
        cells: Arc<[[i32; 3]]>,
        /// Edge of a cell.
        resolution: f64,
    },
    /// All points within `radius` of one of `points`, as a depth camera sees surfaces.
    PointCloud {
        /// Points, in the order in which they were given.
        points: Arc<[Point3<f64>]>,
        /// Radius of the ball around each, ≥ 0.
        radius: f64,
    },
}

impl Shape {
    /// A ball.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless the radius is positive and at most 10⁵ m.
    pub fn sphere(radius: f64) -> Result<Self> {
        positive("sphere radius", radius)?;
        Ok(Self::Sphere { radius })
    }

    /// A box given by half-extents.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless all are positive and at most 10⁵ m.
    pub fn cuboid(half_x: f64, half_y: f64, half_z: f64) -> Result<Self> {
        for (name, value) in [("half_x", half_x), ("half_y", half_y), ("half_z", half_z)] {
            positive(&format!("cuboid {name}"), value)?;
        }
        Ok(Self::Cuboid { half_extents: Vector3::new(half_x, half_y, half_z) })
    }

    /// A box given by full lengths.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless all are positive and at most 2 · 10⁵ m.
    pub fn box_from_size(size_x: f64, size_y: f64, size_z: f64) -> Result<Self> {
        for (name, value) in [("size_x", size_x), ("size_y", size_y), ("size_z", size_z)] {
            positive_up_to(2.0 * MOST_SIZE_M, &format!("box {name}"), value)?;
        }
        Self::cuboid(size_x / 2.0, size_y / 2.0, size_z / 2.0)
    }

    /// A cylinder along z.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless both are positive and at most 10⁵ m.
    pub fn cylinder(radius: f64, half_height: f64) -> Result<Self> {
        positive("cylinder radius", radius)?;
        positive("cylinder half_height", half_height)?;
        Ok(Self::Cylinder { radius, half_height })
    }

    /// A capsule along z.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless both are positive and at most 10⁵ m.
    pub fn capsule(radius: f64, half_height: f64) -> Result<Self> {
        positive("capsule radius", radius)?;
        positive("capsule half_height", half_height)?;
        Ok(Self::Capsule { radius, half_height })
    }

    /// The half-space `normal · x ≤ offset`; the normal is normalised, the offset is along the unit normal.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a zero normal, [`KineticError::NotFinite`] otherwise.
    pub fn half_space(normal: Vector3<f64>, offset: f64) -> Result<Self> {
        check_finite("half-space normal and offset", &[normal.x, normal.y, normal.z, offset])?;
        if (normal.norm() - 1.0).abs() < UNIT_LENGTH_TOLERANCE {
            // Bit for bit, so that what was written reads back.
            return Ok(Self::HalfSpace { normal: Unit::new_unchecked(normal), offset });
        }
        let normal = Unit::try_new(normal, 1e-12)
            .ok_or_else(|| KineticError::invalid("half-space normal", "[0, 0, 0]", "a vector of non-zero length"))?;
        Ok(Self::HalfSpace { normal, offset })
    }

    /// The convex hull of points, enlarged by `radius`.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no points, a negative radius, or what exceeds 10⁵ m; [`KineticError::NotFinite`] for NaN.
    pub fn convex(vertices: &[Point3<f64>], radius: f64) -> Result<Self> {
        if vertices.is_empty() {
            return Err(KineticError::invalid("convex shape", "0 vertices", "at least one vertex"));
        }
        for vertex in vertices {
            check_vertex("convex vertex", vertex)?;
        }
        if !(0.0..=MOST_SIZE_M).contains(&radius) {
            let wanted = format!("a number from 0 to {MOST_SIZE_M} (m)");
            return Err(KineticError::invalid("convex radius", radius, wanted));
        }
        Ok(Self::Convex { vertices: vertices.into(), radius })
    }

    /// `sphere`, `cuboid`, `cylinder`, `capsule`, `half_space`, `convex`, `mesh`, `height_field`, `voxels` or `point_cloud`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Cuboid { .. } => "cuboid",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::HalfSpace { .. } => "half_space",
            Self::Convex { .. } => "convex",
            Self::Mesh { .. } => "mesh",
            Self::HeightField { .. } => "height_field",
            Self::Voxels { .. } => "voxels",
            Self::PointCloud { .. } => "point_cloud",
        }
    }
}

/// Sizes that distances are measured with to a micrometre: their squares are compared with those of distances. What has no end is a
/// half-space.
const MOST_SIZE_M: f64 = 1e5;

fn positive(name: &str, value: f64) -> Result<()> {
    positive_up_to(MOST_SIZE_M, name, value)
}

fn positive_up_to(most: f64, name: &str, value: f64) -> Result<()> {
    if value > 0.0 && value <= most {
        return Ok(());
    }
    Err(KineticError::invalid(name, value, format!("a positive number of at most {most} (m)")))
}

fn check_vertex(name: &str, vertex: &Point3<f64>) -> Result<()> {
    check_finite(name, vertex.coords.as_slice())?;
    if vertex.coords.amax() <= MOST_SIZE_M {
        return Ok(());
    }
    let wanted = format!("coordinates of at most {MOST_SIZE_M} (m) either way");
    Err(KineticError::invalid(name, format!("{:?}", vertex.coords.as_slice()), wanted))
}
