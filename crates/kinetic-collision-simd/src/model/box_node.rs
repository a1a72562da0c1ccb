//! A node of bounding-volume trees: eight boxes, compared with a query box as one pack.

use crate::vector::{Lanes, Plain, Point, interval_distance};

/// Children per node.
pub(crate) const CHILDREN_PER_NODE: usize = 8;

/// The boxes of the children, one per lane. Unused lanes are empty boxes, which overlap nothing.
#[derive(Debug, Clone)]
pub(crate) struct BoxNode {
    lower: [Plain<CHILDREN_PER_NODE>; 3],
    upper: [Plain<CHILDREN_PER_NODE>; 3],
}

impl BoxNode {
    pub(crate) fn new(boxes: &[([f32; 3], [f32; 3])]) -> Self {
        let mut node = Self { lower: [Plain::splat(f32::INFINITY); 3], upper: [Plain::splat(f32::NEG_INFINITY); 3] };
        for (child, corners) in boxes.iter().enumerate() {
            node.set(child, corners);
        }
        node
    }

    pub(crate) fn set(&mut self, child: usize, (lower, upper): &([f32; 3], [f32; 3])) {
        for axis in 0..3 {
            self.lower[axis].0[child] = lower[axis];
            self.upper[axis].0[child] = upper[axis];
        }
    }

    /// Corners of the bounding box of all children.
    pub(crate) fn corners(&self) -> ([f32; 3], [f32; 3]) {
        let lower = |axis: usize| self.lower[axis].0.iter().copied().fold(f32::INFINITY, f32::min);
        let upper = |axis: usize| self.upper[axis].0.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        (std::array::from_fn(lower), std::array::from_fn(upper))
    }

    /// One bit per child whose box overlaps a query box.
    #[inline(always)]
    pub(crate) fn meeting<L: Lanes>(&self, lower: &[f32; 3], upper: &[f32; 3]) -> u16 {
        let mut gap = Plain::<CHILDREN_PER_NODE>::splat(f32::NEG_INFINITY);
        for axis in 0..3 {
            gap = gap.max(self.lower[axis].less(upper[axis]));
            gap = gap.max(Plain::splat(lower[axis]) - self.upper[axis]);
        }
        L::not_positive_of(&gap)
    }

    /// Squared distances of points from the box of a child.
    #[inline(always)]
    pub(crate) fn distance_squared<L: Lanes>(&self, child: usize, points: Point<L>) -> L {
        // No closures: they would be compiled without the wide instructions.
        let (lower, upper) = (&self.lower, &self.upper);
        let x = interval_distance(points.x, lower[0].0[child], upper[0].0[child]);
        let y = interval_distance(points.y, lower[1].0[child], upper[1].0[child]);
        let z = interval_distance(points.z, lower[2].0[child], upper[2].0[child]);
        x.mul_add(x, y.mul_add(y, z * z))
    }

    /// True when the box of a child is farther from every point than `within`.
    #[inline(always)]
    pub(crate) fn is_far<L: Lanes>(&self, child: usize, points: Point<L>, within: f32) -> bool {
        let squared = self.distance_squared(child, points);
        // The factor covers the relative rounding of differences and squares, some 1e-7; `within` includes that of the
        // coordinates.
        squared.less(within * within * (1.0 + 1e-6)).all_positive()
    }
}
