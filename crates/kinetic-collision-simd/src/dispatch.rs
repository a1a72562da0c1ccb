//! Run-time dispatch to the instruction tier of the processor.
//!
//! Functions compiled for more instructions than the baseline are called here, after these instructions were detected.
//! With [`instructions`](super::instructions), [`registers`](super::registers), [`register_pair`](super::register_pair) and
//! [`compare`](super::compare) this is the only unsafe code of the crate.
#![allow(unsafe_code, reason = "functions compiled for more instructions than the baseline can be called no other way")]

use crate::instructions::PackedKernel;
#[cfg(target_arch = "x86_64")]
use crate::instructions::{avx2_pack, avx512_pack};
use crate::model::KernelModel;
use crate::motion::BATCH;
use crate::placement::Placement;
#[cfg(target_arch = "x86_64")]
use crate::register_pair::AvxPair;
#[cfg(target_arch = "x86_64")]
use crate::registers::{Avx8, Avx16};
use crate::tier::SimdTier;
use crate::vector::{Lanes, Plain};

/// A kernel over a batch, one configuration or interval per lane.
pub(crate) trait BatchKernel {
    /// Processes a chunk of the batch: the lanes `first, first + stride, …`. Returns true to stop.
    fn run_chunk<L: Lanes>(
        &mut self,
        model: &KernelModel,
        placement: &mut Placement<L>,
        first: usize,
        stride: usize,
    ) -> bool;
}

/// Runs kernels with the instructions of one tier, and holds the placement buffers for it.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one per checker, and a box would cost a step on every call")]
pub(crate) enum Dispatcher {
    /// The narrower placement serves batches that are at most half full.
    #[cfg(target_arch = "x86_64")]
    Avx512(Placement<Avx16>, Placement<Avx8>),
    #[cfg(target_arch = "x86_64")]
    Avx512Half(Placement<Avx8>),
    /// As above.
    #[cfg(target_arch = "x86_64")]
    Avx2(Placement<AvxPair>, Placement<Avx8>),
    Baseline(Placement<Plain<8>>),
}

impl Dispatcher {
    /// Buffers for a tier; for the baseline where the processor does not have it.
    pub(crate) fn new(model: &KernelModel, tier: SimdTier) -> Self {
        if !SimdTier::available().contains(&tier) {
            return Self::Baseline(Placement::new(model));
        }
        match tier {
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512 => Self::Avx512(Placement::new(model), Placement::new(model)),
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512Half => Self::Avx512Half(Placement::new(model)),
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx2 => Self::Avx2(Placement::new(model), Placement::new(model)),
            _ => Self::Baseline(Placement::new(model)),
        }
    }

    /// Runs a kernel on a batch of which `count` lanes are used; true when it stopped early.
    #[inline]
    pub(crate) fn run(&mut self, model: &KernelModel, count: usize, kernel: &mut impl BatchKernel) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_, placement) if count <= BATCH / 2 => {
                // SAFETY: `new` made this after finding AVX-512F and AVX-512VL; every processor with these has AVX2 and
                // FMA.
                unsafe { avx512_half(model, placement, count, kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(placement, _) => {
                // SAFETY: as above.
                unsafe { avx512(model, placement, kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Half(placement) => {
                // SAFETY: as above.
                unsafe { avx512_half(model, placement, count, kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_, placement) if count <= BATCH / 2 => {
                // SAFETY: as above, for AVX2 and FMA.
                unsafe { avx2(model, placement, kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(placement, _) => {
                // SAFETY: as above.
                unsafe { avx2(model, placement, kernel) }
            }
            Self::Baseline(placement) => halves(model, placement, count, kernel),
        }
    }
}

impl Dispatcher {
    /// Runs a kernel with the instructions of the tier.
    #[inline]
    pub(crate) fn run_pack(&self, kernel: &mut impl PackedKernel) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(..) | Self::Avx512Half(_) => {
                // SAFETY: as in `run`.
                unsafe { avx512_pack(kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(..) => {
                // SAFETY: as in `run`.
                unsafe { avx2_pack(kernel) }
            }
            Self::Baseline(_) => kernel.run::<Plain<8>>(),
        }
    }

    /// False where every fused multiply-add is a call of a function.
    pub(crate) fn has_fused_multiply_add(&self) -> bool {
        !(cfg!(target_arch = "x86_64") && matches!(self, Self::Baseline(_)))
    }
}

/// Processes the first half of the lanes if that is enough, otherwise the even lanes and then the odd ones.
#[inline(always)]
fn halves<L: Lanes>(
    model: &KernelModel,
    placement: &mut Placement<L>,
    count: usize,
    kernel: &mut impl BatchKernel,
) -> bool {
    if count <= BATCH / 2 {
        return kernel.run_chunk(model, placement, 0, 1);
    }
    // No closure: it would be compiled without the wide instructions.
    for first in 0..BATCH / 8 {
        if kernel.run_chunk(model, placement, first, BATCH / 8) {
            return true;
        }
    }
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512(model: &KernelModel, placement: &mut Placement<Avx16>, kernel: &mut impl BatchKernel) -> bool {
    kernel.run_chunk(model, placement, 0, 1)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512_half(
    model: &KernelModel,
    placement: &mut Placement<Avx8>,
    count: usize,
    kernel: &mut impl BatchKernel,
) -> bool {
    halves(model, placement, count, kernel)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<L: Lanes>(model: &KernelModel, placement: &mut Placement<L>, kernel: &mut impl BatchKernel) -> bool {
    kernel.run_chunk(model, placement, 0, 1)
}
