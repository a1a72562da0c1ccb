//! Objects that sensors see: point clouds, without the points of what is known otherwise.

mod known_bodies;
mod point_cloud;

pub use known_bodies::KnownBodies;
pub use point_cloud::{PointCloudOptions, points_of};
