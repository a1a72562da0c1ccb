//! The boxes of a node of bounding-volume trees, compared with a query box as one pack, or one by one with points.

use kinetic_collision::{BoxNode, CHILDREN_PER_NODE};

use crate::vector::{Lanes, Plain, Point, interval_distance};

/// Tests of the boxes of a node.
pub(crate) trait BoxTests {
    /// One bit per child whose box overlaps a query box.
    fn meeting<L: Lanes>(&self, lower: &[f32; 3], upper: &[f32; 3]) -> u16;

    /// Squared distances of one place from the boxes.
    fn distances_squared(&self, place: [f32; 3]) -> Plain<CHILDREN_PER_NODE>;

    /// Squared distances of points from the box of a child, with the same rounding.
    fn distance_squared<L: Lanes>(&self, child: usize, points: Point<L>) -> L;

    /// True when the box of a child is farther from every point than `within`.
    fn is_far<L: Lanes>(&self, child: usize, points: Point<L>, within: f32) -> bool;
}

impl BoxTests for BoxNode {
    #[inline(always)]
    fn meeting<L: Lanes>(&self, lower: &[f32; 3], upper: &[f32; 3]) -> u16 {
        let mut gap = Plain::<CHILDREN_PER_NODE>::splat(f32::NEG_INFINITY);
        for axis in 0..3 {
            gap = gap.max(Plain(self.min[axis]).less(upper[axis]));
            gap = gap.max(Plain::splat(lower[axis]) - Plain(self.max[axis]));
        }
        L::not_positive_of(&gap)
    }

    #[inline(always)]
    fn distances_squared(&self, [x, y, z]: [f32; 3]) -> Plain<CHILDREN_PER_NODE> {
        let x = outside_of_intervals(x, &self.min[0], &self.max[0]);
        let y = outside_of_intervals(y, &self.min[1], &self.max[1]);
        let z = outside_of_intervals(z, &self.min[2], &self.max[2]);
        x.mul_add(x, y.mul_add(y, z * z))
    }

    #[inline(always)]
    fn distance_squared<L: Lanes>(&self, child: usize, points: Point<L>) -> L {
        // No closures: they would be compiled without the wide instructions.
        let x = interval_distance(points.x, self.min[0][child], self.max[0][child]);
        let y = interval_distance(points.y, self.min[1][child], self.max[1][child]);
        let z = interval_distance(points.z, self.min[2][child], self.max[2][child]);
        x.mul_add(x, y.mul_add(y, z * z))
    }

    #[inline(always)]
    fn is_far<L: Lanes>(&self, child: usize, points: Point<L>, within: f32) -> bool {
        let squared = self.distance_squared(child, points);
        // The factor covers the relative rounding of differences and squares, some 1e-7; `within` includes that of the
        // coordinates.
        squared.less(within * within * (1.0 + 1e-6)).all_positive()
    }
}

/// Distances of a value from intervals, 0 inside.
#[inline(always)]
fn outside_of_intervals(
    value: f32,
    lower: &[f32; CHILDREN_PER_NODE],
    upper: &[f32; CHILDREN_PER_NODE],
) -> Plain<CHILDREN_PER_NODE> {
    Plain(*lower).less(value).max(Plain::splat(value) - Plain(*upper)).max(Plain::ZERO)
}
