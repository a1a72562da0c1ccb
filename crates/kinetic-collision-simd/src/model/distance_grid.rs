//! A grid over the points of a cloud that bounds the distance of the nearest point from anywhere in a cell, from below and from above.
//!
//! Most spheres of a robot are far from most points, and most contacts are deep: one look at a cell says what a tree says after five
//! levels. Two places in cells that are `d` cells apart along an axis are at least `d - 1` and at most `d + 1` cells apart; sums of such
//! squares over the axes are separable, so that the least over all cells with points takes one pass per axis (Saito and Toriwaki, Pattern
//! Recognition 1994).

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests;
mod transform;

use kinetic_collision::{CHILDREN_PER_NODE, PointNode};

use crate::instructions::PackedKernel;
use crate::vector::{Lanes, Plain, Point, ROW_SHIFT, row};
use transform::{FARTHEST, UNKNOWN, nearest, run_kernel};

/// Cells per point at most, so that memory is linear in the points.
const CELLS_PER_POINT: usize = 4;

/// Cells at most: their numbers fit into the bits of [`row`].
const MOST_CELLS: usize = 1 << 22;

/// Edge of a cell at least, m: smaller than most spheres of robots.
const SMALLEST_EDGE_M: f32 = 0.02;

/// Part of a cell's edge that bounds are widened by. A grid is only made where the rounding of a place moves it by less.
const WIDENING: f32 = 0.01;

/// Bound on the rounding of a sum of three squared differences, relative to it.
const SQUARES_ROUNDING: f32 = 1e-6;

/// Bounds on the squared distances of places from the points of a cloud, m².
#[derive(Debug, Clone, Copy)]
pub(crate) struct DistanceBounds<L> {
    pub(crate) least: L,
    /// The largest number where nothing is known.
    pub(crate) most: L,
}

/// Bounds on the distances from the points of a cloud, per cell of a grid over their bounding box.
#[derive(Debug, Clone)]
pub(crate) struct DistanceGrid {
    lower: [f32; 3],
    upper: [f32; 3],
    cells_per_m: f32,
    /// Cells along each axis.
    counts: [f32; 3],
    /// Cells from column to column along z.
    column: f32,
    /// Per cell, x slowest, the squared distances of its nearest and farthest places from those of cells with points, in cells.
    cells: Vec<[u8; 2]>,
    /// What a unit of such squares proves, m².
    least: f32,
    most: f32,
}

impl DistanceGrid {
    /// The grid over points with their bounding box; `None` where rounding is not far below the size of a cell.
    pub(crate) fn new(leaves: &[PointNode], (lower, upper): ([f32; 3], [f32; 3])) -> Option<Self> {
        let size: [f32; 3] = std::array::from_fn(|axis| upper[axis] - lower[axis]);
        let farthest = lower.iter().chain(&upper).fold(0.0, |most: f32, value| most.max(value.abs()));
        let edge = edge_of(size, CHILDREN_PER_NODE * leaves.len())
            .filter(|edge| 16.0 * f32::EPSILON * farthest < WIDENING * edge)?;
        let cells_per_m = 1.0 / edge;
        let counts = size.map(|length| cell(length, cells_per_m) + 1);
        let column = counts[2] + FARTHEST;
        let mut grid = Self {
            lower,
            upper,
            cells_per_m,
            counts: counts.map(|count| count as f32),
            column: column as f32,
            cells: Vec::new(),
            // Squares are 0 or at least 1, so that bounds widened by a part of themselves are widened by that part of an edge.
            least: edge * edge * (1.0 - WIDENING).powi(2),
            most: edge * edge * (1.0 + WIDENING).powi(2),
        };
        let mut occupied = vec![UNKNOWN; counts[0] * counts[1] * column];
        run_kernel(&mut MarkOccupied { grid: &grid, leaves, occupied: &mut occupied });
        grid.cells = nearest(&occupied, counts);
        Some(grid)
    }

    /// Bounds on the squared distances of places from the nearest point.
    #[inline(always)]
    pub(crate) fn bounds<L: Lanes>(&self, place: Point<L>) -> DistanceBounds<L> {
        let inside = Point {
            x: place.x.max(L::splat(self.lower[0])).min(L::splat(self.upper[0])),
            y: place.y.max(L::splat(self.lower[1])).min(L::splat(self.upper[1])),
            z: place.z.max(L::splat(self.lower[2])).min(L::splat(self.upper[2])),
        };
        // The angle at the nearest place of a convex set is never acute, so that the square of the way to it can be added.
        let outside = place.minus(inside).norm_squared();
        let numbers = self.numbers(inside);
        let (mut near, mut far) = (L::ZERO, L::ZERO);
        for lane in 0..L::WIDTH {
            let squares = self.cells[row(numbers.lanes()[lane])];
            near.lanes_mut()[lane] = f32::from(squares[0]);
            far.lanes_mut()[lane] = f32::from(squares[1]);
        }
        let is_unknown = far.less(f32::from(UNKNOWN) - 0.5);
        DistanceBounds {
            least: outside.scale_add(1.0 - SQUARES_ROUNDING, near.scale(self.least)),
            most: outside.max(is_unknown).choose(L::splat(f32::MAX), far.scale(self.most)),
        }
    }

    /// Numbers of the cells of places inside the box, plus [`ROW_SHIFT`].
    #[inline(always)]
    fn numbers<L: Lanes>(&self, inside: Point<L>) -> L {
        let [x, y, z] = [self.cells(inside.x, 0), self.cells(inside.y, 1), self.cells(inside.z, 2)];
        x.scale_add(self.counts[1], y).scale_add(self.column, z).offset(ROW_SHIFT)
    }

    /// Numbers of cells along an axis, of coordinates inside the box.
    #[inline(always)]
    fn cells<L: Lanes>(&self, inside: L, axis: usize) -> L {
        let number = inside.less(self.lower[axis]).scale(self.cells_per_m).less(0.5).round();
        number.max(L::ZERO).min(L::splat(self.counts[axis] - 1.0))
    }
}

/// Sets the cells with points to 0.
struct MarkOccupied<'a> {
    grid: &'a DistanceGrid,
    leaves: &'a [PointNode],
    occupied: &'a mut [u8],
}

impl PackedKernel for MarkOccupied<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        for PointNode([x, y, z]) in self.leaves {
            let numbers = self.grid.numbers(Point { x: Plain(*x), y: Plain(*y), z: Plain(*z) });
            for number in numbers.0 {
                self.occupied[row(number)] = 0;
            }
        }
    }
}

/// Number of a cell along an axis, by the distance from the first.
#[expect(clippy::cast_sign_loss, reason = "casts saturate")]
fn cell(along: f32, cells_per_m: f32) -> usize {
    (along * cells_per_m) as usize
}

/// Edge of the cells of a grid over a box with so many points, m; `None` for an infinite box.
fn edge_of(size: [f32; 3], points: usize) -> Option<f32> {
    let most = (CELLS_PER_POINT * points).min(MOST_CELLS) as f32;
    let count = |edge: f32| {
        let [x, y, z] = size.map(|length| (length / edge).floor() + 1.0);
        x * y * (z + FARTHEST as f32)
    };
    let mut edge = SMALLEST_EDGE_M;
    while edge.is_finite() && !(count(edge) <= most) {
        edge *= 1.25;
    }
    edge.is_finite().then_some(edge)
}
