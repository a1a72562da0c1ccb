//! Kernels that need no model, run with the instructions of a tier.
#![allow(unsafe_code, reason = "functions compiled for more instructions than the baseline can be called no other way")]

#[cfg(target_arch = "x86_64")]
use crate::registers::Avx8;
use crate::tier::SimdTier;
use crate::vector::{Lanes, Plain};

/// A kernel over packs of [`W`](crate::packed::W) numbers, whatever they stand for.
pub(crate) trait PackedKernel {
    /// Runs the kernel with the instructions of `L`.
    fn run<L: Lanes>(&mut self);
}

/// Instructions that were detected, fused multiply-add among them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instructions(SimdTier);

impl Instructions {
    /// The instructions of a tier; `None` where the processor does not have it, or every fused multiply-add is a call
    /// of a function.
    pub(crate) fn with_fused_multiply_add(tier: SimdTier) -> Option<Self> {
        (tier != SimdTier::Scalar && SimdTier::available().contains(&tier)).then_some(Self(tier))
    }

    /// Runs a kernel with them.
    #[inline]
    pub(crate) fn run_pack(self, kernel: &mut impl PackedKernel) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx512 | SimdTier::Avx512Half => {
                // SAFETY: the only constructor found AVX-512F and AVX-512VL.
                unsafe { avx512_pack(kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            SimdTier::Avx2 => {
                // SAFETY: the only constructor found AVX2 and FMA.
                unsafe { avx2_pack(kernel) }
            }
            _ => kernel.run::<Plain<8>>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(crate) fn avx512_pack(kernel: &mut impl PackedKernel) {
    kernel.run::<Avx8>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn avx2_pack(kernel: &mut impl PackedKernel) {
    kernel.run::<Avx8>();
}
