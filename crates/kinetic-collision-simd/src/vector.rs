//! SIMD arithmetic in single precision: one number per lane, and points of such numbers. Every operation is correctly
//! rounded, `mul_add` included, so results do not depend on the register width or the processor.
//! [`registers`](super::registers) implements the operations with intrinsics, [`Plain`] with loops over arrays for
//! every processor.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

use crate::compare::not_above_zero;
use crate::motion::BATCH;

/// Adding this (2²³) to a smaller number leaves the number, rounded to an integer, in the lowest bits of the sum.
pub(crate) const ROW_SHIFT: f32 = 8_388_608.0;

/// Bits of a shifted number that hold the row.
const ROW_BITS: u32 = 0x007F_FFFF;

/// Row of a table from its number plus [`ROW_SHIFT`].
#[inline(always)]
pub(crate) fn row(shifted: f32) -> usize {
    (shifted.to_bits() & ROW_BITS) as usize
}

/// A register of numbers, one per lane.
pub(crate) trait Lanes:
    Debug + Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static
{
    /// Number of lanes.
    const WIDTH: usize;
    const ZERO: Self;

    fn splat(value: f32) -> Self;

    /// Loads the first numbers, one per lane.
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

    /// The smaller number per lane; values are finite.
    fn min(self, other: Self) -> Self;

    /// The larger number per lane; values are finite.
    fn max(self, other: Self) -> Self;

    fn abs(self) -> Self;

    fn sqrt(self) -> Self;

    /// Rounds to the nearest integers, ties to even.
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

    /// Runs a kernel in a function of its own, which is compiled for the instructions of this register.
    fn outline<T: OutlinedKernel>(kernel: T) -> bool;

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

    /// Clamps to `[-limit, limit]`.
    #[inline(always)]
    fn clamp(self, limit: f32) -> Self {
        self.min(Self::splat(limit)).max(Self::splat(-limit))
    }
}

/// A part of a kernel that is compiled as a separate function, because inlining it would spill the registers of its caller.
pub(crate) trait OutlinedKernel {
    fn run(self) -> bool;
}

/// An array with one number per lane. Its loops are always inlined: inside a function compiled for wide registers each
/// operation becomes one instruction (see [`dispatch`](super::dispatch)). Eight numbers never cross a cache line. Wider
/// alignment would leave half of each line empty, which costs single configurations a quarter of their time.
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

    /// Reduces halves pairwise, because a reduction lane by lane is one long chain of dependent operations.
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

    // Comparisons compile to one instruction each, unlike `f32::min` and `max`.
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
    fn outline<T: OutlinedKernel>(kernel: T) -> bool {
        kernel.run()
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
        // Through memory, because compilers would otherwise split all preceding operations into chunks of four lanes too.
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

/// Keeps the compiler from vectorizing the loop around it. The body of such a loop uses full registers already, and
/// vectorizing across iterations would split these into single lanes, with gathers and scatters.
#[inline(always)]
pub(crate) fn prevent_loop_vectorization() {
    std::hint::black_box(());
}

/// Points or directions, one per lane.
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

/// Corners of the bounding box of the points of all lanes, enlarged by `around`.
#[inline(always)]
pub(crate) fn corners<L: Lanes>(Point { x, y, z }: Point<L>, around: f32) -> ([f32; 3], [f32; 3]) {
    (
        [x.smallest() - around, y.smallest() - around, z.smallest() - around],
        [x.largest() + around, y.largest() + around, z.largest() + around],
    )
}

/// Distance of values from an interval, 0 inside.
#[inline(always)]
pub(crate) fn interval_distance<L: Lanes>(value: L, lower: f32, upper: f32) -> L {
    (L::splat(lower) - value).max(value.less(upper)).max(L::ZERO)
}
