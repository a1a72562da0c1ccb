//! Two registers of AVX2 as one of sixteen lanes. What is done once per batch, such as the search for near obstacles, is then
//! done once for both, and the operations of one do not wait for those of the other.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "registers in memory are arrays of numbers")]

use std::ops::{Add, Mul, Sub};

use crate::registers::Avx8;
use crate::vector::{Lanes, OutlinedKernel, Plain};

/// Sixteen lanes, with AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct AvxPair(Avx8, Avx8);

impl Add for AvxPair {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Sub for AvxPair {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl Mul for AvxPair {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0, self.1 * other.1)
    }
}

impl Lanes for AvxPair {
    const WIDTH: usize = 16;
    const ZERO: Self = Self(Avx8::ZERO, Avx8::ZERO);

    #[inline(always)]
    fn splat(value: f32) -> Self {
        let both = Avx8::splat(value);
        Self(both, both)
    }

    #[inline(always)]
    fn lanes(&self) -> &[f32] {
        // SAFETY: two registers, one after the other in memory, are an array of their numbers.
        unsafe { &*std::ptr::from_ref(self).cast::<[f32; 16]>() }
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above.
        unsafe { &mut *std::ptr::from_mut(self).cast::<[f32; 16]>() }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }

    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_sub(factor.0, term.0), self.1.mul_sub(factor.1, term.1))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(self.0.round(), self.1.round())
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        Self(self.0.choose(yes.0, no.0), self.1.choose(yes.1, no.1))
    }

    #[inline(always)]
    fn smallest(self) -> f32 {
        self.0.min(self.1).smallest()
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        self.0.max(self.1).largest()
    }

    #[inline(always)]
    fn not_positive(self) -> u16 {
        self.0.not_positive() | self.1.not_positive() << 8
    }

    #[inline(always)]
    fn all_positive(self) -> bool {
        self.0.min(self.1).all_positive()
    }

    #[inline(always)]
    fn not_positive_of(pack: &Plain<8>) -> u16 {
        Avx8::not_positive_of(pack)
    }

    #[inline(always)]
    fn gather(table: &[[f32; 4]], rows: Self) -> [Self; 4] {
        let ([a, b, c, d], [e, f, g, h]) = (Avx8::gather(table, rows.0), Avx8::gather(table, rows.1));
        [Self(a, e), Self(b, f), Self(c, g), Self(d, h)]
    }

    #[inline(always)]
    fn outline<T: OutlinedKernel>(kernel: T) -> bool {
        Avx8::outline(kernel)
    }
}
