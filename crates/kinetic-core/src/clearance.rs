//! What a verification found.

use serde::{Deserialize, Serialize};

/// Two things between which a distance was measured; links, attached bodies or objects, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// Robot link or attached body.
    pub link: String,
    /// The other link, attached body or scene object.
    pub other: String,
}

impl Pair {
    /// A pair of names.
    pub fn new(link: impl Into<String>, other: impl Into<String>) -> Self {
        Self { link: link.into(), other: other.into() }
    }
}

/// The proof that a trajectory was verified, with what the verifier measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Number of configurations at which the proof evaluated distances.
    pub checks: u64,
    /// Least excess of distance over the margin its pair has to keep, plus that margin: the least signed distance of
    /// the tightest pair, m. Infinite when nothing can collide; `null` in files, as JSON has no infinity.
    #[serde(with = "infinity_as_null")]
    pub min_clearance: f64,
    /// The tightest pair.
    pub pair: Option<Pair>,
    /// Time of the least clearance, s.
    pub time: f64,
    /// Margin that the tightest pair had to keep, paddings and what the scene says about it included, m.
    #[serde(default)]
    pub pair_margin: f64,
    /// Distance towards the world that every pair was proven to keep, m: the least effective margin, paddings included.
    pub margin: f64,
    /// As `margin`, between links of the robot and what it carries, m.
    pub self_margin: f64,
    /// Largest |velocity| / limit over joints and time, from interval bounds.
    pub max_velocity_ratio: f64,
    /// Largest |acceleration| / limit over joints and time, from interval bounds.
    pub max_acceleration_ratio: f64,
    /// Largest |jerk| / limit inside pieces; `None` where jerk has no limit.
    pub max_jerk_ratio: Option<f64>,
    /// Largest distance between the timed curve and the planned path, Euclidean in joint space.
    pub path_deviation: f64,
}

/// A number whose infinity is written as `null`.
mod infinity_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
