#![doc = include_str!("../README.md")]

mod adapter;
mod batch_fk;
mod choice;
mod device;
mod error;
mod layout;
mod packed_robot;
mod report;
#[cfg(test)]
mod shader_tests;
mod twin;

pub use adapter::{AdapterInfo, AdapterKind, adapters, gpu_available};
pub use batch_fk::{CpuKinematics, GpuKinematics, batch_fk_gpu};
pub use choice::DeviceChoice;
pub use device::{DeviceLimits, DeviceOptions, GpuDevice};
pub use error::{GpuError, GpuResult};
pub use report::{Cause, DeviceReport};
