//! The only unsafe code of the crate, with [`registers`](super::registers): calls of functions that were compiled for instructions which were found to be
//! there.
#![allow(unsafe_code, reason = "functions compiled for more instructions than the baseline can be called no other way")]

use super::model::LaneModel;
#[cfg(target_arch = "x86_64")]
use super::registers::{Eight, Sixteen};
use super::scratch::Scratch;
use super::vector::{Lanes, Plain};
use crate::motion::BATCH;
use crate::simd::SimdTier;

/// What is done to the lanes of a batch.
pub(super) trait Work {
    /// Looks at the lanes `first, first + stride, …` of a batch. Returns true to stop.
    fn part<L: Lanes>(&mut self, model: &LaneModel, scratch: &mut Scratch<L>, first: usize, stride: usize) -> bool;
}

/// What is done with eight lanes, whatever they stand for.
pub(super) trait EightLanes {
    /// Does it; `L` says with which instructions.
    fn work<L: Lanes>(&mut self);
}

/// Scratch memory of a tier, which says which instructions may be used.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one per checker, and a box would cost a step on every call")]
pub(super) enum Workspace {
    /// The narrower one is for batches that are no more than half full.
    #[cfg(target_arch = "x86_64")]
    Avx512(Scratch<Sixteen>, Scratch<Eight>),
    #[cfg(target_arch = "x86_64")]
    Avx512Half(Scratch<Eight>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Scratch<Eight>),
    Baseline(Scratch<Plain<8>>),
}

impl Workspace {
    /// Buffers for a tier; for the baseline where the processor does not have it.
    pub(super) fn new(model: &LaneModel, tier: SimdTier) -> Self {
        if !SimdTier::available().contains(&tier) {
            return Self::Baseline(Scratch::new(model));
        }
        match tier {
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512 => Self::Avx512(Scratch::new(model), Scratch::new(model)),
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512Half => Self::Avx512Half(Scratch::new(model)),
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx2 => Self::Avx2(Scratch::new(model)),
            _ => Self::Baseline(Scratch::new(model)),
        }
    }

    /// Works on a batch of which `count` lanes are used; true when the work stopped early.
    #[inline]
    pub(super) fn run(&mut self, model: &LaneModel, count: usize, work: &mut impl Work) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_, scratch) if count <= BATCH / 2 => {
                // SAFETY: `new` made this after finding AVX-512F and AVX-512VL; every processor with these has AVX2 and
                // FMA.
                unsafe { avx512_half(model, scratch, count, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(scratch, _) => {
                // SAFETY: as above.
                unsafe { avx512(model, scratch, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Half(scratch) => {
                // SAFETY: as above.
                unsafe { avx512_half(model, scratch, count, work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(scratch) => {
                // SAFETY: as above, for AVX2 and FMA.
                unsafe { avx2(model, scratch, count, work) }
            }
            Self::Baseline(scratch) => halves(model, scratch, count, work),
        }
    }
}

impl Workspace {
    /// Works with the instructions of the tier.
    #[inline]
    pub(super) fn run_eight(&self, work: &mut impl EightLanes) {
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
    pub(super) fn has_fused_multiply_add(&self) -> bool {
        !(cfg!(target_arch = "x86_64") && matches!(self, Self::Baseline(_)))
    }
}

/// Instructions that were found to be there, with fused multiply-add among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instructions(SimdTier);

impl Instructions {
    /// Those of a tier; `None` where the processor does not have it, or every fused multiply-add is a call of a function.
    pub(super) fn with_fused_multiply_add(tier: SimdTier) -> Option<Self> {
        (tier != SimdTier::Scalar && SimdTier::available().contains(&tier)).then_some(Self(tier))
    }

    /// Works with them.
    #[inline]
    pub(super) fn run_eight(self, work: &mut impl EightLanes) {
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
fn avx512_eight(work: &mut impl EightLanes) {
    work.work::<Eight>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2_eight(work: &mut impl EightLanes) {
    work.work::<Eight>();
}

/// The first half of the lanes if that is enough; otherwise every other lane, then the rest.
#[inline(always)]
fn halves<L: Lanes>(model: &LaneModel, scratch: &mut Scratch<L>, count: usize, work: &mut impl Work) -> bool {
    if count <= BATCH / 2 {
        return work.part(model, scratch, 0, 1);
    }
    // No closure: it would be compiled without the wide instructions.
    for first in 0..BATCH / 8 {
        if work.part(model, scratch, first, BATCH / 8) {
            return true;
        }
    }
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512(model: &LaneModel, scratch: &mut Scratch<Sixteen>, work: &mut impl Work) -> bool {
    work.part(model, scratch, 0, 1)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512_half(model: &LaneModel, scratch: &mut Scratch<Eight>, count: usize, work: &mut impl Work) -> bool {
    halves(model, scratch, count, work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(model: &LaneModel, scratch: &mut Scratch<Eight>, count: usize, work: &mut impl Work) -> bool {
    halves(model, scratch, count, work)
}

/// One bit per number that is not above 0. Compilers do not find the instruction for it by themselves.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn not_above_zero(four: &[f32; 4]) -> u16 {
    use std::arch::x86_64::{_mm_cmpngt_ps, _mm_loadu_ps, _mm_movemask_ps, _mm_setzero_ps};
    // SAFETY: SSE is part of every x86-64 processor, and the pointer is to four numbers.
    let bits = unsafe { _mm_movemask_ps(_mm_cmpngt_ps(_mm_loadu_ps(four.as_ptr()), _mm_setzero_ps())) };
    bits.cast_unsigned() as u16
}

/// One bit per number that is not above 0.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn not_above_zero(four: &[f32; 4]) -> u16 {
    four.iter().enumerate().fold(0, |bits, (lane, value)| bits | u16::from(!(*value > 0.0)) << lane)
}
