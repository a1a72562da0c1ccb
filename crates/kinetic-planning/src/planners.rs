//! One file per planner.

pub mod rrt_connect;
