//! Signed distance field: a grid of exact distances with trilinear interpolation, updated shape by shape.
//!
//! Nodes hold exact distances. Between them the field is trilinear, and since a distance changes by at most a metre per
//! metre, what the interpolation is off by is bounded: [`SignedDistanceField::lower_bound`] never exceeds the true
//! distance, and [`SignedDistanceField::obstacle`] contains every point of the shapes.

use std::collections::BTreeMap;

use kinetic_core::error::{KineticError, Result};
use kinetic_core::{Control, Pose, Shape};
use nalgebra::{Point3, Vector3};

use crate::distance::point::{Nearest, PreparedShape};
use crate::node_grid::NodeGrid;

/// Nodes per look at the control.
const NODES_PER_CHECK: usize = 1 << 10;

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
        self.add_within(name, shape, pose, &Control::default())
    }

    /// As [`add`](Self::add), with a control that is looked at while distances are computed: those from a large cloud take seconds at
    /// millions of nodes.
    ///
    /// # Errors
    /// As [`add`](Self::add), and that of the control; the field is as before.
    pub fn add_within(&mut self, name: &str, shape: &Shape, pose: &Pose, control: &Control) -> Result<()> {
        let prepared = PreparedShape::new(shape, &pose.0)?;
        let id = self.next_id;
        self.without(name, control, |field| field.lower(id, &prepared, control))?;
        self.next_id += 1;
        self.sources.insert(name.to_owned(), FieldSource { id, shape: shape.clone(), pose: *pose, prepared });
        Ok(())
    }

    /// Removes a shape; `false` when there is none of that name. Only nodes that it was nearest to are computed anew.
    pub fn remove(&mut self, name: &str) -> bool {
        // A control without limits ends nothing.
        self.remove_within(name, &Control::default()).unwrap_or(false)
    }

    /// As [`remove`](Self::remove), with a control that is looked at while distances are computed.
    ///
    /// # Errors
    /// That of the control; the field is as before.
    pub fn remove_within(&mut self, name: &str, control: &Control) -> Result<bool> {
        let is_there = self.sources.contains_key(name);
        if is_there {
            self.without(name, control, |_| Ok(()))?;
        }
        Ok(is_there)
    }

    /// Takes the shape of a name out, if there is one, and changes what is left. After an error the field is as before.
    fn without(&mut self, name: &str, control: &Control, change: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (values, owners) = (self.values.clone(), self.owners.clone());
        let source = self.sources.remove(name);
        let id = source.as_ref().map(|source| source.id);
        let changed = id.map_or(Ok(()), |id| self.forget(id, control)).and_then(|()| change(self));
        if changed.is_err() {
            (self.values, self.owners) = (values, owners);
            self.sources.extend(source.map(|source| (name.to_owned(), source)));
        }
        changed
    }

    /// Computes the nodes anew that a shape was nearest to, which is no source any more.
    fn forget(&mut self, id: u32, control: &Control) -> Result<()> {
        for index in 0..self.values.len() {
            if index % NODES_PER_CHECK == 0 {
                control.check(0)?;
            }
            if self.owners[index] == id {
                let point = self.grid.node(index);
                (self.values[index], self.owners[index]) = self.nearest_source(&point);
            }
        }
        Ok(())
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
    fn lower(&mut self, id: u32, shape: &PreparedShape, control: &Control) -> Result<()> {
        let (row, resolution) = (self.grid.nodes[2], self.grid.resolution);
        for first in (0..self.values.len()).step_by(row) {
            control.check(0)?;
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
        Ok(())
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
