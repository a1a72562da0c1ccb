//! Seeded randomness.
//!
//! The generator is named (PCG XSL RR 128/64, O'Neill 2014), so that the same seed gives the same numbers in every
//! release of kinetic and of its dependencies.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Spreads every bit over all others, one to one: the finaliser of `SplitMix64` (Steele, Lea and Flood 2014).
#[inline]
pub fn spread_bits(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The generator of kinetic.
#[derive(Debug, Clone)]
pub struct SeededRng(Pcg64);

impl SeededRng {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// An independent generator for worker or restart `index` of the same seed.
    pub fn stream(seed: u64, index: u64) -> Self {
        // SplitMix64's odd constant (Steele et al. 2014) keeps streams of neighbouring seeds apart.
        Self::new(seed ^ index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        // The top 53 bits as a fraction: every value is representable.
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform integer in [0, n); `n` must be positive.
    pub fn below(&mut self, n: usize) -> usize {
        // Lemire 2019 without the rejection step: a bias below n / 2^64.
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Fills `out` with independent standard normal numbers (Box and Muller 1958).
    pub fn fill_normal(&mut self, out: &mut [f64]) {
        for pair in out.chunks_mut(2) {
            // 1 − u lies in (0, 1], so that its logarithm is finite.
            let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
            let (sine, cosine) = (std::f64::consts::TAU * self.unit()).sin_cos();
            for (out, part) in pair.iter_mut().zip([cosine, sine]) {
                *out = radius * part;
            }
        }
    }
}
