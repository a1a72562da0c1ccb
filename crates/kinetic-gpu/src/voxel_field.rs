//! Voxel grids of signed distances, for shapes without a closed form: hulls, meshes, height fields, voxels, point clouds.

use kinetic_collision::{PreparedShape, SignedDistanceField};
use kinetic_core::{Pose, Result, Shape};
use nalgebra::{Isometry3, Vector3};

/// How far a grid reaches beyond its shape, m. Outside of it a distance is that from the box around the shape.
const GRID_PADDING_M: f64 = 0.1;
/// Nodes of a grid; a shape that would need more has a coarser one.
const MAX_NODES: f64 = (1_u32 << 21) as f64;

/// Lower bounds on the signed distance from a shape, in the frame of the shape, so that a shape that moves keeps its grid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VoxelField {
    /// The shape.
    pub(crate) shape: Shape,
    /// Lowest corner of the grid.
    pub(crate) low: Vector3<f64>,
    /// Distance of neighbouring nodes, m.
    pub(crate) resolution: f64,
    /// Nodes along each axis.
    pub(crate) nodes: [usize; 3],
    /// Distances at the nodes, x slowest, less what a trilinear interpolation may exceed the distance by.
    pub(crate) values: Vec<f32>,
    /// Corners of the box around the shape.
    pub(crate) shape_box: [Vector3<f64>; 2],
    /// The resolution that was asked for.
    pub(crate) asked: f64,
}

impl VoxelField {
    /// The grid of a bounded shape.
    ///
    /// # Errors
    /// What preparing the shape reports.
    pub(crate) fn new(shape: &Shape, asked: f64) -> Result<Self> {
        let around = *PreparedShape::new(shape, &Isometry3::identity())?.aabb();
        let grid = around.grown(GRID_PADDING_M);
        let nodes_at = |resolution: f64| grid.size().map(|length| (length / resolution).ceil() + 1.0).product();
        let mut resolution = asked;
        while nodes_at(resolution) > MAX_NODES {
            resolution *= 1.25;
        }
        let mut field = SignedDistanceField::new(grid.min, grid.max, resolution)?;
        field.add("shape", shape, &Pose::identity())?;
        // A trilinear interpolation is off by at most half the diagonal of a cell.
        let error = resolution * 0.75_f64.sqrt();
        Ok(Self {
            shape: shape.clone(),
            low: field.low().coords,
            resolution,
            nodes: field.nodes(),
            values: field.values().iter().map(|value| (value - error) as f32).collect(),
            shape_box: [around.min.coords, around.max.coords],
            asked,
        })
    }
}
