//! Numbers of a register of any width, as the vectors of the recursions take them.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::ops::{Add, Mul, Sub};

use pulp::Simd;

use crate::scalar::Arithmetic;

/// Numbers of a register.
#[derive(Clone, Copy)]
pub(crate) struct Wide<S: Simd> {
    pub(crate) simd: S,
    pub(crate) values: S::f64s,
}

impl<S: Simd> Wide<S> {
    #[inline(always)]
    pub(crate) fn splat(simd: S, value: f64) -> Self {
        Self { simd, values: simd.splat_f64s(value) }
    }
}

impl<S: Simd> Add for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { simd: self.simd, values: self.simd.add_f64s(self.values, other.values) }
    }
}

impl<S: Simd> Sub for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { simd: self.simd, values: self.simd.sub_f64s(self.values, other.values) }
    }
}

impl<S: Simd> Mul for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { simd: self.simd, values: self.simd.mul_f64s(self.values, other.values) }
    }
}

impl<S: Simd> Arithmetic for Wide<S> {}
