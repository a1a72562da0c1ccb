#![doc = include_str!("../README.md")]
#![allow(clippy::inline_always, reason = "functions that are not inlined are compiled without the wide instructions")]

pub mod collision_model;
mod compare;
mod continuous;
mod discrete;
mod dispatch;
mod distance_table;
pub mod engine;
pub mod exact_tier;
mod instructions;
mod item;
mod model;
pub mod motion;
mod packed;
mod placement;
mod register_pair;
mod registers;
mod rounding;
mod samples;
pub mod separation;
pub mod sphere_distances;
pub mod statements;
pub mod stored_results;
pub mod termination;
#[cfg(test)]
mod tests;
pub mod tier;
mod tolerance;
mod trig;
mod vector;

use kinetic_core::ContentHash;

pub use collision_model::{CollisionModel, ConvexPiece, MovingBody, Obstacle, ObstacleGroup, SelfPair};
pub use engine::{Engine, UndecidedInterval, Verdict};
pub use exact_tier::{Blocked, ExactTier};
pub use model::compound_tree::CompoundTree;
pub use motion::{BATCH, CurveMotion, SegmentMotion, TimedMotion};
pub use separation::{PieceDistance, Separated, SeparationTest};
pub use sphere_distances::{LinkSphereDistances, SphereDistances};
#[doc(hidden)]
pub use statements::{KernelHit, Statements};
pub use stored_results::StoredResults;
pub use termination::Termination;
pub use tier::{SimdTier, detect_simd_tier, simd_tier};

/// Kind under which distance tables are stored with a robot and in the user's cache.
pub const TABLE_KIND: &str = distance_table::KIND;

/// Computes the distance tables of a model, as keys and bytes to be stored.
pub fn find_tables(input: &CollisionModel) -> Vec<(ContentHash, Vec<u8>)> {
    model::KernelModel::find_tables(input)
}
