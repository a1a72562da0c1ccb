//! Shapes of points, as depth cameras and laser scanners see surfaces.

use nalgebra::Point3;

use super::Shape;
use crate::error::{KineticError, Result, check_finite};

impl Shape {
    /// Balls of one radius around points, which keep their order.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] without points, and for a radius that is negative or not finite;
    /// [`KineticError::NotFinite`] for a coordinate that is NaN or infinite.
    pub fn point_cloud(points: &[Point3<f64>], radius: f64) -> Result<Self> {
        if points.is_empty() {
            return Err(KineticError::invalid("point cloud", "no points", "at least one point"));
        }
        for point in points {
            check_finite("point of a cloud", point.coords.as_slice())?;
        }
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(KineticError::invalid("point cloud radius", radius, "a number of at least 0 (m)"));
        }
        Ok(Self::PointCloud { points: points.into(), radius })
    }
}
