#![doc = include_str!("../README.md")]

pub mod aabb;
pub mod ball;
pub mod contacts_allowed;
mod descent;
pub mod distance;
pub mod environment;
pub mod exact;
pub mod fit;
pub mod hull;
pub mod obstacles;
mod parry_bridge;
pub mod self_pairs;
pub mod spheres;
mod vector;

pub use aabb::{AABB, Aabb};
pub use ball::{Sphere, bounding_ball};
pub use contacts_allowed::{AllowedCollisionMatrix, ResolvedACM};
pub use distance::point::PreparedShape;
pub use environment::CollisionEnvironment;
pub use exact::{ConvexBody, Separation};
pub use fit::{RobotSphereModel, SphereGenConfig};
pub use hull::{Hull, convex_hull};
pub use obstacles::ObstacleSet;
pub use self_pairs::adjacent_link_pairs;
pub use spheres::{RobotSpheres, SpheresSoA};
