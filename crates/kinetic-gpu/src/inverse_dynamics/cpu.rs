//! Efforts by the scalar twin.

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, Result};
use kinetic_dynamics::DynamicsModel;

use super::check_efforts;
use crate::packed_dynamics::{PackedDynamics, STATE_FLOATS};
use crate::twin::rnea::{FrameMotion, efforts};

/// States between two looks at the control.
const ROWS_PER_LOOK: usize = 1 << 13;
/// States that a thread takes at once.
const ROWS_PER_CHUNK: usize = 1 << 8;

/// As [`GpuInverseDynamics`](super::GpuInverseDynamics), on all processors: the same arithmetic in the same order.
///
/// It is what the shader is compared with. [`DynamicsModel::inverse_dynamics_batch`] is more accurate and faster.
#[derive(Debug, Clone)]
pub struct CpuInverseDynamics {
    model: PackedDynamics,
}

impl CpuInverseDynamics {
    /// For the joints of a model, as it is now.
    pub fn new(model: &DynamicsModel) -> Self {
        Self { model: PackedDynamics::new(model) }
    }

    /// As [`GpuInverseDynamics::efforts`](super::GpuInverseDynamics::efforts).
    ///
    /// # Errors
    /// As there, but for those of the device.
    pub fn efforts(&self, states: [&[f64]; 3]) -> Result<Vec<f32>> {
        self.efforts_within(states, &Control::default())
    }

    /// As [`efforts`](Self::efforts), with a control that is looked at every few thousand states.
    ///
    /// # Errors
    /// As [`efforts`](Self::efforts), and that of the control.
    pub fn efforts_within(&self, states: [&[f64]; 3], control: &Control) -> Result<Vec<f32>> {
        let packed = self.model.pack(states)?;
        let (dof, arrays) = (self.model.dof(), self.model.arrays());
        let width = STATE_FLOATS * dof;
        let mut out = vec![0.0; packed.len() / STATE_FLOATS];
        for (look, out) in out.chunks_mut(ROWS_PER_LOOK * dof).enumerate() {
            let before = look * ROWS_PER_LOOK;
            control.check(before as u64)?;
            in_chunks(out, dof, ROWS_PER_CHUNK, |first, out| {
                let mut motions = vec![FrameMotion::root(arrays.root); self.model.num_frames()];
                let rows = packed[(before + first) * width..].chunks_exact(width);
                rows.zip(out.chunks_exact_mut(dof)).for_each(|(row, out)| efforts(&arrays, row, &mut motions, out));
            });
        }
        check_efforts(&out)?;
        Ok(out)
    }
}
