//! What sensors deliver.

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Result};
use kinetic_perception::{DepthImage, DepthValues};
use nalgebra::Point3;

use super::config::{DepthCamera, SensorConfig};
use crate::sensor::point_cloud::points_of;

/// A measurement of a sensor, in its frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Measurement {
    /// A depth image in units of the camera, row after row; 0 means that nothing was measured.
    DepthIntegers {
        /// Depths.
        values: Vec<u16>,
        /// Rows and pixels per row.
        size: [usize; 2],
    },
    /// A depth image in m, row after row; NaN, infinity and 0 mean that nothing was measured.
    DepthMetres {
        /// Depths.
        values: Vec<f32>,
        /// Rows and pixels per row.
        size: [usize; 2],
    },
    /// Coordinates of points, m, one after the other.
    Points(Vec<f32>),
}

impl Measurement {
    /// Refuses what a sensor cannot have measured.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for numbers that are no image or no points, [`KineticError::InvalidValue`] for an image of
    /// a sensor without a camera.
    pub(super) fn check(&self, sensor: &SensorConfig) -> Result<()> {
        let (values, size) = match self {
            Self::Points(values) => {
                return check_len("coordinates of points", values.len(), values.len().next_multiple_of(3));
            }
            Self::DepthIntegers { values, size } => (values.len(), size),
            Self::DepthMetres { values, size } => (values.len(), size),
        };
        if sensor.camera.is_none() {
            return Err(KineticError::invalid("measurement", "a depth image", "points, or a sensor with a camera"));
        }
        check_len("depth image", values, size[0].saturating_mul(size[1]))
    }

    /// The points in the frame of the sensor, m.
    pub(super) fn points(&self, camera: Option<&DepthCamera>, control: &Control) -> Result<Vec<Point3<f64>>> {
        let (values, size, camera) = match (self, camera) {
            (Self::DepthIntegers { values, size }, Some(camera)) => {
                (DepthValues::Integers(values, camera.depth_scale), size, camera)
            }
            (Self::DepthMetres { values, size }, Some(camera)) => (DepthValues::Metres(values), size, camera),
            (Self::Points(values), _) => return Ok(points_of(values)?.collect()),
            (_, None) => return Err(KineticError::invalid("measurement", "a depth image", "points")),
        };
        let DepthCamera { model, min_depth, max_depth, flying_pixel_ratio, .. } = *camera;
        let [height, width] = *size;
        DepthImage { values, width, height, camera: model, min_depth, max_depth, flying_pixel_ratio }.points(control)
    }
}
