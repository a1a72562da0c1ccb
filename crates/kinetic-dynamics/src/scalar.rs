//! Number types of the recursions: one `f64`, SIMD lanes of several states, or intervals.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::ops::{Add, Div, Mul, Sub};

use kinetic_kinematics::simd::{Lanes, Number};

/// Joints whose sines are computed together.
pub(crate) const SINCOS_BATCH: usize = 8;

/// What vectors need of their numbers.
pub(crate) trait Arithmetic: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl Arithmetic for f64 {}

impl<const W: usize> Arithmetic for Lanes<W> {}

/// Arithmetic of the recursions. Numbers and lanes do the same operations in the same order, so a batch has the bits of single
/// calls.
pub(crate) trait Scalar: Arithmetic + Div<Output = Self> {
    /// The constant.
    fn splat(value: f64) -> Self;

    /// -1, 0 or 1.
    fn sign(self) -> Self;

    /// Sines and cosines of the first `used` angles.
    fn sin_cos_batch(angles: &[Self; SINCOS_BATCH], used: usize) -> ([Self; SINCOS_BATCH], [Self; SINCOS_BATCH]);
}

#[inline(always)]
fn sign_of(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}

impl Scalar for f64 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn sign(self) -> Self {
        sign_of(self)
    }

    #[inline(always)]
    fn sin_cos_batch(angles: &[Self; SINCOS_BATCH], _used: usize) -> ([Self; SINCOS_BATCH], [Self; SINCOS_BATCH]) {
        let (sines, cosines) = Lanes(*angles).sin_cos();
        (sines.0, cosines.0)
    }
}

impl<const W: usize> Scalar for Lanes<W> {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; W])
    }

    #[inline(always)]
    fn sign(mut self) -> Self {
        for lane in 0..W {
            self.0[lane] = sign_of(self.0[lane]);
        }
        self
    }

    #[inline(always)]
    fn sin_cos_batch(angles: &[Self; SINCOS_BATCH], used: usize) -> ([Self; SINCOS_BATCH], [Self; SINCOS_BATCH]) {
        let (mut sines, mut cosines) = (*angles, *angles);
        for index in 0..used {
            (sines[index], cosines[index]) = angles[index].sin_cos();
        }
        (sines, cosines)
    }
}
