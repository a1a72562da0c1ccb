//! Integration tests of kinetic-ik-codegen.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "shared with the tests of kinetic-ik, which use all of it")]
#[path = "../../kinetic-ik/tests/analytic/arms.rs"]
mod arms;
mod generated;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
