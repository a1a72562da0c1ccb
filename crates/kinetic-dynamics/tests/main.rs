//! Integration tests of kinetic-dynamics.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod allocations;
mod axioms;
mod batch;
mod derivatives;
mod feasibility;
mod input;
mod support;
mod torque_limited;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
