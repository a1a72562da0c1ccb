//! Signed distance field: a grid of exact distances with trilinear interpolation, updated shape by shape.
//!
//! Nodes hold exact distances. Between them the field is trilinear, and since a distance changes by at most a metre per
//! metre, what the interpolation is off by is bounded: [`SignedDistanceField::lower_bound`] never exceeds the true
//! distance, and [`SignedDistanceField::obstacle`] contains every point of the shapes.

use std::collections::BTreeMap;

use kinetic_core::error::{KineticError, Result, check_finite};
use kinetic_core::{Pose, Shape};
use nalgebra::{Point3, Vector3};

use crate::distance::point::{Nearest, PreparedShape};

/// Nodes of a field; they take 1.5 GiB.
const MAX_GRID_NODES: f64 = (1_u32 << 27) as f64;
/// Owner of a node without a nearest shape.
const NO_OWNER: u32 = u32::MAX;

/// A grid of signed distances to a set of named shapes, m.
#[derive(Debug, Clone)]
pub struct SignedDistanceField {
    low: Point3<f64>,
    resolution: f64,
    nodes: [usize; 3],
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

/// The cell around a point: its first node and the coordinates in it, each in [0, 1].
struct GridPlace {
    node: [usize; 3],
    share: Vector3<f64>,
}

impl SignedDistanceField {
    /// A field without shapes over a box, with nodes every `resolution` from its lowest corner on until it is covered.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an empty box, a resolution that is not positive,
    /// or more than 2²⁷ nodes.
    pub fn new(low: Point3<f64>, high: Point3<f64>, resolution: f64) -> Result<Self> {
        check_finite("field bounds", &[low.x, low.y, low.z, high.x, high.y, high.z])?;
        if !(resolution.is_finite() && resolution > 0.0) {
            return Err(KineticError::invalid("field resolution", resolution, "a positive finite number (m)"));
        }
        let size = high - low;
        if size.min() <= 0.0 {
            return Err(KineticError::invalid("field bounds", format!("{low} to {high}"), "a box with a volume"));
        }
        let counts = size.map(|length| (length / resolution).ceil() + 1.0);
        if !(counts.product() <= MAX_GRID_NODES) {
            return Err(KineticError::invalid("field nodes", counts.product(), format!("at most {MAX_GRID_NODES}")));
        }
        #[expect(clippy::cast_sign_loss, reason = "counts are positive")]
        let nodes = [0, 1, 2].map(|axis| counts[axis] as usize);
        let count = nodes.iter().product();
        let (values, owners) = (vec![f64::INFINITY; count], vec![NO_OWNER; count]);
        Ok(Self { low, resolution, nodes, values, owners, sources: BTreeMap::new(), next_id: 0 })
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
                let point = self.node(index);
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
        &self.low
    }

    /// Distance of neighbouring nodes, m.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Number of nodes along each axis.
    pub fn nodes(&self) -> [usize; 3] {
        self.nodes
    }

    /// Distances at the nodes, x slowest; infinite without shapes.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Lowers the nodes that a shape is nearer to than anything before.
    fn lower(&mut self, id: u32, shape: &PreparedShape) {
        let row = self.nodes[2];
        for first in (0..self.values.len()).step_by(row) {
            // A bound of the distance at this node from the last one measured: it changes by at most a step per step.
            let mut bound = f64::NEG_INFINITY;
            for index in first..first + row {
                bound -= self.resolution;
                if bound >= self.values[index] {
                    continue;
                }
                bound = shape.signed_distance(&self.node(index));
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

    fn node(&self, index: usize) -> Point3<f64> {
        let [_, ny, nz] = self.nodes;
        let place = [index / (ny * nz), index / nz % ny, index % nz];
        self.low + Vector3::from_fn(|axis, _| place[axis] as f64 * self.resolution)
    }

    fn value(&self, [x, y, z]: [usize; 3]) -> f64 {
        self.values[(x * self.nodes[1] + y) * self.nodes[2] + z]
    }

    /// The cell around a point; `None` outside of the grid.
    #[expect(clippy::cast_sign_loss, reason = "inside the grid no place is negative")]
    fn place(&self, point: &Point3<f64>) -> Option<GridPlace> {
        let along = (point - self.low) / self.resolution;
        let last = Vector3::from(self.nodes.map(|count| (count - 1) as f64));
        let is_inside = (0..3).all(|axis| along[axis] >= 0.0 && along[axis] <= last[axis]);
        let node = [0, 1, 2].map(|axis| (along[axis] as usize).min(self.nodes[axis] - 2));
        let share = Vector3::from_fn(|axis, _| along[axis] - node[axis] as f64);
        is_inside.then_some(GridPlace { node, share })
    }

    /// Value and place in the cell, 0 or 1 along each axis, of the eight nodes around a cell.
    fn corners(&self, node: [usize; 3]) -> impl Iterator<Item = (f64, Vector3<f64>)> + '_ {
        (0..8).map(move |bits: usize| {
            let bit = [bits & 1, bits >> 1 & 1, bits >> 2];
            let value = self.value([0, 1, 2].map(|axis| node[axis] + bit[axis]));
            (value, Vector3::from(bit.map(|bit| bit as f64)))
        })
    }

    /// Signed distance of a point, m: trilinear between the nodes, off by at most `√3 / 2` of the resolution; exact
    /// outside of the grid. Infinite without shapes.
    pub fn distance(&self, point: &Point3<f64>) -> f64 {
        match self.place(point) {
            Some(GridPlace { node, share }) if !self.sources.is_empty() => {
                self.corners(node).map(|(value, bit)| value * weights(&bit, &share).product()).sum()
            }
            _ => self.nearest_source(point).0,
        }
    }

    /// Gradient of [`distance`](Self::distance), of length about 1; zero without shapes.
    pub fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let Some(GridPlace { node, share }) = self.place(point) else { return self.exact_gradient(point) };
        if self.sources.is_empty() {
            return Vector3::zeros();
        }
        let of_corner = |(value, bit): (f64, Vector3<f64>)| {
            let weight = weights(&bit, &share);
            let slope = bit.map(|bit| 2.0 * bit - 1.0);
            let across = Vector3::new(weight.y * weight.z, weight.x * weight.z, weight.x * weight.y);
            slope.component_mul(&across) * value
        };
        self.corners(node).map(of_corner).sum::<Vector3<f64>>() / self.resolution
    }

    fn exact_gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let all = self.sources.values().map(|source| source.prepared.nearest(point));
        let nearest: Option<Nearest> = all.min_by(|a, b| a.distance.total_cmp(&b.distance));
        nearest.map_or_else(Vector3::zeros, |nearest| nearest.gradient)
    }

    /// Lower bound on the distance of a point from the shapes, m, by the eight nodes around it. At least
    /// [`distance`](Self::distance) less `√3 / 2` of the resolution.
    pub fn lower_bound(&self, point: &Point3<f64>) -> f64 {
        match self.place(point) {
            Some(GridPlace { node, share }) => {
                let proven = |(value, bit): (f64, Vector3<f64>)| value - (bit - share).norm() * self.resolution;
                self.corners(node).map(proven).fold(f64::NEG_INFINITY, f64::max)
            }
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
        let reach = self.resolution * 0.75_f64.sqrt() * (1.0 + 1e-9);
        let [_, ny, nz] = self.nodes;
        let occupied = (0..self.values.len()).filter(|index| self.values[*index] <= reach);
        let cells: Vec<[i32; 3]> =
            occupied.map(|index| [index / (ny * nz), index / nz % ny, index % nz].map(|place| place as i32)).collect();
        if cells.is_empty() {
            return Err(KineticError::invalid("obstacle of a field", "no shape in the grid", "at least one"));
        }
        let corner = self.low - Vector3::repeat(self.resolution / 2.0);
        Ok((Shape::voxels(&cells, self.resolution)?, Pose::from_xyz(corner.x, corner.y, corner.z)))
    }
}

/// Share of a node in the value of a point, along each axis.
fn weights(bit: &Vector3<f64>, share: &Vector3<f64>) -> Vector3<f64> {
    bit.zip_map(share, |bit, share| if bit > 0.5 { share } else { 1.0 - share })
}
