//! Sine and cosine of angles within ±π.

use super::vector::Lanes;

/// π/2 in three parts whose first two have few digits, so that small multiples of them are exact (Cody and Waite 1980).
const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];

/// `(sin, cos)` to 2 ulp of 1; angles must lie within ±π and a little.
///
/// The polynomials are the minimax ones of Cephes (Moshier), `sinf.c`, for ±π/4.
#[inline(always)]
pub(super) fn sin_cos<L: Lanes>(angle: L) -> (L, L) {
    let quadrant = angle.scale(std::f32::consts::FRAC_2_PI).round();
    let back = L::ZERO - quadrant;
    let y = back.scale_add(HALF_PI[0], angle);
    let y = back.scale_add(HALF_PI[1], y);
    let y = back.scale_add(HALF_PI[2], y);
    let square = y * y;
    let s = square.scale_add(-1.951_529_6e-4, L::splat(8.332_161e-3)).mul_add(square, L::splat(-1.666_665_5e-1));
    let s = s.mul_add(square * y, y);
    let c = square.scale_add(2.443_315_7e-5, L::splat(-1.388_731_6e-3)).mul_add(square, L::splat(4.166_664_6e-2));
    let c = c.mul_add(square * square, square.scale_add(-0.5, L::splat(1.0)));
    // Quadrants -2 … 2: an odd one swaps the two; signs follow from which half the angle lies in.
    let is_odd = L::splat(0.5) - quadrant.abs().offset(-1.0).abs();
    let (s, c) = (is_odd.choose(c, s), is_odd.choose(s, c));
    // Above 0 for -2, -1 and 2, and for -2, 1 and 2.
    let flips_sine = quadrant.mul_add(quadrant, L::splat(-1.0)) - quadrant;
    let flips_cosine = quadrant.mul_add(quadrant, L::splat(-1.0)) + quadrant;
    (flips_sine.choose(L::ZERO - s, s), flips_cosine.choose(L::ZERO - c, c))
}

/// The angle less whole turns, in [-π, π], computed in double precision.
#[inline]
pub(super) fn within_a_turn(angle: f64) -> f32 {
    let turns = (angle * (0.5 / std::f64::consts::PI)).round_ties_even();
    (-turns).mul_add(std::f64::consts::TAU, angle) as f32
}

#[cfg(test)]
mod tests {
    use super::super::vector::Plain;
    use super::*;

    #[test]
    fn sine_and_cosine_equal_those_of_the_standard_library() {
        for step in -40_000..=40_000_i32 {
            let angle = f64::from(step) * 1e-3;
            let reduced = within_a_turn(angle);
            let (s, c) = sin_cos(Plain::<8>::splat(reduced));
            // 2 ulp of 1, and the rounding of the angle itself: half an ulp of π.
            let bound = 2.0 * f64::from(f32::EPSILON) + 1.2e-7;
            assert!((f64::from(s.0[3]) - angle.sin()).abs() < bound, "sin {angle}");
            assert!((f64::from(c.0[3]) - angle.cos()).abs() < bound, "cos {angle}");
        }
    }
}
