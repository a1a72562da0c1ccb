//! Content hashes, which identify results to the last bit.
//!
//! FNV-1a with 128 bits (Fowler, Noll and Vo; RFC 9923): the same on every machine and in every release. It finds
//! accidents, not forgeries.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};
use crate::pose::Pose;
use crate::rng::spread_bits;

const OFFSET_BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
const PRIME: u128 = (1 << 88) + 0x13B;

/// What a hash is called in texts.
const HASH_NAME: &str = "fnv1a128:";

/// A finished hash; as text `fnv1a128:` and 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContentHash(u128);

impl Default for ContentHash {
    /// The hash of nothing.
    fn default() -> Self {
        ContentHasher::default().finish()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = KineticError;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HASH_NAME}{:032x}", self.0)
    }
}

impl ContentHash {
    /// Its sixteen bytes, the least significant first.
    pub(crate) fn to_le_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

impl FromStr for ContentHash {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::InvalidValue`].
    fn from_str(text: &str) -> Result<Self> {
        let digits = text.strip_prefix(HASH_NAME).filter(|digits| digits.len() == 32 && !digits.starts_with('+'));
        let value = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
        value.map(Self).ok_or_else(|| {
            let wanted = format!("\"{HASH_NAME}\" and 32 hexadecimal digits");
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

    /// Adds eight bytes in one step, which is eight times as fast as [`bytes`](Self::bytes), and another hash: for much.
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_mul(PRIME);
    }

    /// Adds the bits of numbers with their count, a [`word`](Self::word) each.
    pub fn words(&mut self, values: &[f64]) {
        self.word(values.len() as u64);
        for value in values {
            self.word(value.to_bits());
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
        for value in values {
            self.number(*value);
        }
    }

    /// Adds a pose: position, then the unit quaternion.
    pub fn pose(&mut self, pose: &Pose) {
        pose.0.translation.vector.iter().chain(pose.0.rotation.coords.iter()).for_each(|value| self.number(*value));
    }

    /// Adds a finished hash.
    pub fn hash(&mut self, hash: ContentHash) {
        self.bytes(&hash.0.to_le_bytes());
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

/// The hash of a set whose members come and go, at a cost that does not depend on how many there are: the sum of their
/// mixed hashes (MSet-Add-Hash; Clarke, Devadas, van Dijk, Gassend and Suh 2003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetHash(u128);

impl SetHash {
    /// Adds a member.
    pub fn insert(&mut self, member: ContentHash) {
        self.0 = self.0.wrapping_add(mixed(member.0));
    }

    /// Takes out a member that was added before.
    pub fn remove(&mut self, member: ContentHash) {
        self.0 = self.0.wrapping_sub(mixed(member.0));
    }

    /// The hash of the members, in whatever order they came.
    pub fn finish(self) -> ContentHash {
        ContentHash::of_bytes(&self.0.to_le_bytes())
    }
}

/// Spreads every bit over all others: the last bytes of two members that change places would cancel in a sum of hashes as
/// they are. Both halves are spread, each fed by the other.
fn mixed(hash: u128) -> u128 {
    let (low, high) = (hash as u64, (hash >> 64) as u64);
    let high = spread_bits(high ^ spread_bits(low));
    let low = spread_bits(low ^ high);
    (u128::from(high) << 64) | u128::from(low)
}
