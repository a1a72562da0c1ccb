//! One file per planner.

pub mod aorrtc;
mod domain;
mod relay;
pub mod rrt_connect;
