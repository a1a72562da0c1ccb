//! SIMD vectors of four joints.
//!
//! Loops over lanes are compiled for several widths of registers, and `pulp` picks the widest that the processor has. Every
//! lane does what a single joint would, so that the width changes no answer.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Joints that are looked at together.
pub(crate) const WIDTH: usize = 4;

/// One number per joint; plain loops, which the compiler turns into vector instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes(pub(crate) [f64; WIDTH]);

impl Lanes {
    #[inline(always)]
    pub(crate) fn splat(value: f64) -> Self {
        Self([value; WIDTH])
    }

    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + b) + (c + d)
    }

    #[inline(always)]
    pub(crate) fn largest(self) -> f64 {
        let [a, b, c, d] = self.0;
        a.max(b).max(c.max(d))
    }

    #[inline(always)]
    pub(crate) fn smallest(self) -> f64 {
        let [a, b, c, d] = self.0;
        a.min(b).min(c.min(d))
    }

    #[inline(always)]
    pub(crate) fn inverse(mut self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = 1.0 / self.0[lane];
        }
        self
    }

    #[inline(always)]
    pub(crate) fn abs(mut self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = self.0[lane].abs();
        }
        self
    }

    #[inline(always)]
    pub(crate) fn max(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = if self.0[lane] > other.0[lane] { self.0[lane] } else { other.0[lane] };
        }
        self
    }

    #[inline(always)]
    pub(crate) fn min(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = if self.0[lane] < other.0[lane] { self.0[lane] } else { other.0[lane] };
        }
        self
    }

    #[inline(always)]
    pub(crate) fn at_most(self, limit: Self) -> Mask {
        let mut mask = Mask([0; WIDTH]);
        for lane in 0..WIDTH {
            mask.0[lane] = if self.0[lane] <= limit.0[lane] { u64::MAX } else { 0 };
        }
        mask
    }
}

/// All bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mask(pub(crate) [u64; WIDTH]);

impl Mask {
    pub(crate) const NONE: Self = Self([0; WIDTH]);

    #[inline(always)]
    pub(crate) fn or(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] |= other.0[lane];
        }
        self
    }

    #[inline(always)]
    pub(crate) fn and(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] &= other.0[lane];
        }
        self
    }

    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.0.into_iter().fold(0, |any, lane| any | lane) == 0
    }

    #[inline(always)]
    pub(crate) fn is_all(self) -> bool {
        self.0.into_iter().fold(u64::MAX, |all, lane| all & lane) == u64::MAX
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] += other.0[lane];
        }
        self
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] -= other.0[lane];
        }
        self
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] *= other.0[lane];
        }
        self
    }
}

impl Div for Lanes {
    type Output = Self;

    #[inline(always)]
    fn div(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] /= other.0[lane];
        }
        self
    }
}
