#![doc = include_str!("../README.md")]

mod chunks;
pub mod differential_ik;
pub mod filter;
pub mod qp;
pub mod rmp;
mod rotation_vector;
mod servo;

pub use servo::{Servo, ServoConfig, ServoOutput, ServoStatus};
