//! Tests of kinetic-core. Oracles: axioms of rigid motions, nalgebra, finite differences, dense samples, a second
//! implementation of the generator.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::float_cmp, reason = "what is claimed to be exact is compared exactly")]

mod cascaded_frame;
mod config;
mod constraint;
mod content_hash;
mod control;
mod curve;
mod error;
mod error_page;
mod files;
mod frame_tree;
mod goal;
mod joint_values;
mod limits;
mod path;
mod planner_options;
mod pose;
mod pose_motion;
mod pose_region;
mod rng;
mod shape;
mod shape_record;
mod timed;
mod twist;
