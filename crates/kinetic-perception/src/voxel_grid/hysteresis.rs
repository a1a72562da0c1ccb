//! Middles of occupied cells, with hysteresis: a cell that noise reaches at times is there in every picture.

use kinetic_core::Result;
use nalgebra::{Point3, Vector3};

use super::cell_table::CellTable;
use super::{Downsampled, NEIGHBOURS, SHIFTS, VoxelGrid, floor};
use crate::bounded_points::BoundedPoints;

/// Distance of the corners of a cube from its middle, in edges; larger than half of the square root of 3 by more than the
/// rounding of middles and distances within a million cells of the origin.
const HALF_DIAGONAL: f64 = 0.866_025_404;

/// The middles of the occupied cells of a grid with edges of length `size` (m), in order of x, then y, then z. Cells of `before`,
/// an earlier result, stay while a point lies in one of the 27 cells around them.
///
/// # Errors
/// Those of [`VoxelGrid::around`].
pub(crate) fn occupied_cells(all: &BoundedPoints<'_>, size: f64, before: &[Point3<f64>]) -> Result<Downsampled> {
    let grid = VoxelGrid::around(all, size)?;
    let occupied = grid.occupied(all.points);
    let mut keys = still_near(&grid.cells_of(before), &occupied);
    let carried_over = keys.len();
    keys.extend_from_slice(&occupied);
    #[allow(clippy::stable_sort_primitive, reason = "a stable sort merges sorted runs")]
    keys.sort();
    let points = keys.into_iter().map(|key| grid.middle(key)).collect();
    Ok(Downsampled { points, growth: HALF_DIAGONAL * size, carried_over })
}

impl VoxelGrid {
    /// Keys of the cells with points, in order.
    fn occupied(&self, points: &[Point3<f64>]) -> Vec<u64> {
        let mut table = CellTable::new();
        for key in self.keys(points) {
            table.number(key);
        }
        let mut keys = table.keys().to_vec();
        keys.sort_unstable();
        keys
    }

    fn middle(&self, key: u64) -> Point3<f64> {
        let cell = Vector3::from(SHIFTS.map(|shift| (key >> shift) as u32 & ((1 << 21) - 1))).cast::<f64>();
        Point3::from((self.first + cell).map(|cell| middle_of(cell, self.size)))
    }

    /// Keys of cells by their middles, in order, without those that no cell of the grid is next to. None where a point is not the
    /// middle of a cell: then they are no earlier result.
    fn cells_of(&self, middles: &[Point3<f64>]) -> Vec<u64> {
        let is_middle = |value: f64| middle_of(floor(value / self.size), self.size) == value;
        if !middles.iter().all(|point| point.iter().all(|value| is_middle(*value))) {
            return Vec::new();
        }
        let last = super::MAX_CELLS_PER_AXIS - 1.0;
        let is_inside = |point: &&Point3<f64>| {
            let cell = point.coords.map(|value| floor(value / self.size)) - self.first;
            cell.min() >= 0.0 && cell.max() <= last
        };
        let mut keys: Vec<u64> = middles.iter().filter(is_inside).map(|point| self.key(point)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// Those of some keys, in order, that are not occupied but next to one that is.
fn still_near(keys: &[u64], occupied: &[u64]) -> Vec<u64> {
    let mut columns = Column::around();
    let mut at = 0;
    let is_near = |key: &u64| {
        at += occupied[at..].iter().take_while(|other| *other < key).count();
        occupied.get(at) != Some(key) && columns.iter_mut().any(|column| column.meets(*key, occupied))
    };
    keys.iter().copied().filter(is_near).collect()
}

/// Three cells along z of the 27 around a cell, and where the search for them in a list of keys has come to.
struct Column {
    /// From the key of the cell to that of the first of the three.
    offset: i64,
    at: usize,
}

impl Column {
    fn around() -> [Self; 9] {
        std::array::from_fn(|number| Self { offset: NEIGHBOURS[3 * number], at: 0 })
    }

    /// Whether one of the three is among some keys, in order. Cells are asked for in order.
    fn meets(&mut self, key: u64, keys: &[u64]) -> bool {
        // Occupied cells have others of the grid around them, so that nothing is found beyond its ends.
        let first = key.saturating_add_signed(self.offset);
        self.at += keys[self.at..].iter().take_while(|other| **other < first).count();
        keys.get(self.at).is_some_and(|found| *found < first + 3)
    }
}

fn middle_of(cell: f64, size: f64) -> f64 {
    (cell + 0.5) * size
}
