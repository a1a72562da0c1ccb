//! Sign masks of single-precision numbers: one bit per number.
#![allow(unsafe_code, reason = "compilers do not find the instruction for it by themselves")]

/// One bit per number that is not above 0.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn not_above_zero(four: &[f32; 4]) -> u16 {
    use std::arch::x86_64::{_mm_cmpngt_ps, _mm_loadu_ps, _mm_movemask_ps, _mm_setzero_ps};
    // SAFETY: SSE is part of every x86-64 processor, and the pointer is to four numbers.
    let bits = unsafe { _mm_movemask_ps(_mm_cmpngt_ps(_mm_loadu_ps(four.as_ptr()), _mm_setzero_ps())) };
    bits.cast_unsigned() as u16
}

/// One bit per number that is not above 0.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn not_above_zero(four: &[f32; 4]) -> u16 {
    four.iter().enumerate().fold(0, |bits, (lane, value)| bits | u16::from(!(*value > 0.0)) << lane)
}
