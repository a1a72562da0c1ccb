//! Inverse kinematics of paths.

mod brute_force;
mod ladders;
mod local;
mod options;
mod redundant;
mod robots;
mod tolerances;
mod tool_path;
mod windings;
