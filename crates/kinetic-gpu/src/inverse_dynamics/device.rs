//! Efforts where a device is not named: on a GPU, or in double precision on the processor.

use kinetic_core::Control;
use kinetic_core::error::check_len;
use kinetic_dynamics::DynamicsModel;

use super::GpuInverseDynamics;
use crate::compute_device::{ComputeChoice, ComputeDevice};
use crate::error::GpuResult;
use crate::packed_dynamics::check_states;

/// States between two looks at the control, on the processor.
const ROWS_BETWEEN_LOOKS: usize = 1 << 15;

/// Inverse dynamics on the device of a [`ComputeChoice`], which goes on after the loss of its device.
///
/// On the processor it is [`DynamicsModel::inverse_dynamics_batch`] and not the scalar twin, which is less accurate and slower.
#[derive(Debug)]
pub struct DeviceInverseDynamics {
    choice: ComputeChoice,
    model: DynamicsModel,
    device: ComputeDevice,
    /// None on the processor.
    on_gpu: Option<GpuInverseDynamics>,
}

impl DeviceInverseDynamics {
    /// For the joints of a model, on the device of a choice.
    ///
    /// # Errors
    /// As [`ComputeDevice::open`] and [`GpuInverseDynamics::new`].
    pub fn new(choice: &ComputeChoice, model: DynamicsModel) -> GpuResult<Self> {
        let (device, on_gpu) = opened(choice, &model)?;
        Ok(Self { choice: choice.clone(), model, device, on_gpu })
    }

    /// Where it computes.
    pub fn device(&self) -> &ComputeDevice {
        &self.device
    }

    /// The model.
    pub fn model(&self) -> &DynamicsModel {
        &self.model
    }

    /// Writes the efforts (Nm or N) of states: values `q` (rad or m), velocities `v` and accelerations `a`, each of shape (states, dof),
    /// as is `tau`. The control is looked at between dispatches, on the processor every 32 768 states.
    ///
    /// # Errors
    /// As [`GpuInverseDynamics::efforts`], and on the processor as [`DynamicsModel::inverse_dynamics_batch`]; that of the control; and
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for another length of `tau`. After the loss of a device
    /// the next call opens it anew.
    pub fn efforts_into(&mut self, states: [&[f64]; 3], control: &Control, tau: &mut [f64]) -> GpuResult<()> {
        check_states(self.model.dof(), states)?;
        check_len("results", tau.len(), states[0].len())?;
        if self.device.is_lost() {
            (self.device, self.on_gpu) = opened(&self.choice, &self.model)?;
        }
        let Some(on_gpu) = &mut self.on_gpu else { return self.on_processor(states, control, tau) };
        let efforts = on_gpu.efforts_within(states, control)?;
        tau.iter_mut().zip(efforts).for_each(|(to, from)| *to = f64::from(from));
        Ok(())
    }

    fn on_processor(&self, states: [&[f64]; 3], control: &Control, tau: &mut [f64]) -> GpuResult<()> {
        let width = ROWS_BETWEEN_LOOKS * self.model.dof();
        for (look, tau) in tau.chunks_mut(width).enumerate() {
            control.check((look * ROWS_BETWEEN_LOOKS) as u64)?;
            let part = states.map(|values| &values[look * width..][..tau.len()]);
            self.model.inverse_dynamics_batch(part, tau)?;
        }
        Ok(())
    }
}

/// A device, and the model on it where it is a GPU.
fn opened(choice: &ComputeChoice, model: &DynamicsModel) -> GpuResult<(ComputeDevice, Option<GpuInverseDynamics>)> {
    let device = ComputeDevice::open(choice)?;
    let on_gpu = match &device {
        ComputeDevice::Cpu => None,
        ComputeDevice::Gpu(gpu) => Some(GpuInverseDynamics::new(gpu, model)?),
    };
    Ok((device, on_gpu))
}
