//! Tests of kinetic-reactive.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::float_cmp, reason = "what is claimed to be exact is compared exactly")]

mod between;
mod differential_ik;
mod filter;
mod mpc;
#[path = "../../kinetic-kinematics/tests/plain.rs"]
mod plain;
mod qp;
mod rmp;
mod servo;
mod support;
mod target_servo;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
