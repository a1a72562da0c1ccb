#![doc = include_str!("../README.md")]

mod chunks;
pub mod differential_ik;
pub mod filter;
mod mpc;
pub mod qp;
pub mod rmp;
mod rotation_vector;
mod servo;
mod target;
mod target_servo;

pub use mpc::{Mpc, MpcConfig};
pub use servo::{Servo, ServoConfig, ServoOutput, ServoStatus};
pub use target::{ServoTarget, TargetError};
pub use target_servo::{Approach, OnStuck, StuckReason, TargetServo, TargetServoConfig, TargetStatus};
