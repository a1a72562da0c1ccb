//! Points by the cells of a grid in which they are.

use kinetic_core::rng::spread_bits;
use kinetic_core::{Control, Result};
use nalgebra::{Point3, Vector3};

use super::cell_table::CellTable;
use super::{Downsampled, NEIGHBOURS, VoxelGrid};
use crate::bounded_points::BoundedPoints;

/// How many cells one stands for in an estimate.
const CELLS_PER_SAMPLE: u64 = 8;

/// Points whose neighbours are searched per look at the control.
const SEARCHED_POINTS_PER_CHECK: usize = 1 << 14;

/// How many points are looked at for each one that is wanted.
const CANDIDATES_PER_OTHER: usize = 32;

/// Points by the occupied cells of a grid.
pub(crate) struct CellGroups {
    table: CellTable,
    /// Of each point the number of its cell.
    numbers: Vec<u32>,
}

/// The points of a cell.
#[derive(Clone, Default)]
struct Cell {
    /// The sum of the points, then their mean.
    mean: Vector3<f64>,
    count: f64,
    /// The point that is nearest to the mean so far.
    nearest: u32,
    distance_squared: f64,
}

impl CellGroups {
    /// Groups points by the cells of a grid with edges of length `size` (m).
    ///
    /// # Errors
    /// Those of [`VoxelGrid::around`].
    pub(crate) fn new(all: &BoundedPoints<'_>, size: f64) -> Result<Self> {
        let keys = VoxelGrid::around(all, size)?.keys(all.points);
        let mut table = CellTable::new();
        let numbers = keys.into_iter().map(|key| table.number(key) as u32).collect();
        Ok(Self { table, numbers })
    }

    /// About how many cells with edges of length `size` (m) points occupy: those with some hashes are counted, and stand for all. Of `n` cells
    /// the standard deviation is about `√(7 n)`.
    ///
    /// # Errors
    /// Those of [`VoxelGrid::around`].
    pub(crate) fn estimated_len(all: &BoundedPoints<'_>, size: f64) -> Result<usize> {
        let grid = VoxelGrid::around(all, size)?;
        let mut table = CellTable::new();
        for key in grid.keys(all.points) {
            if spread_bits(key).is_multiple_of(CELLS_PER_SAMPLE) {
                table.number(key);
            }
        }
        Ok(table.keys().len() * CELLS_PER_SAMPLE as usize)
    }

    /// Number of the occupied cells.
    pub(crate) fn len(&self) -> usize {
        self.table.keys().len()
    }

    /// Whether each point has at least so many others in its cell.
    pub(crate) fn are_crowded(&self, others: usize) -> Vec<bool> {
        let ends = self.ends();
        let count = |number: usize| ends[number] - number.checked_sub(1).map_or(0, |before| ends[before]);
        self.numbers.iter().map(|number| count(*number as usize) > others).collect()
    }

    /// Finds points that have at least so many others within a distance in the 27 cells around them, of those that are not found yet;
    /// not those that most of the points around them are too far from.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(crate) fn find_with_others(
        &self,
        points: &[Point3<f64>],
        (distance, others): (f64, usize),
        found: &mut [bool],
        control: &Control,
    ) -> Result<()> {
        let mut order = vec![0_u32; points.len()];
        let mut ends = self.ends();
        for (index, number) in self.numbers.iter().enumerate().rev() {
            ends[*number as usize] -= 1;
            order[ends[*number as usize]] = index as u32;
        }
        // Now they are the beginnings.
        ends.push(points.len());
        for index in 0..points.len() {
            if index % SEARCHED_POINTS_PER_CHECK == 0 {
                control.check(0)?;
            }
            if found[index] {
                continue;
            }
            let key = self.table.keys()[self.numbers[index] as usize];
            let cells = NEIGHBOURS.iter().filter_map(|offset| self.table.find(key.wrapping_add_signed(*offset)));
            let candidates = cells.flat_map(|cell| &order[ends[cell]..ends[cell + 1]]);
            let near = candidates.take(CANDIDATES_PER_OTHER * others).filter(|other| {
                let squared = (points[**other as usize] - points[index]).norm_squared();
                squared <= distance * distance && **other as usize != index
            });
            found[index] = near.take(others).count() == others;
        }
        Ok(())
    }

    /// Of each cell the number of points in it and in those before.
    fn ends(&self) -> Vec<usize> {
        let mut ends = vec![0; self.len()];
        self.numbers.iter().for_each(|number| ends[*number as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        ends
    }

    /// Numbers of the points in the 27 cells around some of them.
    pub(crate) fn around(&self, is_one: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut has_one = vec![false; self.len()];
        for (index, number) in self.numbers.iter().enumerate() {
            has_one[*number as usize] |= is_one(index);
        }
        let mut near = CellTable::new();
        for key in self.table.keys().iter().zip(has_one).filter_map(|(key, has_one)| has_one.then_some(*key)) {
            for offset in NEIGHBOURS {
                near.number(key.wrapping_add_signed(offset));
            }
        }
        let is_near: Vec<bool> = self.table.keys().iter().map(|key| near.find(*key).is_some()).collect();
        let near = (0..).zip(&self.numbers).filter(|(_, number)| is_near[**number as usize]);
        near.map(|(index, _)| index).collect()
    }

    /// One point of each cell, in the order of the first ones: the one nearest to the mean of the cell, the first of several.
    pub(crate) fn downsampled(&self, points: &[Point3<f64>]) -> Downsampled {
        let mut cells = vec![Cell::default(); self.len()];
        let pairs = || self.numbers.iter().map(|number| *number as usize).zip(points);
        for (number, point) in pairs() {
            cells[number].mean += point.coords;
            cells[number].count += 1.0;
        }
        for cell in &mut cells {
            cell.mean /= cell.count;
            cell.distance_squared = f64::INFINITY;
        }
        for (index, (number, point)) in (0..).zip(pairs()) {
            let cell = &mut cells[number];
            let squared = (point.coords - cell.mean).norm_squared();
            if squared < cell.distance_squared {
                (cell.nearest, cell.distance_squared) = (index, squared);
            }
        }
        let kept: Vec<Point3<f64>> = cells.iter().map(|cell| points[cell.nearest as usize]).collect();
        let farthest = pairs().map(|(number, point)| (point - kept[number]).norm_squared()).fold(0.0, f64::max);
        Downsampled { points: kept, growth: farthest.sqrt(), carried_over: 0 }
    }
}
