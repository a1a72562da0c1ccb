//! The cells that a ray passes, in order (Amanatides and Woo 1987).

use nalgebra::{Point3, Vector3};

use super::key::{CellGrid, CellKey};

/// Cells along a ray with the distance at which it enters each, m. The cell of its origin comes first, at distance 0.
pub(crate) struct CellRay {
    cell: [i32; 3],
    step: [i32; 3],
    /// Cells that are left along each axis.
    left: [i32; 3],
    /// Distances of the next border along each axis; infinite where no cell is left.
    next: [f64; 3],
    /// Distances between borders.
    delta: [f64; 3],
    entered: f64,
    count: u32,
}

impl CellRay {
    /// All cells from the origin to the border of the tree.
    pub(crate) fn to_border(grid: &CellGrid, origin: &Point3<f64>, first: CellKey, direction: &Vector3<f64>) -> Self {
        let along = |axis: usize| {
            let key = i32::from(first[axis]);
            let value = direction[axis];
            if value > 0.0 {
                i32::from(u16::MAX) - key
            } else if value < 0.0 {
                -key
            } else {
                0
            }
        };
        Self::new(grid, origin, first, direction, [along(0), along(1), along(2)])
    }

    /// A ray over so many cells along each axis, with its unit direction. No rounding leads it beyond them.
    #[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
    fn new(grid: &CellGrid, origin: &Point3<f64>, first: CellKey, direction: &Vector3<f64>, cells: [i32; 3]) -> Self {
        let cell = first.map(i32::from);
        let (step, left) = (cells.map(i32::signum), cells.map(i32::abs));
        let (mut next, mut delta) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
        for axis in 0..3 {
            if left[axis] > 0 {
                let border = grid.border(cell[axis] + i32::from(step[axis] > 0));
                let distance = (border - origin[axis]) / direction[axis];
                // Where rounding lets the end lie in another cell without a way to it, the border is far.
                next[axis] = if distance.is_nan() { f64::MAX } else { distance };
                delta[axis] = grid.resolution / direction[axis].abs();
            }
        }
        Self { cell, step, left, next, delta, entered: 0.0, count: (left[0] + left[1] + left[2] + 1) as u32 }
    }

    #[inline]
    fn advance(&mut self) {
        let [x, y, z] = self.next;
        // In this order, as `OctoMap`, where a ray passes an edge of a cell.
        let axis = if x < y {
            if x < z { 0 } else { 2 }
        } else if y < z {
            1
        } else {
            2
        };
        self.entered = self.next[axis];
        self.cell[axis] += self.step[axis];
        self.left[axis] -= 1;
        self.next[axis] = if self.left[axis] > 0 { self.next[axis] + self.delta[axis] } else { f64::INFINITY };
    }
}

impl Iterator for CellRay {
    type Item = (CellKey, f64);

    #[inline]
    #[allow(clippy::cast_sign_loss, reason = "keys of cells between two keys are not negative")]
    fn next(&mut self) -> Option<Self::Item> {
        if self.count == 0 {
            return None;
        }
        let item = (self.cell.map(|along| along as u16), self.entered);
        self.count -= 1;
        if self.count > 0 {
            self.advance();
        }
        Some(item)
    }
}
