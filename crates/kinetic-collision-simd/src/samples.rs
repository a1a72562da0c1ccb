//! Interpolation of a segment at the parameters of a batch, with the instructions of the tier.

use crate::instructions::PackedKernel;
use crate::motion::BATCH;
use crate::vector::{Lanes, prevent_loop_vectorization};

/// Samples of a segment at the parameters `t`.
pub(crate) struct LoadSamples<'a> {
    pub(crate) from: &'a [f64],
    pub(crate) to: &'a [f64],
    pub(crate) t: &'a [f64; BATCH],
    /// Per variable.
    pub(crate) lanes: &'a mut [[f64; BATCH]],
}

impl PackedKernel for LoadSamples<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        for (lanes, (from, to)) in self.lanes.iter_mut().zip(self.from.iter().zip(self.to)) {
            prevent_loop_vectorization();
            let step = to - from;
            // Without fused multiply-add, so that samples are the same on every processor.
            for lane in 0..BATCH {
                lanes[lane] = from + self.t[lane] * step;
            }
        }
    }
}
