//! The sensor model of an occupancy octree: probabilities, and the log-odds that they become.

use kinetic_core::{KineticError, Result};

/// Resolution and sensor model of an [`Octree`](crate::Octree). The defaults are those of the paper (Hornung et al. 2013).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctreeConfig {
    /// Edge of the smallest cells, m.
    pub resolution: f64,
    /// Probability that a cell is occupied when a measurement ends in it: above 0.5.
    pub hit: f64,
    /// Probability that a cell is occupied when a measurement passes it: below 0.5.
    pub miss: f64,
    /// Least probability of a cell.
    pub clamp_min: f64,
    /// Largest probability of a cell.
    pub clamp_max: f64,
    /// A cell of at least this probability counts as occupied.
    pub occupancy_threshold: f64,
}

impl Default for OctreeConfig {
    fn default() -> Self {
        Self { resolution: 0.05, hit: 0.7, miss: 0.4, clamp_min: 0.1192, clamp_max: 0.971, occupancy_threshold: 0.5 }
    }
}

/// Edges of cells that a tree can have, m: with these, coordinates of cells keep their digits.
const RESOLUTIONS_M: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl OctreeConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        if !RESOLUTIONS_M.contains(&self.resolution) {
            return Err(KineticError::invalid("resolution", self.resolution, "between 1e-6 and 1e6 (m)"));
        }
        let is_inside = |value: f64| value > 0.0 && value < 1.0;
        let threshold = self.occupancy_threshold;
        let is_between = self.clamp_min < threshold && threshold <= self.clamp_max;
        let fields = [
            ("hit", self.hit, self.hit > 0.5, "between 0.5 and 1, both excluded"),
            ("miss", self.miss, self.miss < 0.5, "between 0 and 0.5, both excluded"),
            ("clamp_min", self.clamp_min, true, "between 0 and 1, both excluded"),
            ("clamp_max", self.clamp_max, self.clamp_min < self.clamp_max, "between clamp_min and 1, both excluded"),
            ("occupancy_threshold", threshold, is_between, "above clamp_min and at most clamp_max"),
        ];
        match fields.iter().find(|(_, value, is_good, _)| !(is_inside(*value) && *is_good)) {
            Some((name, value, _, wanted)) => Err(KineticError::invalid(*name, value, *wanted)),
            None => Ok(()),
        }
    }
}

/// The log-odds of a probability, in single precision as cells store them.
pub(crate) fn log_odds_of(probability: f64) -> f32 {
    (probability / (1.0 - probability)).ln() as f32
}

/// The probability of log-odds.
pub(crate) fn probability_of(log_odds: f32) -> f64 {
    1.0 / (1.0 + f64::from(-log_odds).exp())
}

/// The sensor model as log-odds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SensorModel {
    pub(crate) hit: f32,
    pub(crate) miss: f32,
    pub(crate) min: f32,
    pub(crate) max: f32,
    pub(crate) threshold: f32,
}

impl SensorModel {
    pub(crate) fn new(config: &OctreeConfig) -> Self {
        Self {
            hit: log_odds_of(config.hit),
            miss: log_odds_of(config.miss),
            min: log_odds_of(config.clamp_min),
            max: log_odds_of(config.clamp_max),
            threshold: log_odds_of(config.occupancy_threshold),
        }
    }

    /// Log-odds after a measurement; a cell that nothing is known of starts from even odds.
    #[inline]
    pub(crate) fn updated(&self, log_odds: f32, change: f32) -> f32 {
        let before = if log_odds == super::nodes::UNKNOWN { 0.0 } else { log_odds };
        (before + change).max(self.min).min(self.max)
    }

    /// Whether log-odds count as occupied; the mark of unknown cells does not.
    #[inline]
    pub(crate) fn is_occupied(&self, log_odds: f32) -> bool {
        log_odds >= self.threshold
    }
}
