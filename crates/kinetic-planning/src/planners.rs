//! One file per planner.

pub mod aorrtc;
pub mod rrt_connect;
