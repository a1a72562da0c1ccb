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

/// The length of a segment in the integers that its borders are counted in, and where a border is out of reach.
const SEGMENT_LENGTH: f64 = (1_u64 << 61) as f64;
const OUT_OF_REACH: u64 = 1 << 62;

/// Visits the cells from the origin to an end, which lies in the cell `last`, without this cell.
///
/// The steps are those of [`CellRay`] with distances as integers and without branches, which no processor could foresee here.
#[inline]
pub(crate) fn visit_before(
    grid: &CellGrid,
    [origin, end]: [&Point3<f64>; 2],
    [first, last]: [CellKey; 2],
    mut visit: impl FnMut(CellKey),
) {
    let way = end - origin;
    let axis = |axis: usize| AxisSteps::new(grid, [origin[axis], way[axis]], [first[axis], last[axis]]);
    let [mut x, mut y, mut z] = [axis(0), axis(1), axis(2)];
    let apart = |axis: usize| u32::from(first[axis].abs_diff(last[axis]));
    for _ in 0..apart(0) + apart(1) + apart(2) {
        visit([x.key, y.key, z.key]);
        // In this order, as `OctoMap`, where a ray passes an edge of a cell.
        let (before_y, before_z, y_before_z) = (x.next < y.next, x.next < z.next, y.next < z.next);
        x.step_if(before_y & before_z);
        y.step_if(!before_y & y_before_z);
        z.step_if(!((before_y & before_z) | (!before_y & y_before_z)));
    }
}

/// The borders of cells that a segment crosses along an axis.
struct AxisSteps {
    key: u16,
    last: u16,
    step: u16,
    next: u64,
    delta: u64,
}

impl AxisSteps {
    #[inline]
    #[allow(
        clippy::cast_sign_loss,
        reason = "parts of a segment are not negative, and the cast rounds to 0 where they are"
    )]
    fn new(grid: &CellGrid, [origin, way]: [f64; 2], [first, last]: [u16; 2]) -> Self {
        let border = grid.border(i32::from(first) + i32::from(last > first));
        let fixed = |part: f64| ((part * SEGMENT_LENGTH).min(OUT_OF_REACH as f64)) as u64;
        let next = if first == last { OUT_OF_REACH } else { fixed((border - origin) / way) };
        let step = if last > first { 1 } else { u16::MAX };
        Self { key: first, last, step, next, delta: fixed((grid.resolution / way).abs()) }
    }

    /// No rounding leads a segment beyond its last cell: the border behind it is out of reach.
    #[inline]
    fn step_if(&mut self, is_nearest: bool) {
        let mask = u64::from(is_nearest).wrapping_neg();
        self.key = self.key.wrapping_add(self.step & mask as u16);
        let next = self.next.wrapping_add(self.delta & mask);
        self.next = if self.key == self.last { OUT_OF_REACH } else { next };
    }
}
