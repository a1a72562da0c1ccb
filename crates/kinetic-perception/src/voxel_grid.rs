//! Down-sampling of points on a grid: one point per cell.

mod cell_groups;
mod cell_table;
mod hysteresis;

use kinetic_core::parallel::in_chunks;
use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

use crate::bounded_points::BoundedPoints;

pub(crate) use cell_groups::CellGroups;
pub(crate) use hysteresis::occupied_cells;

/// Cells along an axis that a grid can have, with one beyond the outermost points on each side.
const MAX_CELLS_PER_AXIS: f64 = (1 << 21) as f64;

/// Bits that a cell of a key is shifted by, per axis.
const SHIFTS: [u32; 3] = [42, 21, 0];

/// What the keys of the 27 cells around a cell are more than its own, ascending. A grid has cells on all sides of those with points.
const NEIGHBOURS: [i64; 27] = neighbours();

const fn neighbours() -> [i64; 27] {
    const STEPS: [i64; 3] = [-1, 0, 1];
    let mut offsets = [0; 27];
    let mut number = 0;
    while number < offsets.len() {
        let [x, y, z] = [STEPS[number / 9], STEPS[number / 3 % 3], STEPS[number % 3]];
        offsets[number] = x * (1 << SHIFTS[0]) + y * (1 << SHIFTS[1]) + z * (1 << SHIFTS[2]);
        number += 1;
    }
    offsets
}

/// Points that are worth a thread.
const POINTS_PER_CHUNK: usize = 1 << 14;

/// Cells from the origin along an axis: a quarter of a cell is still told apart there.
const MAX_CELLS_FROM_ORIGIN: f64 = (1_u64 << 51) as f64;

/// Points that stand for others.
pub(crate) struct Downsampled {
    pub(crate) points: Vec<Point3<f64>>,
    /// Largest distance of a point from the one that stands for it, m.
    pub(crate) growth: f64,
    /// Points that stand for none.
    pub(crate) carried_over: usize,
}

impl Downsampled {
    /// Points of which each stands for itself.
    pub(crate) fn all(points: Vec<Point3<f64>>) -> Self {
        Self { points, growth: 0.0, carried_over: 0 }
    }
}

/// Cells around points. They begin at multiples of their size, so that they are the same in every picture.
struct VoxelGrid {
    size: f64,
    /// The first cell along each axis, one below the lowest point.
    first: Vector3<f64>,
}

impl VoxelGrid {
    /// Cells with edges of length `size` (m) around points.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the points reach over more than two million cells along an axis, or lie so far away that
    /// their coordinates do not tell cells apart.
    fn around(all: &BoundedPoints<'_>, size: f64) -> Result<Self> {
        let farthest = all.farthest();
        if !(farthest / size < MAX_CELLS_FROM_ORIGIN) {
            let wanted = format!("at least {} m for points that are {farthest} m away", farthest / 1e15);
            return Err(KineticError::invalid("voxel_size", size, wanted));
        }
        let first = all.low.coords.map(|value| floor(value / size) - 1.0);
        if !((all.high.coords / size - first).max() + 2.0 < MAX_CELLS_PER_AXIS) {
            let extent = all.size().max();
            let wanted = format!("at least {} m for points that reach over {extent} m", extent / 2e6);
            return Err(KineticError::invalid("voxel_size", size, wanted));
        }
        Ok(Self { size, first })
    }

    /// A number per cell, in the order of x, then y, then z. The point is inside the grid.
    #[inline]
    fn key(&self, point: &Point3<f64>) -> u64 {
        let cell = |axis: usize| integer(floor(point[axis] / self.size) - self.first[axis]);
        (0..3).fold(0, |key, axis| key | cell(axis) << SHIFTS[axis])
    }

    /// The keys of some points.
    fn keys(&self, points: &[Point3<f64>]) -> Vec<u64> {
        let mut keys = vec![0; points.len()];
        in_chunks(&mut keys, 1, POINTS_PER_CHUNK, |first, keys| {
            keys.iter_mut().zip(&points[first..]).for_each(|(key, point)| *key = self.key(point));
        });
        keys
    }
}

/// As `f64::floor`, for numbers between ±2⁵¹. `f64::floor` is a call of a function where it is compiled for processors without an
/// instruction for it.
#[inline]
fn floor(value: f64) -> f64 {
    // The sum has no place for bits behind the point.
    let nearest = (value + 3.0 * MAX_CELLS_FROM_ORIGIN) - 3.0 * MAX_CELLS_FROM_ORIGIN;
    if nearest > value { nearest - 1.0 } else { nearest }
}

/// An integer from 0 to 2²¹.
#[inline]
fn integer(value: f64) -> u64 {
    (value + 2.0 * MAX_CELLS_FROM_ORIGIN).to_bits() & ((1 << 22) - 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn integers_below_are_those_of_the_standard_library() {
        let mut rng = SeededRng::new(1);
        let largest = MAX_CELLS_FROM_ORIGIN.next_down();
        let edges = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1e-300, -1e-300, 2.5, -2.5, largest, -largest];
        let around = |value: f64| [value, value.next_down(), value.next_up()];
        let random = (0..100_000).map(|_| rng.uniform(-1.0, 1.0) * 10.0_f64.powf(rng.uniform(-3.0, 15.0)));
        for value in edges[..10].iter().copied().flat_map(around).chain(edges).chain(random) {
            assert_eq!(floor(value), value.floor(), "{value:e}");
        }
        assert!((0..=1 << 21).step_by(997).all(|number| integer(number as f64) == number));
    }

    #[test]
    fn estimates_are_near_the_numbers_of_cells() {
        for seed in 0..20 {
            let mut rng = SeededRng::new(seed);
            let count = 1 + rng.below(50_000);
            let points: Vec<Point3<f64>> = (0..count)
                .map(|_| Point3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(0.0, 0.01)))
                .collect();
            for size in [0.003, 0.01, 0.1] {
                let all = BoundedPoints::new(&points);
                let cells = CellGroups::new(&all, size).unwrap().len() as f64;
                let estimate = CellGroups::estimated_len(&all, size).unwrap() as f64;
                assert!((estimate - cells).abs() <= 4.0 * (7.0 * cells).sqrt(), "seed {seed}: {estimate} of {cells}");
            }
        }
    }

    #[test]
    fn points_that_coordinates_do_not_tell_apart_in_cells_are_refused() {
        for (place, size) in [(1e20, 0.01), (-1e15, 0.1), (1.0, 1e-16), (1e308, 1e-308)] {
            let points = [Point3::new(0.0, place, 0.0)];
            let error = VoxelGrid::around(&BoundedPoints::new(&points), size).err().unwrap().to_string();
            assert!(error.contains("voxel_size") && error.contains("away"), "{error}");
        }
        let points = [Point3::new(0.0, 1e13, 0.0)];
        let grid = VoxelGrid::around(&BoundedPoints::new(&points), 0.01).unwrap();
        assert_eq!((grid.first.y, grid.key(&Point3::new(0.0, 1e13, 0.0))), (1e15 - 1.0, 1 << 42 | 1 << 21 | 1));
    }
}
