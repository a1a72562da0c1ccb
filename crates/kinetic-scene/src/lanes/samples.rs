//! Configurations into lanes, with the wide instructions.

use super::dispatch::EightLanes;
use super::vector::{Lanes, one_pass_at_a_time};
use crate::motion::BATCH;

/// Samples of a segment at the parameters `t`.
pub(super) struct LoadSamples<'a> {
    pub(super) from: &'a [f64],
    pub(super) to: &'a [f64],
    pub(super) t: &'a [f64; BATCH],
    /// Per variable.
    pub(super) lanes: &'a mut [[f64; BATCH]],
}

impl EightLanes for LoadSamples<'_> {
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
