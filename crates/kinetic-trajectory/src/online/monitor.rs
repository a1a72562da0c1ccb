//! How far the robot is from where it should be.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result};

/// How serious a deviation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum DeviationLevel {
    /// Below the warning threshold, or not for long enough.
    #[default]
    Normal,
    /// Above the warning threshold during the whole window.
    Warning,
    /// Above the critical threshold during the whole window, or not a number.
    Critical,
}

/// Thresholds of an [`ExecutionMonitor`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonitorConfig {
    /// Deviation of a joint that is worth a warning, rad or m.
    pub warning: f64,
    /// Deviation of a joint that calls for a stop, rad or m.
    pub critical: f64,
    /// Measurements in a row that must be above a threshold: single outliers are noise.
    pub window: usize,
}

impl Default for MonitorConfig {
    fn default() -> Self {
        Self { warning: 0.02, critical: 0.1, window: 3 }
    }
}

/// What the monitor says about a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// The level.
    pub level: DeviationLevel,
    /// The joint that is farthest off now.
    pub joint: usize,
    /// By how much, measured minus expected, rad or m.
    pub value: f64,
}

/// Most joints that a monitor watches; no robot comes near.
const MOST_JOINTS: usize = 10_000;

/// Compares measured with expected positions; allocates nothing after [`new`](Self::new).
///
/// ```
/// use kinetic_trajectory::online::{DeviationLevel, ExecutionMonitor, MonitorConfig};
/// let config = MonitorConfig { warning: 0.01, critical: 0.1, window: 2 };
/// let mut monitor = ExecutionMonitor::new(2, config)?;
/// assert_eq!(monitor.update(&[0.0, 1.0], &[0.0, 1.05])?.level, DeviationLevel::Normal);
/// let deviation = monitor.update(&[0.0, 1.0], &[0.0, 1.05])?;
/// assert_eq!((deviation.level, deviation.joint), (DeviationLevel::Warning, 1));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExecutionMonitor {
    config: MonitorConfig,
    /// Per joint, for how many measurements in a row it was above the warning and the critical threshold.
    above: Vec<[usize; 2]>,
}

impl ExecutionMonitor {
    /// A monitor for `dof` joints.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for thresholds that are not positive or not ascending, an empty window, or more than
    /// 10,000 joints.
    pub fn new(dof: usize, config: MonitorConfig) -> Result<Self> {
        if dof > MOST_JOINTS {
            return Err(KineticError::invalid("dof", dof, format!("at most {MOST_JOINTS} joints")));
        }
        if !(config.warning > 0.0) {
            return Err(KineticError::invalid("warning threshold", config.warning, "a positive number"));
        }
        if !(config.critical >= config.warning) {
            let wanted = format!("at least the warning threshold {}", config.warning);
            return Err(KineticError::invalid("critical threshold", config.critical, wanted));
        }
        if config.window == 0 {
            return Err(KineticError::invalid("window", 0, "at least 1 measurement"));
        }
        Ok(Self { config, above: vec![[0; 2]; dof] })
    }

    /// Judges a measurement.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`]. A value that is not a number is critical at once, not an error.
    pub fn update(&mut self, expected: &[f64], measured: &[f64]) -> Result<Deviation> {
        check_len("expected positions", expected.len(), self.above.len())?;
        check_len("measured positions", measured.len(), self.above.len())?;
        let mut worst = Deviation { level: DeviationLevel::Normal, joint: 0, value: 0.0 };
        for (joint, above) in self.above.iter_mut().enumerate() {
            let value = measured[joint] - expected[joint];
            for (count, threshold) in above.iter_mut().zip([self.config.warning, self.config.critical]) {
                *count = if value.abs() <= threshold { 0 } else { *count + 1 };
            }
            let level = match above.map(|count| count >= self.config.window) {
                [_, true] => DeviationLevel::Critical,
                _ if value.is_nan() => DeviationLevel::Critical,
                [true, _] => DeviationLevel::Warning,
                _ => DeviationLevel::Normal,
            };
            worst.level = worst.level.max(level);
            if !(value.abs() <= worst.value.abs()) && !worst.value.is_nan() {
                (worst.joint, worst.value) = (joint, value);
            }
        }
        Ok(worst)
    }

    /// Forgets past measurements.
    pub fn reset(&mut self) {
        self.above.fill([0; 2]);
    }
}
