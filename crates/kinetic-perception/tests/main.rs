//! Tests of the crate as its users see it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod camera;
mod depth;
mod filters;
mod octree;
