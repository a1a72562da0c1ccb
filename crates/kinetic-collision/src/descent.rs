//! GJK with a fixed triangle simplex (Gilbert, Johnson, Keerthi 1988): the point of a convex set closest to the origin.
//!
//! The simplex is always a triangle, possibly without area: each round replaces one corner by the support point that
//! brings it closest to the origin. No feature is dropped by a sign that rounding could change, and the distance never
//! grows. It is slower per iteration than simplices of growing size, but never stuck in a flat one.

use nalgebra::Vector3;

use crate::vector::triangle_weights;

/// Iterations; polytopes need about ten, rims a few dozen.
const MAX_GJK_ITERATIONS: usize = 300;

/// A point of the set, with its source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SupportSample<S> {
    pub(crate) point: Vector3<f64>,
    pub(crate) source: S,
}

/// A triangle of the set and its point closest to the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentTriangle<S> {
    corners: [SupportSample<S>; 3],
    weights: [f64; 3],
    pub(crate) closest: Vector3<f64>,
}

impl<S: Copy> DescentTriangle<S> {
    fn new(corners: [SupportSample<S>; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| corner.point);
        let weights = triangle_weights(&a, &b, &c);
        Self { corners, weights, closest: a * weights[0] + b * weights[1] + c * weights[2] }
    }

    /// The best triangle with one corner replaced.
    fn improved(&self, new: SupportSample<S>) -> Self {
        let with = |place: usize| {
            let mut corners = self.corners;
            corners[place] = new;
            Self::new(corners)
        };
        let closer = |p: Self, q: Self| if q.closest.norm_squared() < p.closest.norm_squared() { q } else { p };
        closer(closer(with(0), with(1)), with(2))
    }

    /// The point made from the sources like the closest point from the corners.
    pub(crate) fn blend(&self, pick: impl Fn(&S) -> Vector3<f64>) -> Vector3<f64> {
        (0..3).map(|i| pick(&self.corners[i].source) * self.weights[i]).sum()
    }
}

/// The closest triangle of a convex set of size `size`; `support` gives a point that lies farthest along a direction.
///
/// Ends when the origin is reached within rounding, when the support point shows that nothing is closer, or when
/// rounding stops all progress. The result is a point of the set in every case.
pub(crate) fn closest<S: Copy>(
    support: impl Fn(&Vector3<f64>) -> SupportSample<S>,
    first: &Vector3<f64>,
    size: f64,
) -> DescentTriangle<S> {
    let mut triangle = DescentTriangle::new([support(first); 3]);
    for _ in 0..MAX_GJK_ITERATIONS {
        let length = triangle.closest.norm();
        if length <= 1e-12 * size {
            break;
        }
        let new = support(&(-triangle.closest));
        // What is left to gain, as a length.
        if length - triangle.closest.dot(&new.point) / length <= 1e-14 * size {
            break;
        }
        let next = triangle.improved(new);
        if next.closest.norm() >= length {
            break;
        }
        triangle = next;
    }
    triangle
}
