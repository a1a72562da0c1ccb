//! The only unsafe code of the crate, with [`registers`](super::registers): calls of functions that were compiled for instructions which were found to be
//! there.
#![allow(unsafe_code, reason = "functions compiled for more instructions than the baseline can be called no other way")]

use crate::model::KernelModel;
use crate::motion::BATCH;
use crate::placement::Placement;
#[cfg(target_arch = "x86_64")]
use crate::registers::{Avx8, Avx16};
use crate::tier::SimdTier;
use crate::vector::{Lanes, Plain};

/// What is done to the lanes of a batch.
pub(crate) trait BatchKernel {
    /// Looks at the lanes `first, first + stride, …` of a batch. Returns true to stop.
    fn part<L: Lanes>(
        &mut self,
        model: &KernelModel,
        placement: &mut Placement<L>,
        first: usize,
        stride: usize,
    ) -> bool;
}

/// What is done with eight lanes, whatever they stand for.
pub(crate) trait PackedKernel {
    /// Does it; `L` says with which instructions.
    fn work<L: Lanes>(&mut self);
}

/// Placement memory of a tier, which says which instructions may be used.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one per checker, and a box would cost a step on every call")]
pub(crate) enum TierPlacement {
    /// The narrower one is for batches that are no more than half full.
    #[cfg(target_arch = "x86_64")]
    Avx512(Placement<Avx16>, Placement<Avx8>),
    #[cfg(target_arch = "x86_64")]
    Avx512Half(Placement<Avx8>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Placement<Avx8>),
    Baseline(Placement<Plain<8>>),
}

impl TierPlacement {
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
            SimdTier::Avx2 => Self::Avx2(Placement::new(model)),
            _ => Self::Baseline(Placement::new(model)),
        }
    }

    /// Works on a batch of which `count` lanes are used; true when the work stopped early.
    #[inline]
    pub(crate) fn run(&mut self, model: &KernelModel, count: usize, work: &mut impl BatchKernel) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_, placement) if count <= BATCH / 2 => {
                // SAFETY: `new` made this after finding AVX-512F and AVX-512VL; every processor with these has AVX2 and
                // FMA.
                unsafe { avx512_half(model, placement, count, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(placement, _) => {
                // SAFETY: as above.
                unsafe { avx512(model, placement, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Half(placement) => {
                // SAFETY: as above.
                unsafe { avx512_half(model, placement, count, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(placement) => {
                // SAFETY: as above, for AVX2 and FMA.
                unsafe { avx2(model, placement, count, work) }
            }
            Self::Baseline(placement) => halves(model, placement, count, work),
        }
    }
}

impl TierPlacement {
    /// Works with the instructions of the tier.
    #[inline]
    pub(crate) fn run_eight(&self, work: &mut impl PackedKernel) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(..) | Self::Avx512Half(_) => {
                // SAFETY: as in `run`.
                unsafe { avx512_eight(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => {
                // SAFETY: as in `run`.
                unsafe { avx2_eight(work) }
            }
            Self::Baseline(_) => work.work::<Plain<8>>(),
        }
    }

    /// False where every fused multiply-add is a call of a function.
    pub(crate) fn has_fused_multiply_add(&self) -> bool {
        !(cfg!(target_arch = "x86_64") && matches!(self, Self::Baseline(_)))
    }
}

/// Instructions that were found to be there, with fused multiply-add among them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instructions(SimdTier);

impl Instructions {
    /// Those of a tier; `None` where the processor does not have it, or every fused multiply-add is a call of a function.
    pub(crate) fn with_fused_multiply_add(tier: SimdTier) -> Option<Self> {
        (tier != SimdTier::Scalar && SimdTier::available().contains(&tier)).then_some(Self(tier))
    }

    /// Works with them.
    #[inline]
    pub(crate) fn run_eight(self, work: &mut impl PackedKernel) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512 | SimdTier::Avx512Half => {
                // SAFETY: the only constructor found AVX-512F and AVX-512VL.
                unsafe { avx512_eight(work) }
            }
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx2 => {
                // SAFETY: the only constructor found AVX2 and FMA.
                unsafe { avx2_eight(work) }
            }
            _ => work.work::<Plain<8>>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512_eight(work: &mut impl PackedKernel) {
    work.work::<Avx8>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2_eight(work: &mut impl PackedKernel) {
    work.work::<Avx8>();
}

/// The first half of the lanes if that is enough; otherwise every other lane, then the rest.
#[inline(always)]
fn halves<L: Lanes>(
    model: &KernelModel,
    placement: &mut Placement<L>,
    count: usize,
    work: &mut impl BatchKernel,
) -> bool {
    if count <= BATCH / 2 {
        return work.part(model, placement, 0, 1);
    }
    // No closure: it would be compiled without the wide instructions.
    for first in 0..BATCH / 8 {
        if work.part(model, placement, first, BATCH / 8) {
            return true;
        }
    }
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512(model: &KernelModel, placement: &mut Placement<Avx16>, work: &mut impl BatchKernel) -> bool {
    work.part(model, placement, 0, 1)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512_half(
    model: &KernelModel,
    placement: &mut Placement<Avx8>,
    count: usize,
    work: &mut impl BatchKernel,
) -> bool {
    halves(model, placement, count, work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(model: &KernelModel, placement: &mut Placement<Avx8>, count: usize, work: &mut impl BatchKernel) -> bool {
    halves(model, placement, count, work)
}
