//! The cells that a search fills in.

use super::jointed_clusters::{End, JointedClusters};
use super::{Axis, DistanceTable, MOST_JOINTS};

/// Cells of a table; one has 16 bytes.
const CELLS: f64 = 8192.0;

/// Most cells along one axis.
const MOST_CELLS: f64 = 128.0;

/// Least way that a joint is taken to carry spheres, m: those on its axis stay.
const LEAST_ARM: f64 = 1e-3;

/// Cells from one to before another, along every axis.
pub(crate) type Part = [(usize, usize); MOST_JOINTS];

/// A function below a distance: m in the middle of a part, and its slopes, m per rad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    pub(crate) middle: f64,
    pub(crate) slopes: [f64; MOST_JOINTS],
}

/// What is divided evenly along one axis.
#[derive(Debug, Clone, Copy)]
struct Division {
    /// Among the moving frames.
    frame: usize,
    low: f64,
    width: f64,
    cells: usize,
    /// Cells of the table from one to the next.
    stride: usize,
}

/// A table that is filled in.
#[derive(Debug)]
pub(crate) struct Cells {
    divisions: Vec<Division>,
    cells: Vec<[f32; 4]>,
}

impl Cells {
    /// None is known. Along each axis there are as many as its joint moves spheres far.
    pub(crate) fn new(between: &JointedClusters) -> Self {
        let ways: Vec<_> = between.ends.iter().flat_map(ways).collect();
        let all: f64 = ways.iter().map(|(_, _, way)| way).product();
        let size = (all / CELLS).powf(1.0 / ways.len() as f64);
        let mut divisions = Vec::new();
        let mut stride = 1;
        for (frame, (low, high), way) in ways {
            let cells = (way / size).round().clamp(2.0, MOST_CELLS);
            let width = (high - low) / cells;
            divisions.push(Division { frame, low, width, cells: (cells as i64).unsigned_abs() as usize, stride });
            stride *= divisions[divisions.len() - 1].cells + 2;
        }
        // What is outside all cells keeps nothing.
        Self { divisions, cells: vec![[f32::NEG_INFINITY, 0.0, 0.0, 0.0]; stride] }
    }

    /// All of them.
    pub(crate) fn whole(&self) -> Part {
        std::array::from_fn(|axis| (0, self.divisions.get(axis).map_or(1, |division| division.cells)))
    }

    /// The middle of a part along one axis, and half of its width, rad.
    pub(crate) fn extent(&self, part: &Part, axis: usize) -> (f64, f64) {
        let (division, (low, high)) = (self.divisions[axis], part[axis]);
        let middle = division.low + 0.5 * (low + high) as f64 * division.width;
        (middle, 0.5 * (high - low) as f64 * division.width)
    }

    /// The halves of a part along its widest axis; `None` for a cell.
    pub(crate) fn halves(&self, part: &Part) -> Option<[Part; 2]> {
        let count = |axis: usize| part[axis].1 - part[axis].0;
        let width = |axis: &usize| count(*axis) as f64 * self.divisions[*axis].width;
        let splits = (0..self.divisions.len()).filter(|axis| count(*axis) > 1);
        let axis = splits.max_by(|a, b| width(a).total_cmp(&width(b)))?;
        let (low, high) = part[axis];
        let middle = usize::midpoint(low, high);
        Some([(low, middle), (middle, high)].map(|half| {
            let mut part = *part;
            part[axis] = half;
            part
        }))
    }

    /// Writes down a plane in all cells of a part.
    pub(crate) fn fill(&mut self, part: &Part, plane: &Plane) {
        let mut slopes = plane.slopes;
        for (slope, division) in slopes.iter_mut().zip(&self.divisions) {
            *slope *= division.width;
        }
        let stride = |axis: usize| self.divisions.get(axis).map_or(0, |division| division.stride);
        let strides = [stride(0), stride(1), stride(2)];
        let rise =
            |axis: usize, cell: usize| slopes[axis] * (cell as f64 - 0.5 * (part[axis].0 + part[axis].1 - 1) as f64);
        for z in part[2].0..part[2].1 {
            for y in part[1].0..part[1].1 {
                for x in part[0].0..part[0].1 {
                    let bound = plane.middle + rise(0, x) + rise(1, y) + rise(2, z);
                    let number = (x + 1) * strides[0] + (y + 1) * strides[1] + (z + 1) * strides[2];
                    self.cells[number] =
                        [(bound as f32).next_down(), slopes[0] as f32, slopes[1] as f32, slopes[2] as f32];
                }
            }
        }
    }

    /// The table.
    pub(crate) fn finish(self) -> DistanceTable {
        let mut axes = [Axis::default(); MOST_JOINTS];
        for (axis, division) in axes.iter_mut().zip(&self.divisions) {
            *axis = Axis {
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

/// The frames of the joints of an end, their ranges, and how far each carries a sphere at most, m.
fn ways(end: &End) -> Vec<(usize, (f64, f64), f64)> {
    let farthest = |distance: fn(&nalgebra::Vector3<f64>) -> f64| {
        end.spheres.iter().map(|(center, _)| distance(center)).fold(0.0, f64::max)
    };
    let (mut from_axis, mut from_origin) = (farthest(|center| center.xy().norm()), farthest(nalgebra::Vector3::norm));
    let mut ways = Vec::new();
    for turn in end.joints.iter().rev() {
        let (low, high) = turn.range;
        ways.push((turn.frame, turn.range, (high - low) * from_axis.max(LEAST_ARM)));
        from_axis = turn.pose.translation.xy().norm() + from_origin;
        from_origin += turn.pose.translation.norm();
    }
    ways.reverse();
    ways
}
