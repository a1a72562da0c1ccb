//! Efforts on a device.

use std::sync::Arc;

use kinetic_core::Control;
use kinetic_dynamics::DynamicsModel;

use super::{check_efforts, text};
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::MOTION_STRIDE;
use crate::packed_dynamics::{PackedDynamics, STATE_FLOATS};

/// Buffers that the shader reads: sizes, model, states.
const RNEA_INPUTS: usize = 3;

/// Inverse dynamics on a device, in single precision, by the recursive Newton–Euler algorithm (Luh, Walker and Paul 1980;
/// Featherstone 2008, section 5.3). The model stays there between calls.
///
/// Payloads, gravity, the motion of the base, joints that follow others, rotors, damping and friction are those of the model, whose
/// [`inverse_dynamics_batch`](DynamicsModel::inverse_dynamics_batch) says the same in double precision: the largest difference is
/// about 10⁻⁶ of the largest effort of its joint in a batch.
#[derive(Debug)]
pub struct GpuInverseDynamics {
    model: PackedDynamics,
    /// First elements of inertias, resistances and the root's motion.
    places: [usize; 3],
    kernel: Kernel,
}

impl GpuInverseDynamics {
    /// For the joints of a model, as it is now.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(device: &Arc<GpuDevice>, model: &DynamicsModel) -> GpuResult<Self> {
        let model = PackedDynamics::new(model);
        let (elements, places) = model.joined();
        let mut kernel = Kernel::new(device, "rnea", &text(), RNEA_INPUTS)?;
        kernel.upload(1, &elements)?;
        Ok(Self { model, places, kernel })
    }

    /// Efforts (Nm or N) of states: values `q` (rad or m), velocities `v` and accelerations `a`, each of shape (states, dof), row after
    /// row, as is the answer.
    ///
    /// Angles are taken modulo a turn in double precision, so that continuous joints keep their accuracy.
    ///
    /// # Errors
    /// [`GpuError::Input`](crate::GpuError::Input) for incomplete rows, other numbers of velocities or accelerations than of values,
    /// NaN, values beyond ±32 of joints that slide or have followers with broken multipliers, and velocities or accelerations whose
    /// efforts could exceed single precision; and those of the device.
    pub fn efforts(&mut self, states: [&[f64]; 3]) -> GpuResult<Vec<f32>> {
        self.efforts_within(states, &Control::default())
    }

    /// As [`efforts`](Self::efforts), with a control that is looked at between dispatches.
    ///
    /// # Errors
    /// As [`efforts`](Self::efforts), and that of the control.
    pub fn efforts_within(&mut self, states: [&[f64]; 3], control: &Control) -> GpuResult<Vec<f32>> {
        let packed = self.model.pack(states)?;
        let (dof, frames) = (self.model.dof(), self.model.num_frames());
        let (width, scratch) = (STATE_FLOATS * dof, frames * MOTION_STRIDE * 4);
        let rows_per_dispatch = self.kernel.device().max_rows(size_of::<f32>() * width.max(scratch));
        let [inertias, resistances, root] = self.places;
        let fixed = [frames, dof, inertias, resistances, root].map(|size| size as u32);
        let (mut efforts, mut part) = (Vec::with_capacity(packed.len() / STATE_FLOATS), Vec::new());
        for chunk in packed.chunks(rows_per_dispatch * width) {
            control.check((efforts.len() / dof) as u64)?;
            let rows = chunk.len() / width;
            self.kernel.upload(0, &[&[rows as u32][..], &fixed].concat())?;
            self.kernel.upload(2, chunk)?;
            self.kernel.run(rows, [dof, scratch], &mut part)?;
            efforts.append(&mut part);
        }
        check_efforts(&efforts)?;
        Ok(efforts)
    }
}
