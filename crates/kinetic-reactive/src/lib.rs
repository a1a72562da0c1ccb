#![doc = include_str!("../README.md")]

pub mod differential_ik;
pub mod filter;
pub mod qp;
pub mod rmp;
mod servo;

pub use servo::{Servo, ServoConfig, ServoOutput, ServoStatus};
