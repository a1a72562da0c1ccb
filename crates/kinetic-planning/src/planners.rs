//! One file per planner.

pub mod aorrtc;
pub mod cbirrt;
mod domain;
mod ends;
mod restart_schedule;
pub mod rrt_connect;
