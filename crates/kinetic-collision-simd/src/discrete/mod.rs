//! Discrete collision checking (VAMP: Thomason, Kingston, Kavraki 2024).
//!
//! A batch has one configuration per lane; a single configuration has its spheres in the lanes.

pub(crate) mod batch;
pub(crate) mod one_configuration;
pub(crate) mod overlapping_pair;
pub(crate) mod query;
pub(crate) mod self_collision;
pub(crate) mod separated_pair;
pub(crate) mod verdicts;
pub(crate) mod world;
