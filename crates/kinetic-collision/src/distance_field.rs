//! Signed distance field: a grid of exact distances with trilinear interpolation, updated shape by shape.
//!
//! Nodes hold exact distances. Between them the field is trilinear, and since a distance changes by at most a metre per
//! metre, what the interpolation is off by is bounded: [`SignedDistanceField::lower_bound`] never exceeds the true
//! distance, and [`SignedDistanceField::obstacle`] contains every point of the shapes.

use std::collections::BTreeMap;

use kinetic_core::error::{KineticError, Result};
use kinetic_core::{Pose, Shape};
use nalgebra::{Point3, Vector3};

use crate::distance::point::{Nearest, PreparedShape};
use crate::node_grid::NodeGrid;

/// Owner of a node without a nearest shape.
const NO_OWNER: u32 = u32::MAX;

/// A grid of signed distances to a set of named shapes, m.
#[derive(Debug, Clone)]
pub struct SignedDistanceField {
    grid: NodeGrid,
    /// Distance at each node, x slowest.
    values: Vec<f64>,
    /// Index of the nearest shape of each node.
    owners: Vec<u32>,
    sources: BTreeMap<String, FieldSource>,
    next_id: u32,
}

#[derive(Debug, Clone)]
struct FieldSource {
    id: u32,
    shape: Shape,
    pose: Pose,
    prepared: PreparedShape,
}

impl SignedDistanceField {
    /// A field without shapes over a box, with nodes every `resolution` from its lowest corner on until it is covered.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an empty box, a resolution that is not positive,
    /// or more than 2²⁷ nodes.
    pub fn new(low: Point3<f64>, high: Point3<f64>, resolution: f64) -> Result<Self> {
        let grid = NodeGrid::new(low, high, resolution)?;
        let count = grid.count();
        let (values, owners) = (vec![f64::INFINITY; count], vec![NO_OWNER; count]);
        Ok(Self { grid, values, owners, sources: BTreeMap::new(), next_id: 0 })
    }

    /// Adds a shape, or replaces the one of that name. Shapes may reach beyond the box.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for a pose with NaN or infinity.
    pub fn add(&mut self, name: &str, shape: &Shape, pose: &Pose) -> Result<()> {
        let prepared = PreparedShape::new(shape, &pose.0)?;
        self.remove(name);
        let id = self.next_id;
        self.next_id += 1;
        self.lower(id, &prepared);
        self.sources.insert(name.to_owned(), FieldSource { id, shape: shape.clone(), pose: *pose, prepared });
        Ok(())
    }

    /// Removes a shape; `false` when there is none of that name. Only nodes that it was nearest to are computed anew.
    pub fn remove(&mut self, name: &str) -> bool {
        let Some(source) = self.sources.remove(name) else { return false };
        for index in 0..self.values.len() {
            if self.owners[index] == source.id {
                let point = self.grid.node(index);
                (self.values[index], self.owners[index]) = self.nearest_source(&point);
            }
        }
        true
    }

    /// The shapes in order of their names, with their poses.
    pub fn shapes(&self) -> impl Iterator<Item = (&str, &Shape, &Pose)> {
        self.sources.iter().map(|(name, source)| (name.as_str(), &source.shape, &source.pose))
    }

    /// Lowest corner of the box.
    pub fn low(&self) -> &Point3<f64> {
        &self.grid.low
    }

    /// Distance of neighbouring nodes, m.
    pub fn resolution(&self) -> f64 {
        self.grid.resolution
    }

    /// Number of nodes along each axis.
    pub fn nodes(&self) -> [usize; 3] {
        self.grid.nodes
    }

    /// Distances at the nodes, x slowest; infinite without shapes.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Lowers the nodes that a shape is nearer to than anything before.
    fn lower(&mut self, id: u32, shape: &PreparedShape) {
        let (row, resolution) = (self.grid.nodes[2], self.grid.resolution);
        for first in (0..self.values.len()).step_by(row) {
            // A bound of the distance at this node from the last one measured: it changes by at most a step per step.
            let mut bound = f64::NEG_INFINITY;
            for index in first..first + row {
                bound -= resolution;
                if bound >= self.values[index] {
                    continue;
                }
                bound = shape.signed_distance(&self.grid.node(index));
                if bound < self.values[index] {
                    (self.values[index], self.owners[index]) = (bound, id);
                }
            }
        }
    }

    fn nearest_source(&self, point: &Point3<f64>) -> (f64, u32) {
        let distances = self.sources.values().map(|source| (source.prepared.signed_distance(point), source.id));
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, NO_OWNER))
    }

    /// Signed distance of a point, m: trilinear between the nodes, off by at most `√3 / 2` of the resolution; exact
    /// outside of the grid. Infinite without shapes.
    pub fn distance(&self, point: &Point3<f64>) -> f64 {
        match self.grid.place(point) {
            Some(place) if !self.sources.is_empty() => self.grid.interpolated(&place, |node| self.values[node]),
            _ => self.nearest_source(point).0,
        }
    }

    /// Gradient of [`distance`](Self::distance), of length about 1; zero without shapes.
    pub fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let Some(place) = self.grid.place(point) else { return self.exact_gradient(point) };
        if self.sources.is_empty() {
            return Vector3::zeros();
        }
        self.grid.slope(&place, |node| self.values[node])
    }

    fn exact_gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let all = self.sources.values().map(|source| source.prepared.nearest(point));
        let nearest: Option<Nearest> = all.min_by(|a, b| a.distance.total_cmp(&b.distance));
        nearest.map_or_else(Vector3::zeros, |nearest| nearest.gradient)
    }

    /// Lower bound on the distance of a point from the shapes, m, by the eight nodes around it. At least
    /// [`distance`](Self::distance) less `√3 / 2` of the resolution.
    pub fn lower_bound(&self, point: &Point3<f64>) -> f64 {
        match self.grid.place(point) {
            Some(place) => self.grid.proven(&place, |node| self.values[node]),
            None => self.nearest_source(point).0,
        }
    }

    /// Cubes that contain every point of the shapes inside the grid, and their pose: an obstacle for scenes.
    ///
    /// Each node stands for the cube around it, and counts when its distance is at most half the diagonal of the cube;
    /// so the obstacle reaches at most `√3` resolutions beyond the shapes.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when no shape reaches into the grid.
    #[expect(clippy::cast_possible_wrap, reason = "there are at most 2²⁷ nodes")]
    pub fn obstacle(&self) -> Result<(Shape, Pose)> {
        // A little more than half the diagonal, because node positions are rounded.
        let reach = self.grid.resolution * 0.75_f64.sqrt() * (1.0 + 1e-9);
        let [_, ny, nz] = self.grid.nodes;
        let occupied = (0..self.values.len()).filter(|index| self.values[*index] <= reach);
        let cells: Vec<[i32; 3]> =
            occupied.map(|index| [index / (ny * nz), index / nz % ny, index % nz].map(|place| place as i32)).collect();
        if cells.is_empty() {
            return Err(KineticError::invalid("obstacle of a field", "no shape in the grid", "at least one"));
        }
        let corner = self.grid.low - Vector3::repeat(self.grid.resolution / 2.0);
        Ok((Shape::voxels(&cells, self.grid.resolution)?, Pose::from_xyz(corner.x, corner.y, corner.z)))
    }
}
