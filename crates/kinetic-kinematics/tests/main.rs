//! Integration tests of kinetic-kinematics.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod allocations;
mod batch;
mod chain_parts;
mod frame_motion;
mod frames;
mod golden;
mod jacobians;
mod plain;
mod programs;
mod reachability;
mod tree;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
