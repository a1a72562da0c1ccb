//! Integration tests of kinetic-ik.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analytic;
mod directions;
mod interrupted;
mod inverse;
mod inverse_kinematics;
mod path;
#[path = "../../kinetic-kinematics/tests/plain.rs"]
mod plain;
mod robot_kinematics;
mod solvers;
mod tasks;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
