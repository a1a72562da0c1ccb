//! Objects that sensors see: point clouds and occupancy maps, without the points of what is known otherwise.

mod cell_answers;
mod known_bodies;
mod octree;
mod pipeline;
mod point_cloud;
mod unknown_space;

pub use known_bodies::KnownBodies;
pub use octree::{OctreeOptions, OctreeReport};
pub use pipeline::{
    DepthCamera, Measurement, PerceptionPipeline, PipelineWorker, SensorConfig, SensorOutput, SensorStatistics,
};
pub use point_cloud::{PointCloudOptions, points_of};
