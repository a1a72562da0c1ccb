//! `W` single-precision numbers that are computed with at once.
//!
//! Plain loops over arrays, always inlined: inside a function compiled for wide registers each operation becomes one
//! instruction (see [`dispatch`](super::dispatch)). Every operation is exactly rounded, `mul_add` included, so results
//! do not depend on the width or the processor.

use std::ops::{Add, Mul, Sub};

use super::dispatch::not_above_zero;

/// One number per lane. Eight of them never cross a line of the cache; wider alignment would leave half of it empty, which
/// costs single configurations a quarter of their time.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Lanes<const W: usize>(pub(super) [f32; W]);

impl<const W: usize> Lanes<W> {
    pub(super) const ZERO: Self = Self([0.0; W]);

    #[inline(always)]
    pub(super) fn splat(value: f32) -> Self {
        Self([value; W])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = f(self.0[lane]);
        }
        Self(out)
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = f(self.0[lane], other.0[lane]);
        }
        Self(out)
    }

    /// `self · factor + term`, rounded once.
    #[inline(always)]
    pub(super) fn mul_add(self, factor: Self, term: Self) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = self.0[lane].mul_add(factor.0[lane], term.0[lane]);
        }
        Self(out)
    }

    /// `self · factor + term` with one factor for all lanes.
    #[inline(always)]
    pub(super) fn scale_add(self, factor: f32, term: Self) -> Self {
        self.mul_add(Self::splat(factor), term)
    }

    #[inline(always)]
    pub(super) fn scale(self, factor: f32) -> Self {
        self.map(|value| value * factor)
    }

    #[inline(always)]
    pub(super) fn offset(self, term: f32) -> Self {
        self.map(|value| value + term)
    }

    // Comparisons instead of `f32::min` and `max` compile to one instruction each. Values are finite here.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    /// The squares times a factor; -1 for what is not positive.
    #[inline(always)]
    pub(super) fn squared_with_sign(self, factor: f32) -> Self {
        self.map(|value| if value > 0.0 { value * value * factor } else { -1.0 })
    }

    /// Within `[-limit, limit]`.
    #[inline(always)]
    pub(super) fn clamp(self, limit: f32) -> Self {
        self.min(Self::splat(limit)).max(Self::splat(-limit))
    }

    /// The smallest lane.
    #[inline(always)]
    pub(super) fn smallest(self) -> f32 {
        let mut lanes = self.0;
        let mut half = W / 2;
        // Halves against each other: lane after lane would be one long chain of dependent steps.
        while half > 0 {
            for lane in 0..half {
                let other = lanes[lane + half];
                lanes[lane] = if other < lanes[lane] { other } else { lanes[lane] };
            }
            half /= 2;
        }
        lanes[0]
    }

    /// The largest lane.
    #[inline(always)]
    pub(super) fn largest(self) -> f32 {
        let mut lanes = self.0;
        let mut half = W / 2;
        while half > 0 {
            for lane in 0..half {
                let other = lanes[lane + half];
                lanes[lane] = if other > lanes[lane] { other } else { lanes[lane] };
            }
            half /= 2;
        }
        lanes[0]
    }

    /// True when every lane is above 0.
    #[inline(always)]
    pub(super) fn all_positive(self) -> bool {
        let mut all = true;
        for lane in 0..W {
            all &= self.0[lane] > 0.0;
        }
        all
    }

    /// One bit per lane that is not above 0.
    #[inline(always)]
    pub(super) fn not_positive(self) -> u16 {
        let mut bits = 0;
        // Through memory: compilers would cut all that leads to the lanes into the same small pieces.
        let lanes = std::hint::black_box(self.0);
        for (group, four) in lanes.as_chunks().0.iter().enumerate() {
            bits |= not_above_zero(four) << (4 * group);
        }
        bits
    }
}

impl<const W: usize> Add for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const W: usize> Sub for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const W: usize> Mul for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

/// Keeps several passes of the loop around it from being computed at once. Compilers that do so split every pass into
/// single lanes, and collect and scatter these.
#[inline(always)]
pub(super) fn one_pass_at_a_time() {
    std::hint::black_box(());
}

/// A point or direction per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point<const W: usize> {
    pub(super) x: Lanes<W>,
    pub(super) y: Lanes<W>,
    pub(super) z: Lanes<W>,
}

impl<const W: usize> Point<W> {
    pub(super) const ZERO: Self = Self { x: Lanes::ZERO, y: Lanes::ZERO, z: Lanes::ZERO };

    #[inline(always)]
    pub(super) fn splat([x, y, z]: [f32; 3]) -> Self {
        Self { x: Lanes::splat(x), y: Lanes::splat(y), z: Lanes::splat(z) }
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(super) fn minus_fixed(self, [x, y, z]: [f32; 3]) -> Self {
        Self { x: self.x.offset(-x), y: self.y.offset(-y), z: self.z.offset(-z) }
    }

    /// `self + direction · length`.
    #[inline(always)]
    pub(super) fn along(self, direction: Self, length: Lanes<W>) -> Self {
        Self {
            x: direction.x.mul_add(length, self.x),
            y: direction.y.mul_add(length, self.y),
            z: direction.z.mul_add(length, self.z),
        }
    }

    #[inline(always)]
    pub(super) fn along_fixed(self, direction: Self, length: f32) -> Self {
        self.along(direction, Lanes::splat(length))
    }

    #[inline(always)]
    pub(super) fn times(self, factor: Lanes<W>) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline(always)]
    pub(super) fn negated(self) -> Self {
        Self { x: Lanes::ZERO - self.x, y: Lanes::ZERO - self.y, z: Lanes::ZERO - self.z }
    }

    #[inline(always)]
    pub(super) fn dot_fixed(self, [x, y, z]: [f32; 3]) -> Lanes<W> {
        self.x.scale_add(x, self.y.scale_add(y, self.z.scale(z)))
    }

    #[inline(always)]
    pub(super) fn norm_squared(self) -> Lanes<W> {
        self.x.mul_add(self.x, self.y.mul_add(self.y, self.z * self.z))
    }

    /// `norm_squared() - term`.
    #[inline(always)]
    pub(super) fn norm_squared_less(self, term: f32) -> Lanes<W> {
        self.x.mul_add(self.x, self.y.mul_add(self.y, self.z.mul_add(self.z, Lanes::splat(-term))))
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}
