//! Integration tests of kinetic-scene.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod allocations;
mod attachments;
mod avoiding;
mod batch_checker;
mod batches;
mod collision_free_ik;
mod collision_free_path;
mod compounds;
mod contact;
mod continuous;
mod covers;
mod detecting;
mod distances;
mod documents;
mod editing;
mod ending;
mod explaining;
mod gradients;
mod link_pairs;
mod live;
mod margins;
mod models;
mod moving;
mod octrees;
mod pipeline;
mod point_clouds;
mod pool;
mod proximity;
mod renewing;
mod shape_files;
mod support;
mod two_arms;
mod versions;
mod worlds;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
