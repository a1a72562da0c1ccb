//! Distance tables: lower bounds on the distance of two clusters over the angles of the joints between them. A hand and
//! the forearm behind it are near each other in nearly every configuration: their bounding spheres overlap, and all
//! spheres would have to be tested. With up to three joints between them their distance is a function of three angles.
//! A table has a grid over these angles, and per cell a plane below the distance, whose slopes are those of the nearest
//! two spheres in the middle of the cell. Spheres are tested only where this lower bound does not decide.

mod cache;
mod cells;
mod jointed_clusters;
mod placed;
mod search;
#[cfg(test)]
mod tests;
mod tree;

use crate::vector::{Lanes, ROW_SHIFT, row};
pub(crate) use cache::KIND;
pub(crate) use jointed_clusters::JointedClusters;

/// Joints between two clusters of a table.
pub(crate) const MAX_TABLE_JOINTS: usize = 3;

/// One angle of a table. Cells are numbered from 1; angles outside them belong to cell 0 or to the last one.
#[derive(Debug, Clone, Copy, Default)]
struct TableAxis {
    /// Index of the moving frame.
    frame: usize,
    /// Grid coordinate per angle and at angle 0; the middle of cell `i` is at `i`.
    per_radian: f32,
    offset: f32,
    last: f32,
    /// Distance of neighbouring cells in memory.
    stride: f32,
}

/// The table of a cluster pair.
#[derive(Debug, Clone)]
pub(crate) struct DistanceTable {
    axes: [TableAxis; MAX_TABLE_JOINTS],
    /// The bound in the middle, m, and its slopes along the axes, m per cell.
    cells: Vec<[f32; 4]>,
}

impl DistanceTable {
    /// Lower bound on the distance of the clusters, m, at the joint values of all frames, angles in [-π, π].
    #[inline(always)]
    pub(crate) fn at<L: Lanes>(&self, angles: &[L]) -> L {
        let (mut number, mut apart) = (L::ZERO, [L::ZERO; MAX_TABLE_JOINTS]);
        for (axis, apart) in self.axes.iter().zip(&mut apart) {
            let coordinate = angles[axis.frame].scale_add(axis.per_radian, L::splat(axis.offset));
            let coordinate = coordinate.max(L::ZERO).min(L::splat(axis.last));
            let cell = coordinate.round();
            *apart = coordinate - cell;
            number = cell.scale_add(axis.stride, number);
        }
        let [bound, slopes @ ..] = L::gather(&self.cells, number.offset(ROW_SHIFT));
        let [x, y, z] = slopes;
        x.mul_add(apart[0], y.mul_add(apart[1], z.mul_add(apart[2], bound)))
    }

    /// As [`at`](Self::at), for one configuration.
    #[inline(always)]
    pub(crate) fn at_one(&self, angles: &[f32]) -> f32 {
        let (mut number, mut apart) = (ROW_SHIFT, [0.0; MAX_TABLE_JOINTS]);
        for (axis, apart) in self.axes.iter().zip(&mut apart) {
            let coordinate = angles[axis.frame] * axis.per_radian + axis.offset;
            // Comparisons, because `f32::clamp` also tests for NaN.
            let coordinate = if coordinate > 0.0 { coordinate } else { 0.0 };
            let coordinate = if coordinate < axis.last { coordinate } else { axis.last };
            let cell = (coordinate + ROW_SHIFT) - ROW_SHIFT;
            *apart = coordinate - cell;
            number += cell * axis.stride;
        }
        let [bound, x, y, z] = self.cells[row(number)];
        bound + x * apart[0] + y * apart[1] + z * apart[2]
    }
}
