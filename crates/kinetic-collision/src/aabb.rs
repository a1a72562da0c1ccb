//! Axis-aligned bounding boxes.

use nalgebra::{Point3, Vector3};

/// A box with faces along the axes of the frame its corners are given in, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Lowest corner; `-inf` where the box has no bound.
    pub min: Point3<f64>,
    /// Highest corner; `+inf` where the box has no bound.
    pub max: Point3<f64>,
}

/// Alias of [`Aabb`].
pub type AABB = Aabb;

impl Aabb {
    /// The box between two corners.
    pub fn new(min: Point3<f64>, max: Point3<f64>) -> Self {
        Self { min, max }
    }

    /// The box `center ± half_extents`.
    pub fn symmetric(center: Point3<f64>, half_extents: Vector3<f64>) -> Self {
        Self { min: center - half_extents, max: center + half_extents }
    }

    /// All of space.
    pub fn unbounded() -> Self {
        let far = Vector3::repeat(f64::INFINITY);
        Self { min: Point3::from(-far), max: Point3::from(far) }
    }

    /// The smallest box around points; `None` without points.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = *points.next()?;
        let (mut min, mut max) = (first, first);
        // Comparisons instead of `f64::min` compile to one instruction each.
        for point in points {
            for axis in 0..3 {
                min[axis] = if point[axis] < min[axis] { point[axis] } else { min[axis] };
                max[axis] = if point[axis] > max[axis] { point[axis] } else { max[axis] };
            }
        }
        Some(Self::new(min, max))
    }

    /// The smallest box around two boxes.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box with every face moved outwards by `margin`.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - Vector3::repeat(margin), max: self.max + Vector3::repeat(margin) }
    }

    /// Midpoint.
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Full lengths.
    pub fn size(&self) -> Vector3<f64> {
        self.max - self.min
    }

    /// Squared distance of a point, 0 inside.
    pub fn distance_squared(&self, point: &Point3<f64>) -> f64 {
        (0..3)
            .map(|axis| (self.min[axis] - point[axis]).max(point[axis] - self.max[axis]).max(0.0))
            .map(|excess| excess * excess)
            .sum()
    }
}
