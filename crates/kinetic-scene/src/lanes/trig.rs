//! Sine and cosine of angles within ±π.

use super::vector::Lanes;

/// π/2 in three parts whose first two have few digits, so that small multiples of them are exact (Cody and Waite 1980).
const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];

/// `(sin, cos)` to 2 ulp of 1; angles must lie within ±π and a little.
///
/// The polynomials are the minimax ones of Cephes (Moshier), `sinf.c`, for ±π/4.
#[inline(always)]
pub(super) fn sin_cos<const W: usize>(angle: Lanes<W>) -> (Lanes<W>, Lanes<W>) {
    let (mut sine, mut cosine) = (Lanes::ZERO, Lanes::ZERO);
    for lane in 0..W {
        let quadrant = (angle.0[lane] * std::f32::consts::FRAC_2_PI).round_ties_even();
        let y = (-quadrant).mul_add(HALF_PI[0], angle.0[lane]);
        let y = (-quadrant).mul_add(HALF_PI[1], y);
        let y = (-quadrant).mul_add(HALF_PI[2], y);
        let square = y * y;
        let s = (-1.951_529_6e-4_f32).mul_add(square, 8.332_161e-3).mul_add(square, -1.666_665_5e-1);
        let s = s.mul_add(square * y, y);
        let c = 2.443_315_7e-5_f32.mul_add(square, -1.388_731_6e-3).mul_add(square, 4.166_664_6e-2);
        let c = c.mul_add(square * square, (-0.5_f32).mul_add(square, 1.0));
        // Quadrants -2 … 2: an odd one swaps the two; signs follow from which half the angle lies in.
        let is_odd = quadrant.abs() == 1.0;
        let (s, c) = if is_odd { (c, s) } else { (s, c) };
        let flips_sine = quadrant == -1.0 || quadrant.abs() == 2.0;
        let flips_cosine = quadrant == 1.0 || quadrant.abs() == 2.0;
        sine.0[lane] = if flips_sine { -s } else { s };
        cosine.0[lane] = if flips_cosine { -c } else { c };
    }
    (sine, cosine)
}

/// The angle less whole turns, in [-π, π], computed in double precision.
#[inline]
pub(super) fn within_a_turn(angle: f64) -> f32 {
    let turns = (angle * (0.5 / std::f64::consts::PI)).round_ties_even();
    (-turns).mul_add(std::f64::consts::TAU, angle) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_equal_those_of_the_standard_library() {
        for step in -40_000..=40_000_i32 {
            let angle = f64::from(step) * 1e-3;
            let reduced = within_a_turn(angle);
            let (s, c) = sin_cos(Lanes::<8>::splat(reduced));
            // 2 ulp of 1, and the rounding of the angle itself: half an ulp of π.
            let bound = 2.0 * f64::from(f32::EPSILON) + 1.2e-7;
            assert!((f64::from(s.0[3]) - angle.sin()).abs() < bound, "sin {angle}");
            assert!((f64::from(c.0[3]) - angle.cos()).abs() < bound, "cos {angle}");
        }
    }
}
