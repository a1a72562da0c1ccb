//! SIMD registers of 256 and 512 bits (AVX2, AVX-512). Operations are written as intrinsics, because compilers that are
//! given loops join the coordinates of neighbouring points in one register, or split registers, wherever their cost
//! model prefers it.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "instructions beyond the baseline can be called no other way")]

#[allow(clippy::wildcard_imports, reason = "instructions have names of their own")]
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use crate::vector::row;
use crate::vector::{Lanes, OutlinedKernel, Plain};

/// Eight lanes, with AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Avx8(__m256);

/// Sixteen lanes, with AVX-512F.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Avx16(__m512);

/// An operation that is one instruction, or a few.
macro_rules! instruction {
    ($call:expr) => {{
        // SAFETY: `dispatch` computes with lanes of this type only inside functions that it compiles for these instructions
        // and calls after finding them.
        unsafe { $call }
    }};
}

macro_rules! arithmetic {
    ($lanes:ident, $add:ident, $sub:ident, $mul:ident) => {
        impl Add for $lanes {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(instruction!($add(self.0, other.0)))
            }
        }

        impl Sub for $lanes {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(instruction!($sub(self.0, other.0)))
            }
        }

        impl Mul for $lanes {
            type Output = Self;

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(instruction!($mul(self.0, other.0)))
            }
        }
    };
}

arithmetic!(Avx8, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps);
arithmetic!(Avx16, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps);

/// Operations that both widths have, given the names of their instructions.
macro_rules! common {
    ($width:literal, $splat:ident, $fma:ident, $fms:ident, $min:ident, $max:ident, $sqrt:ident) => {
        const WIDTH: usize = $width;
        // SAFETY: every register is one of numbers, 0 bits are 0.
        const ZERO: Self = unsafe { std::mem::zeroed() };

        #[inline(always)]
        fn splat(value: f32) -> Self {
            Self(instruction!($splat(value)))
        }

        #[inline(always)]
        fn lanes(&self) -> &[f32] {
            // SAFETY: a register in memory is an array of its numbers.
            unsafe { &*std::ptr::from_ref(self).cast::<[f32; $width]>() }
        }

        #[inline(always)]
        fn lanes_mut(&mut self) -> &mut [f32] {
            // SAFETY: as above.
            unsafe { &mut *std::ptr::from_mut(self).cast::<[f32; $width]>() }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(instruction!($fma(self.0, factor.0, term.0)))
        }

        #[inline(always)]
        fn mul_sub(self, factor: Self, term: Self) -> Self {
            Self(instruction!($fms(self.0, factor.0, term.0)))
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(instruction!($min(self.0, other.0)))
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(instruction!($max(self.0, other.0)))
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(instruction!($sqrt(self.0)))
        }

        #[inline(always)]
        fn not_positive_of(pack: &Plain<8>) -> u16 {
            Avx8(instruction!(_mm256_loadu_ps(pack.0.as_ptr()))).not_positive()
        }
    };
}

/// Folds four lanes to one.
macro_rules! fold_four {
    ($four:expr, $pick:ident, $pick_one:ident) => {{
        let four = $four;
        let two = $pick(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32($pick_one(two, _mm_shuffle_ps::<1>(two, two)))
    }};
}

macro_rules! fold_pack {
    ($pack:expr, $pick:ident, $pick_one:ident) => {{
        let pack = $pack;
        fold_four!($pick(_mm256_castps256_ps128(pack), _mm256_extractf128_ps::<1>(pack)), $pick, $pick_one)
    }};
}

macro_rules! upper_half {
    ($lanes:expr) => {
        _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd($lanes)))
    };
}

macro_rules! both {
    ($low:expr, $high:expr) => {{
        let low = instruction!(_mm512_castps_pd(_mm512_castps256_ps512($low.0)));
        Avx16(instruction!(_mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd($high.0)))))
    }};
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn outlined_avx2(kernel: impl OutlinedKernel) -> bool {
    kernel.run()
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
#[inline(never)]
fn outlined_avx512(kernel: impl OutlinedKernel) -> bool {
    kernel.run()
}

/// Transposes four rows of a table, in the lower and in the upper halves of registers.
macro_rules! transposed {
    ($rows:expr) => {{
        let [a, b, c, d] = $rows;
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (above_ab, above_cd) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            Avx8(_mm256_shuffle_ps::<0x44>(ab, cd)),
            Avx8(_mm256_shuffle_ps::<0xEE>(ab, cd)),
            Avx8(_mm256_shuffle_ps::<0x44>(above_ab, above_cd)),
            Avx8(_mm256_shuffle_ps::<0xEE>(above_ab, above_cd)),
        ]
    }};
}

/// The columns of eight rows of a table.
#[inline(always)]
fn gather_pack(table: &[[f32; 4]], rows: &[f32; 8]) -> [Avx8; 4] {
    let row = |lane: usize| &table[row(rows[lane])];
    let mut both = [const { Avx8::ZERO.0 }; 4];
    for (lane, both) in both.iter_mut().enumerate() {
        let (low, high) = (row(lane), row(lane + 4));
        // SAFETY: as in `instruction`, and the pointers are to four numbers.
        *both = unsafe { _mm256_loadu2_m128(high.as_ptr(), low.as_ptr()) };
    }
    instruction!(transposed!(both))
}

impl Lanes for Avx8 {
    common!(8, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_min_ps, _mm256_max_ps, _mm256_sqrt_ps);

    #[inline(always)]
    fn outline<T: OutlinedKernel>(kernel: T) -> bool {
        instruction!(outlined_avx2(kernel))
    }

    #[inline(always)]
    fn gather(table: &[[f32; 4]], rows: Self) -> [Self; 4] {
        let mut numbers = [0.0; 8];
        numbers.copy_from_slice(rows.lanes());
        gather_pack(table, &numbers)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)))
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(instruction!(_mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        Self(instruction!(_mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, _mm256_setzero_ps()))))
    }

    #[inline(always)]
    fn smallest(self) -> f32 {
        instruction!(fold_pack!(self.0, _mm_min_ps, _mm_min_ss))
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        instruction!(fold_pack!(self.0, _mm_max_ps, _mm_max_ss))
    }

    #[inline(always)]
    fn not_positive(self) -> u16 {
        let bits = instruction!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NGT_UQ>(self.0, _mm256_setzero_ps())));
        bits.cast_unsigned() as u16
    }

    #[inline(always)]
    fn all_positive(self) -> bool {
        self.not_positive() == 0
    }
}

impl Lanes for Avx16 {
    common!(16, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_min_ps, _mm512_max_ps, _mm512_sqrt_ps);

    #[inline(always)]
    fn outline<T: OutlinedKernel>(kernel: T) -> bool {
        instruction!(outlined_avx512(kernel))
    }

    #[inline(always)]
    fn gather(table: &[[f32; 4]], rows: Self) -> [Self; 4] {
        let mut numbers = [[0.0; 8]; 2];
        numbers.as_flattened_mut().copy_from_slice(rows.lanes());
        let [[a, b, c, d], [e, f, g, h]] = [gather_pack(table, &numbers[0]), gather_pack(table, &numbers[1])];
        [both!(a, e), both!(b, f), both!(c, g), both!(d, h)]
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(_mm512_abs_ps(self.0)))
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(instruction!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        let is_positive = instruction!(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, _mm512_setzero_ps()));
        Self(instruction!(_mm512_mask_blend_ps(is_positive, no.0, yes.0)))
    }

    #[inline(always)]
    fn smallest(self) -> f32 {
        instruction!(fold_pack!(
            _mm256_min_ps(_mm512_castps512_ps256(self.0), upper_half!(self.0)),
            _mm_min_ps,
            _mm_min_ss
        ))
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        instruction!(fold_pack!(
            _mm256_max_ps(_mm512_castps512_ps256(self.0), upper_half!(self.0)),
            _mm_max_ps,
            _mm_max_ss
        ))
    }

    #[inline(always)]
    fn not_positive(self) -> u16 {
        instruction!(_mm512_cmp_ps_mask::<_CMP_NGT_UQ>(self.0, _mm512_setzero_ps()))
    }

    #[inline(always)]
    fn all_positive(self) -> bool {
        self.not_positive() == 0
    }
}
