//! Integration tests of kinetic-collision: one binary, one module per subject.

// Tests fail by panicking, compare exact values where exactness is claimed, and take small counts from seeds.
#![allow(clippy::unwrap_used, clippy::float_cmp, clippy::cast_sign_loss)]

mod balls;
mod coal_pairs;
mod coal_sizes;
mod compounds;
mod distance_fields;
mod euclidean_fields;
mod field_surfaces;
mod fits;
mod hulls;
mod laws;
mod link_pairs;
mod mesh_fits;
mod obstacles;
mod pairs;
mod points;
mod spheres;
mod support;
