//! What a sensor of a pipeline is, and what becomes of its measurements.

use kinetic_core::{KineticError, Result};
use kinetic_perception::{CameraModel, OctreeConfig, OutlierFilter, PointCloudConfig};

use crate::sensor::KnownBodies;

/// A sensor with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorConfig {
    /// The frame of its measurements in the frame tree: the optical frame of a camera (x right, y down, z forward). The sensor is at
    /// its origin.
    pub frame: String,
    /// How it makes depth images; `None` for a sensor of points.
    pub camera: Option<DepthCamera>,
    /// The object that its measurements become: one of its own for a cloud. Several sensors may feed one map.
    pub object: String,
    /// What that object is.
    pub output: SensorOutput,
    /// Whether points on the robot are dropped, by its joint values at the time of the measurement.
    pub is_robot_filtered: bool,
    /// What else the scene knows, and the paddings; its `robot_at` is not read.
    pub known: KnownBodies,
    /// Least padding of the object, m: errors of calibration, noise and latency as one number.
    pub margin: f64,
    /// How long the object stays without a measurement, s; `None` for ever. An object that several sensors feed stays as long as one
    /// of them lets it.
    pub time_to_live: Option<f64>,
}

/// A depth camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthCamera {
    /// Its lens.
    pub model: CameraModel,
    /// Length of a unit of integer depths, m.
    pub depth_scale: f64,
    /// Nearer depths do not count, m.
    pub min_depth: f64,
    /// Farther depths do not count, m.
    pub max_depth: f64,
    /// See [`DepthImage::flying_pixel_ratio`](kinetic_perception::DepthImage::flying_pixel_ratio).
    pub flying_pixel_ratio: Option<f64>,
}

/// What measurements become.
#[derive(Debug, Clone, PartialEq)]
pub enum SensorOutput {
    /// The points of the last measurement.
    Cloud(PointCloudConfig),
    /// An occupancy map of all measurements.
    Octree {
        /// Resolution and sensor model of the map.
        octree: OctreeConfig,
        /// Points farther away do not occupy cells, m; what lies before them is cleared up to this range.
        max_range: f64,
        /// What counts as a measurement error.
        outliers: Option<OutlierFilter>,
    },
}

impl SensorConfig {
    /// A sensor in a frame whose measurements become a cloud, with the usual filters.
    pub fn cloud(frame: impl Into<String>, object: impl Into<String>) -> Self {
        Self::with_output(frame.into(), object.into(), SensorOutput::Cloud(PointCloudConfig::default()))
    }

    /// A sensor in a frame that feeds an occupancy map of cells with an edge (m).
    pub fn octree(frame: impl Into<String>, object: impl Into<String>, resolution: f64) -> Self {
        let octree = OctreeConfig { resolution, ..OctreeConfig::default() };
        let output = SensorOutput::Octree { octree, max_range: f64::INFINITY, outliers: None };
        Self::with_output(frame.into(), object.into(), output)
    }

    fn with_output(frame: String, object: String, output: SensorOutput) -> Self {
        let (known, camera) = (KnownBodies::default(), None);
        Self { frame, camera, object, output, is_robot_filtered: true, known, margin: 0.0, time_to_live: None }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the value.
    pub fn check(&self) -> Result<()> {
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            return Err(KineticError::invalid("margin of a sensor", self.margin, "a finite number of at least 0 (m)"));
        }
        if let Some(time) = self.time_to_live.filter(|time| !(*time > 0.0)) {
            return Err(KineticError::invalid("time_to_live of a sensor", time, "a positive time (s), or none"));
        }
        if let Some(camera) = &self.camera {
            camera.check()?;
        }
        match &self.output {
            SensorOutput::Cloud(config) => config.check(),
            SensorOutput::Octree { max_range, .. } if !(*max_range > 0.0) => {
                Err(KineticError::invalid("max_range", max_range, "a positive number (m), or infinity"))
            }
            SensorOutput::Octree { octree, .. } => octree.check(),
        }
    }
}

impl DepthCamera {
    /// A camera that counts depths from 0.1 m to 5 m, with integers in millimetres.
    pub fn new(model: CameraModel) -> Self {
        Self { model, depth_scale: 0.001, min_depth: 0.1, max_depth: 5.0, flying_pixel_ratio: None }
    }

    fn check(&self) -> Result<()> {
        kinetic_perception::DepthImage {
            values: kinetic_perception::DepthValues::Integers(&[], self.depth_scale),
            width: 0,
            height: 0,
            camera: self.model,
            min_depth: self.min_depth,
            max_depth: self.max_depth,
            flying_pixel_ratio: self.flying_pixel_ratio,
        }
        .check()
    }
}
