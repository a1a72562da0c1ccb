//! Tests of kinetic-trajectory. Oracles: finite differences of dense samples, times worked out by hand, the physics of
//! a circle, distances to the polyline by brute force, and files read back.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::float_cmp, reason = "what is claimed to be exact is compared exactly")]

mod check;
mod compose;
mod cubic;
mod files;
mod geometry;
mod identity;
mod jerk;
mod joins;
mod laws;
mod online;
mod order;
mod path_stops;
mod per_joint;
mod playback;
mod quick;
mod samples;
mod smooth;
mod stack;
mod state;
mod support;
mod totp;
