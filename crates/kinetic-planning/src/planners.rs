//! One file per planner.

pub mod aorrtc;
pub mod bi_rrt_star;
pub mod bitrrt;
pub mod cbirrt;
pub mod chomp;
pub mod configuration_cost;
mod domain;
mod ends;
pub mod est;
pub mod gcs;
mod holding_torque;
mod informed;
mod joining;
pub mod kpiece;
mod near_sample;
pub mod prm;
pub mod prm_star;
mod restart_schedule;
mod rewiring;
pub mod rrt_connect;
pub mod rrt_star;
pub mod stomp;
mod trajectory_optimization;
pub mod trajopt;
mod turns;
mod unwrapped;
