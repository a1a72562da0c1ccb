#![doc = include_str!("../README.md")]

mod builder;
pub mod builtin;
mod cell;
pub mod config;
mod configuration;
mod description;
#[cfg(any(feature = "mjcf", feature = "sdf"))]
mod ellipsoid;
mod file_text;
mod formats;
mod from_file;
mod group;
mod hand_links;
pub mod limits;
mod lines;
mod load;
pub mod mesh;
mod mimic;
mod missing_meshes;
#[cfg(feature = "mjcf")]
mod mjcf;
mod model;
pub mod moveit;
mod multi_dof;
mod names;
mod notes;
mod precomputed;
mod profile;
mod queries;
pub mod register;
mod robot;
#[cfg(feature = "sdf")]
mod sdf;
mod shapeless;
pub mod srdf;
mod subgroups;
mod tolerance;
mod tree;
mod urdf;
mod world;
mod xml;
mod xml_repair;
pub mod yaml;

pub use cell::CellMember;
pub use config::RobotConfig;
pub use configuration::VectorKind;
pub use formats::{FORMATS, RobotFormat};
pub use kinetic_core::JointLimits;
pub use load::UrdfOptions;
pub use mesh::{MeshRef, MeshResolver, SearchPaths, TriangleMesh};
pub use missing_meshes::MissingMeshes;
pub use model::{
    CollisionSettings, DEFAULT_IK_DAMPING, EndEffector, Geometry, GeometryShape, IK_SOLVERS, INERTIALS, IkPreference,
    Inertial, Joint, JointDynamics, JointType, Link, Material, Mimic, NamedPose, PairFacts, PlanningGroup, Profile,
    Provenance, SelfCollisionPairs, SkipPair,
};
pub use precomputed::Precomputed;
pub use robot::Robot;
pub use subgroups::{GROUP_SEPARATOR, joined_group_name};
pub use world::{World, WorldModel};
