//! The one place that asks the processor what it can do. The only unsafe code of the crate: calls of functions that
//! were compiled for instructions which were found to be there.
#![allow(unsafe_code, reason = "functions compiled for more instructions than the baseline can be called no other way")]

use super::kernel::{Batch, Items, Sink, evaluate};
use super::model::LaneModel;
use super::scratch::Scratch;
use crate::motion::BATCH;

/// How many lanes one register holds, and with which instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// AVX-512 with 16 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 with fused multiply-add, 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the target always has.
    Baseline,
}

impl Tier {
    /// The widest that this processor has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                return Self::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Self::Avx2;
            }
        }
        Self::Baseline
    }

    /// All tiers that this processor can run.
    #[cfg(test)]
    pub(super) fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            let widest = Self::detect();
            let all = [Self::Avx512, Self::Avx2, Self::Baseline];
            all.into_iter().skip_while(|tier| *tier != widest).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![Self::Baseline]
    }
}

/// Scratch memory of a tier, which says which instructions may be used.
#[derive(Debug, Clone)]
pub(super) enum Workspace {
    #[cfg(target_arch = "x86_64")]
    Avx512(Scratch<16>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Scratch<8>),
    Baseline(Scratch<8>),
}

impl Workspace {
    pub(super) fn new(model: &LaneModel, tier: Tier) -> Self {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => Self::Avx512(Scratch::new(model)),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => Self::Avx2(Scratch::new(model)),
            Tier::Baseline => Self::Baseline(Scratch::new(model)),
        }
    }

    /// Evaluates a batch; true when the sink stopped it.
    pub(super) fn run(&mut self, model: &LaneModel, batch: &Batch, items: Items<'_>, sink: &mut impl Sink) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(scratch) => {
                // SAFETY: the tier comes from `detect` or `available`, which found AVX-512F and AVX-512VL; every
                // processor with these has AVX2 and FMA.
                unsafe { avx512(model, scratch, batch, items, sink) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(scratch) => {
                // SAFETY: as above, for AVX2 and FMA.
                unsafe { avx2(model, scratch, batch, items, sink) }
            }
            Self::Baseline(scratch) => halves(model, scratch, batch, items, sink),
        }
    }
}

/// Every other interval, then the rest.
#[inline(always)]
fn halves(model: &LaneModel, scratch: &mut Scratch<8>, batch: &Batch, items: Items<'_>, sink: &mut impl Sink) -> bool {
    // No closure: it would be compiled without the wide instructions.
    for first in 0..BATCH / 8 {
        if evaluate(model, scratch, batch, items, first, sink) {
            return true;
        }
    }
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512(model: &LaneModel, scratch: &mut Scratch<16>, batch: &Batch, items: Items<'_>, sink: &mut impl Sink) -> bool {
    evaluate(model, scratch, batch, items, 0, sink)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(model: &LaneModel, scratch: &mut Scratch<8>, batch: &Batch, items: Items<'_>, sink: &mut impl Sink) -> bool {
    halves(model, scratch, batch, items, sink)
}
