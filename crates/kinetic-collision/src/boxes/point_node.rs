//! Leaves of trees over points: a point takes half of the memory of a box, and no rounding up and down when the tree is built.

use nalgebra::Point3;

use super::{BoxPlane, CHILDREN_PER_NODE, Query, excess};

/// What the coordinates of a point in single precision are off by at most, relative to them: half a unit in the last place, and as much
/// for the operations of a product.
const PRODUCT_ROUNDING: f64 = 1.2e-7;

/// Eight points, coordinate by coordinate, in single precision, to the nearest.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub struct PointNode(pub [[f32; CHILDREN_PER_NODE]; 3]);

impl PointNode {
    /// Eight times the origin.
    pub(super) const ORIGIN: Self = Self([[0.0; CHILDREN_PER_NODE]; 3]);

    /// The node of at most eight points, and of at least one: the last one fills unused places.
    pub(super) fn new(points: &[Point3<f64>]) -> Self {
        let mut node = [[0.0; CHILDREN_PER_NODE]; 3];
        for place in 0..CHILDREN_PER_NODE {
            let point = &points[usize::min(place, points.len() - 1)];
            (0..3).for_each(|axis| node[axis][place] = point[axis] as f32);
        }
        Self(node)
    }

    /// Squared distances of a box from the eight points. What rounding moves points by is within the limits of a query.
    #[inline]
    pub(super) fn distances_squared(&self, query: &Query) -> [f32; CHILDREN_PER_NODE] {
        let mut sum = [0.0; CHILDREN_PER_NODE];
        for axis in 0..3 {
            for place in 0..CHILDREN_PER_NODE {
                let value = self.0[axis][place];
                let excess = excess(value - query.upper[axis], query.lower[axis] - value);
                sum[place] += excess * excess;
            }
        }
        sum
    }

    /// True when a point certainly lies beyond a plane.
    #[inline]
    pub(super) fn is_beyond(&self, place: usize, plane: &BoxPlane) -> bool {
        let terms = [0, 1, 2].map(|axis| plane.normal[axis] * f64::from(self.0[axis][place]));
        let rounding = PRODUCT_ROUNDING * (terms[0].abs() + terms[1].abs() + terms[2].abs());
        terms[0] + terms[1] + terms[2] - rounding > plane.offset
    }
}
