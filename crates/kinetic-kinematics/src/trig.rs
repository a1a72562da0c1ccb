//! Vectorised sine and cosine, without branches.
//!
//! The angle is reduced to ±π/4 with π/2 in two parts (Cody and Waite 1980), the first of which has so few digits that
//! its multiples are exact. The polynomials are Chebyshev approximations of `(sin x − x) / x³` and
//! `(cos x − 1 + x²/2) / x⁴` in `x²` on that range (errors 2e-17 and 1.3e-18). The result is within [`SINE_ERROR`] of the
//! true value.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use std::f64::consts::FRAC_2_PI;

/// Largest error of a sine or cosine: one unit in the last place of 1. Half of it is the rounding of the reduced angle.
#[cfg(test)]
const SINE_ERROR: f64 = f64::EPSILON;

/// Larger angles go to the standard library: a multiple of the first part of π/2 would no longer be exact.
const LARGEST_ANGLE_RAD: f64 = 1e6;

/// The first 33 bits of π/2, and the rest.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

const SINE: [f64; 6] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_330_946,
    -0.000_198_412_698_367_549_7,
    2.755_731_610_068_303e-6,
    -2.505_113_145_542_795e-8,
    1.591_810_123_027_412e-10,
];

const COSINE: [f64; 6] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_739_5,
    2.480_158_729_876_343_3e-5,
    -2.755_731_727_056_032_6e-7,
    2.087_614_602_468_974_7e-9,
    -1.138_261_486_855_632_5e-11,
];

/// 1.5 · 2⁵²: added to a number it rounds it to an integer, whose low bits are then those of the sum.
const ROUNDING_SHIFT: f64 = 6_755_399_441_055_744.0;

/// `(sin, cos)` of each angle, rad; NaN for what is not finite.
#[inline(always)]
pub(crate) fn sin_cos<const W: usize>(angles: [f64; W]) -> ([f64; W], [f64; W]) {
    let mut is_outside = false;
    for angle in angles {
        is_outside |= !(angle.abs() <= LARGEST_ANGLE_RAD);
    }
    if is_outside { by_library(angles) } else { reduced(angles) }
}

#[cold]
#[inline(never)]
fn by_library<const W: usize>(angles: [f64; W]) -> ([f64; W], [f64; W]) {
    let (mut sines, mut cosines) = ([0.0; W], [0.0; W]);
    for lane in 0..W {
        // Lane by lane, so that a result does not depend on its neighbours.
        let small = angles[lane].abs() <= LARGEST_ANGLE_RAD;
        (sines[lane], cosines[lane]) = if small {
            let ([sine], [cosine]) = reduced([angles[lane]]);
            (sine, cosine)
        } else {
            angles[lane].sin_cos()
        };
    }
    (sines, cosines)
}

#[inline(always)]
fn reduced<const W: usize>(angles: [f64; W]) -> ([f64; W], [f64; W]) {
    let (mut s, mut c, mut quadrants) = ([0; W], [0; W], [0; W]);
    for lane in 0..W {
        let shifted = angles[lane] * FRAC_2_PI + ROUNDING_SHIFT;
        quadrants[lane] = shifted.to_bits();
        let turns = shifted - ROUNDING_SHIFT;
        let x = (angles[lane] - turns * HALF_PI[0]) - turns * HALF_PI[1];
        let square = x * x;
        s[lane] = (x + x * square * polynomial(&SINE, square)).to_bits();
        c[lane] = (1.0 - (0.5 * square - square * square * polynomial(&COSINE, square))).to_bits();
    }
    // Odd quadrants swap the two; the second and third turn the sine round, the first and second the cosine.
    let (mut sines, mut cosines) = ([0.0; W], [0.0; W]);
    for lane in 0..W {
        let swap = 0_u64.wrapping_sub(quadrants[lane] & 1);
        sines[lane] = f64::from_bits(s[lane] ^ ((s[lane] ^ c[lane]) & swap) ^ ((quadrants[lane] & 2) << 62));
    }
    for lane in 0..W {
        let swap = 0_u64.wrapping_sub(quadrants[lane] & 1);
        let turned = (quadrants[lane].wrapping_add(1) & 2) << 62;
        cosines[lane] = f64::from_bits(c[lane] ^ ((s[lane] ^ c[lane]) & swap) ^ turned);
    }
    (sines, cosines)
}

/// Estrin's scheme: half the latency of Horner's.
#[inline(always)]
fn polynomial(c: &[f64; 6], x: f64) -> f64 {
    let square = x * x;
    (c[0] + c[1] * x) + square * ((c[2] + c[3] * x) + square * (c[4] + c[5] * x))
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn compare(angle: f64) {
        let ([sine], [cosine]) = sin_cos([angle]);
        assert!((sine - angle.sin()).abs() <= SINE_ERROR, "sin {angle:e}: {sine:e}, not {:e}", angle.sin());
        assert!((cosine - angle.cos()).abs() <= SINE_ERROR, "cos {angle:e}: {cosine:e}, not {:e}", angle.cos());
    }

    #[test]
    fn sines_and_cosines_are_those_of_the_standard_library_to_the_last_place_of_one() {
        let mut rng = SeededRng::new(1);
        for range in [1e-300, 1e-8, 1.0, 10.0, 1e3, 1e6, 1e9, 1e300] {
            for _ in 0..20_000 {
                compare(rng.uniform(-range, range));
            }
        }
    }

    #[test]
    fn multiples_of_an_eighth_turn_and_their_neighbours_are_no_worse() {
        for eighth in -100_000..=100_000_i32 {
            let angle = f64::from(eighth) * std::f64::consts::FRAC_PI_4;
            for neighbour in [angle.next_down(), angle, angle.next_up()] {
                compare(neighbour);
            }
        }
        assert_eq!(sin_cos([0.0]), ([0.0], [1.0]));
    }

    #[test]
    fn a_lane_does_not_depend_on_its_neighbours() {
        let mut rng = SeededRng::new(2);
        for others in [0.0, 1e7, f64::NAN, f64::INFINITY] {
            for _ in 0..1000 {
                let angle = rng.uniform(-7.0, 7.0);
                let (sines, cosines) = sin_cos([others, angle, others, 0.3]);
                assert_eq!((sines[1], cosines[1]), (sin_cos([angle]).0[0], sin_cos([angle]).1[0]), "{angle}, {others}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_sine() {
        for angle in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let ([sine], [cosine]) = sin_cos([angle]);
            assert!(sine.is_nan() && cosine.is_nan());
        }
    }
}
