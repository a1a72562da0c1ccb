//! Sampling sequences of configurations.

use std::sync::{Arc, OnceLock};

use kinetic_core::rng::SeededRng;

use crate::space::Space;

/// Which sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SamplerKind {
    /// Halton's sequence (1960) in the bases 3, 5, 7, 11, …, shifted modulo 1 by an offset from the seed
    /// (Cranley and Patterson 1976): covers the space more evenly than independent samples.
    ///
    /// Without base 2, whose values alternate between the halves of the interval: of two trees that take turns,
    /// each would see one half only.
    #[default]
    Halton,
    /// Independent, uniformly distributed.
    Random,
}

/// An endless sequence of configurations of a space, determined by kind and seed.
#[derive(Debug, Clone)]
pub struct Sampler {
    axes: Vec<Axis>,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Halton(Vec<RadicalInverse>),
    Random(SeededRng),
}

/// The interval that one joint is sampled from.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    width: f64,
    shift: f64,
}

impl Sampler {
    /// A sequence over `space`.
    pub fn new(kind: SamplerKind, space: &Space, seed: u64) -> Self {
        let mut rng = SeededRng::new(seed);
        let mut axes: Vec<Axis> = (0..space.dof())
            .map(|joint| space.sample_interval(joint))
            .map(|(low, width)| Axis { low, width, shift: 0.0 })
            .collect();
        let source = match kind {
            SamplerKind::Random => Source::Random(rng),
            SamplerKind::Halton => {
                for axis in &mut axes {
                    axis.shift = rng.unit();
                }
                Source::Halton((0..space.dof()).map(RadicalInverse::of_joint).collect())
            }
        };
        Self { axes, source }
    }

    /// Writes the next configuration.
    #[inline]
    pub fn next_into(&mut self, out: &mut [f64]) {
        match &mut self.source {
            Source::Random(rng) => {
                for (value, axis) in out.iter_mut().zip(&self.axes) {
                    *value = axis.low + axis.width * rng.unit();
                }
            }
            Source::Halton(inverses) => {
                for ((value, axis), inverse) in out.iter_mut().zip(&self.axes).zip(inverses) {
                    let unit = inverse.next() + axis.shift;
                    *value = axis.low + axis.width * if unit < 1.0 { unit } else { unit - 1.0 };
                }
            }
        }
    }
}

/// Largest denominator of a radical inverse. Multiplying by its rounded reciprocal then stays below 1.
const LARGEST_DENOMINATOR: f64 = (1_u64 << 50) as f64;

/// Low digits of an index are looked up, as many as have at most this number of values.
const LARGEST_TABLE: usize = 256;

/// Spaces with up to this number of joints share their tables.
const SHARED_TABLES: usize = 32;

/// The radical inverses of 1, 2, 3, … in one base: the digits of the index mirrored at the point.
///
/// Kept as integer numerators over a fixed power of the base, exact in `f64`. The sequence starts again after
/// at least 2⁵⁰ / base values.
#[derive(Debug, Clone)]
struct RadicalInverse {
    base: f64,
    /// Numerators of the low digits' values, which are counted by `low`.
    table: Arc<[f64]>,
    low: usize,
    /// Numerator of the digits above.
    high: f64,
    /// Weight in the numerator of the lowest of the digits above.
    high_weight: f64,
    scale: f64,
}

impl RadicalInverse {
    /// The inverse whose base is the odd prime number `joint`.
    fn of_joint(joint: usize) -> Self {
        static SHARED: OnceLock<Vec<RadicalInverse>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| odd_primes().take(SHARED_TABLES).map(Self::new).collect());
        let own = || Self::new(odd_primes().nth(joint).unwrap_or(3));
        shared.get(joint).cloned().unwrap_or_else(own)
    }

    fn new(base: u32) -> Self {
        let (size, base) = (base as usize, f64::from(base));
        let mut denominator = base;
        while denominator * base <= LARGEST_DENOMINATOR {
            denominator *= base;
        }
        // Each pass puts one more digit above those that the table has.
        let (mut table, mut weight) = (vec![0.0], denominator);
        while table.len() == 1 || table.len() * size <= LARGEST_TABLE {
            weight /= base;
            table = (0..size).flat_map(|digit| table.iter().map(move |low| low + digit as f64 * weight)).collect();
        }
        let high_weight = weight / base;
        Self { base, table: table.into(), low: 0, high: 0.0, high_weight, scale: 1.0 / denominator }
    }

    #[inline]
    fn next(&mut self) -> f64 {
        self.low += 1;
        if self.low == self.table.len() {
            self.low = 0;
            self.carry();
        }
        (self.high + self.table[self.low]) * self.scale
    }

    /// Adds one to the high digits: trailing ones at their largest become 0, the next one grows.
    fn carry(&mut self) {
        let largest_digit = self.base - 1.0;
        let mut weight = self.high_weight;
        // What follows a digit in the numerator is less than its weight, so this comparison reads the digit.
        while weight >= 1.0 && self.high >= largest_digit * weight {
            self.high -= largest_digit * weight;
            weight /= self.base;
        }
        if weight >= 1.0 {
            self.high += weight;
        }
    }
}

fn odd_primes() -> impl Iterator<Item = u32> {
    (3_u32..).filter(|n| !(2..*n).take_while(|d| d * d <= *n).any(|d| n % d == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: mirror the digits of `index` in `base` at the point.
    fn mirrored(mut index: u64, base: u64) -> f64 {
        let (mut numerator, mut denominator) = (0_u64, 1_u64);
        while index > 0 {
            numerator = numerator * base + index % base;
            denominator *= base;
            index /= base;
        }
        numerator as f64 / denominator as f64
    }

    #[test]
    fn radical_inverses_mirror_the_digits_of_their_index() {
        // Two roundings of numbers below 1.
        const ROUNDING: f64 = 2.3e-16;
        for base in [2, 3, 5, 7, 11, 13, 17, 97, 509] {
            let mut inverse = RadicalInverse::new(base);
            for index in 1..=20_000 {
                let (value, expected) = (inverse.next(), mirrored(index, u64::from(base)));
                assert!((value - expected).abs() <= ROUNDING, "base {base}, index {index}: {value} {expected}");
            }
        }
    }

    #[test]
    fn an_exhausted_radical_inverse_starts_again() {
        let mut inverse = RadicalInverse::new(3);
        inverse.low = inverse.table.len() - 1;
        inverse.high = inverse.high_weight * 3.0 - 1.0;
        assert_eq!(inverse.next(), 0.0);
        assert!((inverse.next() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn shared_inverses_and_own_ones_use_the_base_of_their_joint() {
        for (joint, prime) in odd_primes().take(40).enumerate() {
            let mut inverse = RadicalInverse::of_joint(joint);
            assert!((inverse.next() - 1.0 / f64::from(prime)).abs() < 1e-15);
        }
    }

    #[test]
    fn odd_primes_are_the_odd_primes() {
        assert_eq!(odd_primes().take(10).collect::<Vec<_>>(), [3, 5, 7, 11, 13, 17, 19, 23, 29, 31]);
    }
}
