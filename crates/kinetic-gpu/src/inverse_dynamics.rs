//! Inverse dynamics of batches of states: efforts of motions, on a device and, by the scalar twin, on the processor.

mod cpu;
mod device;
mod gpu;

pub use cpu::CpuInverseDynamics;
pub use device::DeviceInverseDynamics;
pub use gpu::GpuInverseDynamics;

use kinetic_core::{KineticError, Result};

use crate::layout;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_kinematics(include_str!("shaders/rnea.wgsl"))
}

/// Refuses what came out of finite states without being a number.
///
/// # Errors
/// [`KineticError::NotFinite`].
fn check_efforts(efforts: &[f32]) -> Result<()> {
    let Some(index) = efforts.iter().position(|effort| !effort.is_finite()) else { return Ok(()) };
    let context = "efforts, from a model beyond the range of single precision,".to_owned();
    Err(KineticError::NotFinite { context, index, value: f64::from(efforts[index]) })
}
