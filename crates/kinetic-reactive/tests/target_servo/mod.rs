//! A servo that gets to targets. Oracles: forward kinematics, differences of commands for limits, exact distances of the scene, and a
//! servo alone, which does not get there.

mod dead_ends;
mod input;
