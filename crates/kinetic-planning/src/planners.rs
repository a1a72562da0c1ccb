//! One file per planner.

pub mod aorrtc;
mod domain;
mod restart_schedule;
pub mod rrt_connect;
