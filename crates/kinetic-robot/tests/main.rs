//! Tests of kinetic-robot. `KINETIC_FULL=1` runs the property tests with full counts.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod builtins;
mod cell;
mod config;
mod configuration;
mod formats;
mod from_file;
mod groups;
mod hostile;
mod hostile_loaders;
mod limit_laws;
mod mesh;
mod mesh_formats;
mod mimic;
mod mjcf;
mod mjcf_errors;
mod mjcf_goldens;
mod moveit;
mod multi_dof;
mod queries;
mod random_trees;
mod resolver;
mod sdf;
mod sdf_worlds;
mod serialised;
mod shapeless;
mod srdf;
mod subgroups;
mod support;
mod urdf;
mod urdf_errors;
mod urdf_lenient;
mod whole_robots;
