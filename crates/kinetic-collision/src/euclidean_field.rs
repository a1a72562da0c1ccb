//! Euclidean signed distance field of occupied cells.

use kinetic_core::error::check_len;
use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, KineticError, Result};
use kinetic_perception::{ScalarGrid, marching_cubes};
use kinetic_robot::TriangleMesh;
use nalgebra::{Point3, Vector3};

use crate::cell_bits::CellBits;
use crate::distance_transform::{DistanceTransform, MOST_CELLS_ALONG_AXIS};
use crate::distance_transformer::{DistanceTransformer, NodeBox};
use crate::node_grid::NodeGrid;

/// Slabs of nodes per chunk of a thread.
const SLABS_PER_CHUNK: usize = 4;
/// More than what rounding to single precision takes from a distance, per metre.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// Signed distances from the union of occupied cells, m, at the corners of cells: positive outside, negative inside, exact up to
/// single precision.
///
/// This is the ESDF of Voxblox and nvblox; here a surface is where an occupied cell ends and not the centre of a cell. Cell
/// `(i, j, k)` reaches from `resolution · (i, j, k)` to the next ones, as cells of an occupancy map and of
/// [`Shape::voxels`](kinetic_core::Shape::voxels) do.
///
/// ```
/// use kinetic_collision::EuclideanDistanceField;
/// use nalgebra::Point3;
///
/// let mut field = EuclideanDistanceField::new(&Point3::origin(), &Point3::new(1.0, 1.0, 1.0), 0.1, None)?;
/// field.update(&[[4, 4, 4]])?;
/// assert!((field.distance(&Point3::new(0.9, 0.4, 0.4)) - 0.4).abs() < 1e-6);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EuclideanDistanceField {
    grid: NodeGrid,
    max_distance: Option<f64>,
    /// `max_distance` in cells, rounded up.
    limit: Option<usize>,
    /// The lowest cell of `cells`. There are `limit` cells more on each side of the grid, because they count inside of it.
    first_cell: [i32; 3],
    cells: CellBits,
    /// Distances at the nodes of the grid, x slowest.
    values: Vec<f32>,
    transform: DistanceTransform,
}

impl EuclideanDistanceField {
    /// A field without occupied cells over the cells that meet a box.
    ///
    /// With `max_distance` (m) distances beyond it become it, of either sign, and an update computes anew only what is as near as
    /// that to cells that changed.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an empty box, a resolution or a maximum that is not positive
    /// and finite, more than 2²⁷ nodes, or more than 2,000 cells along an axis, with those within `max_distance` of the box.
    pub fn new(low: &Point3<f64>, high: &Point3<f64>, resolution: f64, max_distance: Option<f64>) -> Result<Self> {
        if let Some(given) = max_distance.filter(|given| !(given.is_finite() && *given > 0.0)) {
            return Err(KineticError::invalid("field max_distance", given, "a positive finite number (m)"));
        }
        // Checks the box as it was given.
        NodeGrid::new(*low, *high, resolution)?;
        let [first, last] = [low.map(|x| (x / resolution).floor()), high.map(|x| (x / resolution).ceil())];
        let inside = (last - first) - Vector3::repeat(0.5);
        let start = Point3::from(first.coords * resolution);
        let grid = NodeGrid::new(start, start + inside * resolution, resolution)?;
        let reach = max_distance.map_or(0.0, |most| (most / resolution).ceil());
        let cells = (inside.max() + 0.5) + 2.0 * reach;
        if cells > MOST_CELLS_ALONG_AXIS as f64 || first.coords.amax() + cells > f64::from(i32::MAX) {
            let wanted = format!("at most {MOST_CELLS_ALONG_AXIS}, with those within max_distance of the box");
            return Err(KineticError::invalid("field cells along an axis", cells, wanted));
        }
        #[expect(clippy::cast_sign_loss, reason = "a number of cells")]
        let pad = reach as usize;
        let first_cell = [0, 1, 2].map(|axis| (first[axis] - reach) as i32);
        let cells = CellBits::new(grid.nodes.map(|nodes| nodes - 1 + 2 * pad));
        let values = vec![max_distance.unwrap_or(f64::INFINITY) as f32; grid.count()];
        let limit = max_distance.map(|_| pad);
        Ok(Self { grid, max_distance, limit, first_cell, cells, values, transform: DistanceTransform::default() })
    }

    /// Takes other cells for occupied than before. A field without maximum wants all of them inside the grid; one with a maximum
    /// takes any, since those that are farther from the grid do not count.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a cell outside of the grid of a field without maximum; the field is as before.
    pub fn update(&mut self, occupied: &[[i32; 3]]) -> Result<()> {
        self.update_within(occupied, &Control::default())
    }

    /// As [`update`](Self::update), with a control that is looked at while distances are computed: fields of 10⁸ nodes take seconds.
    ///
    /// # Errors
    /// As [`update`](Self::update), and that of the control; the field is as before.
    pub fn update_within(&mut self, occupied: &[[i32; 3]], control: &Control) -> Result<()> {
        let mut transform = std::mem::take(&mut self.transform);
        let updated = self.update_with(occupied, &mut transform, control);
        self.transform = transform;
        updated
    }

    /// As [`update_within`](Self::update_within), with squared distances that something else computes: a GPU. The values are the same,
    /// bit for bit.
    ///
    /// # Errors
    /// As [`update_within`](Self::update_within), and those of what computes; the field is as before.
    pub fn update_with(
        &mut self,
        occupied: &[[i32; 3]],
        transform: &mut dyn DistanceTransformer,
        control: &Control,
    ) -> Result<()> {
        let mut cells = CellBits::new(self.cells.counts);
        for cell in occupied {
            match self.place_of(*cell) {
                Some(place) => cells.set(place),
                None if self.max_distance.is_some() => {}
                None => return Err(self.outside(*cell)),
            }
        }
        if let Some(nodes) = self.cells.difference(&cells).and_then(|changed| self.nodes_near(changed)) {
            self.compute(&cells, &nodes, transform, control)?;
        }
        self.cells = cells;
        Ok(())
    }

    fn place_of(&self, cell: [i32; 3]) -> Option<[usize; 3]> {
        let along = |axis: usize| usize::try_from(i64::from(cell[axis]) - i64::from(self.first_cell[axis])).ok();
        let place = [along(0)?, along(1)?, along(2)?];
        (0..3).all(|axis| place[axis] < self.cells.counts[axis]).then_some(place)
    }

    fn outside(&self, cell: [i32; 3]) -> KineticError {
        #[expect(clippy::cast_possible_wrap, reason = "at most 2,000")]
        let last = [0, 1, 2].map(|axis| self.first_cell[axis] + self.cells.counts[axis] as i32 - 1);
        let wanted = format!("between {:?} and {last:?}, or a field with max_distance", self.first_cell);
        KineticError::invalid("occupied cell", format!("{cell:?}"), wanted)
    }

    /// The nodes of the grid within the maximum of cells; `None` where there are none.
    fn nodes_near(&self, cells: [[usize; 2]; 3]) -> Option<NodeBox> {
        let pad = self.limit.unwrap_or(0);
        let mut near = NodeBox { first: [pad; 3], counts: self.grid.nodes };
        if self.limit.is_some() {
            for axis in 0..3 {
                let first = cells[axis][0].saturating_sub(pad).max(pad);
                let end = (cells[axis][1] + 2 + pad).min(pad + self.grid.nodes[axis]);
                near.first[axis] = first;
                near.counts[axis] = end.checked_sub(first).filter(|count| *count > 0)?;
            }
        }
        Some(near)
    }

    /// Computes the nodes of a box anew, from all cells within the maximum of it. Values are written last, when nothing can end it.
    fn compute(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        transform: &mut dyn DistanceTransformer,
        control: &Control,
    ) -> Result<()> {
        let pad = self.limit.unwrap_or(0);
        let mut from = *nodes;
        for axis in 0..3 {
            from.first[axis] = nodes.first[axis].saturating_sub(pad);
            let end = (nodes.first[axis] + nodes.counts[axis] + pad).min(cells.counts[axis] + 1);
            from.counts[axis] = end - from.first[axis];
        }
        let squares = transform.signed_squares(cells, &from, self.limit, control)?;
        check_len("signed squares", squares.len(), from.counts.iter().product())?;
        self.write(nodes, &from, squares);
        Ok(())
    }

    /// Writes the values of the nodes of a box, out of what was computed for a larger one.
    fn write(&mut self, nodes: &NodeBox, computed: &NodeBox, squares: &[f32]) {
        let pad = self.limit.unwrap_or(0);
        let scale = Scale { resolution: self.grid.resolution, most: self.max_distance.unwrap_or(f64::INFINITY) };
        let ([_, ny, nz], count) = (self.grid.nodes, nodes.counts[2]);
        in_chunks(&mut self.values, ny * nz, SLABS_PER_CHUNK, |first, slabs| {
            for (x, slab) in slabs.chunks_exact_mut(ny * nz).enumerate() {
                let x = first + x + pad;
                if x < nodes.first[0] || x >= nodes.first[0] + nodes.counts[0] {
                    continue;
                }
                for y in nodes.first[1]..nodes.first[1] + nodes.counts[1] {
                    let to = (y - pad) * nz + nodes.first[2] - pad;
                    let row = (x - computed.first[0]) * computed.counts[1] + y - computed.first[1];
                    let at = row * computed.counts[2] + nodes.first[2] - computed.first[2];
                    scale.write(&squares[at..at + count], &mut slab[to..to + count]);
                }
            }
        });
    }

    /// Signed distance of a point, m: trilinear between the nodes, off by at most `√3 / 2` of the resolution; outside of the grid that
    /// of its nearest point of the grid. Infinite without occupied cells and without maximum, and for NaN.
    pub fn distance(&self, point: &Point3<f64>) -> f64 {
        match self.grid.nearest_place(point).filter(|_| self.is_measured()) {
            Some((place, _)) => self.grid.interpolated(&place, |node| f64::from(self.values[node])),
            None => f64::INFINITY,
        }
    }

    /// Gradient of [`distance`](Self::distance), of length about 1 where that is neither the maximum nor infinite.
    pub fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let found = self.grid.nearest_place(point).filter(|_| self.is_measured());
        let Some((place, is_inside)) = found else { return Vector3::zeros() };
        let slope = self.grid.slope(&place, |node| f64::from(self.values[node]));
        // Outside of the grid the distance does not change away from it.
        Vector3::from_fn(|axis, _| if is_inside[axis] { slope[axis] } else { 0.0 })
    }

    /// Lower bound on the distance of a point from the occupied cells, m: what the nodes around it prove, and at most the maximum.
    /// Outside of the grid it is less by the distance from the grid, since nothing is known there.
    pub fn lower_bound(&self, point: &Point3<f64>) -> f64 {
        let Some((place, is_inside)) = self.grid.nearest_place(point) else { return f64::NEG_INFINITY };
        let high = self.grid.high();
        let beyond = |axis: usize| (self.grid.low[axis] - point[axis]).max(point[axis] - high[axis]).max(0.0);
        let beyond = Vector3::from_fn(|axis, _| if is_inside[axis] { 0.0 } else { beyond(axis) }).norm();
        if !self.is_measured() {
            return if is_inside == [true; 3] { f64::INFINITY } else { f64::NEG_INFINITY };
        }
        let least = |node: usize| f64::from(self.values[node]) - f64::from(self.values[node].abs()) * ROUNDING;
        self.grid.proven(&place, least) - beyond
    }

    /// The surface at a distance of `level` (m) from the occupied cells, in the frame of the field; negative levels are inside of them.
    /// By [`marching_cubes`], each vertex at the level up to half a cell. Open where it leaves the grid, and without triangles where
    /// nothing is occupied.
    ///
    /// A level above 0 encloses every occupied cell inside the grid. At 0 only nodes with occupied cells all around are inside, so that
    /// walls of one cell vanish and edges are cut by up to a cell. Where `max_distance` is less than a cell more than
    /// the level, the surface is up to a cell off, because larger distances are not known.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for the level, or [`KineticError::InvalidValue`] where it is not between `-max_distance` and
    /// `max_distance`; that of the control.
    pub fn surface(&self, level: f64, control: &Control) -> Result<TriangleMesh> {
        if let Some(most) = self.max_distance.filter(|most| level.abs() >= *most) {
            let wanted = format!("between -{most} and {most}, the field's max_distance (m)");
            return Err(KineticError::invalid("surface level", level, wanted));
        }
        let spacing = Vector3::repeat(self.grid.resolution);
        let grid = ScalarGrid::new(&self.values, self.grid.nodes, &self.grid.low, &spacing)?;
        let found = marching_cubes(&grid, level, control)?;
        Ok(TriangleMesh { vertices: found.vertices, triangles: found.triangles })
    }

    /// Whether the values are finite.
    fn is_measured(&self) -> bool {
        self.max_distance.is_some() || self.values[0].is_finite()
    }

    /// The occupied cells that count, ascending.
    #[expect(clippy::cast_possible_wrap, reason = "at most 2,000 along an axis")]
    pub fn occupied_cells(&self) -> Vec<[i32; 3]> {
        self.cells.cells().map(|cell| [0, 1, 2].map(|axis| self.first_cell[axis] + cell[axis] as i32)).collect()
    }

    /// Lowest corner of the grid.
    pub fn low(&self) -> &Point3<f64> {
        &self.grid.low
    }

    /// Highest corner of the grid.
    pub fn high(&self) -> Point3<f64> {
        self.grid.high()
    }

    /// Edge of a cell, and distance of neighbouring nodes, m.
    pub fn resolution(&self) -> f64 {
        self.grid.resolution
    }

    /// Distance that larger ones become, m.
    pub fn max_distance(&self) -> Option<f64> {
        self.max_distance
    }

    /// Number of nodes along each axis: one more than cells.
    pub fn nodes(&self) -> [usize; 3] {
        self.grid.nodes
    }

    /// Distances at the nodes, m, x slowest.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// From squared distances in cells to signed ones in metres.
struct Scale {
    resolution: f64,
    most: f64,
}

impl Scale {
    /// Writes the distances of signed squares, with their signs.
    fn write(&self, squares: &[f32], out: &mut [f32]) {
        for (value, square) in out.iter_mut().zip(squares) {
            let distance = (self.resolution * f64::from(square.abs().sqrt())).min(self.most) as f32;
            *value = if *square < 0.0 { -distance } else { distance };
        }
    }
}
