#![doc = include_str!("../README.md")]

pub mod avoiding_ik;
pub mod batch_checker;
mod batch_optimizer;
mod bounding_spheres;
pub mod checker;
pub mod clearance_task;
pub mod detector;
pub mod distances;
pub mod document;
mod exact;
pub mod explanation;
pub mod geometry;
pub mod link_geometry;
pub mod live;
pub mod pairs;
pub mod precompute;
pub mod robot_document;

mod attachment;
mod builder;
mod cache_records;
mod collision_free_ik;
mod collision_free_path;
mod content;
mod continuous;
mod margins;
mod mesh_pieces;
mod moveit_scene;
mod prepared;
mod proximity;
mod scaling;
mod scene;
mod sensor;
#[cfg(test)]
mod tier_tests;
mod tiers;
mod tolerance;
mod writing;

pub use attachment::Attachment;
pub use avoiding_ik::{AvoidingIk, Rank};
pub use batch_checker::BatchCollisionChecker;
pub use batch_optimizer::{BatchTrajectoryOptimizer, OptimizationContext, OptimizationRequest, SplineProposal};
pub use checker::{Checker, Clearance, Contact};
pub use clearance_task::{Avoidance, ClearanceTask};
pub use content::Object;
pub use content::objects::Objects;
pub use continuous::LeastClearance;
pub use detector::{CCDConfig, ContinuousCollisionDetector, FirstContact};
pub use distances::{DistanceGradient, LinkClearance};
pub use explanation::{DecidedBy, Explanation, NearPair, UncheckedPair};
pub use kinetic_collision_simd::motion::{self, CurveMotion, SegmentMotion, TimedMotion};
pub use kinetic_collision_simd::tier::{self as simd, SimdTier, detect_simd_tier, simd_tier};
pub use live::changes::{Changes, SceneDiff, SceneUpdate};
pub use live::checker::{LiveChecker, Refresh};
pub use live::{LiveScene, SceneEdit};
pub use margins::{MarginModel, MarginSource, Margins, Required, Side};
pub use pairs::{Effort, LinkPair, PairClass};
pub use precompute::precompute;
pub use proximity::{DistancePrecision, NamedProximity, Proximity, ProximityPair, ProximityPartner};
pub use scene::{AttachedFrom, Scene};
pub use sensor::{
    DepthCamera, KnownBodies, Measurement, OctreeOptions, OctreeReport, PerceptionPipeline, PipelineWorker,
    PointCloudOptions, SensorConfig, SensorOutput, SensorStatistics, points_of,
};
