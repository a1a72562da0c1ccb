//! Bounds on the distances of clusters with a few turning joints between them, worked out once.
//!
//! A hand and the forearm behind it are near each other in nearly every configuration: the balls around them meet, and
//! sphere after sphere has to be asked. With up to three joints between them their distance depends on three angles. A table
//! over these says, per cell, what their spheres keep from each other: a plane below the distance, whose slopes are those of
//! the nearest two spheres in the middle of the cell. What it cannot say is asked of the spheres.

mod cache;
mod cells;
mod jointed_clusters;
mod placed;
mod search;
#[cfg(test)]
mod tests;
mod tree;

use crate::vector::{Lanes, SHIFT, row};
pub(crate) use cache::KIND;
pub(crate) use jointed_clusters::JointedClusters;

/// Most joints between two clusters.
pub(crate) const MOST_JOINTS: usize = 3;

/// One angle of a table. Cells are numbered from 1; what lies outside them is in cell 0 or the last one.
#[derive(Debug, Clone, Copy, Default)]
struct Axis {
    /// Among the moving frames.
    frame: usize,
    /// Place of an angle: the middle of cell `i` is at `i`.
    per_radian: f32,
    offset: f32,
    last: f32,
    /// Cells of the table from one to the next.
    stride: f32,
}

/// A table for two clusters.
#[derive(Debug, Clone)]
pub(crate) struct DistanceTable {
    axes: [Axis; MOST_JOINTS],
    /// The bound in the middle, m, and its slopes along the axes, m per cell.
    cells: Vec<[f32; 4]>,
}

impl DistanceTable {
    /// What the clusters keep from each other at least, m, at these angles of all frames, within a turn.
    #[inline(always)]
    pub(crate) fn at<L: Lanes>(&self, angles: &[L]) -> L {
        let (mut number, mut apart) = (L::ZERO, [L::ZERO; MOST_JOINTS]);
        for (axis, apart) in self.axes.iter().zip(&mut apart) {
            let place = angles[axis.frame].scale_add(axis.per_radian, L::splat(axis.offset));
            let place = place.max(L::ZERO).min(L::splat(axis.last));
            let cell = place.round();
            *apart = place - cell;
            number = cell.scale_add(axis.stride, number);
        }
        let [bound, slopes @ ..] = L::gather(&self.cells, number.offset(SHIFT));
        let [x, y, z] = slopes;
        x.mul_add(apart[0], y.mul_add(apart[1], z.mul_add(apart[2], bound)))
    }

    /// The same for one configuration.
    #[inline(always)]
    pub(crate) fn at_one(&self, angles: &[f32]) -> f32 {
        let (mut number, mut apart) = (SHIFT, [0.0; MOST_JOINTS]);
        for (axis, apart) in self.axes.iter().zip(&mut apart) {
            let place = angles[axis.frame] * axis.per_radian + axis.offset;
            // Not `f32::clamp`, which asks for NaN.
            let place = if place > 0.0 { place } else { 0.0 };
            let place = if place < axis.last { place } else { axis.last };
            let cell = (place + SHIFT) - SHIFT;
            *apart = place - cell;
            number += cell * axis.stride;
        }
        let [bound, x, y, z] = self.cells[row(number)];
        bound + x * apart[0] + y * apart[1] + z * apart[2]
    }
}
