//! Nodes of bounding-volume trees: eight boxes, which are tested in one vectorized loop.

use super::point_node::PointNode;
use super::{BoxPlane, Query, excess};
use crate::aabb::Aabb;

/// Children per node.
pub const CHILDREN_PER_NODE: usize = 8;

/// Eight boxes, coordinate by coordinate, in single precision: twice as many fit into a vector register. Lower corners
/// are rounded down and upper ones up, so a box never loses anything. A register of eight numbers never crosses a cache line.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub struct BoxNode {
    /// Lower corners, by axis. Unused children are infinitely far away, and overlap nothing.
    pub min: [[f32; CHILDREN_PER_NODE]; 3],
    /// Upper corners, by axis.
    pub max: [[f32; CHILDREN_PER_NODE]; 3],
}

impl BoxNode {
    /// Nothing overlaps its children.
    pub(super) const EMPTY: Self =
        Self { min: [[f32::INFINITY; CHILDREN_PER_NODE]; 3], max: [[f32::NEG_INFINITY; CHILDREN_PER_NODE]; 3] };

    /// The node of at most eight boxes, given by their lower and upper corners.
    pub fn of_corners(boxes: &[([f32; 3], [f32; 3])]) -> Self {
        let mut node = Self::EMPTY;
        for (child, corners) in boxes.iter().enumerate() {
            node.set(child, corners);
        }
        node
    }

    pub(super) fn of_boxes(boxes: &[Aabb]) -> Self {
        let mut node = Self::EMPTY;
        for (child, bounds) in boxes.iter().enumerate() {
            node.set_box(child, bounds);
        }
        node
    }

    /// The node over the leaves of points.
    pub(super) fn over_points(leaves: &[PointNode]) -> Self {
        let mut node = Self::EMPTY;
        for (child, PointNode(leaf)) in leaves.iter().enumerate() {
            for axis in 0..3 {
                node.min[axis][child] = below(least(&leaf[axis]));
                node.max[axis][child] = above(greatest(&leaf[axis]));
            }
        }
        node
    }

    /// The node of at most eight others.
    pub(super) fn over(nodes: &[Self]) -> Self {
        let mut node = Self::EMPTY;
        for (child, of_child) in nodes.iter().enumerate() {
            node.set(child, &of_child.corners());
        }
        node
    }

    /// Sets the box of a child by its lower and its upper corner.
    pub fn set(&mut self, child: usize, (lower, upper): &([f32; 3], [f32; 3])) {
        for axis in 0..3 {
            self.min[axis][child] = lower[axis];
            self.max[axis][child] = upper[axis];
        }
    }

    pub(super) fn set_box(&mut self, child: usize, bounds: &Aabb) {
        for axis in 0..3 {
            self.min[axis][child] = below(bounds.min[axis] as f32);
            self.max[axis][child] = above(bounds.max[axis] as f32);
        }
    }

    /// Lower and upper corner of the bounding box of all children.
    pub fn corners(&self) -> ([f32; 3], [f32; 3]) {
        ([0, 1, 2].map(|axis| least(&self.min[axis])), [0, 1, 2].map(|axis| greatest(&self.max[axis])))
    }

    /// True when a box lies beyond a plane.
    #[inline]
    pub(super) fn is_beyond(&self, child: usize, plane: &BoxPlane) -> bool {
        let mut least = 0.0;
        for axis in 0..3 {
            let normal = plane.normal[axis];
            let corner = if normal > 0.0 { self.min[axis][child] } else { self.max[axis][child] };
            least += normal * f64::from(corner);
        }
        least > plane.offset
    }

    /// Squared distances of a box from the eight boxes. Branch-free, so that the compiler vectorises it.
    #[inline]
    pub(super) fn distances_squared(&self, query: &Query) -> [f32; CHILDREN_PER_NODE] {
        let mut sum = [0.0; CHILDREN_PER_NODE];
        for axis in 0..3 {
            for child in 0..CHILDREN_PER_NODE {
                let below = self.min[axis][child] - query.upper[axis];
                let excess = excess(below, query.lower[axis] - self.max[axis][child]);
                sum[child] += excess * excess;
            }
        }
        sum
    }
}

fn least(values: &[f32; CHILDREN_PER_NODE]) -> f32 {
    values.iter().fold(f32::INFINITY, |least, value| if *value < least { *value } else { least })
}

fn greatest(values: &[f32; CHILDREN_PER_NODE]) -> f32 {
    values.iter().fold(f32::NEG_INFINITY, |greatest, value| if *value > greatest { *value } else { greatest })
}

/// What a coordinate in single precision may be off by, and its neighbours: at least its unit in the last place, and more than the
/// smallest normal number. Without a branch, unlike `f32::next_up`, so that the compiler vectorises it.
fn last_place(value: f32) -> f32 {
    value.abs() * f32::EPSILON + f32::MIN_POSITIVE
}

/// A number that is not above a coordinate in double precision, of which this is the nearest number in single precision.
fn below(nearest: f32) -> f32 {
    let finite = nearest.clamp(f32::MIN, f32::MAX);
    finite - last_place(finite)
}

/// A number that is not below a coordinate in double precision, of which this is the nearest number in single precision.
fn above(nearest: f32) -> f32 {
    let finite = nearest.clamp(f32::MIN, f32::MAX);
    finite + last_place(finite)
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn single_precision_loses_nothing_of_a_box() {
        let mut rng = SeededRng::new(3);
        let any = (0..100_000).map(|_| rng.uniform(-1.0, 1.0) * 10_f64.powf(rng.uniform(-320.0, 308.0)));
        let limits = [0.0, -0.0, f64::MIN_POSITIVE, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, 1e39, -1e39];
        for value in any.chain(limits).chain([f64::from(f32::MAX), f64::from(f32::MIN), f64::from(f32::MIN_POSITIVE)]) {
            let (lower, upper) = (f64::from(below(value as f32)), f64::from(above(value as f32)));
            assert!(lower <= value && value <= upper, "{value:e} between {lower:e} and {upper:e}");
            // A few units in the last place.
            let slack = 3.0 * f64::from(f32::EPSILON) * value.abs() + 3.0 * f64::from(f32::MIN_POSITIVE);
            if value.abs() < 1e38 {
                assert!(value - lower <= slack && upper - value <= slack, "{value:e} between {lower:e} and {upper:e}");
            }
        }
    }
}
