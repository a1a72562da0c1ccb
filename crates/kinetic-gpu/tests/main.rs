//! Integration tests of kinetic-gpu.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "a test that cannot run says why")]

mod batch_fk;
mod batch_ik;
mod batch_ik_in_scenes;
mod collision;
mod collision_faults;
mod compute_devices;
mod devices;
mod distance_fields;
mod inverse_dynamics;
mod reports;
mod robots;
mod support;
mod trajopt;
mod trajopt_faults;
mod trajopt_reference;
mod trajopt_scenes;
mod trajopt_worlds;
mod worlds;

/// Cases of a property: a first slice, or the full count when `KINETIC_FULL=1`.
fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
