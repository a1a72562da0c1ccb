//! One file per planner.

pub mod aorrtc;
mod domain;
pub mod rrt_connect;
