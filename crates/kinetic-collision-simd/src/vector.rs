//! PackedModel-precision numbers that are computed with at once.
//!
//! Every operation is exactly rounded, `mul_add` included, so results do not depend on the width or the processor. How the
//! numbers of a register are written down does: [`registers`](super::registers) has those of the widest processors,
//! [`Plain`] arrays and loops, which every processor has.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

use crate::compare::not_above_zero;
use crate::motion::BATCH;

/// Added to a number of at most this size, a sum holds it, rounded, in its lowest bits.
pub(crate) const SHIFT: f32 = 8_388_608.0;

/// The bits of a number that hold a shifted row.
const ROW_BITS: u32 = 0x007F_FFFF;

/// The row of a table whose number a sum with [`SHIFT`] holds.
#[inline(always)]
pub(crate) fn row(shifted: f32) -> usize {
    (shifted.to_bits() & ROW_BITS) as usize
}

/// One number per lane.
pub(crate) trait Lanes:
    Debug + Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static
{
    /// How many.
    const WIDTH: usize;
    const ZERO: Self;

    fn splat(value: f32) -> Self;

    /// The first of some numbers, one per lane.
    #[inline(always)]
    fn first_of(values: &[f32; BATCH]) -> Self {
        let mut lanes = Self::ZERO;
        lanes.lanes_mut().copy_from_slice(&values[..Self::WIDTH]);
        lanes
    }

    /// All lanes, the first one first.
    fn lanes(&self) -> &[f32];

    fn lanes_mut(&mut self) -> &mut [f32];

    /// `self · factor + term`, rounded once.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// `self · factor - term`, rounded once.
    fn mul_sub(self, factor: Self, term: Self) -> Self;

    /// The smaller one; values are finite.
    fn min(self, other: Self) -> Self;

    /// The larger one; values are finite.
    fn max(self, other: Self) -> Self;

    fn abs(self) -> Self;

    fn sqrt(self) -> Self;

    /// The nearest integers, even ones where two are as near.
    fn round(self) -> Self;

    /// `yes` where this is above 0, otherwise `no`.
    fn choose(self, yes: Self, no: Self) -> Self;

    /// The smallest lane.
    fn smallest(self) -> f32;

    /// The largest lane.
    fn largest(self) -> f32;

    /// One bit per lane that is not above 0.
    fn not_positive(self) -> u16;

    /// True when every lane is above 0.
    fn all_positive(self) -> bool;

    /// One bit per number of an array of eight that is not above 0, with the instructions of these lanes.
    fn not_positive_of(pack: &Plain<8>) -> u16;

    /// Four columns of a table, at the rows whose numbers, shifted as [`row`] says, are in the lanes.
    #[inline(always)]
    fn gather(table: &[[f32; 4]], rows: Self) -> [Self; 4] {
        let mut columns = [Self::ZERO; 4];
        for lane in 0..Self::WIDTH {
            let values = &table[row(rows.lanes()[lane])];
            for (column, value) in columns.iter_mut().zip(values) {
                column.lanes_mut()[lane] = *value;
            }
        }
        columns
    }

    /// Does work in a function of its own, which is compiled for the instructions of these lanes.
    fn outline<T: OutlinedKernel>(work: T) -> bool;

    /// `self · factor + term` with one factor for all lanes.
    #[inline(always)]
    fn scale_add(self, factor: f32, term: Self) -> Self {
        self.mul_add(Self::splat(factor), term)
    }

    #[inline(always)]
    fn scale(self, factor: f32) -> Self {
        self * Self::splat(factor)
    }

    #[inline(always)]
    fn offset(self, term: f32) -> Self {
        self + Self::splat(term)
    }

    #[inline(always)]
    fn less(self, term: f32) -> Self {
        self - Self::splat(term)
    }

    /// The squares times a factor; -1 for what is not positive.
    #[inline(always)]
    fn squared_with_sign(self, factor: f32) -> Self {
        self.choose((self * self).scale(factor), Self::splat(-1.0))
    }

    /// Within `[-limit, limit]`.
    #[inline(always)]
    fn clamp(self, limit: f32) -> Self {
        self.min(Self::splat(limit)).max(Self::splat(-limit))
    }
}

/// Work that a kernel does often, or seldom, and that would crowd the registers of what surrounds it.
pub(crate) trait OutlinedKernel {
    fn work(self) -> bool;
}

/// An array. Plain loops, always inlined: inside a function compiled for wide registers each operation becomes one
/// instruction (see [`dispatch`](super::dispatch)). Avx8 numbers never cross a line of the cache; wider alignment would
/// leave half of it empty, which costs single configurations a quarter of their time.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Plain<const W: usize>(pub(crate) [f32; W]);

impl<const W: usize> Plain<W> {
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

    /// Halves against each other: lane after lane would be one long chain of dependent steps.
    #[inline(always)]
    fn reduce(self, f: impl Fn(f32, f32) -> f32) -> f32 {
        let mut lanes = self.0;
        let mut half = W / 2;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] = f(lanes[lane], lanes[lane + half]);
            }
            half /= 2;
        }
        lanes[0]
    }
}

impl<const W: usize> Lanes for Plain<W> {
    const WIDTH: usize = W;
    const ZERO: Self = Self([0.0; W]);

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; W])
    }

    #[inline(always)]
    fn lanes(&self) -> &[f32] {
        &self.0
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = self.0[lane].mul_add(factor.0[lane], term.0[lane]);
        }
        Self(out)
    }

    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = self.0[lane].mul_add(factor.0[lane], -term.0[lane]);
        }
        Self(out)
    }

    // Comparisons instead of `f32::min` and `max` compile to one instruction each.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    #[inline(always)]
    fn round(self) -> Self {
        self.map(f32::round_ties_even)
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        let mut out = [0.0; W];
        for lane in 0..W {
            out[lane] = if self.0[lane] > 0.0 { yes.0[lane] } else { no.0[lane] };
        }
        Self(out)
    }

    #[inline(always)]
    fn smallest(self) -> f32 {
        self.reduce(|a, b| if b < a { b } else { a })
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        self.reduce(|a, b| if b > a { b } else { a })
    }

    #[inline(always)]
    fn not_positive_of(pack: &Plain<8>) -> u16 {
        pack.not_positive()
    }

    #[inline(never)]
    fn outline<T: OutlinedKernel>(work: T) -> bool {
        work.work()
    }

    #[inline(always)]
    fn all_positive(self) -> bool {
        let mut all = true;
        for lane in 0..W {
            all &= self.0[lane] > 0.0;
        }
        all
    }

    #[inline(always)]
    fn not_positive(self) -> u16 {
        let mut bits = 0;
        // Through memory: compilers would cut all that leads to the lanes into the same small pieces.
        let lanes = std::hint::black_box(self.0);
        for (group, four) in lanes.as_chunks().0.iter().enumerate() {
            bits |= not_above_zero(four) << (4 * group);
        }
        bits
    }
}

impl<const W: usize> Add for Plain<W> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const W: usize> Sub for Plain<W> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const W: usize> Mul for Plain<W> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

/// Keeps several passes of the loop around it from being computed at once. Compilers that do so split every pass into
/// single lanes, and collect and scatter these.
#[inline(always)]
pub(crate) fn one_pass_at_a_time() {
    std::hint::black_box(());
}

/// A point or direction per lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<L> {
    pub(crate) x: L,
    pub(crate) y: L,
    pub(crate) z: L,
}

impl<L: Lanes> Point<L> {
    pub(crate) const ZERO: Self = Self { x: L::ZERO, y: L::ZERO, z: L::ZERO };

    #[inline(always)]
    pub(crate) fn splat([x, y, z]: [f32; 3]) -> Self {
        Self { x: L::splat(x), y: L::splat(y), z: L::splat(z) }
    }

    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(crate) fn minus_fixed(self, [x, y, z]: [f32; 3]) -> Self {
        Self { x: self.x.less(x), y: self.y.less(y), z: self.z.less(z) }
    }

    /// `self + direction · length`.
    #[inline(always)]
    pub(crate) fn along(self, direction: Self, length: L) -> Self {
        Self {
            x: direction.x.mul_add(length, self.x),
            y: direction.y.mul_add(length, self.y),
            z: direction.z.mul_add(length, self.z),
        }
    }

    #[inline(always)]
    pub(crate) fn along_fixed(self, direction: Self, length: f32) -> Self {
        self.along(direction, L::splat(length))
    }

    #[inline(always)]
    pub(crate) fn times(self, factor: L) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline(always)]
    pub(crate) fn negated(self) -> Self {
        Self { x: L::ZERO - self.x, y: L::ZERO - self.y, z: L::ZERO - self.z }
    }

    #[inline(always)]
    pub(crate) fn dot_fixed(self, [x, y, z]: [f32; 3]) -> L {
        self.x.scale_add(x, self.y.scale_add(y, self.z.scale(z)))
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> L {
        self.x.mul_add(other.x, self.y.mul_add(other.y, self.z * other.z))
    }

    #[inline(always)]
    pub(crate) fn norm_squared(self) -> L {
        self.x.mul_add(self.x, self.y.mul_add(self.y, self.z * self.z))
    }

    /// `norm_squared() - term`.
    #[inline(always)]
    pub(crate) fn norm_squared_less(self, term: L) -> L {
        self.x.mul_add(self.x, self.y.mul_add(self.y, self.z.mul_sub(self.z, term)))
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

/// Corners of the box around the points of all lanes, larger by `around`.
#[inline(always)]
pub(crate) fn corners<L: Lanes>(Point { x, y, z }: Point<L>, around: f32) -> ([f32; 3], [f32; 3]) {
    (
        [x.smallest() - around, y.smallest() - around, z.smallest() - around],
        [x.largest() + around, y.largest() + around, z.largest() + around],
    )
}
