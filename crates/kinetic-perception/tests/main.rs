//! Tests of the crate as its users see it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod camera;
mod depth;
mod filters;
#[allow(clippy::cast_sign_loss, reason = "places of nodes are not negative")]
mod marching_cubes;
#[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "counts of tests are small")]
mod objects;
#[allow(clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "cells and counts of tests are small")]
mod octree;
