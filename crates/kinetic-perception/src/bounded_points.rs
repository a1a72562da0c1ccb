//! Points with the box around them, which grids of several sizes are made for.

use nalgebra::{Point3, Vector3};

/// Finite points and the smallest box that contains them; one at the origin without points.
#[derive(Clone, Copy)]
pub(crate) struct BoundedPoints<'a> {
    pub(crate) points: &'a [Point3<f64>],
    pub(crate) low: Point3<f64>,
    pub(crate) high: Point3<f64>,
}

impl<'a> BoundedPoints<'a> {
    pub(crate) fn new(points: &'a [Point3<f64>]) -> Self {
        let first = points.first().map_or([0.0; 3], |point| point.coords.into());
        let (mut low, mut high) = (first, first);
        for point in points {
            for axis in 0..3 {
                // Comparisons compile to one instruction each, unlike `f64::min` and `max`.
                let value = point[axis];
                low[axis] = if value < low[axis] { value } else { low[axis] };
                high[axis] = if value > high[axis] { value } else { high[axis] };
            }
        }
        Self { points, low: low.into(), high: high.into() }
    }

    /// Extent of the box along each axis.
    pub(crate) fn size(&self) -> Vector3<f64> {
        self.high - self.low
    }

    /// Largest magnitude of a coordinate.
    pub(crate) fn farthest(&self) -> f64 {
        self.low.coords.amax().max(self.high.coords.amax())
    }
}
