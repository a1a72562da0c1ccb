//! The grid of a distance table while it is computed.

use super::jointed_clusters::{ClusterChain, JointedClusters};
use super::{DistanceTable, MAX_TABLE_JOINTS, TableAxis};

/// Cells per table, about; one has 16 bytes.
const CELLS_PER_TABLE: f64 = 8192.0;

/// Cells along one axis.
const MAX_CELLS_PER_AXIS: f64 = 128.0;

/// Lower limit of the lever arm of a joint, m, because spheres on its axis do not move.
const MIN_LEVER_ARM_M: f64 = 1e-3;

/// A box of cells: the half-open range along every axis.
pub(crate) type CellBox = [(usize, usize); MAX_TABLE_JOINTS];

/// A linear lower bound of a distance: its value in the middle of a box, m, and its slopes, m per rad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    pub(crate) middle: f64,
    pub(crate) slopes: [f64; MAX_TABLE_JOINTS],
}

/// Even division of one axis into cells.
#[derive(Debug, Clone, Copy)]
struct Division {
    /// Index of the moving frame.
    frame: usize,
    low: f64,
    width: f64,
    cells: usize,
    /// Distance of neighbouring cells in memory.
    stride: usize,
}

/// A table that is being computed.
#[derive(Debug)]
pub(crate) struct Cells {
    divisions: Vec<Division>,
    cells: Vec<[f32; 4]>,
}

impl Cells {
    /// All cells unknown. The number of cells along an axis is proportional to how far its joint moves spheres.
    pub(crate) fn new(jointed: &JointedClusters) -> Self {
        let path_lengths: Vec<_> = jointed.chains.iter().flat_map(path_lengths).collect();
        let all: f64 = path_lengths.iter().map(|(_, _, path_length)| path_length).product();
        let size = (all / CELLS_PER_TABLE).powf(1.0 / path_lengths.len() as f64);
        let mut divisions = Vec::new();
        let mut stride = 1;
        for (frame, (low, high), path_length) in path_lengths {
            let cells = (path_length / size).round().clamp(2.0, MAX_CELLS_PER_AXIS);
            let width = (high - low) / cells;
            divisions.push(Division { frame, low, width, cells: (cells as i64).unsigned_abs() as usize, stride });
            stride *= divisions[divisions.len() - 1].cells + 2;
        }
        // The outermost layer is for angles outside the ranges, where no bound is known.
        Self { divisions, cells: vec![[f32::NEG_INFINITY, 0.0, 0.0, 0.0]; stride] }
    }

    /// The box of all cells.
    pub(crate) fn whole(&self) -> CellBox {
        std::array::from_fn(|axis| (0, self.divisions.get(axis).map_or(1, |division| division.cells)))
    }

    /// The middle of a box along one axis, and half of its width, rad.
    pub(crate) fn extent(&self, cell_box: &CellBox, axis: usize) -> (f64, f64) {
        let (division, (low, high)) = (self.divisions[axis], cell_box[axis]);
        let middle = division.low + 0.5 * (low + high) as f64 * division.width;
        (middle, 0.5 * (high - low) as f64 * division.width)
    }

    /// The halves of a box along its widest axis; `None` for a single cell.
    pub(crate) fn halves(&self, cell_box: &CellBox) -> Option<[CellBox; 2]> {
        let count = |axis: usize| cell_box[axis].1 - cell_box[axis].0;
        let width = |axis: &usize| count(*axis) as f64 * self.divisions[*axis].width;
        let splits = (0..self.divisions.len()).filter(|axis| count(*axis) > 1);
        let axis = splits.max_by(|a, b| width(a).total_cmp(&width(b)))?;
        let (low, high) = cell_box[axis];
        let middle = usize::midpoint(low, high);
        Some([(low, middle), (middle, high)].map(|half| {
            let mut cell_box = *cell_box;
            cell_box[axis] = half;
            cell_box
        }))
    }

    /// Writes a plane to all cells of a box.
    pub(crate) fn fill(&mut self, cell_box: &CellBox, plane: &Plane) {
        let mut slopes = plane.slopes;
        for (slope, division) in slopes.iter_mut().zip(&self.divisions) {
            *slope *= division.width;
        }
        let stride = |axis: usize| self.divisions.get(axis).map_or(0, |division| division.stride);
        let strides = [stride(0), stride(1), stride(2)];
        let rise = |axis: usize, cell: usize| {
            slopes[axis] * (cell as f64 - 0.5 * (cell_box[axis].0 + cell_box[axis].1 - 1) as f64)
        };
        for z in cell_box[2].0..cell_box[2].1 {
            for y in cell_box[1].0..cell_box[1].1 {
                for x in cell_box[0].0..cell_box[0].1 {
                    let bound = plane.middle + rise(0, x) + rise(1, y) + rise(2, z);
                    let number = (x + 1) * strides[0] + (y + 1) * strides[1] + (z + 1) * strides[2];
                    self.cells[number] =
                        [(bound as f32).next_down(), slopes[0] as f32, slopes[1] as f32, slopes[2] as f32];
                }
            }
        }
    }

    /// The finished table.
    pub(crate) fn finish(self) -> DistanceTable {
        let mut axes = [TableAxis::default(); MAX_TABLE_JOINTS];
        for (axis, division) in axes.iter_mut().zip(&self.divisions) {
            *axis = TableAxis {
                frame: division.frame,
                per_radian: (1.0 / division.width) as f32,
                offset: (0.5 - division.low / division.width) as f32,
                last: (division.cells + 1) as f32,
                stride: division.stride as f32,
            };
        }
        DistanceTable { axes, cells: self.cells }
    }
}

/// Per joint of a chain: its frame, its range, and a bound on the path of spheres that it moves, m.
fn path_lengths(chain: &ClusterChain) -> Vec<(usize, (f64, f64), f64)> {
    let farthest = |distance: fn(&nalgebra::Vector3<f64>) -> f64| {
        chain.spheres.iter().map(|(center, _)| distance(center)).fold(0.0, f64::max)
    };
    let (mut from_axis, mut from_origin) = (farthest(|center| center.xy().norm()), farthest(nalgebra::Vector3::norm));
    let mut path_lengths = Vec::new();
    for joint in chain.joints.iter().rev() {
        let (low, high) = joint.range;
        path_lengths.push((joint.frame, joint.range, (high - low) * from_axis.max(MIN_LEVER_ARM_M)));
        from_axis = joint.pose.translation.xy().norm() + from_origin;
        from_origin += joint.pose.translation.norm();
    }
    path_lengths.reverse();
    path_lengths
}
