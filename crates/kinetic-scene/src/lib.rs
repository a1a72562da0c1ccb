#![doc = include_str!("../README.md")]

pub mod avoiding_ik;
pub mod checker;
pub mod clearance_task;
mod covers;
pub mod detector;
pub mod distances;
pub mod document;
pub mod evaluation;
pub mod explanation;
pub mod geometry;
mod kept;
mod known;
pub mod motion;
pub mod pairs;
pub mod precompute;
pub mod robot_document;
pub mod simd;
pub mod sweep;

mod attachment;
mod builder;
mod lanes;
mod margins;
mod mesh_pieces;
mod prepared;
mod scaling;
mod scene;
mod watch;
mod writing;

pub use attachment::Attachment;
pub use avoiding_ik::{AvoidingIk, Rank};
pub use checker::{Checker, Clearance, Contact};
pub use clearance_task::{Avoidance, ClearanceTask};
pub use detector::{CCDConfig, ContinuousCollisionDetector, FirstContact};
pub use distances::{DistanceGradient, LinkClearance};
pub use explanation::{DecidedBy, Explanation, NearPair, UncheckedPair};
pub use margins::{MarginModel, MarginSource, Margins, Required, Side};
pub use motion::{CurveMotion, SegmentMotion, TimedMotion};
pub use pairs::{Effort, LinkPair, PairClass};
pub use precompute::precompute;
pub use scene::{Object, Scene};
pub use simd::{SimdTier, detect_simd_tier};
pub use sweep::LeastClearance;
