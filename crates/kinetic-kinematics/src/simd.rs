//! SIMD lanes: the number types of the kernel, one `f64` or several.
//!
//! Both do the same operations in the same order and nothing is fused, so every lane has the bits of the scalar.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::ops::{Add, Div, Mul, Sub};

use crate::trig;

/// Arithmetic of forward kinematics.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The constant.
    fn splat(value: f64) -> Self;

    /// Sine and cosine, by `trig`.
    fn sin_cos(self) -> (Self, Self);

    /// The columns in the given order, combined by `combine`.
    fn turned(columns: &Columns<Self>, order: Order, factors: &Factors<Self>) -> Columns<Self>;
}

/// Axes of the parent that the axes of the child are.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// Axes x, y, z of the parent.
    Xyz,
    /// Axes x, z, y of the parent.
    Xzy,
    /// Axes y, x, z of the parent.
    Yxz,
    /// Axes y, z, x of the parent.
    Yzx,
    /// Axes z, x, y of the parent.
    Zxy,
    /// Axes z, y, x of the parent.
    Zyx,
}

impl Order {
    /// Every order with the indices of the axes.
    pub const ALL: [(Self, [usize; 3]); 6] = [
        (Self::Xyz, [0, 1, 2]),
        (Self::Xzy, [0, 2, 1]),
        (Self::Yxz, [1, 0, 2]),
        (Self::Yzx, [1, 2, 0]),
        (Self::Zxy, [2, 0, 1]),
        (Self::Zyx, [2, 1, 0]),
    ];
}

/// Factors of `combine`. No closure: it would be compiled without the wide instructions.
pub struct Factors<T> {
    /// Of x and of y in the new x axis.
    pub x: [T; 2],
    /// Of y and, to be subtracted, of x in the new y axis.
    pub y: [T; 2],
    /// Of z in the new z axis.
    pub z: T,
}

#[inline(always)]
fn combine<T: Number>(x: &[T; 3], y: &[T; 3], z: &[T; 3], factors: &Factors<T>) -> Columns<T> {
    let Factors { x: [xx, xy], y: [yy, yx], z: zz } = *factors;
    [
        [x[0] * xx + y[0] * xy, x[1] * xx + y[1] * xy, x[2] * xx + y[2] * xy],
        [y[0] * yy - x[0] * yx, y[1] * yy - x[1] * yx, y[2] * yy - x[2] * yx],
        [z[0] * zz, z[1] * zz, z[2] * zz],
    ]
}

/// Three columns of a rotation.
pub type Columns<T> = [[T; 3]; 3];

impl Number for f64 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sine, cosine) = trig::sin_cos([self]);
        (sine[0], cosine[0])
    }

    /// A match, not an index: an index would send the columns through memory.
    #[inline(always)]
    fn turned([x, y, z]: &Columns<Self>, order: Order, factors: &Factors<Self>) -> Columns<Self> {
        match order {
            Order::Xyz => combine(x, y, z, factors),
            Order::Xzy => combine(x, z, y, factors),
            Order::Yxz => combine(y, x, z, factors),
            Order::Yzx => combine(y, z, x, factors),
            Order::Zxy => combine(z, x, y, factors),
            Order::Zyx => combine(z, y, x, factors),
        }
    }
}

/// `W` numbers; plain loops over them, which the compiler turns into vector instructions.
///
/// Aligned to a cache line, so that no register of them is loaded from two.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Lanes<const W: usize>(pub [f64; W]);

impl<const W: usize> Number for Lanes<W> {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; W])
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sine, cosine) = trig::sin_cos(self.0);
        (Self(sine), Self(cosine))
    }

    /// The columns are in memory anyway.
    #[inline(always)]
    fn turned(columns: &Columns<Self>, order: Order, factors: &Factors<Self>) -> Columns<Self> {
        let (_, [x, y, z]) = Order::ALL[order as usize];
        combine(&columns[x], &columns[y], &columns[z], factors)
    }
}

impl<const W: usize> Lanes<W> {
    /// Square roots.
    #[inline(always)]
    #[must_use]
    pub fn sqrt(mut self) -> Self {
        for lane in 0..W {
            self.0[lane] = self.0[lane].sqrt();
        }
        self
    }
}

impl<const W: usize> Add for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] += other.0[lane];
        }
        self
    }
}

impl<const W: usize> Sub for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] -= other.0[lane];
        }
        self
    }
}

impl<const W: usize> Mul for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] *= other.0[lane];
        }
        self
    }
}

impl<const W: usize> Div for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn div(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] /= other.0[lane];
        }
        self
    }
}
