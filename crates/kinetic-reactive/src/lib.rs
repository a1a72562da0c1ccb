#![doc = include_str!("../README.md")]

mod servo;

pub use servo::{Servo, ServoConfig, ServoOutput, ServoStatus};
