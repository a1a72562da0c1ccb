//! Interval arithmetic (Moore 1966): the recursions over intervals of states bound the efforts of all states in them.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::{Add, Div, Mul, Sub};

use crate::scalar::{Arithmetic, SINCOS_BATCH, Scalar};

/// Largest error of a sine of the standard library, with that of the tests for extremes.
const SINE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// All numbers from `low` to `high`. Every operation rounds outwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    /// Largest absolute value.
    pub(crate) fn magnitude(self) -> f64 {
        self.high.abs().max(self.low.abs())
    }

    fn outwards(low: f64, high: f64) -> Self {
        Self { low: low.next_down(), high: high.next_up() }
    }

    /// Sines, from an angle at which the sine has its maximum.
    fn sine(self, maximum: f64) -> Self {
        let value = |angle: f64| (angle - maximum).cos();
        let (a, b) = (value(self.low), value(self.high));
        let bound = |value: f64| value.clamp(-1.0, 1.0);
        Self {
            low: if self.meets(maximum + PI) { -1.0 } else { bound(a.min(b) - SINE_ROUNDING - self.angle_rounding()) },
            high: if self.meets(maximum) { 1.0 } else { bound(a.max(b) + SINE_ROUNDING + self.angle_rounding()) },
        }
    }

    /// True when `angle + 2 π k` may lie inside for some k.
    fn meets(self, angle: f64) -> bool {
        let slack = SINE_ROUNDING + self.angle_rounding();
        let first = ((self.low - slack - angle) / TAU).ceil();
        angle + first * TAU <= self.high + slack
    }

    /// Rounding of sums of the angles with multiples of π.
    fn angle_rounding(self) -> f64 {
        4.0 * f64::EPSILON * self.magnitude()
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::outwards(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::outwards(self.low - other.high, self.high - other.low)
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.low * other.low, self.low * other.high);
        let (c, d) = (self.high * other.low, self.high * other.high);
        Self::outwards(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

impl Div for Interval {
    type Output = Self;

    /// By an interval without 0; all numbers otherwise.
    fn div(self, other: Self) -> Self {
        if other.low <= 0.0 && other.high >= 0.0 {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        self * Self::outwards(1.0 / other.high, 1.0 / other.low)
    }
}

impl Arithmetic for Interval {}

impl Scalar for Interval {
    fn splat(value: f64) -> Self {
        Self { low: value, high: value }
    }

    fn sign(self) -> Self {
        Self { low: self.low.sign(), high: self.high.sign() }
    }

    fn sin_cos_batch(angles: &[Self; SINCOS_BATCH], used: usize) -> ([Self; SINCOS_BATCH], [Self; SINCOS_BATCH]) {
        let (mut sines, mut cosines) = (*angles, *angles);
        for index in 0..used {
            (sines[index], cosines[index]) = (angles[index].sine(FRAC_PI_2), angles[index].sine(0.0));
        }
        (sines, cosines)
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn inside(value: f64, interval: Interval) -> bool {
        interval.low <= value && value <= interval.high
    }

    #[test]
    fn results_of_numbers_lie_in_the_results_of_their_intervals() {
        let mut rng = SeededRng::new(1);
        for _ in 0..20_000 {
            let width = [0.0, 1e-9, 0.1, 3.0, 9.0][rng.below(5)];
            let mut interval = || {
                let low = rng.uniform(-7.0, 7.0);
                (Interval { low, high: low + width }, (low + width * rng.uniform(0.0, 1.0)).min(low + width))
            };
            let ((a, x), (b, y)) = (interval(), interval());
            assert!(inside(x + y, a + b) && inside(x - y, a - b) && inside(x * y, a * b) && inside(x / y, a / b));
            let (sines, cosines) = Interval::sin_cos_batch(&[a; SINCOS_BATCH], 1);
            assert!(inside(x.sin(), sines[0]) && inside(x.cos(), cosines[0]), "{x} {a:?}");
            assert!(inside(x.sign(), a.sign()));
            // No wider than the sine's slope makes it.
            assert!(sines[0].high - sines[0].low <= width + 1e-12);
        }
    }
}
