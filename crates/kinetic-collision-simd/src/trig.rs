//! Sine and cosine of angles within ±π, by minimax polynomials.

use crate::vector::Lanes;

/// π as the sum of two numbers (Cody and Waite 1980): the nearest one, and the difference.
const PI: [f32; 2] = [std::f32::consts::PI, -8.742_278e-8];

/// Minimax coefficients of `(sin √s / √s - 1) / s` and `(cos √s - 1) / s` on `[0, (π/2)²]`, the lowest power last; in
/// double precision sine and cosine are then right to 5e-9 and 3e-10. Found by Lawson's reweighted least squares (1961,
/// as in Trefethen 2013, "Approximation Theory and Approximation Practice"), errors weighted as they enter sine and
/// cosine.
const SINE: [f32; 4] = [2.600_035_3e-6, -1.980_660_6e-4, 8.333_017e-3, -1.666_665_7e-1];
const COSINE: [f32; 5] = [-2.607_692e-7, 2.476_187_5e-5, -1.388_840_4e-3, 4.166_664e-2, -0.5];

/// `(sin, cos)` to 2 ulp of 1; angles must lie within ±π and a little. Angles are reduced by multiples of π, which only
/// change both signs. Reduction by π/2 would shorten the polynomials, but sine and cosine would have to be swapped in
/// some lanes, which takes longer than two more terms.
#[inline(always)]
pub(crate) fn sin_cos<L: Lanes>(angle: L) -> (L, L) {
    let halves = angle.scale(std::f32::consts::FRAC_1_PI).round();
    let back = L::ZERO - halves;
    let y = back.scale_add(PI[1], back.scale_add(PI[0], angle));
    // 1 for no multiple of π, -1 for one or minus one.
    let sign = back.scale(2.0).mul_add(halves, L::splat(1.0));
    let square = y * y;
    let s = square.scale_add(SINE[0], L::splat(SINE[1]));
    let s = s.mul_add(square, L::splat(SINE[2])).mul_add(square, L::splat(SINE[3]));
    let s = s.mul_add(square * y, y);
    let c = square.scale_add(COSINE[0], L::splat(COSINE[1]));
    let c = c.mul_add(square, L::splat(COSINE[2])).mul_add(square, L::splat(COSINE[3]));
    let c = c.mul_add(square, L::splat(COSINE[4])).mul_add(square, L::splat(1.0));
    (s * sign, c * sign)
}

/// Reduces an angle to [-π, π], in double precision.
#[inline]
pub(crate) fn reduced_angle(angle: f64) -> f32 {
    let rotations = (angle * (0.5 / std::f64::consts::PI)).round_ties_even();
    (-rotations).mul_add(std::f64::consts::TAU, angle) as f32
}

#[cfg(test)]
mod tests {
    use super::super::vector::Plain;
    use super::*;

    #[test]
    fn sine_and_cosine_equal_those_of_the_standard_library() {
        for step in -40_000..=40_000_i32 {
            let angle = f64::from(step) * 1e-3;
            let reduced = reduced_angle(angle);
            let (s, c) = sin_cos(Plain::<8>::splat(reduced));
            // 2 ulp of 1, and the rounding of the angle itself: half an ulp of π.
            let bound = 2.0 * f64::from(f32::EPSILON) + 1.2e-7;
            assert!((f64::from(s.0[3]) - angle.sin()).abs() < bound, "sin {angle}");
            assert!((f64::from(c.0[3]) - angle.cos()).abs() < bound, "cos {angle}");
        }
    }
}
