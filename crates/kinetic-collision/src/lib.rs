#![doc = include_str!("../README.md")]

pub mod aabb;
pub mod ball;
mod boxes;
pub mod compound;
pub mod contacts_allowed;
mod descent;
pub mod distance;
pub mod distance_field;
pub mod environment;
pub mod exact;
pub mod fit;
pub mod hull;
pub mod obstacles;
mod parry_bridge;
pub mod self_pairs;
mod shape_kind;
pub mod spheres;
mod tolerance;
mod triangle_tree;
mod vector;

pub use aabb::{AABB, Aabb};
pub use ball::{Sphere, bounding_ball};
pub use compound::{Compound, MeshForm};
pub use contacts_allowed::{AllowedCollisionMatrix, ResolvedACM};
pub use distance::point::PreparedShape;
pub use distance_field::SignedDistanceField;
pub use environment::CollisionEnvironment;
pub use exact::{Body, Separation};
pub use fit::{RobotSphereModel, SphereGenConfig};
pub use hull::{Hull, convex_hull};
pub use obstacles::ObstacleSet;
pub use self_pairs::adjacent_link_pairs;
pub use spheres::{RobotSpheres, SpheresSoA};
