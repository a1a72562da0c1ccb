//! Closed-form signed distances of a point from placed primitives.
//!
//! Every formula splits the offset of the point into parts along and across the shape's axes. Lengths across an axis
//! are taken from the difference vector, never from a difference of squares, so results are exact to rounding.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::vector::any_perpendicular;

/// Queries of every placed solid about a point in the same frame.
pub(crate) trait PointDistance {
    /// Signed distance, positive outside.
    fn signed_distance(&self, point: &Point3<f64>) -> f64;

    /// True when the signed distance is at most `reach`; cheaper than computing it where squares decide.
    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        self.signed_distance(point) <= reach
    }

    /// Unit vector along which the signed distance grows fastest; where several do, one of them.
    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64>;
}

/// The direction of a vector, or `fallback` when it has none.
fn direction_or(vector: Vector3<f64>, fallback: impl FnOnce() -> Vector3<f64>) -> Vector3<f64> {
    vector.try_normalize(0.0).filter(|unit| unit.iter().all(|value| value.is_finite())).unwrap_or_else(fallback)
}

/// A ball.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedSphere {
    pub(crate) center: Point3<f64>,
    pub(crate) radius: f64,
}

impl PointDistance for PlacedSphere {
    #[inline]
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        (point - self.center).norm() - self.radius
    }

    #[inline]
    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let sum = self.radius + reach;
        sum >= 0.0 && (point - self.center).norm_squared() <= sum * sum
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        direction_or(point - self.center, Vector3::z)
    }
}

/// A box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedCuboid {
    pub(crate) center: Point3<f64>,
    /// Columns are the box axes.
    pub(crate) axes: Matrix3<f64>,
    pub(crate) half_extents: Vector3<f64>,
}

impl PlacedCuboid {
    /// The point in the box frame, and how far it is beyond each pair of faces.
    #[inline]
    fn excess(&self, point: &Point3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let local = self.axes.tr_mul(&(point - self.center));
        (local, local.abs() - self.half_extents)
    }
}

impl PointDistance for PlacedCuboid {
    #[inline]
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        let (_, excess) = self.excess(point);
        let beyond = excess.sup(&Vector3::zeros());
        beyond.norm() + excess.x.max(excess.y).max(excess.z).min(0.0)
    }

    #[inline]
    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        if reach < 0.0 {
            return self.signed_distance(point) <= reach;
        }
        let (_, excess) = self.excess(point);
        excess.sup(&Vector3::zeros()).norm_squared() <= reach * reach
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let (local, excess) = self.excess(point);
        let nearest_face = || {
            let axis = excess.imax();
            let mut normal = Vector3::zeros();
            normal[axis] = 1.0_f64.copysign(local[axis]);
            normal
        };
        let beyond = excess.sup(&Vector3::zeros()).zip_map(&local, f64::copysign);
        self.axes * direction_or(beyond, nearest_face)
    }
}

/// A segment by midpoint, unit axis and half-length, and a radius: the data of capsules and cylinders.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axial {
    pub(crate) center: Point3<f64>,
    pub(crate) axis: Vector3<f64>,
    pub(crate) half_height: f64,
    pub(crate) radius: f64,
}

impl Axial {
    /// Offset along the axis, and the vector from the axis to the point.
    #[inline]
    fn split(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        let offset = point - self.center;
        let along = self.axis.dot(&offset);
        (along, offset - self.axis * along)
    }

    /// The vector from the closest point of the segment to the point.
    #[inline]
    fn off_segment(&self, point: &Point3<f64>) -> Vector3<f64> {
        let offset = point - self.center;
        offset - self.axis * self.axis.dot(&offset).clamp(-self.half_height, self.half_height)
    }

    fn across(&self, from_axis: Vector3<f64>) -> Vector3<f64> {
        direction_or(from_axis, || any_perpendicular(&self.axis))
    }
}

/// A capsule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedCapsule(pub(crate) Axial);

impl PointDistance for PlacedCapsule {
    #[inline]
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        self.0.off_segment(point).norm() - self.0.radius
    }

    #[inline]
    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let sum = self.0.radius + reach;
        sum >= 0.0 && self.0.off_segment(point).norm_squared() <= sum * sum
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.0.across(self.0.off_segment(point))
    }
}

/// A cylinder with flat ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedCylinder(pub(crate) Axial);

impl PointDistance for PlacedCylinder {
    #[inline]
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        let (along, from_axis) = self.0.split(point);
        let radial = from_axis.norm() - self.0.radius;
        let axial = along.abs() - self.0.half_height;
        let beyond = (radial.max(0.0).powi(2) + axial.max(0.0).powi(2)).sqrt();
        beyond + radial.max(axial).min(0.0)
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let (along, from_axis) = self.0.split(point);
        let radial = from_axis.norm() - self.0.radius;
        let axial = along.abs() - self.0.half_height;
        let outward = self.0.across(from_axis);
        let upward = self.0.axis * 1.0_f64.copysign(along);
        let nearest = if radial >= axial { outward } else { upward };
        direction_or(outward * radial.max(0.0) + upward * axial.max(0.0), || nearest)
    }
}

/// All points on the inner side of a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedHalfSpace {
    pub(crate) normal: Vector3<f64>,
    pub(crate) offset: f64,
}

impl PointDistance for PlacedHalfSpace {
    #[inline]
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset
    }

    fn gradient(&self, _point: &Point3<f64>) -> Vector3<f64> {
        self.normal
    }
}
