#![doc = include_str!("../README.md")]

pub mod differential_ik;
pub mod filter;
pub mod qp;
mod servo;

pub use servo::{Servo, ServoConfig, ServoOutput, ServoStatus};
