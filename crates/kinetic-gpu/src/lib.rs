#![doc = include_str!("../README.md")]

mod adapter;
mod batch_fk;
mod batch_ik;
mod choice;
mod collision;
mod compute_device;
mod device;
mod device_distance_transform;
mod distance_transform;
mod effort_range;
mod error;
mod fork;
mod ik_polish;
mod inverse_dynamics;
mod layout;
mod packed_dynamics;
mod packed_robot;
mod packed_scene;
mod report;
#[cfg(test)]
mod shader_tests;
mod spline_sizes;
mod trajopt;
#[cfg(test)]
mod trajopt_tests;
mod twin;
#[cfg(test)]
mod twin_tests;
mod voxel_field;

pub use adapter::{AdapterInfo, AdapterKind, adapters, gpu_available};
pub use batch_fk::{CpuKinematics, GpuKinematics, batch_fk_gpu};
pub use batch_ik::{BatchIkOptions, BatchIkSolution, CpuInverseKinematics, GpuInverseKinematics};
pub use choice::DeviceChoice;
pub use collision::{CollisionOptions, CpuCollisionChecker, DeviceCollisionChecker, GpuCollisionChecker};
pub use compute_device::{ComputeChoice, ComputeDevice};
pub use device::{DeviceLimits, DeviceOptions, GpuDevice};
pub use device_distance_transform::DeviceDistanceTransform;
pub use distance_transform::GpuDistanceTransform;
pub use error::{GpuError, GpuResult};
pub use inverse_dynamics::{CpuInverseDynamics, DeviceInverseDynamics, GpuInverseDynamics};
pub use report::{Cause, DeviceReport};
pub use trajopt::{
    CpuTrajectoryOptimizer, DeviceTrajectoryOptimizer, GpuConfig, GpuTrajectoryOptimizer, SplineProposal,
};
