//! Inverse kinematics of paths.

mod brute_force;
mod ladders;
mod options;
mod robots;
mod tolerances;
mod tool_path;
mod windings;
