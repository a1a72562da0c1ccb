//! Vectors of three numbers and symmetric 3 × 3 matrices over any number type.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use crate::scalar::{Arithmetic, Scalar};

/// x, y, z.
pub(crate) type Vec3<T> = [T; 3];

/// Upper triangle of a symmetric matrix: xx, xy, xz, yy, yz, zz.
pub(crate) type Sym3<T> = [T; 6];

/// The same constant in every number.
#[inline(always)]
pub(crate) fn splat<T: Scalar, const N: usize>(values: &[f64; N]) -> [T; N] {
    let mut all = zeros();
    for index in 0..N {
        all[index] = T::splat(values[index]);
    }
    all
}

#[inline(always)]
pub(crate) fn zeros<T: Scalar, const N: usize>() -> [T; N] {
    [T::splat(0.0); N]
}

#[inline(always)]
pub(crate) fn add<T: Arithmetic>(a: &Vec3<T>, b: &Vec3<T>) -> Vec3<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub<T: Arithmetic>(a: &Vec3<T>, b: &Vec3<T>) -> Vec3<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale<T: Arithmetic>(a: &Vec3<T>, factor: T) -> Vec3<T> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(crate) fn dot<T: Arithmetic>(a: &Vec3<T>, b: &Vec3<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<T: Arithmetic>(a: &Vec3<T>, b: &Vec3<T>) -> Vec3<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Matrix, given by its rows, times vector.
#[inline(always)]
pub(crate) fn apply<T: Scalar>(rows: &[Vec3<T>; 3], v: &Vec3<T>) -> Vec3<T> {
    [dot(&rows[0], v), dot(&rows[1], v), dot(&rows[2], v)]
}

/// Rows of the symmetric matrix.
#[inline(always)]
pub(crate) fn rows<T: Scalar>([xx, xy, xz, yy, yz, zz]: &Sym3<T>) -> [Vec3<T>; 3] {
    [[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]]
}

/// Elementwise sum.
#[inline(always)]
pub(crate) fn accumulate<T: Scalar, const N: usize>(sum: &mut [T; N], other: &[T; N]) {
    for index in 0..N {
        sum[index] = sum[index] + other[index];
    }
}
