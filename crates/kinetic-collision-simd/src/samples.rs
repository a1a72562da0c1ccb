//! Configurations into lanes, with the wide instructions.

use crate::dispatch::PackedKernel;
use crate::motion::BATCH;
use crate::vector::{Lanes, one_pass_at_a_time};

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
    fn work<L: Lanes>(&mut self) {
        for (lanes, (from, to)) in self.lanes.iter_mut().zip(self.from.iter().zip(self.to)) {
            one_pass_at_a_time();
            let step = to - from;
            // Not fused: samples are the same on every processor.
            for lane in 0..BATCH {
                lanes[lane] = from + self.t[lane] * step;
            }
        }
    }
}
