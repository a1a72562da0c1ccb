//! A hash of content, for telling whether two results are the same to the last bit.
//!
//! FNV-1a with 128 bits (Fowler, Noll and Vo; RFC 9923): the same on every machine and in every release. It finds
//! accidents, not forgeries.

use std::fmt;
use std::str::FromStr;

use crate::curve::PiecewisePolynomial;
use crate::error::{KineticError, Result};
use crate::path::Trajectory;
use crate::timed::TimedTrajectory;

const OFFSET_BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
const PRIME: u128 = (1 << 88) + 0x13B;

/// What a hash is called in texts.
const NAME: &str = "fnv1a128:";

/// A finished hash; as text `fnv1a128:` and 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(u128);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}{:032x}", self.0)
    }
}

impl FromStr for ContentHash {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::InvalidValue`].
    fn from_str(text: &str) -> Result<Self> {
        let digits = text.strip_prefix(NAME).filter(|digits| digits.len() == 32 && !digits.starts_with('+'));
        let value = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
        value.map(Self).ok_or_else(|| {
            let wanted = format!("\"{NAME}\" and 32 hexadecimal digits");
            KineticError::invalid("hash", format!("\"{}\"", text.chars().take(80).collect::<String>()), wanted)
        })
    }
}

/// A hash in the making.
#[derive(Debug, Clone, Copy)]
pub struct ContentHasher(u128);

impl Default for ContentHasher {
    fn default() -> Self {
        Self(OFFSET_BASIS)
    }
}

impl ContentHasher {
    /// Adds bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Adds an integer: eight bytes, the least significant first.
    pub fn integer(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a text with its length, so that two texts are not one.
    pub fn text(&mut self, text: &str) {
        self.integer(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// Adds a number by its bits: 0 and −0 differ.
    pub fn number(&mut self, value: f64) {
        self.integer(value.to_bits());
    }

    /// Adds numbers with their count.
    pub fn numbers(&mut self, values: &[f64]) {
        self.integer(values.len() as u64);
        values.iter().for_each(|value| self.number(*value));
    }

    /// The hash of what was added.
    pub fn finish(self) -> ContentHash {
        ContentHash(self.0)
    }
}

impl ContentHash {
    /// The hash of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = ContentHasher::default();
        hasher.bytes(bytes);
        hasher.finish()
    }
}

impl Trajectory {
    /// Hash of the bits of all waypoints.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("path");
        hasher.integer(self.dof() as u64);
        self.iter().for_each(|waypoint| hasher.numbers(waypoint));
        hasher.finish()
    }
}

impl TimedTrajectory {
    /// Hash of the bits of the curve and of the times of the waypoints; what a verifier found does not count.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("timed");
        add_curve(&mut hasher, self.curve());
        hasher.numbers(self.waypoint_times());
        hasher.finish()
    }
}

fn add_curve(hasher: &mut ContentHasher, curve: &PiecewisePolynomial) {
    hasher.integer(curve.dof() as u64);
    hasher.numbers(curve.knots());
    hasher.numbers(curve.all_coefficients().as_flattened());
}
